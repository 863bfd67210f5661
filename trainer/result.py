"""The result of a training: for programs, as text, and as HTML in a notebook."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from lane.base.files import write_atomically
from lane.base.record import write_record
from lane.base.rule import Rules
from lane.base.scheme import shown
from lane.models.card import Comparison, OpenReading
from lane.trainer.diagnosis import Diagnosis

SHOWN_READINGS = 3  # enough to see what is missing; the card has all
SHOWN_MISFITS = 20  # a screenful; the file in the run directory has all


@dataclass(frozen=True)
class Misfit:
    """A training pair that the learned rules contradict."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    says: tuple[str, ...]  # the model's output; empty where it is far too long

    @property
    def answer(self) -> str:
        """The model's output as a text."""
        return shown(self.says) or "(an output far too long)"


@dataclass(frozen=True, kw_only=True)
class Result:
    """The outcome of a training; `str` gives the summary that `lane-train` prints."""

    converged: bool
    stopped: bool  # by the user or by the time limit, before the search had ended
    reason: str  # why it counts as converged, or not
    agreement: float | None  # None: no new command could be made, so that nothing was compared
    rules: Rules
    misfits: tuple[Misfit, ...]
    accuracy: Mapping[str, float]  # by name of the set: train, test, ...
    updates: int
    trajectories: int
    candidates: int
    model: Path
    diagnosis: Diagnosis | None = None  # of an unconverged one: why, and what would help
    comparison: Comparison = field(default_factory=Comparison)
    open_readings: tuple[OpenReading, ...] = ()  # what the pairs do not decide
    label: Path | None = None  # the commands to label next, a pair file without outputs
    seconds: float = 0.0
    peak_mb: float = 0.0  # of all processes together
    spared: Path | None = None  # the converged model at `out` that this unconverged one did not replace
    run_dir: Path | None = None  # None: it was temporary, and there is nothing to resume

    @property
    def undecided(self) -> list[str]:
        """The commands to label next: on which candidates differ, and which would decide an open reading."""
        differing = [each.command for each in self.comparison.differing]
        return [*differing, *(each.command for each in self.open_readings)]

    def write(self, folder: Path) -> None:
        """The numbers as result.json, and all misfits as misfits.tsv: input, output, the model's output."""
        numbers = {
            "converged": self.converged,
            "agreement": self.agreement,
            "comparison": self.comparison.model_dump(mode="json"),
            "open_readings": [one.model_dump(mode="json") for one in self.open_readings],
            "accuracy": dict(self.accuracy),
            "rules": len(self.rules),
            "misfits": len(self.misfits),
            "updates": self.updates,
            "trajectories": self.trajectories,
            "candidates": self.candidates,
            "seconds": round(self.seconds, 1),
            "peak_mb": round(self.peak_mb, 1),
        }
        rows = (map(shown, (misfit.source, misfit.target, misfit.says)) for misfit in self.misfits)
        lines = "".join("\t".join(row) + "\n" for row in rows)
        write_record(folder / "result.json", numbers)
        write_atomically(folder / "misfits.tsv", lines.encode())

    def __str__(self) -> str:
        lines = [*self._rule_lines(), *self._misfit_lines(), *self._open_lines(), *self._summary_lines()]
        return "\n".join(lines)

    def _rule_lines(self) -> list[str]:
        words = sum(rule.is_word for rule in self.rules)
        rows = [f"  {line}" for line in str(self.rules).splitlines()]
        return [f"{_count(words, 'word')} and {_count(len(self.rules) - words, 'rule')}:", *rows]

    def _misfit_lines(self) -> list[str]:
        lines = []
        for misfit in self.misfits[:SHOWN_MISFITS]:
            lines.append(f"does not fit: {' '.join(misfit.source)} -> {shown(misfit.target)}")
            lines.append(f"   the rules say {misfit.answer}")
        more = len(self.misfits) - SHOWN_MISFITS
        if more > 0:
            place = f", in {self.run_dir / 'misfits.tsv'}" if self.run_dir else ""
            lines.append(f"... and {more} more pairs{place}")
        return lines

    def _open_lines(self) -> list[str]:
        lines = [f"the pairs leave open: {reading}" for reading in self.open_readings[:SHOWN_READINGS]]
        more = len(self.open_readings) - SHOWN_READINGS
        return [*lines, *([f"... and {more} more, in the card of the model"] if more > 0 else [])]

    def _summary_lines(self) -> list[str]:
        facts = [f"{name}: {value}" for name, value in self._facts.items()]
        lines = [*facts, f"{self._work}, model in {self.model}"]
        if self.label:
            lines.append(f"the pairs to add next are in {self.label}: fill in their outputs")
        if self.spared:
            lines.append(
                f"{self.spared} holds a converged model and was not replaced by this unconverged one"
            )
        return lines

    @property
    def _facts(self) -> dict[str, str]:
        facts = {
            "accuracy": ", ".join(f"{name} {value:.2%}" for name, value in self.accuracy.items()),
            "agreement" if self.converged else "not converged": self.reason,
        }
        if self.comparison.commands:
            facts["compared"] = str(self.comparison)
        return facts

    @property
    def _work(self) -> str:
        return (
            f"{self.seconds:.1f} s, {_count(self.candidates, 'candidate')}, "
            f"{self.trajectories:,} derivations, {self.peak_mb:.0f} MB at most"
        )

    def _repr_html_(self) -> str:
        """Tables without colours of their own: a notebook's theme, light or dark, decides."""
        facts = {**self._facts, "work": self._work, "model": str(self.model)}
        if self.spared:
            facts["not replaced"] = f"{self.spared}, which holds a converged model"
        page = _table([], [(f"<b>{escape(key)}</b>", escape(value)) for key, value in facts.items()])
        page += self.rules._repr_html_()
        page += self._open_html()
        if self.misfits:
            rows = [
                [
                    f"<code>{escape(side)}</code>"
                    for side in (" ".join(misfit.source), shown(misfit.target), misfit.answer)
                ]
                for misfit in self.misfits[:SHOWN_MISFITS]
            ]
            page += f"<p>Pairs that do not fit, {len(rows)} of {len(self.misfits):,}:</p>"
            page += _table(["input", "output", "the rules say"], rows)
        return page

    def _open_html(self) -> str:
        if not self.open_readings:
            return ""
        heads = ["word", "reading", "other reading", "pairs that fit both", "would be decided by"]
        rows = [
            [
                f"<code>{escape(text)}</code>"
                for text in (one.word, one.reading, one.other, f"{one.pairs:,}", one.command)
            ]
            for one in self.open_readings
        ]
        return "<p>What the pairs leave open:</p>" + _table(heads, rows)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def row(kind: str, cells: Sequence[str]) -> str:
        return "".join(f'<{kind} style="text-align: left">{cell}</{kind}>' for cell in cells)

    lines = [row("th", heads), *(row("td", cells) for cells in rows)]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines if line)}</table>"
