"""Hearing: which words a command is, where it may hold the texts of slots, words to skip, and any case.

A command is heard from left to right: the longest entry of a list, else a known word, else a number; what is
left is free text, or unknown. Known words keep their meaning, so no list changes the answer to a command of
known words. If the model refuses that, it is heard otherwise: with another list where two have the same
entry, then with free text that takes in known words, the fewest first.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from lane.base.lettercase import fold
from lane.base.phrase import BLANK, join_phrases
from lane.base.placeholder import NUMBER, TEXT, filled, placeholder
from lane.base.scheme import Schemes
from lane.runtime import errors
from lane.runtime.bounds import MAX_TEXT_LENGTH, MAX_TEXT_WORDS
from lane.runtime.entries import MOST_WORDS, Entries, checked_entries
from lane.runtime.failures import Failures
from lane.runtime.results import Failure, SlotText

MOST_WIDENED: Final = 64  # other hearings of a refused command, with free text in other places
LONGEST_WIDENED: Final = 200  # units: a longer command is heard in one way, as each takes time
MAX_NUMBER: Final = 32  # characters
_NUMBER = re.compile("[+-]?[0-9]+(?:[.,][0-9]+)*")
_TYPED = re.compile(r"\S+")
_UNSAYABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_STRANGER, _KNOWN, _SKIPPED = range(3)
_TOKENS = MAX_TEXT_WORDS + 8  # of a command for each word that the model takes: more are never read


class Unit(NamedTuple):
    """A word of a command as it was typed, or a phrase of several."""

    word: str
    """As the model knows it, if it does."""
    key: str
    """As lists know it."""
    kind: int
    start: int
    stop: int
    """Its place in the text."""


class Heard(NamedTuple):
    """A command as the model takes it."""

    words: list[str]
    """Known words, and the words of slots."""
    values: list[str | None]
    """For each word the token of the text of its slot; None for a known word."""
    shown: list[str]
    """The words as they were typed."""
    positions: list[int]
    """Of the words among those typed, counted from 1."""
    slots: tuple[SlotText, ...]


class _Match(NamedTuple):
    name: str
    stop: int
    text: str | None
    """An entry as the application wrote it; None for a number, which is as typed."""


class Hearing:
    """How commands for a program are heard. Immutable but for a cache of suggestions."""

    def __init__(self, schemes: Schemes, words: Iterable[str], max_words: int, max_actions: int) -> None:
        self._schemes, self._max_words = schemes.trained, max_words
        self.slots, self._folds = schemes.slots, schemes.folds
        slots = set(map(placeholder, schemes.slots))
        self._skips = frozenset(schemes.skips)
        self._known = frozenset(word for word in words if word not in slots)
        self._failures = Failures(self._known, max_words, max_actions)
        self._exact = exact_words(schemes, self._known)
        self._of_folded = {fold(word): word for word in self._exact} if schemes.folds else {}
        self.lists = tuple(name for name in schemes.slots if name not in (NUMBER, TEXT))

    def entries(self, name: str, texts: Iterable[str]) -> tuple[Entries, tuple[str, ...]]:
        """A list in the form that is searched, and those of its entries that are never heard."""
        found: dict[tuple[str, ...], str] = {}
        idle: list[str] = []
        for number, text in enumerate(checked_entries(name, texts), start=1):
            units = self._units(list(self._schemes.spans(text)))
            if len(units) > MOST_WORDS:
                raise ValueError(f"entry {number} of {placeholder(name)} has more than {MOST_WORDS} words")
            if _UNSAYABLE.search(text):
                raise ValueError(f"entry {number} of {placeholder(name)} holds a control character")
            keys = tuple(unit.key for unit in units)
            if not any(unit.kind == _STRANGER for unit in units) or keys in found:
                idle.append(text)
            else:
                found[keys] = text
        return Entries.of(found), tuple(idle)

    def hearings(self, text: str, lists: Mapping[str, Entries]) -> Iterator[Heard | Failure]:
        """What a command may be, the first choice first; a failure is the only one."""
        most = _TOKENS * (self._max_words + 1)
        spans = list(islice(self._schemes.spans(text), most + 1))
        if len(spans) > most:
            _, start, stop = spans[most]
            position = sum(1 for _ in _TYPED.finditer(text, 0, stop))
            yield self._failures.too_many(f"more than {most}", text[start:stop], position)
            return
        units = self._units(spans)
        listener = _Listener(self, text, units, lists)
        first = listener.hear()
        assert first is not None, "only a hearing with a text in a given place may be none"
        if isinstance(first, Heard):
            first = self._failures.of_size(first.shown, first.positions) or first
        yield first
        if isinstance(first, Failure) or len(units) > LONGEST_WIDENED:
            return
        ties = listener.ties
        for name in sorted(ties):
            other = listener.hear(preferred=name)
            if isinstance(other, Heard) and other.words != first.words:
                yield other
        if TEXT in self.slots:
            yield from self._widened(listener, first)

    def _widened(self, listener: "_Listener", first: Heard) -> Iterator[Heard]:
        """With one free text over all that is unknown, of which each covers as few more words as possible."""
        core = listener.core
        for start, stop in islice(_intervals(len(listener.units), core), MOST_WIDENED):
            heard = listener.hear(interval=(start, stop))
            if not isinstance(heard, Heard) or heard.words == first.words:
                continue
            if (core or len(heard.words) > 1) and len(heard.words) <= self._max_words:
                yield heard

    def _units(self, spans: Sequence[tuple[str, int, int]]) -> list[Unit]:
        tokens, units, place = [self._word_of(token) for token, _, _ in spans], [], 0
        for word in join_phrases(tokens, self._schemes.phrases):
            first, left = place, len(word) - len(tokens[place])
            place += 1
            while left:  # of a phrase, whose tokens have a sign between them
                left -= len(BLANK) + len(tokens[place])
                place += 1
            units.append(self._unit(word, spans[first][1], spans[place - 1][2]))
        return units

    def _unit(self, word: str, start: int, stop: int) -> Unit:
        kind = _KNOWN if word in self._known else _SKIPPED if word in self._skips else _STRANGER
        return Unit(word, fold(word) if self._folds else word, kind, start, stop)

    def _word_of(self, token: str) -> str:
        """The word that a token is, in the case that the model knows."""
        if not self._folds or token in self._exact:
            return token
        return self._of_folded.get(fold(token), token)

    def unknown(self, word: str, typed: str, position: int, lists: Mapping[str, Entries]) -> Failure:
        """The failure of a word that nothing knows; it may be missing from a list that was not given."""
        return self._failures.unknown(word, typed, position).with_hint(self.missing(lists))

    def missing(self, lists: Mapping[str, Entries]) -> str:
        """The end of a message: the slots whose lists were not given."""
        names = [placeholder(name) for name in self.lists if name not in lists]
        return f"; no list is given for {', '.join(names)}" if names else ""


class _Listener:
    """One command, heard in several ways."""

    def __init__(
        self, hearing: Hearing, text: str, units: Sequence[Unit], lists: Mapping[str, Entries]
    ) -> None:
        self.hearing, self.text, self.units, self.lists = hearing, text, units, lists
        self.keys = [unit.key for unit in units]
        self.ties: set[str] = set()
        """Slots that lost to another one of as many words."""
        self.core: tuple[int, int] | None = None
        """The units from the first to the last one in a free text."""
        self._starts = [found.start() for found in _TYPED.finditer(text[: units[-1].stop])] if units else []

    def typed(self, start: int, stop: int | None = None) -> str:
        """Units as they were typed."""
        last = start if stop is None else stop - 1
        return " ".join(self.text[self.units[start].start : self.units[last].stop].split())

    def position(self, place: int) -> int:
        """The position of a unit among the words typed."""
        return bisect_right(self._starts, self.units[place].start)

    def hear(
        self, preferred: str | None = None, interval: tuple[int, int] | None = None
    ) -> Heard | Failure | None:
        """The words; with an interval its units are the one free text, and None if others are unknown."""
        draft, run = _Draft(self), None  # `run`: the units of a free text so far
        place, count = 0, len(self.units)
        while place < count:
            unit = self.units[place]
            if interval and place == interval[0]:
                if not self._is_sayable(interval) or self._is_too_long(interval):
                    return None
                draft.fill(TEXT, interval)
                place = interval[1]
                continue
            stop = interval[0] if interval and place < interval[0] else count
            match = self._match(place, stop, preferred)
            if match is None and unit.kind == _STRANGER:
                if interval:
                    return None
                if TEXT not in self.hearing.slots or not self._is_sayable((place, place + 1)):
                    return self.hearing.unknown(
                        unit.word, self.typed(place), self.position(place), self.lists
                    )
                run = (run[0] if run else place, place + 1)
                place += 1
            elif match is None and unit.kind == _SKIPPED:
                place += 1  # inside a free text it is a part of it
            else:
                if run and (failure := self._end_run(draft, run, not (preferred or interval))):
                    return failure
                run = None
                if match is None:
                    draft.know(place)
                else:
                    draft.fill(match.name, (place, match.stop), match.text)
                place = match.stop if match else place + 1
        return (run and self._end_run(draft, run, not (preferred or interval))) or draft.heard()

    def _end_run(self, draft: "_Draft", run: tuple[int, int], is_first: bool) -> Failure | None:
        if self._is_too_long(run):
            return self._too_long(run[0])
        if is_first:
            self.core = (self.core[0] if self.core else run[0], run[1])
        draft.fill(TEXT, run)
        return None

    def _match(self, place: int, stop: int, preferred: str | None) -> _Match | None:
        """The longest entry, or a number; of equally long ones that of the preferred slot, or the first."""
        found: list[_Match] = []
        for name, entries in self.lists.items():
            size = entries.longest(self.keys, place, stop)
            if size:
                text = entries.texts[tuple(self.keys[place : place + size])]
                found.append(_Match(name, place + size, text))
        if NUMBER in self.hearing.slots and (end := self._number_end(place, stop)):
            found.append(_Match(NUMBER, end, None))
        if not found:
            return None
        longest = max(match.stop for match in found)
        found = [match for match in found if match.stop == longest]
        chosen = next((match for match in found if match.name == preferred), found[0])
        self.ties.update(match.name for match in found if match is not chosen)
        return chosen

    def _number_end(self, place: int, stop: int) -> int:
        """The end of the longest number that begins with a unit; 0 if none does.

        Some schemes split `-3.5` and `1,000` into several units. The sign in `5-3` is none of a number.
        """
        begin, end = self.units[place].start, 0
        before = self.units[place - 1] if place else None
        if before and before.kind == _STRANGER and before.stop == begin and self.text[begin] in "+-":
            return 0
        for last in range(place, stop):
            unit = self.units[last]
            if unit.kind != _STRANGER or unit.stop - begin > MAX_NUMBER:
                break
            if is_number(self.text[begin : unit.stop]):
                end = last + 1
        return end

    def _is_sayable(self, units: tuple[int, int]) -> bool:
        return not any(_UNSAYABLE.search(self.typed(place)) for place in range(*units))

    def _is_too_long(self, units: tuple[int, int]) -> bool:
        start, stop = units
        return stop - start > MAX_TEXT_WORDS or len(self.typed(start, stop)) > MAX_TEXT_LENGTH

    def _too_long(self, start: int) -> Failure:
        position, word = self.position(start), self.typed(start)
        message = (
            f"the text from word {position} on is too long: {placeholder(TEXT)} takes at most "
            f"{MAX_TEXT_WORDS} words and {MAX_TEXT_LENGTH} characters"
        )
        return Failure(errors.TEXT_TOO_LONG, message, word, position)


class _Draft:
    """A hearing that grows word by word."""

    def __init__(self, listener: _Listener) -> None:
        self._listener = listener
        self._heard = Heard([], [], [], [], ())
        self._slots: list[SlotText] = []

    def know(self, place: int) -> None:
        """A known word."""
        self._add(self._listener.units[place].word, None, (place, place + 1))

    def fill(self, name: str, units: tuple[int, int], entry: str | None = None) -> None:
        """The text of a slot: an entry of its list, or the units as they were typed."""
        text = self._listener.typed(*units) if entry is None else entry
        self._slots.append(SlotText(name, text, self._listener.position(units[0])))
        self._add(placeholder(name), filled(name, text), units)

    def heard(self) -> Heard:
        """All of it."""
        return self._heard._replace(slots=tuple(self._slots))

    def _add(self, word: str, value: str | None, units: tuple[int, int]) -> None:
        self._heard.words.append(word)
        self._heard.values.append(value)
        self._heard.shown.append(self._listener.typed(*units))
        self._heard.positions.append(self._listener.position(units[0]))


def is_number(text: str) -> bool:
    """Whether a text is a number: digits with points or commas between them, and perhaps a sign."""
    return len(text) <= MAX_NUMBER and _NUMBER.fullmatch(text) is not None


def exact_words(schemes: Schemes, known: Iterable[str]) -> frozenset[str]:
    """The tokens that a program knows: its words, the parts of its phrases, and those to skip."""
    parts = (part for phrase in schemes.phrases for part in phrase)
    return frozenset([*known, *parts, *schemes.skips])


def _intervals(count: int, core: tuple[int, int] | None) -> Iterator[tuple[int, int]]:
    """The places of a free text among `count` units that cover the core: shortest first, then leftmost."""
    low, high = core or (count, 0)
    for size in range(max(high - low, 1), min(count, MAX_TEXT_WORDS) + 1):
        for start in range(max(0, high - size), min(low, count - size) + 1):
            yield start, start + size
