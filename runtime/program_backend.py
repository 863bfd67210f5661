"""The program backend: Python over the tables of a `.lane` file, with a compiled path for common commands."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lane.base.rule import Rule, name_variables
from lane.runtime import errors
from lane.runtime.bounds import MAX_OUTPUT_BYTES
from lane.runtime.composer import Composition, Gap, compose
from lane.runtime.derivation import Derivation
from lane.runtime.failures import Failures
from lane.runtime.hearing import Heard
from lane.runtime.model_file import ModelFile
from lane.runtime.plan_cache import Plan, PlanCache, make_plan
from lane.runtime.program import Program
from lane.runtime.refusal import Stray, not_learned
from lane.runtime.results import COUNTED, NO_BUDGET, Failure, Info, Translation
from lane.runtime.sorts import Sorts
from lane.runtime.substitution import evaluate, write_out

_INTERFACE = 2  # of the compiled core that this module calls
try:
    from lane.runtime import _core

    # A checkout whose sources changed after the core was compiled: `pip install -e .` compiles it again.
    if getattr(_core, "INTERFACE", 1) != _INTERFACE:
        raise ImportError("the compiled core is stale")
except ImportError:  # no compiler, or stale: the same answers, more slowly
    _core = None  # type: ignore[assignment]


class ProgramBackend:
    """Translates with a program. Immutable but for caches, so threads may share it."""

    def __init__(
        self,
        program: Program,
        path: str = "",
        sha256: str = "",
        file_sha256: str = "",
        version: int | None = None,
        lenient: bool = False,
    ) -> None:
        self.program = program
        self.tables = program.tables
        self._path, self._sha256, self._file_sha256 = path, sha256, file_sha256
        self._version = program.version if version is None else version
        self._lenient = lenient
        self._sorts = Sorts(self.tables, program.kinds, lenient)
        values = self.tables.value_of
        self._text_of = {word: " ".join(values.get(word, ())) for word, _ in program.words}
        self._length_of = {word: len(values.get(word, ())) for word, _ in program.words}
        self._longest = max(self._length_of.values())
        sorts = self._sorts.of_word
        known = {word: (sorts[word], text) for word, text in self._text_of.items()}
        self._core = None if _core is None else _core.Core(known, Translation)
        self._plans = PlanCache(self._core)
        limits = program.limits
        self._failures = Failures(self._text_of, limits.max_words, limits.max_actions)

    @classmethod
    def load(cls, file: ModelFile, threads: int, lenient: bool) -> "ProgramBackend":
        """Open a file; `threads` has no effect on programs."""
        from lane.runtime import codec

        program = codec.decode_file(file.path, file.data)
        digest, version = codec.digest(file.data), codec.version(file.data)
        return cls(program, str(file.path), digest, file.sha256, version, lenient)

    def __reduce__(self) -> tuple[Any, ...]:
        facts = self._path, self._sha256, self._file_sha256, self._version, self._lenient
        return ProgramBackend, (self.program, *facts)

    def translate_batch(self, texts: Sequence[str], budget: int = NO_BUDGET) -> list[Translation]:
        """Answers to the first commands, until they have more than `budget` characters."""
        if self._core is None:
            return self._translate_plainly(texts, budget)
        answers, missed = self._core.translate(texts, budget)
        if missed:
            rest = self._translate_plainly([texts[place] for place in missed], budget)
            for place, answer in zip(missed, rest, strict=False):
                answers[place] = answer
            if len(rest) < len(missed):
                del answers[missed[len(rest)] :]
        return answers

    def _translate_plainly(self, texts: Sequence[str], budget: int = NO_BUDGET) -> list[Translation]:
        """The fast path in Python, for shapes that have a plan."""
        split = str.split  # not `text.split`: any other type must raise TypeError
        sort_of, text_of, young = self._sorts.of_word, self._text_of, self._plans.young
        answers = []
        for text in texts:
            if budget < 0:
                break
            words = split(text)
            try:
                plan = young[tuple([sort_of[word] for word in words])]
            except KeyError:
                answers.append(self._translate_new(words))
                young = self._plans.young
                budget -= len(answers[-1].text)
            else:
                values = [text_of[word] for word in words]
                output = " ".join(plan.pick(values + plan.constants))
                budget -= len(output)
                answers.append(Translation(output))
        return answers

    def _translate_new(self, words: list[str]) -> Translation:
        failure = self._failures.of_command(words)
        if failure is not None:
            return Translation("", failure)
        shape = tuple([self._sorts.of_word[word] for word in words])
        values = [self._text_of[word] for word in words]
        plan = self._plan(shape)
        if plan is not None:
            return Translation(" ".join(plan.pick(values + plan.constants)))
        return self._translate_directly(words, shape, values)

    def translate_heard(self, heard: Heard) -> Translation:
        """The answer to a command with texts in its slots, of which no hearing was a failure."""
        shape = tuple([self._sorts.of_word[word] for word in heard.words])
        values, limit = self._values(heard), self._limit(heard)
        plan = self._plan(shape) if limit == self.tables.limits.max_actions else None
        if plan is not None:
            return Translation(" ".join(plan.pick(values + plan.constants)))
        return self._translate_directly(heard.words, shape, values, heard, limit)

    def _values(self, heard: Heard) -> list[str]:
        pairs = zip(heard.words, heard.values, strict=True)
        return [self._text_of[word] if value is None else value for word, value in pairs]

    def _limit(self, heard: Heard) -> int:
        """The most actions of a value: fewer where they may be very many and texts of slots are long."""
        longest = max((len(value) + 1 for value in heard.values if value), default=1)
        return min(self.tables.limits.max_actions, MAX_OUTPUT_BYTES // longest)

    def _plan(self, shape: tuple[int, ...]) -> Plan | None:
        plan = self._plans.find(shape)
        if plan is None and self._plans.is_worth_it(shape):
            plan = make_plan(self._sorts, shape, self._longest)
            if plan is not None:
                self._plans.add(shape, plan)
        return plan

    def _translate_directly(
        self,
        words: list[str],
        shape: tuple[int, ...],
        values: list[str],
        heard: Heard | None = None,
        limit: int | None = None,
    ) -> Translation:
        composition = compose(self.tables, self._sorts.leaves(shape))
        lengths = [self._length_of[word] for word in words]
        results = evaluate(self.tables, composition, values, lengths, limit)
        shown, positions = (words, COUNTED) if heard is None else (heard.shown, heard.positions)
        if results.overflow is not None:
            start = composition.reductions[results.overflow].start
            return Translation("", self._failures.too_long(shown, start, positions, limit))
        if composition.gap is not None:
            return Translation("", self._beyond(shown, positions, composition.gap))
        departure = self._sorts.departure(composition, shape)
        if departure is not None:
            return Translation("", self._not_learned(composition, shown, positions, departure))
        return Translation(write_out(results.pieces[-1]))

    def explain(self, text: str) -> Derivation:
        """The derivation of one command."""
        words = text.split()
        failure = self._failures.of_command(words)
        if failure is not None:
            return Derivation(tuple(words), (), "", failure)
        return self._derivation(words, [self._text_of[word] for word in words], words, COUNTED)

    def explain_heard(self, heard: Heard) -> Derivation:
        """The derivation of a command with texts in its slots."""
        found = self._derivation(
            heard.words, self._values(heard), heard.shown, heard.positions, self._limit(heard)
        )
        return replace(found, slots=heard.slots)

    def _derivation(
        self,
        words: list[str],
        values: list[str],
        shown: list[str],
        positions: Sequence[int],
        limit: int | None = None,
    ) -> Derivation:
        from lane.runtime.explain import derive

        steps, value, problem, composition = derive(self.tables, self.program.kinds, words, values, limit)
        error = None
        if problem is None:
            shape = [self._sorts.of_word[word] for word in words]
            departure = self._sorts.departure(composition, shape)
            if departure is None:
                return Derivation(tuple(words), steps, write_out(value))
            error = self._not_learned(composition, shown, positions, departure)
        elif isinstance(problem, Gap):
            error = self._beyond(shown, positions, problem)
        else:
            error = self._failures.too_long(shown, problem, positions, limit)
        return Derivation(tuple(words), steps, "", error)

    def rules(self) -> tuple[Rule, ...]:
        """Every rule of the program, in the order of the file."""
        return self.program.rules

    @property
    def info(self) -> Info:
        """The card of the program."""
        program = self.program
        return Info(
            backend="program",
            path=self._path,
            format_version=self._version,
            sha256=self._sha256,
            file_sha256=self._file_sha256,
            words=tuple(word for word, _ in program.words),
            actions=program.actions,
            max_words=program.limits.max_words,
            max_actions=program.limits.max_actions,
            complete=program.complete,
            nodes=len(program.nodes),
            rules=len(program.rules),
            margin=program.margin,
            agreement=program.agreement,
            refuses=program.kinds is not None,
            provenance=program.provenance,
            schemes=program.schemes,
        )

    def close(self) -> None:
        """Nothing is held open."""

    def _not_learned(
        self, composition: Composition, shown: Sequence[str], positions: Sequence[int], departure: Stray
    ) -> Failure:
        kinds = self.program.kinds or ()
        return not_learned(self.tables, kinds, composition, shown, departure, positions)

    def _beyond(self, shown_words: Sequence[str], positions: Sequence[int], gap: Gap) -> Failure:
        start, left, right = gap
        shown = " ".join(name_variables(self.tables.spans[left]))
        if right is None:
            problem = f"no rule for {shown!r}"
        else:
            problem = f"no entry for {shown!r} before {' '.join(name_variables(self.tables.spans[right]))!r}"
        message = f"beyond the model: {problem} (from word {positions[start]})"
        return Failure(errors.BEYOND_MODEL, message, shown_words[start], positions[start])
