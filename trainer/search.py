"""The search: rounds of candidates until independent ones agree, and the choice among them."""

from dataclasses import dataclass, field, replace

from lane.models.card import Comparison
from lane.trainer.agreement import Agreement, merged
from lane.trainer.candidate import Fit
from lane.trainer.conflict import conflict, strict_reading
from lane.trainer.training import Halted, Journal, Run
from lane.trainer.worker import Spares, train_candidates

AGREED = 0.999  # share of new commands on which two models must agree: of the default 4000, four may differ


@dataclass(frozen=True)
class Found:
    """The result of the search."""

    fit: Fit
    agreement: float | None  # share of new commands on which the nearest candidate agrees; None: none are new
    reason: str  # why it counts as converged, or not
    candidates: tuple[Fit, ...]
    comparison: Comparison = field(default_factory=Comparison)  # with the nearest; alone: with itself
    stopped: bool = False  # before it had ended

    @property
    def converged(self) -> bool:
        """Whether another candidate confirms it."""
        return _agrees(self.agreement)


def agreement_of(run: Run) -> Agreement:
    """Compares the fits of a run."""
    return Agreement(run.dataset, run.config, run.device, run.reading())


def search(
    run: Run,
    agreement: Agreement,
    workers: int,
    journal: Journal,
    halted: Halted,
    spares: Spares | None = None,
) -> Found:
    """Train candidates, round by round, until the best of them fits and another agrees with it."""
    fits: list[Fit] = []
    for number in range(run.config.rounds):
        first = number * run.config.candidates
        numbers = range(first, first + run.config.candidates)
        fits += train_candidates(run, numbers, workers, journal.report, halted, spares)
        found = judge(fits, agreement, single=run.config.candidates == 1)
        if found.converged or halted():
            return found if found.converged else _stopped(found)
        journal.say(f"round {number + 1}: {found.reason}")
        if not any(fit.fitted for fit in fits) and _is_hopeless(run):
            break
    return found


def _is_hopeless(run: Run) -> bool:
    """Whether some pairs contradict each other: attempts that stalled on them would stall again."""
    return run.induced is not None and bool(conflict(strict_reading(run.dataset, run.induced)))


def _stopped(found: Found) -> Found:
    return replace(found, stopped=True, reason=f"stopped early; {found.reason}")


def judge(fits: list[Fit], agreement: Agreement, single: bool = False) -> Found:
    """The best fit that another agrees with; without any, the best fit, unconverged.

    `single`: the settings ask for one candidate only, which need not agree with another but with itself.
    """
    ranked = sorted(fits, key=lambda fit: (*fit.merit, fit.number))
    fitted = [fit for fit in ranked if fit.fitted]
    best = ranked[0]
    if not fitted and best.wrong:
        reason = f"no candidate fits: the best gets {len(best.wrong)} of the pairs wrong"
    elif not fitted:
        reason = "no candidate was finished, though the best gets every pair right"
    elif single and len(fits) == 1:
        comparison = agreement.with_itself(best)
        reason = _reason("consistent with itself on {share:.2%} of new commands", comparison)
        return Found(best, comparison.share, reason, tuple(fits), comparison)
    elif len(fitted) == 1:
        reason = "only one candidate fits, so that none can confirm it"
    else:
        best, comparison = _confirmed(fitted, agreement)
        text = (
            "independent candidates agree on {share:.2%} of new commands"
            if _agrees(comparison.share)
            else "the candidates that fit agree on {share:.2%} of new commands only"
        )
        return Found(best, comparison.share, _reason(text, comparison), tuple(fits), comparison)
    return Found(best, 0.0, reason, tuple(fits))


def _agrees(share: float | None) -> bool:
    """Where nothing new can be said, all that can be said is in the pairs, and right."""
    return share is None or share >= AGREED


def _reason(text: str, comparison: Comparison) -> str:
    return str(comparison) if comparison.share is None else text.format(share=comparison.share)


def _confirmed(fitted: list[Fit], agreement: Agreement) -> tuple[Fit, Comparison]:
    """The first that another agrees with, or else the first of all; compared with its nearest.

    The differences are those from all others.
    """
    found: list[tuple[Fit, Comparison]] = []
    for fit in fitted:
        compared = [agreement.between(fit, other) for other in fitted if other is not fit]
        nearest = max(compared, key=lambda one: 1.0 if one.share is None else one.share)
        found.append((fit, nearest.model_copy(update={"differing": merged(compared)})))
        if _agrees(nearest.share):
            return found[-1]
    return found[0]
