"""Extension: new words, slots, words to skip and any case for a program, without training.

To the tables every word that stands for a value is the same variable. So a new word like a known one is one
row of words and one of rules; no node mentions it, and no command without it can change its answer. A slot is
such a word. What is skipped, or known in any case, was an unknown word before.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from lane.base.errors import LaneError
from lane.base.placeholder import NAMING, slot_of
from lane.base.rule import Rule
from lane.base.scheme import TEXT, Schemes
from lane.base.suggestion import did_you_mean
from lane.runtime.errors import ProgramError
from lane.runtime.kind import RuleKind
from lane.runtime.program import Program

MOST_WRONG: Final = 10  # lines that are named together


class NewWord(NamedTuple):
    """A word that is used as `like`, a known or earlier word, is; without a value of its own it is a synonym.

    In braces it is a slot, whose value is its text: `{number}`, `{text}`, or any other with a list.
    """

    word: str
    like: str
    value: str = ""


class Growth(NamedTuple):
    """What a program is to know besides."""

    words: tuple[NewWord, ...] = ()
    skips: tuple[str, ...] = ()
    """Words that mean nothing in a command, such as `please`."""
    folds: bool = False
    """Words are known in any case."""

    @property
    def is_new(self) -> bool:
        """Whether there is anything."""
        return bool(self.words or self.skips or self.folds)


def read_growth(lines: Iterable[str], name: str) -> Growth:
    """A line each: `hop like look = I_HOP`, `gaze like look`, `{room} like hall`, `skip so`, `fold case`."""
    words: list[NewWord] = []
    skips: list[str] = []
    folds = False
    for number, line in enumerate(lines, start=1):
        tokens = line.split()
        if not tokens:
            continue
        if tokens == ["fold", "case"]:
            folds = True
            continue
        if tokens[0] == "skip" and len(tokens) == 2:
            skips.append(tokens[1])
            continue
        value = line.partition(" = ")[2].strip()
        if (
            tokens[1:2] != ["like"]
            or len(tokens) < 3
            or (len(tokens) > 3 and not (value and tokens[3] == "="))
        ):
            raise LaneError(
                f"{name}, line {number}: expected WORD like KNOWN = ACTIONS, WORD like KNOWN, "
                "{SLOT} like KNOWN, skip WORD, or fold case"
            )
        words.append(NewWord(tokens[0], tokens[2], value))
    return Growth(tuple(words), tuple(skips), folds)


def grow_by_lines(program: Program, lines: Iterable[str], name: str) -> Program:
    """The program with the words of a file; LaneError names lines that are wrong, at most `MOST_WRONG`."""
    given, wrong = list(lines), list[str]()
    while len(wrong) < MOST_WRONG:
        try:
            growth = read_growth(given, name)
            if not (wrong or growth.is_new):
                raise LaneError(f"{name}: holds no words")
            grown = grow(program, growth)
        except LaneError as error:
            number = _first_wrong(program, given, name)
            if not number:
                raise
            reason = _reason(program, given[:number], name) or error
            wrong.append(f"{name}, line {number}: {reason}")
            given[number - 1] = ""
        else:
            if not wrong:
                return grown
            break
    raise LaneError("\n".join(wrong))


def _first_wrong(program: Program, lines: Sequence[str], name: str) -> int:
    """The number of the first line that cannot be added after those before it; 0 if all can."""
    if _reason(program, lines, name) is None:
        return 0
    right, wrong = 0, len(lines)
    while wrong - right > 1:
        middle = (right + wrong) // 2
        if _reason(program, lines[:middle], name) is None:
            right = middle
        else:
            wrong = middle
    return wrong


def _reason(program: Program, lines: Sequence[str], name: str) -> str | None:
    """Why the lines cannot be added; None if they can."""
    try:
        grow(program, read_growth(lines, name))
    except ProgramError as error:
        return error.problem
    except LaneError as error:
        return str(error).removeprefix(f"{name}, line {len(lines)}: ")
    return None


def grow(program: Program, new: Sequence[NewWord] | Growth) -> Program:
    """The program with what is new, noted in its provenance; LaneError if something cannot be added."""
    growth = new if isinstance(new, Growth) else Growth(tuple(new))
    new = growth.words
    known = dict(program.words)
    rules = {rule.span[0]: rule for rule in program.rules if rule.is_word}
    added: dict[str, Rule] = {}
    slots: list[str] = []
    for word, like, value in new:
        if not known.get(like):
            raise LaneError(f"{word!r} like {like!r}: {_no_model(like, known)}")
        if word in known:
            raise LaneError(f"{word!r}: the program has this word already")
        if word in program.schemes.skips:
            raise LaneError(f"{word!r}: the program skips this word")
        if slot := slot_of(word):
            if value:
                raise LaneError(f"{word}: a slot has no other value than its text: leave out {value!r}")
            slots.append(slot)
            template: tuple[str, ...] = (word,)
        elif word.startswith("{") and len(word) > 1:
            raise LaneError(f"{word!r}: {NAMING}, in braces")
        elif slot_of(like) and not value:
            raise LaneError(f"{word!r} like {like!r}: a word like a slot needs a value of its own")
        elif program.schemes.read(word) != [word]:
            raise LaneError(f"{word!r}: commands of this program are never split into such a word")
        else:
            template = tuple(program.schemes.write(value)) or rules[like].template
        # No pair uses it; it counts as one use, so that it is listed and tested with the rules in use.
        added[word] = rules[word] = Rule((word,), template, min(rules[like].uses, 1))
        known[word] = True
    grown = replace(
        program,
        words=tuple(sorted([*program.words, *((word, True) for word in added)])),
        actions=tuple(
            sorted({*program.actions, *(token for rule in added.values() for token in rule.template)})
        ),
        rules=tuple(sorted([*program.rules, *added.values()], key=lambda rule: (len(rule.span), rule.span))),
        kinds=program.kinds and _kinds(program.kinds, new),
        schemes=_schemes(program, growth, slots),
        provenance={**program.provenance, "grown": [*_grown(program), _note(growth)]},
    )
    _verify(program, grown, added)
    return grown


def _schemes(program: Program, growth: Growth, slots: Sequence[str]) -> Schemes:
    schemes = program.schemes
    for word in growth.skips:
        if word in schemes.skips or growth.skips.count(word) > 1:
            raise LaneError(f"skip {word!r}: the program skips this word already")
        if schemes.read(word) != [word]:
            raise LaneError(f"skip {word!r}: commands of this program are never split into such a word")
    if growth.folds and (schemes.folds or schemes.source == TEXT):
        raise LaneError("fold case: this program knows words in any case already")
    parts = schemes._asdict() | {
        "slots": tuple(sorted([*schemes.slots, *slots])),
        "skips": tuple(sorted([*schemes.skips, *growth.skips])),
        "folds": schemes.folds or growth.folds,
    }
    return Schemes.checked(**parts)


def _no_model(like: str, known: dict[str, bool]) -> str:
    if like in known:
        return "only words that stand for a value of their own can be imitated"
    return f"the program has no such word{did_you_mean(like, known)}"


def _kinds(kinds: Sequence[RuleKind], new: Sequence[NewWord]) -> tuple[RuleKind, ...]:
    """A new word joins the kind of the word that it is like; the kinds come into order again."""
    kind_of = {span: number for number, kind in enumerate(kinds) for span in kind.spans}
    spans = [list(kind.spans) for kind in kinds]
    for word, like, _ in new:
        if (like,) in kind_of:
            kind_of[word,] = kind_of[like,]
            spans[kind_of[like,]].append((word,))
    members = [sorted(group, key=lambda span: (len(span), span)) for group in spans]
    order = sorted(range(len(kinds)), key=lambda number: (len(members[number][0]), members[number][0]))
    place = {old + 1: new_place for new_place, old in enumerate(order, start=1)}
    return tuple(
        RuleKind(
            kinds[number].root,
            tuple(tuple(sorted(place[kind] for kind in slot)) for slot in kinds[number].slots),
            tuple(members[number]),
        )
        for number in order
    )


def _grown(program: Program) -> list[object]:
    before = program.provenance.get("grown", [])
    return before if isinstance(before, list) else [before]


def _note(growth: Growth) -> dict[str, object]:
    """Of hundreds of words the provenance has room for a digest only."""
    lines = [f"{word} like {like} = {value}" for word, like, value in growth.words]
    lines += [f"skip {word}" for word in growth.skips] + ["fold case"] * growth.folds
    note: dict[str, object] = {"words": len(growth.words)}
    if growth.skips:
        note["skips"] = list(growth.skips)
    if growth.folds:
        note["folds"] = True
    return note | {"sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest()}


def _verify(program: Program, grown: Program, added: dict[str, Rule]) -> None:
    """The file read again is the same program, and its tables are the old ones but for the new words."""
    again = Program.loads(grown.dumps())
    assert again == grown, "the bytes of a program give it back"
    before, after = program.tables, grown.tables
    assert after.pairs == before.pairs, "no new word is in a node"
    assert after.leaf_of == before.leaf_of | dict.fromkeys(added, 0)
    assert after.rule_of.items() >= before.rule_of.items()
