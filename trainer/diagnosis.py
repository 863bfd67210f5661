"""A diagnosis: why a training did not converge, in a few lines, and what would help most."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lane.base.rule import VARIABLE, name_variables
from lane.data.pair import Pair
from lane.models import symbols
from lane.trainer.conflict import conflict, strict_reading
from lane.trainer.dataset import Dataset
from lane.trainer.induction import Induced
from lane.trainer.induction.budget import Budget
from lane.trainer.induction.chart import parse
from lane.trainer.induction.reading import Reading
from lane.trainer.induction.ruleset import MOST_TOKENS, MOST_VARIABLES, Left
from lane.trainer.induction.shape import Command, shape_of
from lane.trainer.induction.text import actions_of, text_of

SHOWN = 3  # of each list: the help is to be read, not searched
LONGEST_PART = 4  # words of a command that is asked for: short ones decide most
FEW = 2  # pairs of a word that may be a name
GLUE = frozenset("()[]{}=,;")  # marks that should be tokens of their own


@dataclass(frozen=True)
class Stall:
    """How far the best attempt came."""

    lesson: int  # from 1 on
    lessons: int
    longest: int  # words of the longest commands of that lesson
    gaining: bool  # whether it was stopped while it still improved


@dataclass(frozen=True)
class Cluster:
    """Wrong pairs whose commands differ only in words that have values of their own."""

    name: str  # such as `$x hundred $y`
    pairs: tuple[Pair, ...]  # shortest first


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """The help for an unconverged result; `str` gives the lines that `lane-train` prints."""

    stall: Stall
    kinds: tuple[Cluster, ...]  # of the wrong pairs of that lesson and before, shortest first
    later: int  # wrong pairs of later lessons
    findings: tuple[str, ...]  # what wrong pairs have in common
    conflict: tuple[Pair, ...]  # the fewest pairs found that no rules explain together
    guessed: frozenset[Pair]  # those of them that are not given, but values of words in the other pairs
    wanted: tuple[str, ...]  # commands whose outputs would decide
    advice: tuple[str, ...]

    def __str__(self) -> str:
        wrong = sum(len(kind.pairs) for kind in self.kinds)
        lesson = f"lesson {self.stall.lesson} of {self.stall.lessons}"
        ended = "was stopped" if self.stall.gaining else "stalled"
        lines = [
            f"the best attempt {ended} in {lesson} (commands of up to {_count(self.stall.longest, 'word')})"
        ]
        if self.kinds:
            later = f" (and {self.later} of later lessons)" if self.later else ""
            kinds = _count(len(self.kinds), "kind")
            lines.append(f"wrong there: {_count(wrong, 'pair')} of {kinds}{later}, such as")
        for kind in self.kinds[:SHOWN]:
            count = f" ({len(kind.pairs)} pairs like it: {kind.name})" if len(kind.pairs) > 1 else ""
            lines.append(f"  {_shown(kind.pairs[0])}{count}")
        lines += self.findings
        if self.conflict:
            lines.append("no rules explain these pairs together, where each word means the same everywhere:")
            for pair in self.conflict:
                lines.append(f"  {_shown(pair)}{' (by the other pairs)' if pair in self.guessed else ''}")
        if self.wanted:
            lines.append("pairs that would help most, if they have an output of their own:")
            lines += [f"  {command} -> ?" for command in self.wanted]
        return "\n".join([*lines, *(f"try: {line}" for line in self.advice)])


def diagnose(dataset: Dataset, induced: Induced | None, wrong: Sequence[int], stall: Stall) -> Diagnosis:
    """What is known of the wrong examples, which are given by number."""
    reading = strict_reading(dataset, induced) if induced else Reading(dataset, {}, {})
    pairs = [dataset.pairs[number] for number in wrong]
    reached = [pair for pair in pairs if len(pair.source) <= stall.longest]
    core = conflict(reading) if induced and pairs else ()
    return Diagnosis(
        stall=stall,
        kinds=_kinds(reading, reached),
        later=len(pairs) - len(reached),
        findings=tuple(_findings(reading, pairs)),
        conflict=core,
        guessed=frozenset(core) - frozenset(dataset.pairs),
        wanted=_wanted(reading, pairs, core) if induced else (),
        advice=tuple(_advice(dataset, induced, pairs, core, stall)),
    )


def _kinds(reading: Reading, pairs: Sequence[Pair]) -> tuple[Cluster, ...]:
    """The pairs, which are shortest first, by the shapes of their commands."""
    groups: dict[Left, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[shape_of(_numbers(reading.dataset, pair), reading.lexicon)].append(pair)
    return tuple(Cluster(_name(shape, reading.dataset), tuple(group)) for shape, group in groups.items())


def _findings(reading: Reading, wrong: Sequence[Pair]) -> Iterator[str]:
    """What wrong pairs have in common: a line for each sort that is met."""
    dataset = reading.dataset
    outputs: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for pair in dataset.pairs:
        outputs[pair.source].append(pair.target)
    double = [source for source, targets in outputs.items() if len(targets) > 1]
    if double:
        both = " and ".join(" ".join(target) for target in outputs[double[0]][:2])
        yield f"{_commands(len(double))} more than one output, such as {' '.join(double[0])}: {both}"
    tokens = dict.fromkeys(token for pair in wrong for token in (*pair.target, *pair.source))
    glued = [token for token in tokens if _is_glued(token)]
    if glued:
        yield f"punctuation is glued to words, which hides them: {_listed(glued)}"
    yield from _values(reading, wrong)
    yield from _rare(dataset, wrong)
    for pair in wrong:
        shape = shape_of(_numbers(dataset, pair), reading.lexicon)
        wide = len(shape) > MOST_TOKENS or shape.count(symbols.VARIABLE) > MOST_VARIABLES
        if reading.lexicon and wide and reading.output(_numbers(dataset, pair)) is None:
            yield (
                f"a rule has at most {MOST_TOKENS} words and {MOST_VARIABLES} variables, and no shorter "
                f"commands explain parts of: {' '.join(pair.source)}"
            )
            return


def _values(reading: Reading, wrong: Sequence[Pair]) -> Iterator[str]:
    """Words whose value is missing in an output, and values that no word of the command has."""
    dataset, lexicon = reading.dataset, reading.lexicon
    mixed = (right for right in reading.grammar.rules.values() if max(right) > 0)
    constants = {-token for right in mixed for token in right if token < 0}
    named = {value: word for word, value in lexicon.items() if len(value) == 1}
    missing, unnamed = [], []
    for pair in wrong:
        command, output = _numbers(dataset, pair), text_of(map(dataset.target.number, pair.target))
        lacking = [word for word in command if word in lexicon and lexicon[word] not in output]
        if lacking and len(command) > 1:
            value = " ".join(map(dataset.target.word, actions_of(lexicon[lacking[0]])))
            missing.append(
                f"`{dataset.source.word(lacking[0])}` is {value} elsewhere, but not in: {_shown(pair)}"
            )
        own = "".join(lexicon.get(word, "") for word in command)
        foreign = [
            letter
            for letter in output
            if letter in named and letter not in own and actions_of(letter)[0] not in constants
        ]
        if foreign and not lacking:
            token = dataset.target.word(actions_of(foreign[0])[0])
            unnamed.append(f"nothing in the command stands for `{token}` in: {_shown(pair)}")
    yield from missing[:2]
    yield from unnamed[:1]


def _rare(dataset: Dataset, wrong: Sequence[Pair]) -> Iterator[str]:
    """Words of a single pair, and output tokens of wrong pairs only; it says nothing if most are wrong."""
    if 2 * len(wrong) > len(dataset):
        return
    uses = Counter(word for pair in dataset.pairs for word in set(pair.source))
    once = list(dict.fromkeys(word for pair in wrong for word in pair.source if uses[word] == 1))
    if once:
        yield f"in a single pair only: {_listed(once)}"
    right = {token for pair in set(dataset.pairs) - set(wrong) for token in pair.target}
    alone = [
        token
        for token in dict.fromkeys(token for pair in wrong for token in pair.target)
        if token not in right
    ]
    if alone:
        yield f"in the outputs of wrong pairs only: {_listed(alone)}"


def _wanted(reading: Reading, wrong: Sequence[Pair], core: Sequence[Pair]) -> tuple[str, ...]:
    """Parts of wrong commands that mean nothing by the rules so far, those in most kinds of commands first.

    Not of kinds that are in conflict: more pairs of them do not help. Words that stand in many pairs are
    not asked for by themselves: they are hardly commands.
    """
    dataset = reading.dataset
    outputs = Counter(pair.source for pair in dataset.pairs)
    clashing = [*core, *(pair for pair in wrong if outputs[pair.source] > 1)]
    settled = {shape_of(_numbers(dataset, pair), reading.lexicon) for pair in clashing}
    uses = Counter(word for command in reading.commands for word in set(command))
    known = {shape_of(command, reading.lexicon) for command in reading.commands}
    kinds: Counter[Left] = Counter()
    example: dict[Left, Command] = {}
    for pair in wrong:
        command = _numbers(dataset, pair)
        shape = shape_of(command, reading.lexicon)
        if shape in settled or len(shape) == 1 or reading.chart(shape) is not None:
            continue
        settled.add(shape)
        chart = parse(reading.shapes[shape], reading.grammar, Budget(0))
        parts: set[Left] = set()
        for start in range(len(shape)):
            for end in range(start + 1, min(start + LONGEST_PART, len(shape)) + 1):
                part = shape[start:end]
                if part not in known and (start, end) not in chart and end - start < len(shape):
                    parts.add(part)
                    example.setdefault(part, command[start:end])
        kinds.update(parts)
    found = sorted(
        (
            part
            for part in kinds
            if 0 < part.count(symbols.VARIABLE) < len(part) or (len(part) == 1 and uses[part[0]] <= FEW)
        ),
        key=lambda part: (-kinds[part], len(part), part),
    )
    return tuple(" ".join(map(dataset.source.word, example[part])) for part in found[:SHOWN])


def _advice(
    dataset: Dataset, induced: Induced | None, wrong: Sequence[Pair], core: Sequence[Pair], stall: Stall
) -> Iterator[str]:
    """What to do, the most promising first."""
    if stall.gaining and not core:
        yield "more time: it was still improving (more --minutes; with --resume it continues the run)"
    if any(_is_glued(token) for pair in wrong for token in (*pair.target, *pair.source)):
        yield "spaces around brackets, commas and `=`, so that each name is a word of its own"
    if dataset.contradictions():
        yield "`lane-data check`, which lists the commands with several outputs; keep one of each"
    if core:
        yield "correct one of these pairs, or write outputs in which each word always writes the same"
    elif wrong and induced is None:
        yield "--preset fast, or wider rules: --set variable_limit=..., span_limit=..., template_limit=..."
    if not stall.gaining and not core:
        yield "another --seed" + ("" if wrong else ", or pairs that combine the rules in new ways")


def _is_glued(token: str) -> bool:
    return any(map(str.isalnum, token)) and not GLUE.isdisjoint(token)


def _numbers(dataset: Dataset, pair: Pair) -> Command:
    return tuple(map(dataset.source.number, pair.source))


def _name(shape: Left, dataset: Dataset) -> str:
    words = (VARIABLE if token == symbols.VARIABLE else dataset.source.word(token) for token in shape)
    return " ".join(name_variables(words))


def _shown(pair: Pair) -> str:
    return f"{' '.join(pair.source)} -> {' '.join(pair.target)}"


def _listed(tokens: Sequence[str]) -> str:
    more = f" and {len(tokens) - SHOWN} more" if len(tokens) > SHOWN else ""
    return ", ".join(f"`{token}`" for token in tokens[:SHOWN]) + more


def _commands(count: int) -> str:
    return "1 command has" if count == 1 else f"{count} commands have"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
