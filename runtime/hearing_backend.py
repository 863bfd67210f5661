"""Commands with slots, words to skip or any case, around the backend of a program."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

from lane.base.placeholder import NUMBER, TEXT, placeholder
from lane.base.rule import Rule
from lane.base.suggestion import did_you_mean
from lane.runtime.derivation import Derivation
from lane.runtime.entries import Entries
from lane.runtime.errors import BEYOND_MODEL, NOT_LEARNED
from lane.runtime.hearing import Heard, Hearing
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.results import NO_BUDGET, Failure, Info, JoinedTranslation, Translation

_OTHERWISE = (NOT_LEARNED, BEYOND_MODEL)  # such a command may be heard otherwise


class HearingBackend:
    """A program whose commands are heard with the lists given.

    Threads may share it and give lists meanwhile: a batch is heard with the lists of its start.
    """

    def __init__(self, backend: ProgramBackend, lists: Mapping[str, Entries] | None = None) -> None:
        self.backend, self.schemes = backend, backend.program.schemes
        limits = backend.program.limits
        words = (word for word, _ in backend.program.words)
        self._hearing = Hearing(self.schemes, words, limits.max_words, limits.max_actions)
        self._lists: Mapping[str, Entries] = dict(lists or {})  # replaced as a whole, never changed
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return HearingBackend, (self.backend, self._lists)

    @property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        """The entries of each list that was given, without those that no command can hold."""
        return {name: tuple(entries.texts.values()) for name, entries in self._lists.items()}

    def set_list(self, name: str, entries: Iterable[str]) -> tuple[str, ...]:
        """Give the list of a slot, in place of an earlier one; returns the entries that cannot be heard."""
        if not self.schemes.slots:
            raise ValueError(f"no slot {placeholder(name)}: this model has no slots")
        if name in (NUMBER, TEXT):
            raise ValueError(f"{placeholder(name)} takes no list: it is filled by any {name}")
        if name not in self._hearing.lists:
            known = ", ".join(map(placeholder, self._hearing.lists)) or "none"
            hint = did_you_mean(name, self._hearing.lists)
            raise ValueError(f"no slot {placeholder(name)}; those with lists: {known}{hint}")
        found, idle = self._hearing.entries(name, entries)
        with self._lock:
            # In the order of the slots, by which the first of two equal entries is chosen.
            given = {**self._lists, name: found}
            self._lists = {slot: given[slot] for slot in self._hearing.lists if slot in given}
        return idle

    def translate_batch(self, texts: Sequence[str], budget: int = NO_BUDGET) -> list[Translation]:
        """Answers to the first commands, until they have more than `budget` characters."""
        lists, answers = self._lists, []
        for text in texts:
            if budget < 0:
                break
            answers.append(self._translate(text, lists))
            budget -= len(answers[-1].text)
        return answers

    def _translate(self, text: str, lists: Mapping[str, Entries]) -> Translation:
        first: Translation | None = None
        for heard in self._hearing.hearings(text, lists):
            if isinstance(heard, Failure):
                return Translation("", heard)
            answer = self.backend.translate_heard(heard)
            if answer.error is None:
                actions = answer.actions
                return JoinedTranslation(self.schemes.join(actions), None, actions, heard.slots)
            first = first or answer
            if first.error is not None and first.error.code not in _OTHERWISE:
                break
        assert first is not None, "every command is heard in some way"
        return replace(first, error=self._hinted(first.error, text, lists))

    def _hinted(self, failure: Failure | None, text: str, lists: Mapping[str, Entries]) -> Failure | None:
        """A refused command may have lost an entry of a list that was not given to free text."""
        hint = self._hearing.missing(lists)
        if failure is None or failure.code not in _OTHERWISE or not hint:
            return failure
        heard = next(self._hearing.hearings(text, lists))
        is_text = isinstance(heard, Heard) and placeholder(TEXT) in heard.words
        return failure.with_hint(hint) if is_text else failure

    def explain(self, text: str) -> Derivation:
        """The derivation of one command: of the hearing that is answered, or of the first one."""
        first: Derivation | None = None
        lists = self._lists
        for heard in self._hearing.hearings(text, lists):
            if isinstance(heard, Failure):
                return Derivation(tuple(self.schemes.trained.read(text)), (), "", heard)
            found = self.backend.explain_heard(heard)
            if found.error is None:
                return replace(found, text=self.schemes.join(found.text.split(" ")))
            first = first or found
            if first.error is not None and first.error.code not in _OTHERWISE:
                break
        assert first is not None, "every command is heard in some way"
        return replace(first, error=self._hinted(first.error, text, lists))

    def rules(self) -> tuple[Rule, ...]:
        """The rules, in tokens."""
        return self.backend.rules()

    @property
    def info(self) -> Info:
        """The card of the program."""
        return self.backend.info

    def close(self) -> None:
        """Nothing is held open."""
