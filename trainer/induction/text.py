"""Outputs as texts with one character an action, so that searching them is the work of `str`."""

from collections.abc import Iterable

FIRST = 0x4E00  # the character of action 0; thousands of letters follow it without a gap
GAP = 0xD800 - FIRST  # from here on the characters stand behind the surrogates, which no text may hold
SURROGATES = 0x800  # how many there are


def text_of(actions: Iterable[int]) -> str:
    """Actions as a text; 0 is padding."""
    return "".join(_letter(action) for action in actions if action)


def actions_of(text: str) -> tuple[int, ...]:
    """The actions of a text."""
    return tuple(action_of(letter) for letter in text)


def action_of(letter: str) -> int:
    """The action of a character."""
    code = ord(letter) - FIRST
    return code if code < GAP else code - SURROGATES


def _letter(action: int) -> str:
    return chr(FIRST + action if action < GAP else FIRST + action + SURROGATES)
