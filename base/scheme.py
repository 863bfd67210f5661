"""Schemes of tokenisation: how a text becomes tokens, and tokens a text again.

`whitespace` splits at white space, and joins by single spaces. `text` is for commands as people write them:
case is folded, and punctuation and numbers are tokens of their own. `code` is for outputs such as
`play(genre=jazz, room=kitchen)`: identifiers, numbers, operators, brackets and quotes are tokens, and joining
restores the spacing exactly.

The spacing travels in the tokens: a token that is glued to a neighbour carries the sign ￭ on that side, as in
OpenNMT's tokenizer. So joining needs the tokens alone, and no table of spacing that new combinations could
miss. Of two glued neighbours, the delimiter carries the sign, not the value beside it: `f ￭(￭ a ￭, b ￭)`.
Words keep one form wherever they stand, and a value such as `f(a, b)` can replace any other value:
`g(f(a, b))` comes out right though nobody wrote it. ￮ escapes what no token may hold: both signs, `$`, white
space and controls.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from lane.base.errors import LaneError
from lane.base.phrase import Phrase, checked_phrases, first_place, join_phrases
from lane.base.placeholder import checked_skips, checked_slots, placeholder

WHITESPACE: Final = "whitespace"
TEXT: Final = "text"
CODE: Final = "code"
SOURCE_SCHEMES: Final = (WHITESPACE, TEXT, CODE)
TARGET_SCHEMES: Final = (WHITESPACE, CODE)  # `text` folds case: it cannot be undone

GLUE: Final = "￭"
ESCAPE: Final = "￮"

# Letters by ranges: `\w` leaves out the vowel signs of many scripts. Punctuation lies between the ranges.
_LETTER = (
    "A-Za-z_ªµºÀ-ÖØ-öø-\u060b\u060d-\u061a\u061c-\u061e\u0620-\u06d3\u06d5-\u0963\u0966-\u167f\u1681-\u1fff"
    "\u200c\u200d\u2c00-\u2dff\u2e80-\u2fff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\ud7ff\ue000-\ufdff"
    "\ufe00-\ufe0f\ufe20-\ufe2f\ufe70-\ufefe\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc"
    "\U00010000-\U0001efff\U00020000-\U000e01ef"
)
_WORD = f"[{_LETTER}][{_LETTER}0-9]{{0,199}}"  # longer ones in pieces: a token has 256 characters at most
_OPERATORS = "=== !== ... -> => <- == != <= >= && || :: := ** // ++ -- += -= *= /= << >> ?? ?."
_OPENING, _CLOSING, _SEPARATORS, _QUOTES = "([{“«", ")]}”»", ",;", "\"'`"
_WORDS = re.compile(r"\S+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_TYPOGRAPHIC = str.maketrans("\u2018\u2019“”", "''\"\"")


class Schemes(NamedTuple):
    """The schemes of both sides of a language; they travel in every file of a model."""

    source: str = WHITESPACE
    target: str = WHITESPACE
    phrases: tuple[Phrase, ...] = ()  # tokens of commands that are joined to one
    slots: tuple[str, ...] = ()  # names of slots: `number` for the word `{number}`
    skips: tuple[str, ...] = ()  # words of commands that mean nothing, such as `please`
    folds: bool = False  # words of commands are known in any case

    @classmethod
    def checked(
        cls,
        source: object,
        target: object,
        phrases: object = (),
        slots: object = (),
        skips: object = (),
        folds: object = False,
    ) -> "Schemes":
        """The schemes of these names; an unknown one, or a malformed part, is a LaneError."""
        for side, name, known in (("source", source, SOURCE_SCHEMES), ("target", target, TARGET_SCHEMES)):
            if name not in known:
                why = ": it folds case, which cannot be undone" if (side, name) == ("target", TEXT) else ""
                raise LaneError(f"{side} scheme {str(name)[:60]!r} is not one of {', '.join(known)}{why}")
        if not isinstance(folds, bool):
            raise LaneError("folds: neither true nor false")
        parts = checked_phrases(phrases), checked_slots(slots), checked_skips(skips)
        return cls(str(source), str(target), *parts, folds)

    @property
    def is_plain(self) -> bool:
        """Whether both sides are split at white space, without phrases, as in files that state no scheme."""
        return self == PLAIN

    @property
    def is_spoken(self) -> bool:
        """Whether commands differ from what was trained: by the texts of slots, skipped words or case."""
        return bool(self.slots or self.skips or self.folds)

    @property
    def trained(self) -> "Schemes":
        """The schemes without what commands may hold besides."""
        return Schemes(self.source, self.target, self.phrases)

    def stated(self) -> dict[str, Any]:
        """The parts as JSON values; slots, skips and folds only where there are any, since files repeat."""
        names = self._fields if self.is_spoken else TRAINED_PARTS
        return {name: _listed(getattr(self, name)) for name in names}

    def read(self, text: str) -> list[str]:
        """The tokens of a command."""
        return join_phrases(self._split(text), self.phrases)

    def _split(self, text: str) -> list[str]:
        if self.source == WHITESPACE:
            return text.split()
        return [token for token, _, _ in self.spans(text)]

    def spans(self, text: str) -> Iterator[tuple[str, int, int]]:
        """The tokens of a command before phrases are joined, each with its place in the text."""
        if self.source == WHITESPACE:
            yield from ((match[0], match.start(), match.end()) for match in _WORDS.finditer(text))
            return
        fold = self.source == TEXT
        for match in _source_pattern(fold, self.slots).finditer(text):
            yield _source_token(match[0], fold), match.start(), match.end()

    def write(self, text: str) -> list[str]:
        """The tokens of an output; `join` undoes it."""
        return text.split() if self.target == WHITESPACE else split_code(text, self.slots)

    def join(self, tokens: Iterable[str]) -> str:
        """The text of the tokens of an output."""
        return " ".join(tokens) if self.target == WHITESPACE else join_code(tokens)

    def typed(self, text: str, position: int) -> tuple[str, int]:
        """The token of a command at a position from 1 on, as it was typed, and the position of its word."""
        if self.phrases:
            position = first_place(self._split(text), self.read(text), position)
        if self.source == WHITESPACE:
            return text.split()[position - 1], position
        matches = _source_pattern(self.source == TEXT, self.slots).finditer(text)
        match = next(match for number, match in enumerate(matches, start=1) if number == position)
        return match[0], len(text[: match.end()].split())

    def unsafe(self, actions: Iterable[str]) -> str | None:
        """An action whose text holds a line end or a control, which a terminal would obey; or None."""
        if self.target == WHITESPACE:
            return None
        return next((action for action in actions if _CONTROL.search(_parsed(action)[1])), None)


PLAIN: Final = Schemes()
TRAINED_PARTS: Final = ("source", "target", "phrases")  # of all files; the other parts came later


def _listed(part: Any) -> Any:
    return [_listed(item) for item in part] if isinstance(part, tuple) else part


@lru_cache(maxsize=256)
def _source_pattern(fold: bool, slots: tuple[str, ...] = ()) -> re.Pattern[str]:
    first = "".join(rf"{re.escape(placeholder(name))}|" for name in slots)
    if fold:  # `don't` and `living-room` are words; `1,000.5` is a number
        return re.compile(rf"{first}{_WORD}(?:['\u2019-]{_WORD})*|[0-9]+(?:[.,][0-9]+)*|\S")
    return re.compile(rf"{first}{_WORD}|[0-9]+(?:\.[0-9]+)?|{_operators()}|\S")


@lru_cache(maxsize=4096)
def _source_token(token: str, fold: bool) -> str:
    if token == "$":
        return ESCAPE + token
    if not fold or token.isascii():
        return token.lower() if fold else token
    return unicodedata.normalize("NFC", token.lower()).translate(_TYPOGRAPHIC)


def _operators() -> str:
    return "|".join(re.escape(operator) for operator in _OPERATORS.split())


@lru_cache(maxsize=256)
def _code_pattern(slots: tuple[str, ...] = ()) -> re.Pattern[str]:
    first = "|".join(re.escape(placeholder(name)) for name in slots)
    return re.compile(
        (rf"(?P<slot>{first})|" if slots else "")
        + rf"(?P<space>(?<=\S)[ ](?=\S))|(?P<word>{_WORD}|[0-9]{{1,100}}(?:\.[0-9]{{1,100}})?)"
        rf"|(?P<symbol>{_operators()}|\S)|(?P<blank>\s)",
        re.DOTALL,
    )


class _Piece(NamedTuple):
    text: str
    kind: str  # word, slot, opening, closing, separator, symbol or blank
    is_glued: bool  # to the piece before it


def split_code(text: str, slots: tuple[str, ...] = ()) -> list[str]:
    """The tokens of a text by the scheme `code`; any text comes back from `join_code` unchanged."""
    pieces = _pieces(text, slots)
    tokens = []
    for place, piece in enumerate(pieces):
        left = place > 0 and piece.is_glued and _marks_left(pieces[place - 1].kind, piece.kind)
        following = pieces[place + 1] if place + 1 < len(pieces) else None
        right = following is not None and following.is_glued and _marks_right(piece.kind, following.kind)
        tokens.append(GLUE * left + _escaped(piece.text) + GLUE * right)
    return tokens


def _pieces(text: str, slots: tuple[str, ...]) -> list[_Piece]:
    pieces: list[_Piece] = []
    is_glued, is_open = False, dict.fromkeys(_QUOTES, False)
    for match in _code_pattern(slots).finditer(text):
        kind, piece = str(match.lastgroup), match[0]
        if kind == "space":
            is_glued = False
            continue
        if kind == "symbol":
            apostrophe = piece == "'" and not is_open[piece] and is_glued and pieces[-1].kind == "word"
            if piece in is_open and not apostrophe:
                kind = "closing" if is_open[piece] else "opening"
                is_open[piece] = not is_open[piece]
            else:
                kind = _kind(piece)
        pieces.append(_Piece(piece, kind, is_glued))
        is_glued = True
    return pieces


def _kind(symbol: str) -> str:
    if symbol in _SEPARATORS:
        return "separator"
    return "opening" if symbol in _OPENING else "closing" if symbol in _CLOSING else "symbol"


# Which of two glued neighbours carries the sign. Values begin with a word, an opening bracket or a prefix and
# end with a word or a closing bracket: there the sign is on the other side, so that any value fits anywhere.
# A slot never carries a sign, but between two of them: what fills it is a value like any other.


def _marks_left(left: str, right: str) -> bool:
    if right == "slot":
        return left == "slot"
    left = "word" if left == "slot" else left
    if right in ("closing", "separator"):
        return left != "blank"
    return right == "blank" or (left in ("word", "closing") and not (left == "closing" and right == "word"))


def _marks_right(left: str, right: str) -> bool:
    if left == "slot" or (left == "word" and right == "slot"):
        return left == "word"
    right = "word" if right == "slot" else right
    if left in ("opening", "blank"):
        return right != "blank" or left == "blank"
    if left == "closing":
        return right == "word"
    return left in ("symbol", "separator") and right not in ("closing", "separator", "blank")


def _escaped(text: str) -> str:
    if text in (GLUE, ESCAPE, "$"):
        return ESCAPE + text
    return f"{ESCAPE}{ord(text):x}" if len(text) == 1 and (text.isspace() or _CONTROL.match(text)) else text


def join_code(tokens: Iterable[str]) -> str:
    """The text of tokens of the scheme `code`; tokens without a sign are joined by single spaces."""
    parts: list[str] = []
    glued = True
    for token in tokens:
        left, text, right = _parsed(token)
        parts.append(text if glued or left else f" {text}")
        glued = right
    return "".join(parts)


@lru_cache(maxsize=65_536)
def _parsed(token: str) -> tuple[bool, str, bool]:
    """Whether it is glued to the left, its text, and whether it is glued to the right."""
    if GLUE not in token and ESCAPE not in token:
        return False, token, False
    match = _TOKEN.fullmatch(token)
    if match is None:
        return False, token, False  # no token of `split_code`: it stands for itself
    text = match["text"]
    if match["escaped"]:
        text = match["escaped"]
    elif match["number"] and int(match["number"], 16) < 0x110000:
        text = chr(int(match["number"], 16))
    return bool(match["left"]), text, bool(match["right"])


_TOKEN = re.compile(
    f"(?P<left>{GLUE}?)(?P<text>{ESCAPE}(?P<escaped>[{GLUE}{ESCAPE}$])|{ESCAPE}(?P<number>[0-9a-f]{{1,6}})"
    f"|[^{GLUE}{ESCAPE}]+)(?P<right>{GLUE}?)"
)


def shown(tokens: Sequence[str]) -> str:
    """Tokens for people, whatever their scheme: `play(genre=$X, room=$Y)`."""
    return join_code(tokens)
