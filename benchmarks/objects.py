"""The robot of examples/robot grown by 500 objects without training, against its language's own semantics.

    python benchmarks/objects.py --json results/objects.json

`lane-run grow` adds the lines of objects.txt to robot.lane. Then every command of one part with one or two
objects is translated, with all words in all places, and every two words with `then` and `after`; commands of
two parts of every shape, with each new word; and random ones of up to six parts. Each answer is compared with
examples/robot/make.py. Without new words the grown program must answer as the old one does, and nonsense must
be refused as it is with the words that the new ones are like.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice, product
from pathlib import Path
from typing import NamedTuple

from lane.runtime import Translation, Translator, load
from lane.runtime.extension import read_growth

ROBOT = Path(__file__).parents[1] / "examples" / "robot"
sys.path.insert(0, str(ROBOT))
import make  # noqa: E402 - the language itself, beside its pairs
import objects  # noqa: E402

Said = tuple[str, str]
Count = tuple[int, int]
BATCH = 8192
MANY = 10_000  # random commands
ONE_PART = "one part with one or two objects, all words"
JOINED = "two words with `then` or `after`, all words"
TWO_PARTS = "two parts of every shape, with each new word"
RANDOM = "random, up to six parts"
OLD = "without new words, as before"
STRINGS = "random strings of words, as with the old ones"


class Shape(NamedTuple):
    """A part of a command: the kinds of its objects, and how it is said."""

    kinds: str
    """`r` for a room, `j` for a job."""
    say: Callable[..., Said]


ONE = (
    Shape("r", lambda room: room),
    Shape("j", lambda job: job),
    Shape("r", make.patrol),
)
TWO = (
    Shape("rr", make.both),
    Shape("jj", make.both),
    Shape("rr", lambda room, other: make.patrol(make.both(room, other))),
    Shape("jr", make.do_in),
)
THREE = (Shape("jjr", lambda job, other, room: make.do_in(make.both(job, other), room)),)


def repeated(shapes: Iterable[Shape]) -> list[Shape]:
    """Each as it is, twice and thrice."""
    return [
        Shape(kinds, lambda *said, say=say, word=word, count=count: again(say(*said), word, count))
        for kinds, say in shapes
        for word, count in (("", 1), ("twice", 2), ("thrice", 3))
    ]


def again(said: Said, word: str, count: int) -> Said:
    """The part, repeated if there is a word for it."""
    return make.times(said, word, count) if word else said


class Words:
    """The words of the grown robot, by kind, each with its value."""

    def __init__(self, every: int = 1) -> None:
        self.old = {"r": [make.go(room) for room in make.ROOMS], "j": [make.do(job) for job in make.JOBS]}
        self.new = {
            "r": [make.go(room) for room in objects.new_rooms()],
            "j": [make.do(job) for job in objects.new_jobs()],
        }
        self.all = {kind: self.old[kind] + self.new[kind] for kind in "rj"}
        self._every = every

    def one_part(self, draw: random.Random) -> Iterator[Said]:
        """Every command of one part with one object, and with two (of these, each `every`th)."""
        for kinds, say in repeated(ONE):
            yield from map(say, self.all[kinds])
        for kinds, say in repeated(TWO):
            pairs = product(*(self.all[kind] for kind in kinds))
            yield from (say(*said) for said in islice(pairs, draw.randrange(self._every), None, self._every))

    def joined(self, draw: random.Random) -> Iterator[Said]:
        """Every two words, joined (each `every`th)."""
        words = self.all["r"] + self.all["j"]
        for join in (make.then, make.after):
            pairs = islice(product(words, words), draw.randrange(self._every), None, self._every)
            yield from (join(*said) for said in pairs)

    def two_parts(self, draw: random.Random) -> Iterator[Said]:
        """Every shape of two parts, with each new word in one of its places and any words in the others."""
        parts = repeated(ONE + TWO + THREE)
        shapes = product(parts, parts, (make.then, make.after))
        for one, other, join in islice(shapes, 0, None, self._every):
            kinds = one.kinds + other.kinds
            for kind in sorted(set(kinds)):
                places = [place for place, which in enumerate(kinds) if which == kind]
                for word in self.new[kind]:
                    said = [draw.choice(self.all[which]) for which in kinds]
                    said[draw.choice(places)] = word
                    count = len(one.kinds)
                    yield join(one.say(*said[:count]), other.say(*said[count:]))

    def compounds(self, draw: random.Random) -> Iterator[Said]:
        """Up to six parts in a row, grouped from the left."""
        for _ in range(MANY // self._every):
            yield make.command(draw, self.all["r"], self.all["j"], draw.randint(1, 6))

    def strings(self, draw: random.Random, kinds: dict[str, list[Said]]) -> Iterator[str]:
        """Words in any order, most of them nonsense."""
        operators = ["and", "in", "patrol", "twice", "thrice", "then", "after"]
        for _ in range(MANY // self._every):
            words = [
                draw.choice(operators) if draw.random() < 0.5 else draw.choice(kinds[draw.choice("rj")])[0]
                for _ in range(draw.randint(1, 8))
            ]
            yield " ".join(words)


def grow(folder: Path) -> Path:
    """The grown program, by the command that a user types."""
    grown = folder / "grown.lane"
    words, model = ROBOT / "objects.txt", ROBOT / "robot.lane"
    command = [sys.executable, "-m", "lane.cli.run", "grow", str(words), "--model", str(model)]
    subprocess.run([*command, "--out", str(grown)], check=True)
    return grown


def wrong(translator: Translator, pairs: Iterator[Said]) -> Count:
    """How many commands, and how many answers that are not the language's."""
    count = bad = 0
    while batch := list(islice(pairs, BATCH)):
        answers = translator.translate_batch([command for command, _ in batch])
        count += len(batch)
        bad += sum(answer.text != right for answer, (_, right) in zip(answers, batch, strict=True))
    return count, bad


def changed(grown: Translator, old: Translator, like: Mapping[str, str], commands: Iterator[str]) -> Count:
    """How many commands, and how many that the grown program answers in another way than the old one.

    The old one gets each new word as the one that it is like: then it must refuse the same, for the same
    reason, and say as much. Without new words the whole answer must be the same.
    """
    count = bad = 0
    while batch := list(islice(commands, BATCH)):
        before = [" ".join(like.get(word, word) for word in command.split()) for command in batch]
        answers, expected = grown.translate_batch(batch), old.translate_batch(before)
        count += len(batch)
        for command, known, answer, other in zip(batch, before, answers, expected, strict=True):
            bad += answer != other if command == known else gist(answer) != gist(other)
    return count, bad


def gist(answer: Translation) -> tuple[int, str | None]:
    """What does not depend on the values of words."""
    return len(answer.actions), answer.error and answer.error.code


def measure(every: int = 1) -> dict[str, dict[str, int]]:
    """Commands and wrong answers, by what they are; of the large sets each `every`th command."""
    words, draw = Words(every), random.Random(1)
    lines = read_lines(ROBOT / "objects.txt")
    like = {word.word: word.like for word in read_growth(lines, "objects.txt").words}
    with tempfile.TemporaryDirectory() as folder:
        grown, old = load(grow(Path(folder))), load(ROBOT / "robot.lane")
    pairs = [pair.split("\t") for name in ("train", "test") for pair in read_lines(ROBOT / f"{name}.tsv")]
    known = chain((command for command, _ in pairs), words.strings(draw, words.old))
    counts = {
        ONE_PART: wrong(grown, words.one_part(draw)),
        JOINED: wrong(grown, words.joined(draw)),
        TWO_PARTS: wrong(grown, words.two_parts(draw)),
        RANDOM: wrong(grown, words.compounds(draw)),
        OLD: changed(grown, old, {}, known),
        STRINGS: changed(grown, old, like, words.strings(draw, words.all)),
    }
    return {name: {"commands": count, "wrong": bad} for name, (count, bad) in counts.items()}


def table(counts: dict[str, dict[str, int]]) -> Iterator[str]:
    """A row for each kind of commands."""
    yield "| commands | compared | wrong |"
    yield "| --- | --- | --- |"
    for name, count in counts.items():
        yield f"| {name} | {count['commands']:,} | {count['wrong']:,} |"


def read_lines(path: Path) -> list[str]:
    """The lines of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def main() -> int:
    """1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth command (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts there")
    options = parser.parse_args()
    counts = measure(options.every)
    print(json.dumps(counts, indent=1))
    if options.json:
        options.json.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
    return int(any(count["wrong"] for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
