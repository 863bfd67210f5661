"""Slots of a language: `{number}`, `{room}` or `{text}` in its pairs, and what fills one at run time.

In training a slot is a word that stands for itself. At run time it takes a number, an entry of a list of the
application, or free text; the output then has one token for it, `{room:blue%20hall}`. No action of
a language with slots begins so, and the text is escaped: nothing that users say can become an action.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from lane.base.errors import LaneError

NUMBER: Final = "number"  # a slot of this name takes numbers
TEXT: Final = "text"  # and one of this name free text; any other takes the entries of its list
MOST: Final = 100  # slots of a language
NAMING: Final = "the name of a slot is a small letter, then at most 31 of a-z, 0-9, _ and -"
_NAME = "[a-z][a-z0-9_-]{0,31}"
_IS_NAME = re.compile(_NAME)
_SLOT = re.compile(rf"\{{({_NAME})\}}")
_FILLED = re.compile(rf"\{{({_NAME}):((?:[A-Za-z0-9._~-]|%[0-9A-F]{{2}})+)\}}")
_BEGINS = re.compile(r"\{[a-z]")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def placeholder(name: str) -> str:
    """The word of a slot in pairs and rules: `{room}`."""
    return f"{{{name}}}"


def slot_of(token: str) -> str | None:
    """The name of the slot that a token is; None for any other token."""
    found = _SLOT.fullmatch(token)
    return found and found[1]


def slots_in(text: str) -> set[str]:
    """The names of the slots in a text."""
    return set(_SLOT.findall(text))


def without_slots(text: str) -> str:
    """The text with every slot as a plain word: for those who look at its punctuation."""
    return _SLOT.sub(r"\1", text)


def replaced(text: str, values: Mapping[str, str]) -> str:
    """The text with values in place of slots; slots without one stay."""
    return _SLOT.sub(lambda found: values.get(found[1], found[0]), text)


def begins_like_slot(token: str) -> bool:
    """Whether a token could be taken for a slot, or for the text of one."""
    return _BEGINS.match(token) is not None


def filled(name: str, text: str) -> str:
    """The token of a slot's text in an output. It is escaped as in URLs, and holds no blank and no brace."""
    escaped = "".join([chr(b) if b in _UNRESERVED else f"%{b:02X}" for b in text.encode()])
    return f"{{{name}:{escaped}}}"


def parsed(action: str) -> tuple[str, str] | None:
    """The slot and the text of an action that `filled` made; None for any other action."""
    found = _FILLED.fullmatch(action)
    if found is None:
        return None
    data = re.sub(rb"%(..)", lambda code: bytes([int(code[1], 16)]), found[2].encode())
    return found[1], data.decode(errors="replace")


def checked_slots(names: object) -> tuple[str, ...]:
    """Names of slots as they are read from a file; a LaneError if they are malformed."""
    if not isinstance(names, list | tuple) or len(names) > MOST:
        raise LaneError(f"slots: not a list of at most {MOST}")
    if not all(isinstance(name, str) and _IS_NAME.fullmatch(name) for name in names):
        raise LaneError("slots: a name is a small letter, then at most 31 of a-z, 0-9, _ and -")
    if not is_ascending(names):
        raise LaneError("slots: are out of order or repeated")
    return tuple(names)


def checked_skips(words: object) -> tuple[str, ...]:
    """Words to skip as they are read from a file; a LaneError if they are malformed."""
    if not isinstance(words, list | tuple) or len(words) > MOST:
        raise LaneError(f"skips: not a list of at most {MOST}")
    if any(not isinstance(word, str) or word.split() != [word] or len(word) > 256 for word in words):
        raise LaneError("skips: words have at most 256 characters, are not empty and hold no white space")
    if not is_ascending(words):
        raise LaneError("skips: are out of order or repeated")
    return tuple(words)


def is_ascending(names: Sequence[str]) -> bool:
    """Whether names are sorted, without repetition."""
    return list(names) == sorted(set(names))


def common_slots(sides: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The slots that stand on both sides of a pair."""
    return tuple(sorted({name for source, target in sides for name in slots_in(source) & slots_in(target)}))
