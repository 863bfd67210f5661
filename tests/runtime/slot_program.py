"""A program with slots of each sort, words to skip and, split at white space, words in any case."""

from typing import Any

from lane.base.scheme import PLAIN, Schemes
from lane.runtime import Limits, Program
from lane.runtime.kind import RuleKind


def program(schemes: Schemes = PLAIN) -> Program:
    """Slots of each sort, with kinds that refuse what was not learned."""
    named = {f"{{{name}}}": True for name in ("artist", "number", "room", "text")}
    words = {**named, "hall": True, "May" if schemes.is_plain else "may": True, "go": False, "say": False}
    words |= {"play": False, "meters": False, "and": False}
    nodes = [("go", "$", 4.0, False), (("go", "$"), "meters", 5.0, True), ("say", "$", 3.0, True)]
    nodes += [("play", "$", 3.5, True), ("$", "and", 1.0, False), (("$", "and"), "$", 0.5, True)]
    leaves = ["$", "go", "say", "play", "meters", "and"]
    begun: list[Any] = [*leaves, ("go", "$"), ("$", "and")]
    every = (
        (left, right) for left in begun for right in begun if isinstance(left, str) or isinstance(right, str)
    )
    nodes += [(*pair, 0.0, False) for pair in every if pair not in {node[:2] for node in nodes}]
    may = "May" if schemes.is_plain else "may"
    rules = [((word,), (word,), 1) for word in named]
    rules += [(("hall",), ("HALL",), 1), ((may,), ("MAY",), 1), (("go", "$x", "meters"), ("GO", "$X"), 1)]
    rules += [(("say", "$x"), ("SAY", "$X", "$X"), 1), (("play", "$x"), ("PLAY", "$X"), 1)]
    rules += [(("$x", "and", "$y"), ("$X", "$Y"), 1)]
    kinds = [
        RuleKind(True, (), tuple(sorted([("hall",), (may,)]))),
        RuleKind(False, (), (("{artist}",), ("{room}",))),
        RuleKind(False, (), (("{number}",),)),
        RuleKind(False, (), (("{text}",),)),
        RuleKind(True, ((2,),), (("play", "$x"),)),
        RuleKind(True, ((1, 4),), (("say", "$x"),)),
        RuleKind(True, ((1, 5, 6, 7, 8), (1, 5, 6, 7, 8)), (("$x", "and", "$y"),)),
        RuleKind(True, ((3,),), (("go", "$x", "meters"),)),
    ]
    order = {rule[0]: (len(rule[0]), rule[0]) for rule in rules}
    kinds = renumbered(sorted(kinds, key=lambda kind: order[kind.spans[0]]), kinds)
    parts = schemes._replace(slots=("artist", "number", "room", "text"), skips=("please", "the"))
    return Program.build(
        words=words,
        nodes=nodes,
        rules=rules,
        limits=Limits(max_words=12, max_actions=40),
        complete=False,
        schemes=parts._replace(folds=schemes.is_plain),
        kinds=kinds,
    )


def renumbered(ordered: list[RuleKind], kinds: list[RuleKind]) -> list[RuleKind]:
    """Kinds in another order, with the numbers that they have there."""
    place = {number: ordered.index(kind) + 1 for number, kind in enumerate(kinds, start=1)}
    return [
        kind._replace(slots=tuple(tuple(sorted(place[number] for number in slot)) for slot in kind.slots))
        for kind in ordered
    ]
