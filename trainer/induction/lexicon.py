"""The lexicon: what each word may stand for by itself.

A word that is always a variable has its value in every output of a command that has the word. So its
candidates are few: what stands in all these outputs, and in few of the others.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from os.path import commonprefix

from lane.trainer.induction.shape import Command

LONGEST_CONTRAST = 8  # actions of one that minimal pairs tell
LONGEST = 3  # actions of a value that is guessed; the value of a word that is an example has any length
SLACK = 0.02  # share of outputs in which a value may be missing: pairs may be wrong
ELSEWHERE = 0.5  # share of the other outputs that may have it too; more says nothing about the word


class Lexicon:
    """Candidates for the values of words."""

    def __init__(self, commands: Sequence[Command], outputs: Sequence[str]) -> None:
        self.commands, self.outputs = commands, outputs
        self.where: dict[int, list[int]] = defaultdict(list)
        self._with_letter: dict[str, set[int]] = defaultdict(set)
        alone: dict[int, Counter[str]] = defaultdict(Counter)
        for number, (command, output) in enumerate(zip(commands, outputs, strict=True)):
            for word in sorted(set(command)):
                self.where[word].append(number)
            for letter in output:
                self._with_letter[letter].add(number)
            if len(command) == 1:
                alone[command[0]][output] += 1
        # Where one word has several outputs, the first of the most frequent.
        self.alone = {
            word: min(found, key=lambda text: (-found[text], text)) for word, found in alone.items()
        }
        self.value = dict(self.alone)
        for word in self.where:
            if word not in self.alone and (guess := self._guess(word)) is not None:
                self.value[word] = guess

    def contradicted(self, word: int, value: str) -> float:
        """The share of the word's commands whose output lacks the value."""
        places = self.where[word]
        lacking = sum(self.outputs[n].count(value) < self.commands[n].count(word) for n in places)
        return lacking / len(places)

    def is_free(self, word: int) -> bool:
        """Whether the word can be a variable wherever it stands."""
        # A tenth: an idiom or a wrong pair does not keep a word from being one.
        return self.contradicted(word, self.value[word]) < 0.1

    def contrasted(self, kind: Sequence[int]) -> dict[int, str]:
        """Other values for words of a kind: what differs between the outputs of commands that differ in them.

        The shortest guess may be a part of a value: `heater` has `climate . heater` beside `light . lamp`. Or
        it may take something from the rules: in dates `april` has `04 -`, since `fourth` has `04` too.
        """
        frames: dict[tuple[Command, Command], dict[int, str]] = defaultdict(dict)
        for word in kind:
            for number in self.where[word]:
                command = self.commands[number]
                place = command.index(word)
                frames[command[:place], command[place + 1 :]].setdefault(word, self.outputs[number])
        found: dict[int, set[str]] = defaultdict(set)
        for outputs in frames.values():
            if len(outputs) > 1:
                begin = len(commonprefix(list(outputs.values())))
                end = len(commonprefix([output[begin:][::-1] for output in outputs.values()]))
                for word, output in outputs.items():
                    found[word].add(output[begin : len(output) - end])
        values = {}
        for word in sorted(found.keys() - self.alone):
            # Words of a kind may have the same beginning or end: in some frame they do not.
            fitting = [part for part in found[word] if part and self.contradicted(word, part) <= SLACK]
            value = max(fitting, key=lambda part: (len(part), part), default=None)
            if value not in (None, self.value[word]) and len(value) <= LONGEST_CONTRAST:
                values[word] = value
        return values

    def _guess(self, word: int) -> str | None:
        """The value that the other outputs have least, the shortest of them."""
        places, total = self.where[word], len(self.commands)
        shortest = min((self.outputs[n] for n in places), key=len)
        sizes = range(1, LONGEST + 1)
        parts = {shortest[i : i + size] for size in sizes for i in range(len(shortest) - size + 1)}
        best: tuple[int, int, str] | None = None
        for part in sorted(parts):
            if self.contradicted(word, part) > SLACK:
                continue
            among = self._count(part)
            others = total - len(places)
            if among < total and among - len(places) <= ELSEWHERE * others:
                key = (among, len(part), part)
                best = min(best, key) if best else key
        return best[2] if best else None

    def _count(self, part: str) -> int:
        """How many outputs have the part."""
        holding = set.intersection(*(self._with_letter[letter] for letter in part))
        return len(holding) if len(part) == 1 else sum(part in self.outputs[n] for n in holding)
