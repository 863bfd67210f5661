"""Failures of commands: the same messages from every backend."""

from collections.abc import Iterable
from functools import cached_property, lru_cache

from lane.base.suggestion import MAX_LENGTH, Suggestions
from lane.runtime import errors
from lane.runtime.results import Failure


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
        if not words:
            return Failure(errors.EMPTY, "the command has no words")
        bound = self.max_words
        if len(words) > bound:
            message = f"the command has {len(words)} words; the model takes at most {bound}"
            return Failure(errors.TOO_MANY_WORDS, message, words[bound], bound + 1)
        for position, word in enumerate(words, start=1):
            if word not in self.words:
                nearest = self._nearest(word) if len(word) <= MAX_LENGTH else None
                hint = f"; did you mean {nearest!r}?" if nearest else ""
                shown = word if len(word) <= 60 else word[:57] + "..."
                message = f"unknown word {shown!r} (word {position}){hint}"
                return Failure(errors.UNKNOWN_WORD, message, word, position, nearest)
        return None

    def too_long(self, words: list[str], start: int | None) -> Failure:
        """The failure of a translation, or of its part from a word on, that has too many actions."""
        message = f"the translation is longer than {self.max_actions} actions"
        if start is None:
            return Failure(errors.TOO_MANY_ACTIONS, message)
        return Failure(errors.TOO_MANY_ACTIONS, f"{message} (from word {start + 1})", words[start], start + 1)

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
