"""The exceptions of the runtime, and the codes of the failures it returns."""

from typing import Final

from lane.base.errors import LaneError

UNKNOWN_WORD: Final = "unknown-word"
TOO_MANY_WORDS: Final = "too-many-words"
TOO_MANY_ACTIONS: Final = "too-many-actions"
BEYOND_MODEL: Final = "beyond-model"
NOT_LEARNED: Final = "not-learned"
EMPTY: Final = "empty"
TEXT_TOO_LONG: Final = "text-too-long"

# Public API: codes may be added, but never change their meaning.
CODES: Final = (
    UNKNOWN_WORD,
    TOO_MANY_WORDS,
    TOO_MANY_ACTIONS,
    BEYOND_MODEL,
    NOT_LEARNED,
    EMPTY,
    TEXT_TOO_LONG,
)


class ModelError(LaneError):
    """A model that cannot be used: the message names the file, the place and the remedy."""


class ProgramError(ModelError):
    """A program (`.lane`) that breaks a rule of the format; `place` says where."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)
        self.place = place
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"
