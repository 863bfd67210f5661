"""The search: rounds of candidates until independent ones agree, and the choice among them."""

from dataclasses import dataclass, replace

from lane.trainer.agreement import Agreement
from lane.trainer.candidate import Fit
from lane.trainer.run import Halted, Journal, Run
from lane.trainer.worker import train_candidates

AGREED = 0.999  # share of new commands on which two models must agree: of the default 4000, four may differ


@dataclass(frozen=True)
class Found:
    """The result of the search."""

    fit: Fit
    converged: bool
    agreement: float  # share of new commands on which the nearest candidate agrees; alone: with itself
    candidates: tuple[Fit, ...]
    reason: str  # why it counts as converged, or not
    stopped: bool = False  # before it had ended


def search(run: Run, workers: int, journal: Journal, halted: Halted) -> Found:
    """Train candidates, round by round, until the best of them fits and another agrees with it."""
    agreement = Agreement(run.dataset, run.config, run.device)
    fits: list[Fit] = []
    for number in range(run.config.rounds):
        first = number * run.config.candidates
        numbers = range(first, first + run.config.candidates)
        fits += train_candidates(run, numbers, workers, journal.report, halted)
        found = judge(fits, agreement, single=run.config.candidates == 1)
        if found.converged or halted():
            return found if found.converged else _stopped(found)
        journal.say(f"round {number + 1}: {found.reason}")
    return found


def _stopped(found: Found) -> Found:
    return replace(found, stopped=True, reason=f"stopped early; {found.reason}")


def judge(fits: list[Fit], agreement: Agreement, single: bool = False) -> Found:
    """The best fit that another agrees with; without any, the best fit, unconverged.

    `single`: the settings ask for one candidate only, which need not agree with another but with itself.
    """
    ranked = sorted(fits, key=lambda fit: (*fit.merit, fit.number))
    fitted = [fit for fit in ranked if fit.fitted]
    if not fitted:
        best = ranked[0]
        if best.wrong:
            reason = f"no candidate fits: the best gets {len(best.wrong)} of the pairs wrong"
        else:
            reason = "no candidate was finished, though the best gets every pair right"
        return Found(best, False, 0.0, tuple(fits), reason)
    if single and len(fits) == 1:
        agreed = agreement.with_itself(fitted[0])
        reason = f"consistent with itself on {agreed:.2%}"
        return Found(fitted[0], agreed >= AGREED, agreed, tuple(fits), reason)
    nearest = 0.0
    for place, fit in enumerate(fitted):
        agreed = max((agreement.between(fit, other) for other in fitted if other is not fit), default=0.0)
        nearest = max(nearest, agreed) if place == 0 else nearest
        if agreed >= AGREED:
            reason = f"independent candidates agree on {agreed:.2%} of new commands"
            return Found(fit, True, agreed, tuple(fits), reason)
    if len(fitted) == 1:
        reason = "only one candidate fits, so that none can confirm it"
    else:
        reason = f"the candidates that fit agree on {nearest:.2%} of new commands only"
    return Found(fitted[0], False, nearest, tuple(fits), reason)
