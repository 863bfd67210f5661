"""Failures of commands: the same messages from every backend."""

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from lane.base.suggestion import MAX_LENGTH, Suggestions
from lane.runtime import errors
from lane.runtime.results import COUNTED, Failure

SLOTS_OF_PROGRAMS = "slots are filled by the program (.lane) of a model alone"


class Failures:
    """Checks commands against a vocabulary and limits. Immutable but for a cache: threads may share it."""

    def __init__(self, words: Iterable[str], max_words: int, max_actions: int) -> None:
        # Sorted, so that every backend suggests the same one of two equally near words.
        self.words = dict.fromkeys(sorted(words))
        self.max_words, self.max_actions = max_words, max_actions
        # Bounded in bytes too: longer words than MAX_LENGTH have no suggestion, and are not cached.
        self._nearest = lru_cache(maxsize=4096)(self._find_nearest)

    def of_command(self, words: list[str]) -> Failure | None:
        """The failure of a command that is invalid before any derivation; None if it is valid."""
        failure = self.of_size(words)
        if failure is not None:
            return failure
        for position, word in enumerate(words, start=1):
            if word not in self.words:
                return self.unknown(word, word, position)
        return None

    def of_size(self, words: Sequence[str], positions: Sequence[int] = COUNTED) -> Failure | None:
        """The failure of a command without words, or with too many of them."""
        if not words:
            return Failure(errors.EMPTY, "the command has no words")
        bound = self.max_words
        if len(words) <= bound:
            return None
        return self.too_many(str(len(words)), words[bound], positions[bound])

    def too_many(self, count: str, word: str, position: int) -> Failure:
        """The failure of a command of too many words; `word` is the first one too many."""
        message = f"the command has {count} words; the model takes at most {self.max_words}"
        return Failure(errors.TOO_MANY_WORDS, message, word, position)

    def unknown(self, word: str, typed: str, position: int) -> Failure:
        """The failure of a word that is not in the vocabulary."""
        nearest = self._nearest(word) if len(word) <= MAX_LENGTH else None
        hint = f"; did you mean {nearest!r}?" if nearest else ""
        shown = typed if len(typed) <= 60 else typed[:57] + "..."
        message = f"unknown word {shown!r} (word {position}){hint}"
        return Failure(errors.UNKNOWN_WORD, message, typed, position, nearest)

    def too_long(
        self,
        words: Sequence[str],
        start: int | None,
        positions: Sequence[int] = COUNTED,
        limit: int | None = None,
    ) -> Failure:
        """The failure of a translation, or of its part from a word on, that has too many actions."""
        message = f"the translation is longer than {limit or self.max_actions} actions"
        if start is None:
            return Failure(errors.TOO_MANY_ACTIONS, message)
        position = positions[start]
        return Failure(errors.TOO_MANY_ACTIONS, f"{message} (from word {position})", words[start], position)

    def not_learned(self) -> Failure:
        """The failure of a command that a network refuses: it does not say where."""
        message = (
            "not learned: no training pair shows such a combination; the program of the model says where"
        )
        return Failure(errors.NOT_LEARNED, message)

    def _find_nearest(self, word: str) -> str | None:
        return self._suggestions.nearest(word)

    @cached_property
    def _suggestions(self) -> Suggestions:
        return Suggestions(self.words)  # built at the first unknown word: most runs have none
