"""Lessons: what is in play, what is drawn, and when a lesson is over."""

import pytest
import torch

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.trainer.config import build_config
from lane.trainer.curriculum import Curriculum
from lane.trainer.dataset import Dataset
from lane.trainer.learner import Evaluation

COUNT = 40
PATIENCE, STALL = 3, 8
LENGTHS = [1, 2, 4]


def curriculum(explained=True, **settings):
    pairs = [
        Pair(tuple(f"w{i}" if place == 0 else "x" for place in range(LENGTHS[i % 3])), ("A",))
        for i in range(COUNT)
    ]
    source = Vocabulary.of(pair.source for pair in pairs)
    torch.manual_seed(1)
    numbers = {"patience": PATIENCE, "stall": STALL, "misfits": 0.05, **settings}
    return Curriculum(Dataset(pairs, source, Vocabulary(["A"])), build_config("fast", numbers), explained)


def evaluation(lessons, wrong=(), simplicity=1.0, whole=True):
    index = lessons.pool()
    right = torch.tensor([int(i) not in wrong for i in index])
    return Evaluation(
        index, right, torch.full_like(right, whole), torch.full([len(index)], simplicity), rollout=None
    )


def verdicts(lessons, evaluations, sampled=1.0):
    found = []
    for one in evaluations:
        lessons.note(one)
        found.append(lessons.judge(one, sampled))
    return found


def test_lessons_are_the_lengths_there_are():
    lessons = curriculum()
    for place, longest in enumerate(LENGTHS):
        assert lessons.longest == longest
        assert lessons.length[lessons.pool()].max() == longest
        assert lessons.is_last == (place == 2)
        if not lessons.is_last:
            lessons.next_lesson()
    assert len(lessons.pool()) == COUNT


def test_without_lessons_everything_is_in_play_at_once():
    lessons = curriculum(curriculum=False)
    assert lessons.is_last
    assert len(lessons.pool()) == COUNT


def test_the_entropy_bonus_is_halved_lesson_by_lesson():
    lessons = curriculum(entropy=0.8, entropy_lessons=2)
    found = []
    for _ in LENGTHS:
        found.append(lessons.entropy)
        lessons.lesson += 1
    assert found == [0.8, 0.8, 0.4]


@pytest.mark.parametrize("focus", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("newest", [0.0, 0.25, 1.0])
def test_what_is_drawn_is_in_play(focus, newest):
    lessons = curriculum(examples=200, focus=focus, newest=newest)
    lessons.next_lesson()
    pool = set(lessons.pool().tolist())
    lessons.note(evaluation(lessons, wrong={0, 5}))
    drawn = lessons.draw()
    assert len(drawn) == 200
    assert set(drawn.tolist()) <= pool
    of_newest = (lessons.length[drawn] == lessons.longest).float().mean()
    assert of_newest >= min(newest, 1 - focus) - 0.01


def test_what_is_wrong_is_drawn_more_until_it_is_old():
    lessons = curriculum(examples=8, focus=1.0, newest=0.0)

    def shares():
        drawn = torch.cat([lessons.draw() for _ in range(200)])
        return torch.bincount(drawn, minlength=COUNT) / len(drawn)

    lessons.note(evaluation(lessons, wrong={3}))
    assert shares()[3] > 5 * shares()[4]
    for _ in range(50):
        lessons.note(evaluation(lessons, wrong={3}))
    lessons.note(evaluation(lessons, wrong={3, 4}))
    assert shares()[4] > 5 * shares()[3]


def test_passed_at_once_if_all_is_right_and_simple():
    lessons = curriculum()
    assert verdicts(lessons, [evaluation(lessons)]) == ["passed"]


def test_passed_in_the_end_if_all_is_right_and_gets_no_simpler():
    lessons = curriculum()
    found = verdicts(lessons, [evaluation(lessons, simplicity=0.5)] * (1 + PATIENCE))
    assert found == ["go on"] * PATIENCE + ["passed"]


def test_gains_in_simplicity_buy_time():
    lessons = curriculum()
    rising = [evaluation(lessons, simplicity=0.1 * i) for i in range(1, 9)]
    assert set(verdicts(lessons, rising)) == {"go on"}


def test_right_but_not_recognised_is_not_right():
    lessons = curriculum()
    assert verdicts(lessons, [evaluation(lessons, whole=False)]) == ["go on"]


def test_stalled_if_accuracy_does_not_rise():
    lessons = curriculum()
    half = {int(i) for i in lessons.pool()[::2]}
    found = verdicts(lessons, [evaluation(lessons, wrong=half)] * (1 + STALL))
    assert found == ["go on"] * STALL + ["stalled"]


def test_gains_in_accuracy_buy_time():
    lessons = curriculum()
    pool = lessons.pool().tolist()
    assert len(pool) > STALL
    rising = [evaluation(lessons, wrong=pool[i:]) for i in range(len(pool))]
    assert set(verdicts(lessons, rising)) == {"go on"}


def test_a_few_pairs_that_stay_wrong_are_set_aside():
    lessons = curriculum(curriculum=False)
    found = verdicts(lessons, [evaluation(lessons, wrong={7})] * STALL)
    assert found[0] == "go on"
    assert "passed" in found
    assert found.index("passed") >= PATIENCE


def test_more_than_a_few_are_not():
    lessons = curriculum(curriculum=False)
    found = verdicts(lessons, [evaluation(lessons, wrong={1, 2, 3})] * (1 + STALL))
    assert "passed" not in found
    assert found[-1] == "stalled"


def test_what_is_wrong_by_turns_is_no_misfit():
    lessons = curriculum(curriculum=False)
    by_turns = [evaluation(lessons, wrong={i % 4}) for i in range(1 + STALL)]
    assert "passed" not in verdicts(lessons, by_turns)


def test_stragglers_are_left_behind_where_no_rules_explain_the_pairs():
    for explained, share, last in ((True, 0.25, "stalled"), (False, 0.25, "passed"), (False, 0.0, "stalled")):
        lessons = curriculum(explained=explained, curriculum=False, stragglers=share)
        by_turns = [evaluation(lessons, wrong={i % 4, 4 + i % 3, 8 + i % 2}) for i in range(1 + STALL)]
        found = verdicts(lessons, by_turns)
        assert found[-1] == last
        assert found[1 + STALL // 2] == ("passed" if last == "passed" else "go on")


def test_too_many_stragglers_are_a_stall():
    lessons = curriculum(explained=False, curriculum=False, stragglers=0.25)
    found = verdicts(lessons, [evaluation(lessons, wrong=set(range(COUNT // 2)))] * (1 + STALL))
    assert "passed" not in found
    assert found[-1] == "stalled"


def test_an_evaluation_looks_at_a_part_and_at_all_that_was_wrong():
    lessons = curriculum(curriculum=False, evaluate_most=5)
    assert len(lessons.probe()) == 5
    away = next(i for i in range(COUNT) if i not in set(lessons.probe().tolist()))
    lessons.note(evaluation(lessons, wrong={away}))
    assert set(lessons.probe().tolist()) >= {away}
    assert len(lessons.probe()) == 6


def test_goes_on_from_a_kept_state():
    lessons = curriculum()
    lessons.next_lesson()
    lessons.note(evaluation(lessons, wrong={1, 2}))
    lessons.judge(evaluation(lessons, wrong={1, 2}), 1.0)
    other = curriculum()
    other.restore(lessons.state())
    assert str(other.state()) == str(lessons.state())
    torch.manual_seed(3)
    drawn = lessons.draw()
    torch.manual_seed(3)
    assert torch.equal(drawn, other.draw())


def test_a_lesson_waits_for_samples_to_be_right_but_not_for_ever():
    lessons = curriculum(sure=0.5)
    everything_right = [evaluation(lessons)] * (PATIENCE + 1)
    assert verdicts(lessons, everything_right, sampled=0.49) == ["go on"] * PATIENCE + ["passed"]
    assert verdicts(curriculum(sure=0.5), everything_right[:1], sampled=0.5) == ["passed"]
