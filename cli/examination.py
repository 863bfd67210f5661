"""The tests of a language: pairs that pass or fail, what they cover, and differences from another model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lane.base.placeholder import filled, replaced, slots_in
from lane.data.pair import Pair
from lane.runtime.coverage import Coverage, coverage
from lane.runtime.derivation import Derivation
from lane.runtime.divergence import Divergence, differences, examples, new_commands
from lane.runtime.translator import Translator


@dataclass(frozen=True, slots=True)
class Case:
    """A pair and how the model derives it."""

    line: int
    command: str
    expected: str
    derivation: Derivation

    @property
    def passed(self) -> bool:
        """Whether the model says what the pair says."""
        return self.derivation.error is None and self.derivation.text == self.expected


@dataclass(frozen=True, slots=True)
class Contrast:
    """What differs from another model on the pairs, and on new commands."""

    other: str
    on_pairs: tuple[Divergence, ...]
    commands: int
    """New commands compared."""
    on_commands: tuple[Divergence, ...]


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of the tests."""

    pairs: str
    model: str
    cases: tuple[Case, ...]
    coverage: Coverage
    comparison: Contrast | None = None

    @property
    def failures(self) -> tuple[Case, ...]:
        """The pairs that failed."""
        return tuple(case for case in self.cases if not case.passed)

    @property
    def passed(self) -> bool:
        """Whether every pair passed, and no other model differs."""
        compared = self.comparison
        return not self.failures and (compared is None or not (compared.on_pairs or compared.on_commands))


def examine(
    translator: Translator, name: str, pairs: Iterable[tuple[int, Pair]], other: Translator | None, count: int
) -> Examination:
    """Test a model on pairs, each with its line; compare it with another one on `count` new commands too.

    A slot in a pair stands for any text that fills it, and is filled by an example.
    """
    schemes, texts = translator.info.schemes, examples(translator)
    cases = []
    for line, pair in pairs:
        command, expected = " ".join(pair.source), schemes.join(pair.by(schemes).target)
        if texts:
            command, expected = _filled(command, expected, texts)
        cases.append(Case(line, command, expected, translator.explain(command)))
    covered = coverage(translator, (case.derivation for case in cases))
    compared = None if other is None else _compare(translator, other, cases, count)
    return Examination(name, translator.info.path, tuple(cases), covered, compared)


def _filled(command: str, expected: str, texts: Mapping[str, str]) -> tuple[str, str]:
    """A pair with the slots filled, unless its output takes the word of a slot for what a user typed."""
    given = {
        name: texts[name] for name in slots_in(command) if texts.get(name) and f"%7B{name}%7D" not in expected
    }
    tokens = {name: filled(name, text) for name, text in given.items()}
    return replaced(command, given), replaced(expected, tokens)


def _compare(ours: Translator, theirs: Translator, cases: list[Case], count: int) -> Contrast:
    on_pairs = dict.fromkeys(case.command for case in cases)
    made = dict.fromkeys(
        command
        for model in (ours, theirs)
        for command in new_commands(model.rules(), count // 2, texts=examples(model))
    )
    new = [command for command in made if command not in on_pairs]
    return Contrast(
        theirs.info.path,
        tuple(differences(ours, theirs, on_pairs)),
        len(new),
        tuple(differences(ours, theirs, new)),
    )
