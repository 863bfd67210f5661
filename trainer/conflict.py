"""A conflict: a few training pairs that no rules explain together, as an unsatisfiable core."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from lane.data.pair import Pair
from lane.trainer.dataset import Dataset
from lane.trainer.induction import Induced
from lane.trainer.induction.budget import Budget
from lane.trainer.induction.inducer import induce_rules
from lane.trainer.induction.reading import Reading
from lane.trainer.induction.ruleset import MOST_TOKENS
from lane.trainer.induction.shape import Command, shapes_of
from lane.trainer.induction.text import actions_of, text_of

Fact = tuple[Command, str]  # a command and its output; of one word: the word is a variable of that value

MOST = 0.75  # share of a word's commands whose outputs must have its value: with four, one may be wrong
STARTS = 6  # unexplained kinds of commands to start from, the shortest first
MOST_PAIRS = 60  # pairs to start from: conflicts are among short ones, and a check takes longer with more
MOST_CHECKS = 300  # of one start; a check of a few pairs takes about a millisecond
STEPS = 200_000  # of one check, far more than a few pairs need

_Item = TypeVar("_Item")


def strict_reading(dataset: Dataset, induced: Induced) -> Reading:
    """The reading in which a word with a pair of its own is a variable if most of its commands allow it.

    Induction is less strict: in few pairs a single wrong one makes it take the word for a mere word.
    """
    known = _uncontradicted(dataset)
    places: dict[int, list[str]] = defaultdict(list)
    for command, output in known.items():
        for word in set(command):
            places[word].append(output)
    lexicon = dict(induced.lexicon)
    for command, value in known.items():
        found = places[command[0]]
        if len(command) == 1 and sum(value in output for output in found) >= MOST * len(found):
            lexicon.setdefault(command[0], value)
    return Reading(dataset, lexicon, induced.rules)


def conflict(reading: Reading) -> tuple[Pair, ...]:
    """The smallest set found of pairs that the rules cannot explain together; empty if none is found.

    Words that never stand alone have pairs of one word here too, with the values that induction guessed.
    The set shows that induction finds no rules for these pairs once every word with a pair of its own is a
    variable wherever it stands, and that it finds some as soon as any one of them is left out. It does not
    prove that there are none: induction is a bounded heuristic, a smaller set may exist elsewhere, and rules
    that hold such a word as a mere word, or whole commands by heart, are not considered.
    """
    known = _uncontradicted(reading.dataset)
    # A command too long for a rule is no conflict: shorter ones may explain it.
    known = {command: output for command, output in known.items() if len(command) <= MOST_TOKENS}
    lexicon: dict[Command, str] = {(word,): value for word, value in reading.lexicon.items()}
    unexplained = [
        command for command in known if len(command) > 1 and not _is_right(reading, command, known)
    ]
    cores = []
    for command in sorted(unexplained, key=lambda command: (len(command), command))[:STARTS]:
        facts = _facts(command, known, lexicon)
        if facts:
            cores.append(minimal(facts, lambda chosen: not explained(chosen)))
    best = min(cores, key=lambda core: (len(core), sum(len(command) for command, _ in core)), default=[])
    return tuple(_pair(fact, reading.dataset) for fact in sorted(best, key=lambda fact: (len(fact[0]), fact)))


def explained(facts: Sequence[Fact]) -> bool:
    """Whether induction finds rules for the commands, with the words that are facts as variables."""
    lexicon = {command[0]: value for command, value in facts if len(command) == 1}
    commands = [(command, output) for command, output in facts if len(command) > 1]
    shapes = shapes_of([command for command, _ in commands], [output for _, output in commands], lexicon)
    grammar, lost = induce_rules(shapes, {}, (), Budget(STEPS))
    # The greedy choice of one rule may be in the way of the others.
    return not lost or any(
        not induce_rules(shapes, {}, [rule], Budget(STEPS))[1] for rule in list(grammar.rules.items())
    )


def minimal(items: Sequence[_Item], fails: Callable[[Sequence[_Item]], bool]) -> list[_Item]:
    """A subset that fails, none of whose items can be left out; `items` as a whole fail.

    Halves, quarters and so on are left out before single items. The last items are left out first.
    """
    kept, size, checks = list(items), max(1, len(items) // 2), 0
    while True:
        end, before = len(kept), len(kept)
        while end > 0 and checks < MOST_CHECKS:
            fewer = kept[: max(0, end - size)] + kept[end:]
            checks += 1
            if fails(fewer):
                kept = fewer
            end = max(0, end - size)
        if size == 1 and (len(kept) == before or checks >= MOST_CHECKS):
            return kept
        size = max(1, size // 2)


def _uncontradicted(dataset: Dataset) -> dict[Command, str]:
    """The pairs whose commands have one output only: two outputs are a conflict that needs no search."""
    outputs = Counter(pair.source for pair in dataset.pairs)
    return {
        tuple(map(dataset.source.number, pair.source)): text_of(map(dataset.target.number, pair.target))
        for pair in dataset.pairs
        if outputs[pair.source] == 1
    }


def _is_right(reading: Reading, command: Command, known: Mapping[Command, str]) -> bool:
    output = reading.output(command)
    return output is not None and text_of(output) == known[command]


def _facts(
    command: Command, known: Mapping[Command, str], lexicon: Mapping[Command, str]
) -> list[Fact] | None:
    """Pairs that cannot be explained with those of this command and its words; the likely ones first."""
    own: list[Fact] = [(command, known[command])]
    words = set(command)
    # Then what shares most words with it, and is short.
    others = sorted(
        (other for other in known if len(other) > 1 and other != command),
        key=lambda other: (-len(words.intersection(other)) / len(words.union(other)), len(other), other),
    )
    count = 0
    while True:
        chosen = own + [(other, known[other]) for other in others[:count]]
        used = {word for each, _ in chosen for word in each}
        facts = chosen + [((word,), lexicon[word,]) for word in sorted(used) if (word,) in lexicon]
        if not explained(facts):
            return facts
        if count >= min(len(others), MOST_PAIRS):
            return None
        count = max(1, 2 * count)


def _pair(fact: Fact, dataset: Dataset) -> Pair:
    command, output = fact
    return Pair(tuple(map(dataset.source.word, command)), tuple(map(dataset.target.word, actions_of(output))))
