"""One attempt: when it leaves to another kind of rules."""

import pytest
import torch

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.trainer.attempt import Attempt
from lane.trainer.dataset import Dataset
from lane.trainer.learner import Evaluation

PAIRS = [Pair.of("a", "A"), Pair.of("b", "B"), Pair.of("a twice", "A A"), Pair.of("please a", "P A")]
VOCABULARIES = Vocabulary.of(pair.source for pair in PAIRS), Vocabulary.of(pair.target for pair in PAIRS)


def lacks_constants(tiny_config, wrong, no_gain=3, constants=False, verdict="go on", **settings):
    dataset = Dataset(PAIRS, *VOCABULARIES)
    config = tiny_config.model_copy(update={"stall": 6, **settings})
    attempt = Attempt(dataset, config, 1, constants)
    attempt.curriculum.no_gain = no_gain
    right = torch.tensor([" ".join(pair.source) not in wrong for pair in dataset.pairs])
    index = torch.arange(len(dataset))
    evaluation = Evaluation(index, right, torch.ones_like(right), torch.ones([len(index)]), rollout=None)
    return attempt._lacks_constants(evaluation, verdict)


def test_it_leaves_where_only_actions_are_missing_that_no_right_pair_has(tiny_config):
    assert lacks_constants(tiny_config, wrong={"please a"})


@pytest.mark.parametrize("wrong", [{"please a", "a twice"}, {"please a", "b"}, {"a twice"}])
def test_it_stays_where_something_else_is_wrong_too(tiny_config, wrong):
    assert not lacks_constants(tiny_config, wrong)


def test_it_stays_while_there_is_hope_and_where_no_other_attempt_would_do_better(tiny_config):
    assert not lacks_constants(tiny_config, {"please a"}, no_gain=2)
    assert not lacks_constants(tiny_config, {"please a"}, constants=True)


def test_it_stays_where_constants_are_never_allowed(tiny_config):
    never = tiny_config.model_copy(update={"constants": "never"})
    assert not lacks_constants(never, {"please a"})


def test_at_a_stall_one_such_pair_is_enough_for_the_next_attempt(tiny_config):
    assert lacks_constants(tiny_config, {"please a", "a twice"}, no_gain=6, verdict="stalled")
    assert not lacks_constants(tiny_config, {"a twice"}, no_gain=6, verdict="stalled")
    assert not lacks_constants(tiny_config, {"please a"}, no_gain=6, verdict="passed")


def test_it_stays_where_nothing_is_wrong(tiny_config):
    assert not lacks_constants(tiny_config, set())


def test_it_ends_after_so_many_updates(tiny_config):
    config = tiny_config.model_copy(update={"most_updates": 2, "evaluate_every": 2})
    attempt = Attempt(Dataset(PAIRS, *VOCABULARIES), config, 1, False)
    assert attempt.stride().outcome == "training"
    assert attempt.stride().outcome == "stalled"
    assert attempt.updates == 2
