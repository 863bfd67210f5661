"""Lessons of epochs: what is held out, what an epoch has, and when a lesson is over."""

import pytest
import torch

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.trainer.config import build_config
from lane.trainer.curriculum import Curriculum
from lane.trainer.dataset import Dataset
from lane.trainer.epochs import Epochs, curriculum_of
from lane.trainer.learner import Evaluation


def epochs(by_length, **settings):
    """Lessons over so many pairs of each length."""
    pairs = [
        Pair(tuple(f"w{number}" if place == 0 else "x" for place in range(length)), ("A",))
        for length, count in by_length.items()
        for number in range(count)
    ]
    torch.manual_seed(1)
    numbers = {"epochs": "3,2", "development": 0.2, "first_lesson": 3, **settings}
    dataset = Dataset(pairs, Vocabulary.of(pair.source for pair in pairs), Vocabulary(["A"]))
    return Epochs(dataset, build_config("fast", numbers))


def evaluation(lessons, accuracy):
    index = lessons.probe()
    right = torch.arange(len(index)) < accuracy * len(index)
    return Evaluation(index, right, torch.ones_like(right), torch.ones([len(index)]), rollout=None)


def drawn_epoch(lessons):
    """All examples of an epoch."""
    drawn = [lessons.draw()]
    while len(lessons.rest) > 0:
        drawn.append(lessons.draw())
    return torch.cat(drawn)


def test_the_settings_say_which_kind_of_lessons():
    lessons = epochs({1: 3, 4: 3})
    dataset = Dataset([Pair(("a",), ("A",))], Vocabulary(["a"]), Vocabulary(["A"]))
    assert type(curriculum_of(dataset, build_config("paper"))) is Epochs
    assert type(curriculum_of(dataset, build_config("fast"))) is Curriculum
    assert isinstance(lessons, Curriculum)


@pytest.mark.parametrize(
    ("lengths", "lessons"),
    [([1, 2, 3, 5, 6], [3, 5, 6]), ([1, 2, 4], [3, 4]), ([4, 5], [4, 5]), ([1, 2], [3])],
)
def test_the_first_lesson_has_all_short_commands(lengths, lessons):
    assert epochs(dict.fromkeys(lengths, 2)).lessons == lessons


def test_without_lessons_all_lengths_are_in_every_epoch():
    lessons = epochs({1: 5, 4: 200, 6: 400}, curriculum=False, development=0.0)
    assert lessons.is_last
    assert set(drawn_epoch(lessons).tolist()) == set(range(605))


def test_a_share_is_held_out_and_its_short_pairs_are_learned_all_the_same():
    lessons = epochs({2: 200, 4: 200, 6: 600}, development_words=4)
    held = lessons.held
    assert held.sum() == 200
    while not lessons.is_last:
        lessons.next_lesson()
    drawn = set(drawn_epoch(lessons).tolist())
    assert drawn == set(torch.nonzero(~held | (lessons.length <= 4)).flatten().tolist())
    probe = lessons.probe()
    assert held[probe].all()
    assert len(probe) == 200


def test_of_few_pairs_none_are_held_out_and_all_are_evaluated():
    lessons = epochs({1: 4, 2: 10})
    assert not lessons.held.any()
    assert sorted(lessons.probe().tolist()) == list(range(14))


def test_many_development_pairs_are_sampled_anew():
    lessons = epochs({1: 3000}, evaluate_most=100, development_words=0)
    one, other = lessons.probe(), lessons.probe()
    assert len(one) == len(other) == 100
    assert set(one.tolist()) != set(other.tolist())


@pytest.mark.parametrize(("count", "times"), [(99, 8), (100, 2), (499, 2), (500, 1)])
def test_short_lessons_are_repeated(count, times):
    drawn = drawn_epoch(epochs({1: count}, development=0.0))
    assert torch.equal(torch.bincount(drawn), torch.full([count], times))


def test_an_epoch_is_shuffled_and_its_last_draw_may_be_short():
    lessons = epochs({1: 502}, development=0.0, examples=4)
    first = drawn_epoch(lessons)
    assert not torch.equal(first, first.sort().values)
    assert not torch.equal(first, drawn_epoch(lessons))
    assert lessons.epochs == 2
    for _ in range(125):
        assert len(lessons.draw()) == 4
    assert len(lessons.draw()) == 2


def test_short_epochs_are_evaluated_at_their_end_and_long_ones_between():
    lessons = epochs({1: 1000}, development=0.0, examples=4, evaluate_every=250)
    assert lessons.stride == 250
    lessons = epochs({1: 9_002}, development=0.0, examples=4, evaluate_every=1000)
    found = []
    for _ in range(3):
        found.append(lessons.stride)
        for _ in range(found[-1]):
            lessons.draw()
    assert found == [1000, 1000, 251]
    assert len(lessons.rest) == 0
    assert lessons.stride == 1000


def test_a_lesson_ends_when_nearly_all_is_right_or_after_its_epochs():
    lessons = epochs({1: 600, 4: 600, 5: 600})
    assert lessons.judge(evaluation(lessons, 0.0), 0.0) == "go on"  # nothing was drawn yet
    for epoch in range(3):
        drawn_epoch(lessons)
        assert lessons.judge(evaluation(lessons, 0.95), 0.0) == ("passed" if epoch == 2 else "go on")
    lessons.next_lesson()
    assert lessons.judge(evaluation(lessons, 0.0), 0.0) == "go on"
    lessons.draw()
    assert lessons.judge(evaluation(lessons, 0.995), 0.0) == "passed"  # within an epoch
    lessons.next_lesson()
    for _ in range(4):  # the last lesson goes on
        drawn_epoch(lessons)
        assert lessons.judge(evaluation(lessons, 0.5), 0.0) == "go on"
    assert lessons.judge(evaluation(lessons, 1.0), 0.0) == "passed"


def test_it_is_over_after_so_many_epochs():
    lessons = epochs({1: 600}, most_epochs=2)
    drawn_epoch(lessons)
    assert lessons.judge(evaluation(lessons, 0.5), 0.0) == "go on"
    drawn_epoch(lessons)
    assert lessons.judge(evaluation(lessons, 0.5), 0.0) == "stalled"


def test_a_lesson_begins_with_an_epoch_of_its_own():
    lessons = epochs({1: 600, 4: 600}, development=0.0)
    lessons.draw()
    lessons.next_lesson()
    assert len(drawn_epoch(lessons)) == 1200


def test_the_entropy_bonus_is_halved_down_to_its_floor():
    lessons = epochs({1: 9, 4: 9, 5: 9}, entropy=0.8, entropy_lessons=1, entropy_floor=0.3)
    found = []
    for _ in range(3):
        found.append(lessons.entropy)
        lessons.lesson += 1
    assert found == [0.8, 0.4, 0.3]
    assert epochs({1: 9}, entropy=0.0, entropy_floor=0.3).entropy == 0.0


def test_a_kept_state_goes_on_with_the_same_epoch():
    one = epochs({1: 600, 4: 600})
    one.next_lesson()
    one.draw()
    state = one.state()
    other = epochs({1: 600, 4: 600})
    other.restore(state)
    assert torch.equal(one.rest, other.rest)
    assert torch.equal(one.held, other.held)
    assert (one.lesson, one.epochs, one.epochs_in_all) == (other.lesson, other.epochs, other.epochs_in_all)
