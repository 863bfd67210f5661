"""Few pairs on purpose."""

from lane.data.pair import Pair
from lane.data.task import Task
from lane.experiments.thinning import FEWEST, sayable, thinned

WORDS = [f"w{number}" for number in range(20)]
TRAIN = tuple(Pair((one, other), (one, other)) for one in WORDS for other in WORDS)
TASK = Task("pairs", TRAIN, (Pair(("w1", "w2", "w3"), ("x",)), Pair(("new",), ("x",))))


def test_a_share_of_the_distinct_pairs_by_seed():
    thin = thinned(Task("pairs", TRAIN * 2, ()), 0.1, seed=1)
    assert len(thin.train) == len(set(thin.train)) == 40
    assert set(thin.train) <= set(TRAIN)
    assert thin == thinned(Task("pairs", TRAIN * 2, ()), 0.1, seed=1)
    assert thin.train != thinned(TASK, 0.1, seed=2).train
    assert thin.notes == ("40 of 400 training pairs, seed 1",)


def test_never_fewer_than_a_few():
    assert len(thinned(TASK, 0.001, seed=1).train) == FEWEST
    assert len(thinned(Task("two", TRAIN[:2], ()), 0.001, seed=1).train) == 2


def test_only_commands_of_known_words_are_asked_for():
    assert sayable(TASK.test, TRAIN) == TASK.test[:1]
    assert thinned(TASK, 0.01, seed=1).test == ()
