"""Hand-made derivations, a small language to train on, and languages whose rules are read off the pairs."""

import random
from itertools import product
from types import SimpleNamespace

import pytest
import torch

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.models import symbols
from lane.trainer.config import build_config
from lane.trainer.dataset import Dataset
from lane.trainer.grammar import Room
from lane.trainer.induction import induce


@pytest.fixture(scope="session")
def hand_made():
    """Make a rollout of trees: a tree is a span and the trees of its variables; `rules` translates spans."""

    def make(rules: dict[tuple[int, ...], list[int]], trees: list, variables: int = 2) -> SimpleNamespace:
        spans = list(rules)
        rows, roots = [], []
        for tree in trees:
            steps: list[tuple[int, list[int]]] = []

            def add(tree: tuple, steps: list = steps) -> int:
                span, *children = tree
                arguments = [add(child) for child in children]
                steps.append((spans.index(span), arguments + [symbols.NONE] * (variables - len(arguments))))
                return len(steps) - 1

            roots.append(add(tree))
            rows.append(steps)
        width = max(map(len, rows))
        nothing = (symbols.NONE, [symbols.NONE] * variables)
        rows = [steps + [nothing] * (width - len(steps)) for steps in rows]
        numbers = torch.tensor([[number for number, _ in steps] for steps in rows])
        longest = max(map(len, spans))
        leaves = torch.tensor([[*span, *[symbols.NONE] * (longest - len(span))] for span in spans])
        room = max(map(len, rules.values()))
        nodes = SimpleNamespace(
            leaves=leaves,
            size=(leaves != symbols.NONE).sum(dim=1),
            variables=(leaves == symbols.VARIABLE).sum(dim=1),
        )
        template = torch.tensor([[*t, *[symbols.END] * (room - len(t))] for t in rules.values()])
        return SimpleNamespace(
            derivations=SimpleNamespace(
                nodes=nodes,
                node=numbers,
                arguments=torch.tensor([[arguments for _, arguments in steps] for steps in rows]),
                root=torch.tensor(roots),
            ),
            translations=SimpleNamespace(template=template),
            solution=numbers.clone(),
        )

    return make


@pytest.fixture(scope="session")
def pairs():
    texts = {"walk": "W", "run": "R", "look": "L", "walk twice": "W W", "run twice": "R R"}
    return tuple(Pair.of(source, target) for source, target in texts.items())


@pytest.fixture(scope="session")
def vocabularies(pairs):
    return Vocabulary.of(pair.source for pair in pairs), Vocabulary.of(pair.target for pair in pairs)


@pytest.fixture(scope="session")
def dataset(pairs, vocabularies):
    return Dataset(pairs, *vocabularies)


@pytest.fixture(scope="session")
def tiny_config():
    """A recipe of little work, with the numbers that tests count on."""
    settings = {"embedding": 8, "hidden": 8, "examples": 8, "samples": 4, "evaluate_every": 3}
    return build_config("fast", {**settings, "patience": 3, "stall": 6, "attempts": 2, "recombined": 40})


def language(pairs: dict[str, str], unseen: dict[str, str]) -> SimpleNamespace:
    """Pairs to read, and pairs of the same language that are not read."""
    both = [[Pair.of(*pair) for pair in side.items()] for side in (pairs, unseen)]
    # One pair of vocabularies for both, so that rules read off the first can be used on the second.
    everything = Dataset.of([*both[0], *both[1]])
    return SimpleNamespace(seen=everything.like(both[0]), everything=everything)


def operators() -> SimpleNamespace:
    words = {"walk": "W", "run": "R", "look": "L", "jump": "J"}
    phrases = dict(words)
    for (word, action), (name, times) in product(words.items(), {"twice": 2, "thrice": 3}.items()):
        phrases[f"{word} {name}"] = " ".join([action] * times)
    pairs, unseen = dict(phrases), dict[str, str]()
    for (one, first), (two, second) in product(phrases.items(), repeat=2):
        # `jump` stands nowhere but alone.
        where = unseen if "jump" in one + two else pairs
        where[f"{one} and {two}"] = f"{first} {second}"
        where[f"{one} after {two}"] = f"{second} {first}"
    for name in ("jump twice", "jump thrice"):
        unseen[name] = pairs.pop(name)
    return language(pairs, unseen)


def calls() -> SimpleNamespace:
    digits = {"one": "1", "two": "2", "three": "3", "four": "4"}
    pairs, unseen = dict(digits), dict[str, str]()
    for (a, x), (b, y) in product(digits.items(), repeat=2):
        for word, name in {"plus": "add", "times": "mul"}.items():
            pairs[f"{a} {word} {b}"] = f"{name} ( {x} , {y} )"
        pairs[f"the negative of {a}"] = f"neg ( {x} )"
        pairs[f"the negative of {a} plus {b}"] = f"add ( neg ( {x} ) , {y} )"
        unseen[f"{a} times the negative of {b}"] = f"mul ( {x} , neg ( {y} ) )"
    return language(pairs, unseen)


def names() -> SimpleNamespace:
    """Names that are never commands, in commands that are never a word."""
    things = [f"thing{n}" for n in range(6)]
    pairs, unseen = dict[str, str](), dict[str, str]()
    for number, thing in enumerate(things):
        for state in ("on", "off"):
            where = unseen if number == 5 and state == "off" else pairs
            where[f"turn {state} the {thing}"] = f"{state} ( {thing.upper()} )"
    return language(pairs, unseen)


def long_sentences() -> SimpleNamespace:
    things = {"lamp": "LAMP", "fan": "FAN", "heater": "HEATER"}
    rooms = {"kitchen": "K", "hall": "H", "cellar": "C"}
    colours = {"red": "f00", "blue": "00f", "green": "0f0"}
    pairs, unseen = dict[str, str](), dict[str, str]()
    for number, ((a, x), (b, y), (c, z)) in enumerate(
        product(*(d.items() for d in (things, rooms, colours)))
    ):
        where = unseen if number % 5 == 2 else pairs
        where[f"please set the {a} in {b} to {c}"] = f"set ( {y} , {x} , {z} )"
    return language(pairs, unseen)


def parts() -> SimpleNamespace:
    """`$x is $y` is in every sentence and never one."""
    fields = {"size": "SIZE", "colour": "COLOUR", "price": "PRICE"}
    values = {"big": "B", "red": "R", "low": "L", "odd": "O"}
    clauses = {
        f"{f} is {v}": f"eq ( {x} , {y} )" for (f, x), (v, y) in product(fields.items(), values.items())
    }
    pairs, unseen = dict[str, str](), dict[str, str]()
    for clause, call in clauses.items():
        pairs[f"items where {clause}"] = f"select ( {call} )"
    for number, ((one, first), (two, second)) in enumerate(product(clauses.items(), repeat=2)):
        where = unseen if number % 3 == 1 else pairs
        where[f"items where {one} and {two}"] = f"select ( and ( {first} , {second} ) )"
        where[f"count where {one} or {two}"] = f"count ( or ( {first} , {second} ) )"
    return language(pairs, unseen)


LANGUAGES = {made.__name__: made for made in (operators, calls, names, long_sentences, parts)}


@pytest.fixture(scope="session")
def languages():
    return {name: made() for name, made in LANGUAGES.items()}


@pytest.fixture(scope="session")
def induced(languages):
    """What is read off each."""
    return {name: induce(made.seen) for name, made in languages.items()}


@pytest.fixture(params=list(LANGUAGES))
def named(request):
    """Each language in turn, by name."""
    return request.param


WALK, RUN, TWICE, THRICE, AND = 1, 2, 3, 4, 5
W, R = 1, 2


def by_hand(words):
    """The meaning of a command: `and` joins what is said twice or thrice or once."""
    output, part = [], []
    for word in [*words, AND]:
        if word == AND:
            output, part = output + part, []
        else:
            part = {WALK: [W], RUN: [R], TWICE: part * 2, THRICE: part * 3}[word]
    return output


def everything(grammar, most_words=9):
    """The outputs of many samples of a grammar, by command."""
    rng = random.Random(1)
    drawn = [grammar.draw(rng, Room(most_words, 100)) for _ in range(2000)]
    return {tuple(one.words): one.output for one in drawn if one}


@pytest.fixture(scope="session")
def walking():
    """Derivations of a small language: `thrice` was observed wherever `twice` was, but never behind `and`."""
    a, b = ((WALK,),), ((RUN,),)
    twice, thrice, both = (0, TWICE), (0, THRICE), (0, AND, 0)
    rules = {(WALK,): [2 + W], (RUN,): [2 + R], twice: [1, 1], thrice: [1, 1, 1], both: [1, 2]}
    trees = [a, b, (twice, a), (twice, b), (thrice, a), (thrice, b), (both, a, b)]
    trees += [(both, (twice, a), b), (both, (thrice, b), a), (both, a, (twice, b))]
    return SimpleNamespace(rules=rules, trees=trees, by_hand=by_hand, everything=everything)
