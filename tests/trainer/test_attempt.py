"""One attempt: when it leaves to another kind of rules, and how it goes through lessons of epochs."""

import copy
from dataclasses import replace

import pytest
import torch

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.trainer.attempt import Attempt
from lane.trainer.config import build_config
from lane.trainer.dataset import Dataset
from lane.trainer.learner import Evaluation, Learner

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


LONG = [Pair.of(text, "A") for text in ("a a a a", "a b a b", "b b b b b", "b a b a b a")]


def by_epochs(**settings):
    """An attempt at pairs of up to six words, by lessons of epochs."""
    dataset = Dataset([*PAIRS, *LONG], *VOCABULARIES)
    config = build_config("paper", {"embedding": 6, "hidden": 6, "samples": 2, **settings})
    return Attempt(dataset, config, 1, True)


def told(monkeypatch, attempt, right):
    """Its evaluations say so of each example, by its number of words."""

    def evaluate(dataset, index):
        found = torch.tensor([right(int(dataset.length[i])) for i in index])
        evaluation = Learner.evaluate(attempt.learner, dataset, index)
        return replace(evaluation, right=found, whole=torch.ones_like(found))

    monkeypatch.setattr(attempt.learner, "evaluate", evaluate)


def test_by_epochs_it_is_over_as_soon_as_pairs_of_every_length_are_right(monkeypatch):
    attempt = by_epochs()
    told(monkeypatch, attempt, lambda words: True)
    report = attempt.stride()
    assert (report.outcome, report.longest, attempt.updates) == ("fitted", 3, 0)


def test_by_epochs_the_next_lesson_begins_where_only_shorter_pairs_are_right(monkeypatch):
    attempt = by_epochs()
    told(monkeypatch, attempt, lambda words: words <= 4)
    assert [attempt.stride().longest for _ in range(4)] == [3, 4, 5, 5]
    assert attempt.outcome == "training"
    # Six pairs of up to four words and seven of up to five, eight times an epoch, four at a time.
    assert attempt.updates == 8 * 6 // 4 + 3 * (8 * 7 // 4)


def test_by_epochs_lessons_end_unlearned_and_the_last_goes_on_until_the_epochs_are_spent(monkeypatch):
    attempt = by_epochs(epochs="2,1", most_epochs=6)
    told(monkeypatch, attempt, lambda words: False)
    lessons = [attempt.stride().longest for _ in range(7)]
    assert lessons == [3, 3, 3, 4, 5, 6, 6]
    assert attempt.outcome == "stalled"


def test_by_epochs_it_goes_on_bit_by_bit_from_a_kept_state():
    one = by_epochs()
    one.stride()
    one.learner.update(one.dataset, one.curriculum.draw(), 0.1, explore=True)  # amid an epoch
    state = copy.deepcopy(one.state())
    one.stride()
    other = by_epochs()
    other.restore(state)
    other.stride()
    for name, value in one.model.state_dict().items():
        assert torch.equal(value, other.model.state_dict()[name]), name
    assert one.updates == other.updates


def test_what_consolidation_keeps_between_updates_changes_nothing(tiny_config):
    """The grammar of a model is read off again only after an update; the weights are the same."""
    words = {"a": "A", "b": "B", "c": "C"}
    pairs = [Pair.of(word, action) for word, action in words.items()]
    pairs += [Pair.of(f"{word} twice", f"{action} {action}") for word, action in words.items()]
    pairs += [Pair.of(f"{one} and {two}", f"{words[one]} {words[two]}") for one in words for two in words]
    dataset = Dataset.of(pairs)
    config = tiny_config.model_copy(update={"consolidations": 6, "confirmations": 3})

    def consolidated(forgets):
        attempt = Attempt(dataset, config, 1, False)
        attempt.outcome, attempt.fitting = "consolidating", copy.deepcopy(attempt.learner.state())
        attempt.wrong = torch.arange(len(dataset))
        read = 0
        while not attempt.ended:
            if forgets:
                attempt._grammar = None
            read += attempt._grammar is None
            attempt.stride()
        return attempt.model.state_dict(), attempt.consolidations, read

    (kept, strides, few), (forgotten, others, all_of_them) = consolidated(False), consolidated(True)
    assert strides == others == all_of_them
    assert few <= strides
    assert all(torch.equal(value, forgotten[name]) for name, value in kept.items())
