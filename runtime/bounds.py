"""Every bound of the program format in one place; docs/format.md repeats this table."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

from lane.base.rule import SOURCE_NAMES, TARGET_NAMES
from lane.runtime.errors import ProgramError

FORMAT_VERSION: Final = 2
SPOKEN_VERSION: Final = 3  # of programs with slots, words to skip or folded case, and of no others
READABLE_VERSIONS: Final = (1, 2, 3)  # version 1 has no schemes and no kinds: plain white space, no refusal
MAX_FILE_BYTES: Final = 64 * 2**20
MAX_TOKENS: Final = 100_000  # words, and actions
MAX_TOKEN_LENGTH: Final = 256  # code points
MAX_NODES: Final = 1_000_000
MAX_RULES: Final = 1_000_000
MAX_USES: Final = 2**53 - 1  # exact in every language that reads JSON numbers as doubles
MAX_OUTPUT_BYTES: Final = 2**26  # of one answer; without it a small file could ask for gigabytes
MAX_TEXT_WORDS: Final = 32  # of a free text in a command
MAX_TEXT_LENGTH: Final = 256  # code points of the text of a slot, as of any token
MAX_PROVENANCE_BYTES: Final = 65_536
MAX_PROVENANCE_DEPTH: Final = 8

MOST_VARIABLES: Final = 4  # of a span; a model may have more, and then has no program
SOURCE_VARIABLES: Final = SOURCE_NAMES[:MOST_VARIABLES]
TARGET_VARIABLES: Final = TARGET_NAMES[:MOST_VARIABLES]
ERROR_MARK: Final = "<error:"  # begins the line of a failed command in text output

RANGES: Final = {
    "max_words": (1, 1_000_000),
    "max_actions": (1, 10_000_000),
    "max_span": (1, 8),
    "max_variables": (1, MOST_VARIABLES),
    "max_template": (1, 100),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a program's input, output and tables."""

    max_words: int
    """Words of a command."""
    max_actions: int
    """Actions of any value, the output included."""
    max_span: int = 4
    """Leaves of a node, and so tokens of a rule's left side."""
    max_variables: int = 2
    """Variables of a node."""
    max_template: int = 10
    """Tokens of a rule's right side."""

    def check(self) -> None:
        """Raise ProgramError unless every limit is in its range."""
        for field in fields(self):
            value, (low, high) = getattr(self, field.name), RANGES[field.name]
            if type(value) is not int or not low <= value <= high:
                raise ProgramError(
                    f"limits.{field.name}", f"{value!r} is not a whole number from {low} to {high}"
                )
        if self.max_template > self.max_actions:
            raise ProgramError("limits.max_template", "is larger than max_actions")


def most_output(max_actions: int, actions: Sequence[str]) -> int:
    """The bytes of the longest answer that a model can give: its longest action as often as allowed."""
    return max_actions * max((len(action.encode()) + 1 for action in actions), default=0)
