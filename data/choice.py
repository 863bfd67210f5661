"""Chooses the schemes of tokenisation by a look at the pairs, and says why."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lane.base.placeholder import common_slots, placeholder, without_slots
from lane.base.scheme import CODE, TEXT, WHITESPACE, Schemes, split_code
from lane.data.pair import Pair

FEWEST = 2  # words with glued punctuation: one alone is a name, such as `gal{US}`
SHOWN = 3  # examples in a reason: enough to see the pattern, and one line
_SENTENCE_MARKS = '.,!?;:"()'
# Part of a call or a list that spans several words, as in `play(genre=jazz, room=kitchen)`.
_ENDS = re.compile(r"[,;=:(\[{]$|^[,;=)\]}]")
_CALL = re.compile(r"[(\[{=,\"]")


class Choice(NamedTuple):
    """The schemes, and a line for each side that is not split at white space or was asked for."""

    schemes: Schemes
    reasons: tuple[str, ...]


def choose(pairs: Sequence[Pair], source: str | None = None, target: str | None = None) -> Choice:
    """White space where it does, else `text` and `code`; names given are kept."""
    slots = common_slots((" ".join(pair.source), pair.output) for pair in pairs)
    plain = _without_slots(pairs) if slots else pairs
    found_source, why_source = (source, "as asked for") if source else _of_sources(plain)
    found_target, why_target = (target, "as asked for") if target else _of_targets(plain)
    schemes = Schemes.checked(found_source, found_target)
    if slots:
        schemes = schemes._replace(slots=tuple(name for name in slots if _is_token(pairs, schemes, name)))
    reasons = []
    for side, name, why in (("inputs", schemes.source, why_source), ("outputs", schemes.target, why_target)):
        if name != WHITESPACE:
            reasons.append(f"{side} are split by the scheme {name!r}: {why}")
    return Choice(schemes, tuple(reasons))


def _without_slots(pairs: Sequence[Pair]) -> list[Pair]:
    """Their braces are no punctuation of the language."""
    return [Pair.of(without_slots(" ".join(pair.source)), without_slots(pair.output)) for pair in pairs]


def _is_token(pairs: Sequence[Pair], schemes: Schemes, name: str) -> bool:
    """Whether a slot is a token of both sides of a pair: `x{n}` is one word where white space splits."""
    schemes, word = schemes._replace(slots=(name,)), placeholder(name)
    split = (pair.by(schemes) for pair in pairs)
    return any(word in pair.source and word in pair.target for pair in split)


def _of_sources(pairs: Sequence[Pair]) -> tuple[str, str]:
    words = dict.fromkeys(word for pair in pairs for word in pair.source)
    marked = [word for word in words if is_marked(word)]
    variants = case_variants(words)
    if len(marked) < FEWEST:
        marked = []
    if not (marked or variants) or _is_split((pair.source for pair in pairs), set(marked)):
        return WHITESPACE, ""
    if marked:
        why = f"punctuation is glued to words ({_some(marked)})"
    else:
        why = f"words differ in case only ({_some('/'.join(forms) for forms in variants)})"
    if _carries_case(pairs):
        return (
            (CODE, f"{why}, and inputs that differ in case only have different outputs")
            if marked
            else (WHITESPACE, "")
        )
    return TEXT, why


def is_marked(word: str) -> bool:
    """Whether sentence punctuation is glued to a word: `kitchen!`."""
    core = word.strip(_SENTENCE_MARKS)
    # Marks inside are those of an abbreviation, as in `u.s.`.
    return core != word and any(map(str.isalnum, core)) and not any(mark in core for mark in _SENTENCE_MARKS)


def case_variants(words: Iterable[str]) -> list[tuple[str, ...]]:
    """Words that differ in case only, as tuples."""
    forms: dict[str, list[str]] = defaultdict(list)
    for word in words:
        forms[word.lower()].append(word)
    return [tuple(variants) for variants in forms.values() if len(variants) > 1]


def _carries_case(pairs: Sequence[Pair]) -> bool:
    """Whether folding would make one input of two that have different outputs."""
    outputs: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
    fold = Schemes(TEXT)
    for pair in pairs:
        written = " ".join(pair.source)
        others = outputs.setdefault(tuple(fold.read(written)), {})
        if any(form != written and target != pair.target for form, target in others.items()):
            return True
        others[written] = pair.target
    return False


def _of_targets(pairs: Sequence[Pair]) -> tuple[str, str]:
    """`code` where words are pieces of calls, or whole outputs, or have more forms than their tokens."""
    words = dict.fromkeys(word for pair in pairs for word in pair.target)
    glued = [word for word in words if is_glued(word)]
    whole = {pair.target[0] for pair in pairs if len(pair.target) == 1}
    pieces = [word for word in glued if _is_piece(word) or (word in whole and _CALL.search(word))]
    if len(glued) < FEWEST or _is_split((pair.target for pair in pairs), set(glued)):
        return WHITESPACE, ""
    tokens = {token for pair in pairs for token in split_code(pair.output)}
    if 2 * len(pieces) >= len(glued) or len(tokens) < len(words):
        some = _some(pieces or glued)
        return (
            CODE,
            f"punctuation is glued to words ({some}); {len(tokens)} tokens instead of {len(words)} words",
        )
    return WHITESPACE, ""


def _is_split(sides: Iterable[Sequence[str]], glued: set[str]) -> bool:
    """Whether somebody has split the texts already: punctuation stands alone in more of them than glued."""
    alone = attached = 0
    for words in sides:
        alone += any(not any(map(str.isalnum, word)) for word in words)
        attached += not glued.isdisjoint(words)
    return alone > attached


def is_glued(word: str) -> bool:
    """Whether a word of an output is several tokens of the scheme `code`, not all of them punctuation."""
    return len(split_code(word)) > 1 and any(letter.isalnum() for letter in word)


def _is_piece(word: str) -> bool:
    balanced = all(word.count(left) == word.count(right) for left, right in ("()", "[]", "{}"))
    return not balanced or word.count('"') % 2 == 1 or bool(_ENDS.search(word))


def _some(words: Iterable[str]) -> str:
    found = list(words)
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(found[:SHOWN]) + more
