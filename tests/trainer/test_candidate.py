"""A candidate: its attempts, their seeds and constants, and the choice among them."""

from dataclasses import replace

import pytest
import torch

from lane.base.errors import LaneError
from lane.models import checkpoint
from lane.trainer import candidate
from lane.trainer.attempt import Attempt
from lane.trainer.candidate import Fit, derived_seed, next_attempt, train_candidate
from lane.trainer.training import Run


def fit(fitted=True, wrong=0, simplicity=1.0, rules=5, lacks_constants=False, seed=1):
    return Fit(
        number=0,
        seed=seed,
        constants=False,
        fitted=fitted,
        wrong=tuple(range(wrong)),
        simplicity=simplicity,
        rules=rules,
        updates=10,
        trajectories=100,
        lacks_constants=lacks_constants,
        longest=1,
        gaining=False,
        weights={},
    )


@pytest.fixture
def run(dataset, tiny_config, tmp_path):
    return Run(dataset, tiny_config, 1, "cpu", tmp_path)


def with_settings(run, **settings):
    return Run(run.dataset, run.config.model_copy(update=settings), run.seed, run.device, run.folder)


def test_merit_goes_by_fit_then_wrong_pairs_then_simplicity_then_rules():
    worst_first = [fit(False), fit(wrong=1), fit(simplicity=0.9, rules=1), fit(rules=6), fit()]
    assert sorted(worst_first, key=lambda one: one.merit) == worst_first[::-1]


def test_seeds_are_the_same_everywhere_and_distinct():
    seeds = {derived_seed(a, b, c) for a in range(5) for b in range(5) for c in range(5)}
    assert len(seeds) == 125
    assert derived_seed(1, 0, 0) == 118036293908925, "models of earlier releases could not be made again"


@pytest.mark.parametrize(
    ("constants", "tried"),
    [
        ("never", [False] * 5),
        ("always", [True] * 5),
        ("if-needed", [False, False, False, True, False]),
    ],
)
def test_constants_are_tried_as_the_config_says(run, constants, tried):
    run = with_settings(run, constants=constants)
    assert [next_attempt(run, 0, [fit()] * count).constants for count in range(5)] == tried


def test_once_an_attempt_ends_for_the_lack_of_constants_none_goes_without(run, monkeypatch):
    monkeypatch.setattr(type(run.dataset), "not_alone", lambda self: (3,))
    ended = [fit(lacks_constants=True), fit(), fit(), fit()]
    found = [next_attempt(run, 0, ended[:count]).constants for count in range(5)]
    assert found == [False, (3,), (3,), True, (3,)]


def test_attempts_have_seeds_of_their_own(run):
    seeds = {next_attempt(run, number, [fit()] * count).seed for number in range(3) for count in range(3)}
    assert len(seeds) == 9


@pytest.fixture
def ends(monkeypatch):
    """Attempts that end at once, as `ends` says."""
    made = []
    begun = []

    def measured(attempt, number):
        begun.append(attempt)
        return made[len(begun) - 1]

    def stride(self):
        self.outcome = "stalled"
        return self._report(self.learner.evaluate(self.dataset, torch.arange(2)), 0)

    monkeypatch.setattr(Attempt, "stride", stride)
    monkeypatch.setattr(candidate, "_measured", measured)
    monkeypatch.setattr(candidate, "_keep", lambda *arguments: None)
    monkeypatch.setattr(Fit, "learner", lambda self, *arguments: self.seed)
    monkeypatch.setattr(candidate, "new_commands", lambda *arguments: arguments)
    return made


@pytest.mark.parametrize(
    ("fits", "taken", "attempts"),
    [
        ([fit(seed=0)], 0, 1),
        ([fit(False, 2, seed=0), fit(seed=1)], 1, 2),
        ([fit(wrong=1, seed=0), fit(wrong=1, seed=1)], 0, 2),
        ([fit(wrong=1, seed=0), fit(False, 0, seed=1)], 0, 2),
        ([fit(False, 3, seed=0), fit(False, 2, seed=1), fit(False, 4, seed=2)], 1, 3),
    ],
)
def test_attempts_end_with_a_fit_or_when_they_are_spent(run, ends, fits, taken, attempts):
    """Two where the first fits with misfits; and the work of all is counted."""
    ends.extend(fits)
    reports = []
    found = train_candidate(with_settings(run, attempts=3), 4, reports.append, lambda: False)
    assert found.seed == taken
    assert [(report.candidate, report.attempt) for report in reports] == [(4, i) for i in range(attempts)]
    assert (found.updates, found.trajectories) == (10 * attempts, 100 * attempts)
    if found.fitted:
        assert found.made[:2] == (taken, run.dataset), "the new commands of the model that was chosen"
    else:
        assert found.made is None


def same(one: Fit, other: Fit) -> bool:
    first, second = dict(vars(one)), dict(vars(other))
    weights, others = first.pop("weights"), second.pop("weights")
    return first == second and all(torch.equal(weights[name], others[name]) for name in weights)


def test_a_candidate_that_is_done_is_not_trained_again(run):
    found = train_candidate(run, 0, lambda report: None, lambda: False)
    reports = []
    assert same(found, train_candidate(run, 0, reports.append, lambda: False))
    assert reports == []
    assert checkpoint.load(run.state_path(0)).training["attempt"] is None


def test_resumed_at_every_stride_it_ends_the_same(run, tmp_path):
    found = train_candidate(run, 0, lambda report: None, lambda: False)
    pieces = Run(run.dataset, run.config, run.seed, run.device, tmp_path / "pieces")
    pieces.folder.mkdir()
    reports = []
    for most in range(1, 200):
        again = train_candidate(pieces, 0, reports.append, lambda most=most: len(reports) >= most)
        if checkpoint.load(pieces.state_path(0)).training["attempt"] is None:
            break
    assert len(reports) > run.config.attempts
    assert same(found, again)


def test_a_state_that_cannot_be_resumed_is_one_line_with_advice_that_works(run):
    reports = []
    train_candidate(run, 0, reports.append, lambda: len(reports) >= 3)
    path = run.state_path(0)
    kept, whole = checkpoint.load(path), path.read_bytes()
    malformed = [{}, {**kept.training, "attempt": {}}, {**kept.training, "ended": "x"}, [1]]
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    for state in [*malformed, bytes(damaged), whole[:1000], b""]:
        if isinstance(state, bytes):
            path.write_bytes(state)
        else:
            checkpoint.save(replace(kept, training=state), path)
        with pytest.raises(
            LaneError, match=r"candidate-0.pt: a state that cannot be resumed .*delete"
        ) as raised:
            train_candidate(run, 0, reports.append, lambda: False)
        assert "\n" not in str(raised.value)
    path.unlink()
    train_candidate(run, 0, reports.append, lambda: False)
