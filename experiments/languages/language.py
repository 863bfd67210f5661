"""Small random languages, by seed: training is evaluated on languages that it was not tuned for."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from lane.data.pair import Pair
from lane.data.task import Task
from lane.experiments.languages.precedence import Fixity, Language, Operator, Parse

MAX_TRAIN_ACTIONS = 64
"""Any operator on any other, both with the longest template, fits: 8 * 8."""
MAX_TEST_ACTIONS = 128
"""Twice that, for longer commands."""

# The distribution of languages and the sizes of their tasks. They are conventions, and fixed: results are
# published for the languages of certain seeds.
TRAIN_WORDS = range(2, 9)
LONG_WORDS = range(9, 15)
_PRIMITIVES = (4, 30)
_LEVELS = (2, 4)
_OPERATORS_A_LEVEL = (1, 3)
_TEMPLATE_LENGTHS = {2: 8, 3: 8, 4: 4, 5: 2, 6: 1, 7: 1, 8: 1}
_CONSTANT_CHANCE = 0.15
_EXAMPLES = {"operator": 8, "nesting": 4, "primitive": 2, "length": 120}
_TESTS = {"lone operator": 2, "lone nesting": 2, "length": 30, "long": 50, "lone length": 20}
_PATIENCE = 30
"""Draws per tree wanted; after them the language is assumed to have no more."""

Template = tuple[int | str, ...]


def random_language(seed: int) -> Language:
    """4 to 30 primitives; 2 to 4 levels of operators, at least one of them infix."""
    rng = random.Random(f"language/{seed}")
    words = _new_words(rng)
    names = [next(words) for _ in range(rng.randint(*_PRIMITIVES))]
    kinds = rng.choices(list(Fixity), k=rng.randint(*_LEVELS))
    if Fixity.INFIX not in kinds:
        kinds[rng.randrange(len(kinds))] = Fixity.INFIX
    loosest_infix = max(at for at, kind in enumerate(kinds) if kind is Fixity.INFIX) + 1
    operators: list[Operator] = []
    for level, kind in enumerate(kinds, start=1):
        templates: set[Template] = set()
        for _ in range(1 if kind is Fixity.INFIX else rng.randint(*_OPERATORS_A_LEVEL)):
            template = _new_template(rng, kind, level == loosest_infix, templates, words)
            operators.append(Operator(next(words), kind, level, template))
    return Language(tuple((name, name.upper()) for name in names), tuple(operators))


def random_task(seed: int) -> Task:
    """Training pairs that determine a random language, and tests that are longer, new, or use a lone word.

    The last primitive, the lone one, is trained only by itself, and tested everywhere.
    """
    language = random_language(seed)
    sampler = _Parses(language, random.Random(f"language task/{seed}"))
    train = _distinct(_train_trees(sampler), language, MAX_TRAIN_ACTIONS, set())
    seen = {pair.source for pair in train}
    test = _distinct(_test_trees(sampler), language, MAX_TEST_ACTIONS, seen)
    notes = (
        f"random language, seed {seed}: {len(language.primitives)} primitives, tightest rule first",
        *(f"level {operator.level}: {operator}" for operator in language.operators),
        f"trained alone only: {sampler.lone}",
    )
    return Task(f"language{seed}", train, test, notes)


def random_commands(language: Language, seed: int, lengths: range, count: int) -> Iterator[tuple[str, ...]]:
    """Distinct commands of a language, `count` of each length or all that there are."""
    sampler = _Parses(language, random.Random(f"commands/{seed}"))
    sampler.primitives = (*sampler.primitives, sampler.lone)
    for length in lengths:
        if sampler.feasible(language.depth, length):
            drawn = (language.words(sampler.tree(language.depth, length)) for _ in range(count * _PATIENCE))
            yield from islice(dict.fromkeys(drawn), count)


def named(name: str) -> Callable[[], Task] | None:
    """The task `random:N`; None for another name."""
    match = re.fullmatch("random:([0-9]{1,9})", name)
    return partial(random_task, int(match[1])) if match else None


def nestings(language: Language) -> Iterator[tuple[Operator, int, Operator]]:
    """Each (outer, slot, inner) where the operator `inner` may be in argument `slot` of `outer`."""
    for outer in language.operators:
        for slot in range(outer.kind.arity):
            for inner in language.operators:
                if inner.level <= outer.operand_level(slot):
                    yield outer, slot, inner


@dataclass
class _Parses:
    """Draws trees of a language; `primitives` are all but the lone one."""

    language: Language
    rng: random.Random
    primitives: tuple[str, ...] = field(init=False)
    lone: str = field(init=False)

    def __post_init__(self) -> None:
        *rest, self.lone = (word for word, _ in self.language.primitives)
        self.primitives = tuple(rest)
        self._feasible: dict[tuple[int, int], bool] = {}

    def leaf(self) -> Parse:
        return Parse(self.rng.choice(self.primitives))

    def apply(self, operator: Operator, slot: int = 0, argument: Parse | None = None) -> Parse:
        """The operator on `argument` in `slot` and on random primitives elsewhere."""
        arguments = [self.leaf() for _ in range(operator.kind.arity)]
        if argument is not None:
            arguments[slot] = argument
        return Parse(operator.word, tuple(arguments))

    def tree(self, level: int, words: int) -> Parse:
        """A random expression of `level` with exactly that many words, which must be feasible."""
        if level == 0:
            return self.leaf()
        splits = list(self._splits(level, words))
        if self.feasible(level - 1, words) and (not splits or self.rng.random() < 0.5):
            return self.tree(level - 1, words)
        operator = self.rng.choice(self.language.by_level[level])
        sizes = self.rng.choice(splits)
        return Parse(
            operator.word,
            tuple(self.tree(operator.operand_level(slot), size) for slot, size in enumerate(sizes)),
        )

    def feasible(self, level: int, words: int) -> bool:
        """Whether some expression of `level` has exactly that many words."""
        if level == 0 or words <= 1:
            return words == 1
        if (level, words) not in self._feasible:
            self._feasible[level, words] = self.feasible(level - 1, words) or any(self._splits(level, words))
        return self._feasible[level, words]

    def _splits(self, level: int, words: int) -> Iterator[tuple[int, ...]]:
        """The numbers of words that the arguments of an operator of `level` can have."""
        if self.language.by_level[level][0].kind.arity == 1:
            if words > 1 and self.feasible(level, words - 1):
                yield (words - 1,)
            return
        for left in range(1, words - 1):
            if self.feasible(level, left) and self.feasible(level - 1, words - 1 - left):
                yield (left, words - 1 - left)

    def nested(self, outer: Operator, slot: int, inner: Operator) -> Parse:
        """`outer` with `inner` in a slot, and random primitives elsewhere."""
        return self.apply(outer, slot, self.apply(inner))

    def anywhere(self, argument: Parse) -> Parse:
        """Some operator on `argument`, in some slot."""
        operator = self.rng.choice(self.language.operators)
        return self.apply(operator, self.rng.randrange(operator.kind.arity), argument)

    def with_lone(self, draw: Callable[[], Parse]) -> Parse:
        """A drawn tree with one of its primitives replaced by the lone one."""
        return self._replace(draw())

    def _replace(self, tree: Parse) -> Parse:
        if not tree.arguments:
            return Parse(self.lone)
        slot = self.rng.randrange(len(tree.arguments))
        arguments = list(tree.arguments)
        arguments[slot] = self._replace(arguments[slot])
        return Parse(tree.word, tuple(arguments))


Draw = tuple[int, Callable[[], Parse]]
"""How many different trees are wanted, and how to draw one."""


def _train_trees(sampler: _Parses) -> Iterator[Draw]:
    language = sampler.language
    for word, _ in language.primitives:
        yield 1, partial(Parse, word)
    for operator in language.operators:
        yield _EXAMPLES["operator"], partial(sampler.apply, operator)
    for nesting in nestings(language):
        yield _EXAMPLES["nesting"], partial(sampler.nested, *nesting)
    for word in sampler.primitives:
        yield _EXAMPLES["primitive"], partial(sampler.anywhere, Parse(word))
    yield from _by_length(sampler, TRAIN_WORDS, _EXAMPLES["length"])


def _test_trees(sampler: _Parses) -> Iterator[Draw]:
    for operator in sampler.language.operators:
        for slot in range(operator.kind.arity):
            yield _TESTS["lone operator"], partial(sampler.apply, operator, slot, Parse(sampler.lone))
    for nesting in nestings(sampler.language):
        yield _TESTS["lone nesting"], partial(sampler.with_lone, partial(sampler.nested, *nesting))
    yield from _by_length(sampler, TRAIN_WORDS, _TESTS["length"])
    yield from _by_length(sampler, LONG_WORDS, _TESTS["long"])
    for count, draw in _by_length(sampler, range(2, LONG_WORDS.stop), _TESTS["lone length"]):
        yield count, partial(sampler.with_lone, draw)


def _by_length(sampler: _Parses, lengths: range, count: int) -> Iterator[Draw]:
    depth = sampler.language.depth
    for words in lengths:
        if sampler.feasible(depth, words):
            yield count, partial(sampler.tree, depth, words)


def _distinct(
    draws: Iterator[Draw], language: Language, max_actions: int, seen: set[tuple[str, ...]]
) -> tuple[Pair, ...]:
    """Distinct pairs from each draw in turn: as many as wanted, or fewer if the language has no more."""
    taken = set(seen)
    pairs = []
    for count, draw in draws:
        for _ in range(count * _PATIENCE):
            tree = draw()
            source = language.words(tree)
            if source in taken or language.size(tree) > max_actions:
                continue
            taken.add(source)
            pairs.append(Pair(source, language.meaning(tree)))
            count -= 1
            if not count:
                break
    return tuple(pairs)


def _new_words(rng: random.Random) -> Iterator[str]:
    """Endless distinct words of two syllables."""
    seen = set()
    while True:
        word = "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(2))
        if word not in seen:
            seen.add(word)
            yield word


def _new_template(
    rng: random.Random,
    kind: Fixity,
    linear: bool,
    seen: set[Template],
    words: Iterator[str],
) -> Template:
    """A template that is not in `seen` and uses each argument.

    `linear`: the left argument only once, so that the output of a long chain does not grow exponentially.
    """
    while True:
        template = _draw_template(rng, kind, linear, words)
        if template not in seen:
            seen.add(template)
            return template


def _draw_template(rng: random.Random, kind: Fixity, linear: bool, words: Iterator[str]) -> Template:
    lengths = list(_TEMPLATE_LENGTHS)
    (length,) = rng.choices(lengths, weights=list(_TEMPLATE_LENGTHS.values()))
    items: list[int | str] = [0] * length
    if kind is Fixity.INFIX:
        lefts = 1 if linear else rng.randrange(1, length)
        items[lefts:] = [1] * (length - lefts)
        rng.shuffle(items)
    if length > 2 and rng.random() < _CONSTANT_CHANCE:
        spare = [at for at, item in enumerate(items) if items.count(item) > 1]
        if spare:
            items[rng.choice(spare)] = next(words).upper()
    return tuple(items)
