"""Kinds of words: those that stand for each other are variables together, or words of rules together."""

from collections import defaultdict
from collections.abc import Sequence

from lane.trainer.induction.lexicon import Lexicon
from lane.trainer.induction.shape import Command

EDGE = -1  # the neighbour of the first and of the last word


def word_classes(commands: Sequence[Command], lexicon: Lexicon) -> list[list[int]]:
    """Groups of the words that have a candidate value.

    Words are of one kind if two commands differ in them alone. A rare word, which has no such command,
    joins the kind that has most of its neighbours.
    """
    parent = {word: word for word in lexicon.value}
    first: dict[tuple[Command, Command], int] = {}
    near: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for command in commands:
        for place, word in enumerate(command):
            if word in parent:
                before, after = command[:place], command[place + 1 :]
                parent[_root(parent, word)] = _root(parent, first.setdefault((before, after), word))
                near[word].add((before[-1] if before else EDGE, after[0] if after else EDGE))
    kinds = _grouped(parent)
    company = {
        root: set[tuple[int, int]]().union(*(near[word] for word in kind)) for root, kind in kinds.items()
    }
    large = [root for root, kind in kinds.items() if len(kind) > 1]
    for root, kind in kinds.items():
        if len(kind) == 1:
            shared = [(len(near[kind[0]] & company[other]), -other, other) for other in large]
            most = max(shared, default=(0, 0, 0))
            # More than half, so that one common neighbour by chance does not decide.
            if 2 * most[0] > len(near[kind[0]]):
                parent[root] = most[2]
    return list(_grouped(parent).values())


def _grouped(parent: dict[int, int]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = defaultdict(list)
    for word in parent:
        groups[_root(parent, word)].append(word)
    return groups


def _root(parent: dict[int, int], word: int) -> int:
    while parent[word] != word:
        parent[word] = parent[parent[word]]
        word = parent[word]
    return word
