"""Checks what commands of a program may hold besides its words: slots, words to skip, and any case."""

import re
from collections.abc import Mapping, Sequence

from lane.base.lettercase import fold
from lane.base.placeholder import begins_like_slot, placeholder
from lane.base.rule import Rule
from lane.base.scheme import Schemes
from lane.runtime.errors import ProgramError
from lane.runtime.hearing import exact_words
from lane.runtime.kind import RuleKind

_FORBIDDEN = re.compile("[\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]")


def check_spoken(
    schemes: Schemes,
    words: Mapping[str, bool],
    actions: Sequence[str],
    rules: Sequence[Rule],
    kinds: Sequence[RuleKind] | None,
) -> None:
    """ProgramError unless slots are words of their own value, and nothing else can be taken for one."""
    if not schemes.is_spoken:
        return
    slots = {placeholder(name) for name in schemes.slots}
    learned = None if kinds is None else {span for kind in kinds for span in kind.spans}
    _check_slots(slots, words, actions, rules, learned)
    for word in schemes.skips:
        if _FORBIDDEN.search(word):
            raise ProgramError("schemes.skips", f"{word!r} holds white space or a control character")
        if word in words:
            raise ProgramError("schemes.skips", f"{word!r} is a word of the program: it cannot be skipped")
    if schemes.folds:
        _check_folds(exact_words(schemes, (word for word in words if word not in slots)))


def _check_slots(
    slots: set[str],
    words: Mapping[str, bool],
    actions: Sequence[str],
    rules: Sequence[Rule],
    learned: set[tuple[str, ...]] | None,
) -> None:
    own = {rule.span[0] for rule in rules if rule.is_word and rule.span == rule.template}
    for slot in sorted(slots):
        if not words.get(slot) or slot not in own:
            raise ProgramError("schemes.slots", f"{slot} is no word that stands for itself")
    for action in actions if slots else ():
        if begins_like_slot(action) and action not in slots:
            raise ProgramError("actions", f"{action!r} could be taken for the text of a slot")
    for place, rule in enumerate(rules):
        # What was never learned is a guess of the network, and refused.
        is_used = learned is None or rule.span in learned
        if is_used and rule.span != rule.template and not slots.isdisjoint(rule.template):
            raise ProgramError(f"rules[{place}]", "writes a slot, which only the slot itself may do")


def _check_folds(words: frozenset[str]) -> None:
    of_folded: dict[str, str] = {}
    for word in sorted(words):
        other = of_folded.setdefault(fold(word), word)
        if other != word:
            raise ProgramError("schemes.folds", f"{other!r} and {word!r} differ in case only")
