"""The lexicon: what each word may stand for by itself.

A word that is always a variable has its value in every output of a command that has the word. So its
candidates are few: what stands in all these outputs, and in few of the others.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from lane.trainer.induction.shape import Command

LONGEST_CONTRAST = 8  # actions of one that minimal pairs tell
LONGEST = 3  # actions of a value that is guessed; the value of a word that is an example has any length
SLACK = 0.02  # share of outputs in which a value may be missing: pairs may be wrong
NOISY = 0.3  # likewise, where many pairs are taken to be wrong
ELSEWHERE = 0.5  # share of the other outputs that may have it too; more says nothing about the word


class Lexicon:
    """Candidates for the values of words."""

    def __init__(self, commands: Sequence[Command], outputs: Sequence[str], noisy: bool = False) -> None:
        self.commands, self.outputs, self.noisy = commands, outputs, noisy
        self.slack = NOISY if noisy else SLACK
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
        if noisy:  # a pair of one word may be wrong too
            self.alone = {
                word: value for word, value in self.alone.items() if self.contradicted(word, value) <= NOISY
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
        return self.contradicted(word, self.value[word]) < max(0.1, self.slack)

    def contrasted(self, kind: Sequence[int]) -> dict[int, str]:
        """Other values for words of a kind: what differs between the outputs of commands that differ in them.

        The shortest guess may be a part of a value: `heater` has `climate . heater` beside `light . lamp`. Or
        it may take something from the rules: in dates `april` has `04 -`, since `fourth` has `04` too.
        """
        if self.alone.keys() >= set(kind):
            return {}
        frames: dict[tuple[Command, Command], dict[int, str]] = defaultdict(dict)
        for word in kind:
            for number in self.where[word]:
                command = self.commands[number]
                place = command.index(word)
                frames[command[:place], command[place + 1 :]].setdefault(word, self.outputs[number])
        found: dict[int, set[str]] = defaultdict(set)
        for outputs in frames.values():
            if len(outputs) > 1:
                begin = _shared(list(outputs.values()))
                end = _shared([output[begin:][::-1] for output in outputs.values()])
                for word, output in outputs.items():
                    if begin < len(output) - end <= begin + LONGEST_CONTRAST:
                        found[word].add(output[begin : len(output) - end])
        values = {}
        for word in sorted(found.keys() - self.alone):
            # Words of a kind may have the same beginning or end: in some frame they do not.
            fitting = [part for part in found[word] if self.contradicted(word, part) <= self.slack]
            value = max(fitting, key=lambda part: (self._fit(word, part), len(part), part), default=None)
            if value is not None and value != self.value[word]:
                values[word] = value
        return values

    def _fit(self, word: int, part: str) -> float:
        """Where pairs may be wrong: how well the outputs with the part are those of the word, from 0 to 1."""
        if not self.noisy:
            return 0.0
        places = self.where[word]
        both = (1 - self.contradicted(word, part)) * len(places)
        return 2 * both / (len(places) + self._count(part))

    def _guess(self, word: int) -> str | None:
        """The value that the other outputs have least, the shortest of them."""
        places, total = self.where[word], len(self.commands)
        # The parts of one output, or of several, of which one is right.
        outputs = sorted((self.outputs[n] for n in places), key=len)[: 5 if self.noisy else 1]
        parts = {
            output[i : i + size]
            for output in outputs
            for size in range(1, LONGEST + 1)
            for i in range(len(output) - size + 1)
        }
        best: tuple[float, int, int, str] | None = None
        for part in sorted(parts):
            if self.contradicted(word, part) > self.slack:
                continue
            among = self._count(part)
            others = total - len(places)
            if among < total and among - len(places) <= ELSEWHERE * others:
                key = (-self._fit(word, part), among, len(part), part)
                best = min(best, key) if best else key
        return best[3] if best else None

    def _count(self, part: str) -> int:
        """How many outputs have the part."""
        holding = set.intersection(*(self._with_letter[letter] for letter in part))
        return len(holding) if len(part) == 1 else sum(part in self.outputs[n] for n in holding)


def _shared(texts: Sequence[str]) -> int:
    """How many letters texts begin with in common."""
    different = (place for place, letters in enumerate(zip(*texts, strict=False)) if len(set(letters)) > 1)
    return next(different, min(map(len, texts)))
