"""What a look at pairs finds before any training: the usual slips, each with its places and a remedy."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lane.base.placeholder import without_slots
from lane.base.scheme import CODE, TEXT, WHITESPACE, Schemes
from lane.data.choice import case_variants, is_glued, is_marked
from lane.data.pair import Pair

SHOWN = 3  # words or places in a finding, which is one line
_SEPARATORS = frozenset(("->", "=>", "→", "|", "=", ":", ";", ","))
_TITLES = frozenset(
    re.findall(
        r"\w+",
        "command commands input inputs in source src text utterance sentence question query english nl x "
        "from output outputs out target tgt action actions code label answer translation meaning y to",
    )
)


class Numbered(NamedTuple):
    """A pair and where it stands: its line in a file, or its number in a list."""

    number: int
    pair: Pair


def find(numbered: Iterable[tuple[int, Pair]], schemes: Schemes, place: str = "line") -> list[str]:
    """A line for each kind of slip that the schemes do not take care of; `place` is what the numbers count.

    Contradictions are not among them: `summary` and the trainer count those.
    """
    pairs = [Numbered(number, pair) for number, pair in numbered]
    checks = (_header, _separators, _glued_inputs, _glued_outputs, _variants, _rare)
    return [finding for check in checks if (finding := check(pairs, schemes, place))]


def _header(pairs: Sequence[Numbered], schemes: Schemes, place: str) -> str:
    number, first = pairs[0]
    words = {word.lower() for word in (*first.source, *first.target)}
    # Titles that other pairs contain are words of the language.
    others = {word.lower() for _, pair in pairs[1:] for word in (*pair.source, *pair.target)}
    if not words <= _TITLES or not others.isdisjoint(words):
        return ""
    return f"{place} {number} looks like a header ({' '.join(first.source)} | {first.output}): remove it"


def _separators(pairs: Sequence[Numbered], schemes: Schemes, place: str) -> str:
    """A sign that every pair has between its sides, so that it became part of one."""
    ends = Counter(pair.source[-1] for _, pair in pairs) + Counter(pair.target[0] for _, pair in pairs)
    for sign, count in ends.items():
        if sign in _SEPARATORS and count == len(pairs) > 1:
            return f"{sign!r} stands between the sides of every pair, beside the separator: remove it"
    return ""


def _glued_inputs(pairs: Sequence[Numbered], schemes: Schemes, place: str) -> str:
    if schemes.source != WHITESPACE:
        return ""
    marked = {word for word in _distinct(pair.source for _, pair in pairs) if is_marked(word)}
    where = [(number, [word for word in pair.source if word in marked]) for number, pair in pairs]
    return _glued(where, "input", f"--source-scheme {TEXT}", place)


def _glued_outputs(pairs: Sequence[Numbered], schemes: Schemes, place: str) -> str:
    if schemes.target != WHITESPACE:
        return ""
    glued = {word for word in _distinct(pair.target for _, pair in pairs) if is_glued(without_slots(word))}
    where = [(number, [word for word in pair.target if word in glued]) for number, pair in pairs]
    return _glued(where, "output", f"--target-scheme {CODE}", place)


def _distinct(sides: Iterable[Sequence[str]]) -> set[str]:
    return {word for side in sides for word in side}


def _glued(where: Sequence[tuple[int, list[str]]], side: str, remedy: str, place: str) -> str:
    words = dict.fromkeys(word for _, found in where for word in found)
    if not words:
        return ""
    places = _places((number for number, found in where if found), place)
    return (
        f"{side} words with punctuation glued to them are one token each ({_some(words)}; {places}): "
        f"{remedy} splits them; names may stay"
    )


def _variants(pairs: Sequence[Numbered], schemes: Schemes, place: str) -> str:
    if schemes.source == TEXT:
        return ""
    variants = case_variants(dict.fromkeys(word for _, pair in pairs for word in pair.source))
    if not variants:
        return ""
    capitals = {form for forms in variants for form in forms if form != form.lower()}
    places = _places((number for number, pair in pairs if not capitals.isdisjoint(pair.source)), place)
    shown = _some("/".join(forms) for forms in variants)
    return (
        f"words that differ in case only are different ({shown}; {places}): --source-scheme {TEXT} folds case"
    )


def _rare(pairs: Sequence[Numbered], schemes: Schemes, place: str) -> str:
    """Words of a single pair, and of several words: misspelt, or known from one example only."""
    counts: Counter[str] = Counter()
    where: dict[str, int] = {}
    for number, pair in pairs:
        words = set(pair.by(schemes).source)
        counts.update(words)
        if len(words) > 1:
            where |= dict.fromkeys(words, number)
    rare = sorted((number, word) for word, number in where.items() if counts[word] == 1)
    # Where most words are such, the pairs are a handful, and the finding would be no news.
    if not rare or 2 * len(rare) > len(counts):
        return ""
    shown = _some(f"{word} ({place} {number})" for number, word in rare)
    many = f"{len(rare)} input words are each" if len(rare) > 1 else "an input word is"
    return f"{many} in a single pair: {shown}; check the spelling, or add pairs with it"


def _places(numbers: Iterable[int], place: str) -> str:
    found = list(map(str, numbers))
    return f"{place} {found[0]}" if len(found) == 1 else f"{place}s {_some(found)}"


def _some(words: Iterable[str]) -> str:
    found = list(words)
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(found[:SHOWN]) + more
