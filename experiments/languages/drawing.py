"""Tasks drawn from a grammar of frames: training pairs that determine it, and held-out tests."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count as count_from
from itertools import cycle, islice
from typing import NamedTuple

from lane.data.pair import Pair
from lane.data.task import Task
from lane.experiments.languages.frames import Frame, Grammar, Nesting, Place, Tree

MAX_TRAIN_ACTIONS = 81
"""Nine times nine fits: a count on any other."""
MAX_TEST_ACTIONS = 128
"""As for random languages."""

# Conventions, and fixed: results are published for the languages of certain seeds.
_TESTS = {"held out": 80, "apart": 60, "new": 60, "long": 60, "long held out": 40}
_APART = 8
"""In each slot, one name in eight is held out of training and tested."""
_BRANCHING = 4
"""Weight of frames with several slots: chains of the others are monotonous."""
_NOTED = 9  # held-out names listed in the notes
_PATIENCE = 60
"""Draws per pair wanted; after them the language is assumed to have no more."""


class Shown(NamedTuple):
    """The number of training pairs for each frame, nesting, name and length, if the language has as many."""

    frame: int = 6
    nesting: int = 3
    name: int = 2
    length: int = 25


_SHOWN = Shown()


@dataclass(frozen=True)
class Design:
    """How to train and to test a grammar.

    The trees of `alone` are training pairs by themselves. A `held_out` name occurs in training only so or, if
    it is not among them, in one or two pairs with the same frame. Training has commands of each length up to
    `words`, and longer ones where a nesting needs them; tests have up to `longer` words more. No training
    pair has a nesting of `apart`, nor of some others drawn at random.
    """

    grammar: Grammar
    alone: tuple[Tree, ...]
    held_out: tuple[Frame, ...]
    words: int
    longer: int
    shown: Shown = _SHOWN
    apart: tuple[Nesting, ...] = ()


Draw = Callable[[], Tree | None]
"""Draws a command, or None where the draw fails."""


def draw_task(name: str, design: Design, rng: random.Random, notes: Iterable[str] = ()) -> Task:
    """Training pairs that show everything but the held-out parts, and tests of these, new or longer."""
    exam = _Exam(design, rng)
    train = tuple(exam.train())
    test = tuple(exam.test(max(len(pair.source) for pair in train)))
    rules = (str(frame) for frame in design.grammar.frames if frame.slots)
    some = ", ".join(" ".join(frame.source) for frame in design.held_out[:_NOTED])
    held_out = f"held out, {len(design.held_out)}: {some}" + ", ..." * (len(design.held_out) > _NOTED)
    return Task(name, train, test, (*notes, *rules, held_out))


class _Sampler:
    """Draws trees of a grammar, without held-out names."""

    def __init__(self, grammar: Grammar, held_out: Sequence[Frame], rng: random.Random) -> None:
        self.grammar, self.rng = grammar, rng
        self.options = {
            sort: [frame for frame in frames if frame not in held_out]
            for sort, frames in grammar.by_sort.items()
        }
        self._splits: dict[tuple[tuple[str, ...], int], list[tuple[int, ...]]] = {}

    def feasible(self, sort: str, words: int) -> bool:
        """Whether a tree of the sort can have exactly that many words."""
        return any(self._sizes(frame, words) for frame in self.options[sort])

    def tree(self, sort: str, words: int) -> Tree:
        """A random tree with exactly that many words, which must be feasible."""
        frames = [frame for frame in self.options[sort] if self._sizes(frame, words)]
        weights = [_BRANCHING if len(frame.slots) > 1 else 1 for frame in frames]
        (frame,) = self.rng.choices(frames, weights)
        sizes = self.rng.choice(self._sizes(frame, words))
        return Tree(frame, tuple(self.tree(*slot) for slot in zip(frame.slots, sizes, strict=True)))

    def command(self, words: int) -> Tree | None:
        """A random command with exactly that many words; None if no command has."""
        return self.tree(self.grammar.root, words) if self.feasible(self.grammar.root, words) else None

    def around(self, outer: Frame, slot: int, inner: Tree) -> Tree:
        """A short command with the tree in that slot of the frame."""
        return self._whole(self._filled(outer, slot, inner))

    def nested(self, outer: Frame, slot: int, inner: Frame) -> Tree:
        """A short command with `inner` in that slot of `outer`."""
        return self.around(outer, slot, self._filled(inner))

    def short(self, frame: Frame) -> Tree:
        """A short command with the frame."""
        return self._whole(self._filled(frame))

    def replanted(self, draw: Draw, name: Frame, places: Sequence[Place]) -> Tree | None:
        """A drawn command in which `name` replaces a name at one of the places; None if it has none there."""
        tree = draw()
        paths = list(_paths(tree, places)) if tree else []
        return _replaced(tree, self.rng.choice(paths), Tree(name)) if tree and paths else None

    def _sizes(self, frame: Frame, words: int) -> list[tuple[int, ...]]:
        """The possible numbers of words of the slots, for a given total."""
        return self._split(frame.slots, words - len(frame.source) + len(frame.slots))

    def _split(self, slots: tuple[str, ...], words: int) -> list[tuple[int, ...]]:
        if not slots:
            return [()] if words == 0 else []
        if (slots, words) not in self._splits:
            self._splits[slots, words] = [
                (first, *rest)
                for first in range(1, words - len(slots) + 2)
                if self.feasible(slots[0], first)
                for rest in self._split(slots[1:], words - first)
            ]
        return self._splits[slots, words]

    def _filled(self, frame: Frame, slot: int | None = None, argument: Tree | None = None) -> Tree:
        """The frame with `argument` in `slot`, and as few words as possible elsewhere."""
        return Tree(
            frame,
            tuple(
                argument if argument and at == slot else self._small(sort)
                for at, sort in enumerate(frame.slots)
            ),
        )

    def _small(self, sort: str) -> Tree:
        return self.tree(sort, next(words for words in count_from(1) if self.feasible(sort, words)))

    def _whole(self, tree: Tree) -> Tree:
        """A command with the tree inside as few frames as possible."""
        depths = self.grammar.depths
        while depth := depths[tree.frame]:
            hosts = [place for place in self.grammar.places[tree.frame] if depths[place[0]] == depth - 1]
            tree = self._filled(*self.rng.choice(hosts), tree)
        return tree


class _Exam:
    """The distinct training and test pairs of a design."""

    def __init__(self, design: Design, rng: random.Random) -> None:
        self.design, self.grammar, self.rng = design, design.grammar, rng
        self.sampler = _Sampler(design.grammar, design.held_out, rng)
        self.names = [frame for frame in self.grammar.frames if not frame.slots]
        self.apart = list(dict.fromkeys((*design.apart, *self._drawn_apart())))
        self._taken: dict[tuple[str, ...], tuple[str, ...]] = {}

    def train(self) -> Iterator[Pair]:
        """`alone`; each frame, nesting and name in short commands; commands of each length."""
        sampler, shown = self.sampler, self.design.shown
        for tree in self.design.alone:
            yield from self._train(1, partial(_same, tree))
        given = {name for tree in self.design.alone for name in (tree.frame, *_inside(tree))}
        for name in self.design.held_out:
            if name not in given:
                place = self.rng.choice(self.grammar.places[name])
                yield from self._train(self.rng.randint(1, 2), partial(sampler.around, *place, Tree(name)))
        for frame in self.grammar.frames:
            if frame.slots:
                yield from self._train(shown.frame, partial(sampler.short, frame))
        for nesting in self.grammar.nestings:
            if nesting[2].slots:
                yield from self._train(shown.nesting, partial(sampler.nested, *nesting))
        for name in self.names:
            if name not in self.design.held_out:
                places = self.grammar.places[name]
                yield from self._train(
                    shown.name, *(partial(sampler.around, *place, Tree(name)) for place in places)
                )
        for words in range(1, self.design.words + 1):
            yield from self._train(shown.length, partial(sampler.command, words))

    def test(self, longest: int) -> Iterator[Pair]:
        """Held-out names everywhere, names in slots held out of training, new commands, and longer ones."""
        sampler, places = self.sampler, self.grammar.places
        short = [partial(sampler.command, words) for words in range(2, longest + 1)]
        long = [partial(sampler.command, longest + more) for more in range(1, self.design.longer + 1)]
        held_out = [(*place, Tree(name)) for name in self.design.held_out for place in places[name]]
        apart = [(outer, slot, Tree(name)) for outer, slot, name in self.apart]
        draws: dict[str, list[Draw]] = {
            "held out": [partial(sampler.around, *where) for where in held_out],
            "apart": [
                *(partial(sampler.around, *where) for where in apart),
                *(
                    self._with(draw, name, [(outer, slot)])
                    for draw in short
                    for outer, slot, name in self.apart
                ),
            ],
            "new": [*short],
            "long": [*long],
            "long held out": [
                self._with(draw, name, places[name]) for draw in long for name in self.design.held_out
            ],
        }
        for kind, count in _TESTS.items():
            self.rng.shuffle(draws[kind])
            yield from self._distinct(count, draws[kind], MAX_TEST_ACTIONS)

    def _with(self, draw: Draw, name: Frame, places: Sequence[Place]) -> Draw:
        return partial(self.sampler.replanted, draw, name, places)

    def _train(self, count: int, *draws: Draw) -> Iterator[Pair]:
        return self._distinct(count, draws, MAX_TRAIN_ACTIONS, frozenset(self.apart))

    def _distinct(
        self, count: int, draws: Iterable[Draw], most: int, apart: frozenset[Nesting] = frozenset()
    ) -> Iterator[Pair]:
        """`count` new pairs from each draw in turn; fewer if the language has no more."""
        for draw in islice(cycle(draws), count * _PATIENCE):
            tree = draw()
            if tree is None or tree.size() > most or not apart.isdisjoint(tree.nestings()):
                continue
            pair = tree.pair()
            if pair.source not in self._taken:
                self._taken[pair.source] = pair.target
                yield pair
                count -= 1
                if not count:
                    break
            elif self._taken[pair.source] != pair.target:
                raise ValueError(f"the command {' '.join(pair.source)!r} has two meanings")

    def _drawn_apart(self) -> Iterator[Nesting]:
        """Random places of random names; a name keeps more places than it loses."""
        lost: dict[Frame, int] = {}
        for outer in self.grammar.frames:
            for slot, sort in enumerate(outer.slots):
                names = [name for name in self.sampler.options[sort] if not name.slots]
                for name in self.rng.sample(names, len(names) // _APART + (len(names) > 2)):
                    lost[name] = lost.get(name, 0) + 1
                    if 2 * lost[name] < len(self.grammar.places[name]):
                        yield outer, slot, name


def _same(tree: Tree) -> Tree:
    return tree


def _inside(tree: Tree) -> Iterator[Frame]:
    return (inner for _, _, inner in tree.nestings())


def _paths(tree: Tree, places: Sequence[Place]) -> Iterator[tuple[int, ...]]:
    """The path to each name at one of the places."""
    for slot, argument in enumerate(tree.arguments):
        if not argument.arguments and (tree.frame, slot) in places:
            yield (slot,)
        yield from ((slot, *path) for path in _paths(argument, places))


def _replaced(tree: Tree, path: tuple[int, ...], name: Tree) -> Tree:
    if not path:
        return name
    arguments = list(tree.arguments)
    arguments[path[0]] = _replaced(arguments[path[0]], path[1:], name)
    return Tree(tree.frame, tuple(arguments))
