"""Refusals of a trained model: no command of its language, and nearly all random strings of its words."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch

from lane.base.errors import LaneError
from lane.base.phrase import join_phrases
from lane.data import load_task, scan_pairs
from lane.data.registry import is_scan
from lane.data.scan import scan_phrases
from lane.data.task import Task
from lane.experiments.languages.language import random_commands, random_language
from lane.experiments.languages.precedence import Fixity, Language, Operator
from lane.experiments.sweep import append_result, model_name, not_done, read_results
from lane.experiments.trial import trial_of
from lane.models.checkpoint import Checkpoint, load

Words = tuple[str, ...]

LENGTHS = range(1, 15)  # words of the commands drawn from a language, as in the tasks of random languages
OF_A_LENGTH = 200
LONGEST_STRING = 9  # words: as most commands of SCAN, and longer strings are hardly ever answered
MOST_AND = 100  # phrases joined, for commands far beyond any pair
SHOWN = 5  # shortest wrong verdicts of either kind, as examples
BATCH = 2_048
MINISCAN = Language(
    (("dax", "RED"), ("lug", "BLUE"), ("wif", "GREEN"), ("zup", "YELLOW")),
    (
        Operator("fep", Fixity.POSTFIX, 1, (0, 0, 0)),
        Operator("blicket", Fixity.INFIX, 2, (0, 1, 0)),
        Operator("kiki", Fixity.INFIX, 3, (1, 0)),
    ),
)


def study(
    trained: Path, models: Path, out: Path, strings: int, data_dir: Path | None, tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Measure the models of a sweep that `out` does not have yet; all records of `out`."""
    for trial in not_done([trial_of(record) for record in read_results(trained)], out):
        path = models / model_name(trial)
        if not path.exists():
            raise LaneError(f"{path}: no such model; keep the models of a sweep by its option --models")
        task = load_task(trial.task, data_dir)
        record = {**trial.head, **refusals(load(path), task, domain(trial.task), strings)}
        append_result(out, record)
        tell(f"{trial.name}, seed {trial.seed}: {next(reversed(list(table([record]))))}")
    return read_results(out)


def table(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """One line per task: models, commands refused, random strings answered, and one of each."""
    by_task: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        by_task.setdefault(" ".join([record["task"], *record["arguments"]]), []).append(record)
    yield "| task | models | commands | refused | random strings | refused | answered, for example |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    for name, of_task in by_task.items():
        commands, refused = (sum(one[key] for one in of_task) for key in ("commands", "refused"))
        drawn, answered = (sum(one.get(key, 0) for one in of_task) for key in ("strings", "answered"))
        share = f"{1 - answered / drawn:.2%}" if drawn else ""
        example = next((f"`{one}`" for record in of_task for one in record.get("answered_examples", ())), "")
        yield f"| {name} | {len(of_task)} | {commands:,} | {refused:,} | {drawn:,} | {share} | {example} |"


class Domain(NamedTuple):
    """A language beyond the pairs of its task."""

    commands: tuple[Words, ...]  # none may be refused
    contains: Callable[[Words], bool]


def domain(task: str) -> Domain | None:
    """The language of a task by its name; None where only its pairs are known."""
    kind, _, number = task.partition(":")
    if is_scan(task):
        return Domain(tuple(pair.source for pair in scan_pairs()), _is_scan)
    if task == "extend":
        return Domain(tuple(_chains()), _is_scan)
    if task == "limit":
        return _by_operators(MINISCAN, 0)
    if kind == "random":
        return _by_operators(random_language(int(number)), int(number))
    return None


def refusals(checkpoint: Checkpoint, task: Task, language: Domain | None, strings: int) -> dict[str, Any]:
    """How many commands, and how many random strings that are none, the model refuses, with examples.

    Commands with words that the model does not know are left out, since it tells these apart anyway.
    Where the language is not known there are no random strings: some would be commands.
    """
    words = set(checkpoint.source.words)
    pairs = (tuple(join_phrases(pair.source, checkpoint.card.phrases)) for pair in (*task.train, *task.test))
    further = language.commands if language else ()
    commands = [one for one in dict.fromkeys((*pairs, *further)) if words.issuperset(one)]
    refused = _sorted_out(checkpoint, commands, verdict=True)
    record = {"commands": len(commands), "refused": len(refused), "refused_examples": _shown(refused)}
    if language:
        nonsense = _nonsense(sorted(words), language, strings)
        answered = _sorted_out(checkpoint, nonsense, verdict=False)
        record |= {"strings": len(nonsense), "answered": len(answered), "answered_examples": _shown(answered)}
    return record


def _is_scan(words: Words) -> bool:
    """Whether it is a chain of phrases; long ones are no nonsense, though few tasks teach them."""
    phrases, part = _phrases(), []
    for word in (*words, "and"):
        if word not in ("and", "after"):
            part.append(word)
        elif tuple(part) in phrases:
            part.clear()
        else:
            return False
    return True


@cache
def _phrases() -> frozenset[Words]:
    return frozenset(pair.source for pair in scan_phrases())


def _chains() -> Iterator[Words]:
    """A few commands for each number of `and`."""
    rng, phrases = random.Random("chains"), sorted(_phrases())
    for ands in range(MOST_AND + 1):
        for _ in range(OF_A_LENGTH // 10):
            chain = [word for _ in range(ands + 1) for word in ("and", *rng.choice(phrases))]
            yield tuple(chain[1:])


def _by_operators(language: Language, seed: int) -> Domain:
    def contains(words: Words) -> bool:
        try:
            language.parse(words)
        except LaneError:
            return False
        return True

    return Domain(tuple(random_commands(language, seed, LENGTHS, OF_A_LENGTH)), contains)


def _nonsense(words: Sequence[str], language: Domain, count: int) -> list[Words]:
    """Distinct random strings, none of which is a command; few words make fewer than `count`."""
    rng = random.Random("nonsense")
    drawn = (tuple(rng.choices(words, k=rng.randint(1, LONGEST_STRING))) for _ in range(2 * count))
    return [one for one in dict.fromkeys(drawn) if not language.contains(one)][:count]


@torch.no_grad()
def _sorted_out(checkpoint: Checkpoint, commands: Iterable[Words], verdict: bool) -> list[Words]:
    """The commands that are refused, or those that are not."""
    model, learned, source = checkpoint.model().double(), checkpoint.learned, checkpoint.source
    if learned is None:
        raise LaneError("the checkpoint does not say what was learned: train it with this release")
    by_length: defaultdict[int, list[Words]] = defaultdict(list)
    for command in commands:
        by_length[len(command)].append(command)
    found = []
    for group in by_length.values():
        for start in range(0, len(group), BATCH):
            batch = group[start : start + BATCH]
            words = torch.tensor([[source.number(word) for word in one] for one in batch])
            refused = learned.refused(model.composer.compose(words, None))
            found += [one for one, is_refused in zip(batch, refused, strict=True) if is_refused == verdict]
    return found


def _shown(commands: Iterable[Words]) -> list[str]:
    return [" ".join(one) for one in sorted(commands, key=lambda one: (len(one), one))[:SHOWN]]
