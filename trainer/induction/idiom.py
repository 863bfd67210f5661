"""Idioms: phrases that have a value of their own, such as `electron volt` beside `volt`.

The Composer sees a word that is recognised by itself as a variable, whatever stands beside it. So neighbours
whose value is not made of theirs must be one word before it sees them. They are found by what is missing: the
value of `volt` is in the outputs of all its commands, except where `electron` stands before it.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from lane.base.phrase import BLANK, Phrase, join_phrases
from lane.data.pair import Pair

SAMPLE = 5000  # pairs to look for phrases in, the shortest
MOST = 100  # phrases: a language that has more of them is not one of phrases
SLACK = 0.02  # share of a word's commands that may lack its value: pairs may be wrong
ELSEWHERE = 0.1  # share of the other outputs that may have the value too; more says nothing about the word
PLAIN = 4  # commands in which a word must have its value, and the share (1 / 4) of all its commands
STATED = 3  # words of a command that states a phrase by itself; longer ones must be two


def find_phrases(pairs: Sequence[Pair]) -> list[Phrase]:
    """The phrases, in the order in which they are to be joined; the one with most commands first."""
    found: list[Phrase] = []
    if any(BLANK in word for pair in pairs for word in pair.source):
        return found  # a blank of the data would be taken for that of a phrase
    pairs = sorted(set(pairs), key=lambda pair: (len(pair.source), pair.source, pair.target))[:SAMPLE]
    while len(found) < MOST and (support := _candidates(pairs)):
        phrase: Phrase | None = max(support, key=lambda phrase: (support[phrase], phrase))
        while phrase and len(found) < MOST:
            found.append(phrase)
            pairs = [Pair(tuple(join_phrases(pair.source, [phrase])), pair.target) for pair in pairs]
            phrase = _longer(BLANK.join(phrase), pairs)
    return found


def _longer(word: str, pairs: Sequence[Pair]) -> Phrase | None:
    """A phrase with the neighbour that it has wherever it stands, if that occurs nowhere else."""
    where = [pair.source for pair in pairs if word in pair.source]
    common = set.intersection(*(place for command in where for place in _places(word, command)))
    for phrase in sorted(common):
        other = phrase[0] if phrase[1] == word else phrase[1]
        if sum(other in pair.source for pair in pairs) == len(where):
            return phrase
    return None


def _candidates(pairs: Sequence[Pair]) -> Counter[Phrase]:
    """Neighbours in which a word lacks the value that it has elsewhere, and the number of their commands."""
    where: dict[str, list[int]] = defaultdict(list)
    holding: Counter[str] = Counter()
    for number, pair in enumerate(pairs):
        for word in dict.fromkeys(pair.source):
            where[word].append(number)
        holding.update(set(pair.target))
    support: Counter[Phrase] = Counter()
    for word, numbers in where.items():
        if len(numbers) > PLAIN:
            support.update(_exceptions(word, [pairs[n] for n in numbers], holding, len(pairs)))
    return support


def _exceptions(word: str, pairs: Sequence[Pair], holding: Counter[str], total: int) -> dict[Phrase, int]:
    """The neighbours of a word in which it lacks its value, with the number of commands that show it."""
    places = [_places(word, pair.source) for pair in pairs]
    outputs = [Counter(pair.target) for pair in pairs]
    shown: dict[Phrase, list[int]] = defaultdict(list)  # by commands that have the word once
    for number, neighbours in enumerate(places):
        if len(neighbours) == 1:
            for phrase in neighbours[0]:
                shown[phrase].append(number)
    best: tuple[tuple[int, int, str], dict[Phrase, int]] | None = None
    for action, inside in Counter(action for output in outputs for action in output).items():
        outside = holding[action] - inside
        if outside > ELSEWHERE * (total - len(pairs)):
            continue
        lacking = {p: n for p, n in shown.items() if not any(action in outputs[number] for number in n)}
        plain = [sum(not lacking.keys() & neighbours for neighbours in place) for place in places]
        normal = sum(count > 0 for count in plain)
        if not lacking or normal < PLAIN or PLAIN * normal < len(pairs):
            continue
        missing = sum(output[action] < count for output, count in zip(outputs, plain, strict=True))
        if missing <= SLACK * normal:
            key = (outside, len(pairs) - normal, action)
            if best is None or key < best[0]:
                best = (
                    key,
                    {
                        phrase: len(numbers)
                        for phrase, numbers in lacking.items()
                        if len(numbers) > 1 or len(pairs[numbers[0]].source) <= STATED
                    },
                )
    return best[1] if best else {}


def _places(word: str, command: Sequence[str]) -> list[set[Phrase]]:
    """For each time that the word stands in the command, what it forms with its neighbours."""
    return [
        {(command[i], command[i + 1]) for i in (place - 1, place) if 0 <= i < len(command) - 1}
        for place, other in enumerate(command)
        if other == word
    ]
