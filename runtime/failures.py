"""What is wrong with a command: the same words for it, whichever backend translates."""

from collections.abc import Iterable
from functools import cached_property, lru_cache

from lane.base.suggestion import MAX_LENGTH, Suggestions
from lane.runtime import errors
from lane.runtime.results import Failure


class Failures:
    """Makes the failures of commands over a vocabulary. Only its cache ever changes: threads may share it."""

    def __init__(self, words: Iterable[str], max_words: int, max_actions: int) -> None:
        # Sorted, so that of two words equally near every backend names the same one.
        self.words = dict.fromkeys(sorted(words))
        self.max_words, self.max_actions = max_words, max_actions
        # Bounded in bytes too: words longer than MAX_LENGTH are near to none, and are not kept.
        self._nearest = lru_cache(maxsize=4096)(self._find_nearest)

    def of_command(self, words: list[str]) -> Failure | None:
        """What is wrong with the command itself, before any merge; the first reason counts."""
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
        """The translation, or the part of it that begins with a word, has too many actions."""
        message = f"the translation is longer than {self.max_actions} actions"
        if start is None:
            return Failure(errors.TOO_MANY_ACTIONS, message)
        return Failure(errors.TOO_MANY_ACTIONS, f"{message} (from word {start + 1})", words[start], start + 1)

    def _find_nearest(self, word: str) -> str | None:
        return self._suggestions.nearest(word)

    @cached_property
    def _suggestions(self) -> Suggestions:
        return Suggestions(self.words)  # at the first unknown word: most runs meet none
