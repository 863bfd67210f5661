"""Inversion: where one rule is another with a part in the place of a variable, both say what the part means.

`$x with $y or $z -> filter { $X ; or { $Y ; $Z } }` is `$x with $y -> filter { $X ; $Y }` with `$y or $z`
for `$y`; so `$x or $y -> or { $X ; $Y }`.
"""

from collections.abc import Mapping

from lane.models import symbols
from lane.trainer.induction.ruleset import Left, Right


def inverted(rules: Mapping[Left, Right]) -> list[tuple[Left, Right]]:
    """The rules for parts that pairs of rules name, each once, in the order of the rules."""
    found: dict[tuple[Left, Right], None] = {}
    for general, short in rules.items():
        for special, long in rules.items():
            if len(special) >= len(general) and special != general:
                for place, token in enumerate(general):
                    if token == symbols.VARIABLE:
                        part = _part(general, short, special, long, place)
                        if part is not None and part[0] not in rules:
                            found[part] = None
    return list(found)


def _part(general: Left, short: Right, special: Left, long: Right, place: int) -> tuple[Left, Right] | None:
    """What stands in `special` for the variable at `place` of `general`, and what it is translated to."""
    behind = len(general) - place - 1
    part = special[place : len(special) - behind]
    if general[:place] != special[:place] or general[place + 1 :] != special[len(special) - behind :]:
        return None
    number = general[: place + 1].count(symbols.VARIABLE)
    count = part.count(symbols.VARIABLE)
    uses = short.count(number)
    length, rest = divmod(len(long) - len(short) + uses, uses)
    if rest or length < 1 or len(part) < 2:
        return None
    right = _first_use(short, long, number, length)
    renamed = [token + (count - 1) * (token > number) for token in short]
    spelled = tuple(
        token
        for old, new in zip(short, renamed, strict=True)
        for token in (right if old == number else (new,))
    )
    own = tuple(token - number + 1 if token > 0 else token for token in right)
    if spelled != long or {token for token in own if token > 0} != set(range(1, count + 1)):
        return None
    return part, own


def _first_use(short: Right, long: Right, number: int, length: int) -> Right:
    """The piece of `long` where `short` has its first use of the variable."""
    start = short.index(number)
    return long[start : start + length]
