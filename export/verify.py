"""Verification: an exported file, loaded in a fresh process, must answer as the checkpoint does."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lane.base.errors import LaneError
from lane.base.vocabulary import Vocabulary
from lane.export.batches import numbers, portions, table
from lane.export.probe import OK, Answer, shortened
from lane.models import symbols
from lane.models.checkpoint import Checkpoint
from lane.models.model import LaneModel, Rollout
from lane.runtime import errors

SEED = 20200606
SINGLE = 16  # how many commands are also asked for one at a time


@dataclass(frozen=True)
class Difference:
    """A command on which a file and the checkpoint do not agree."""

    command: str
    expected: Answer
    got: Answer

    def __str__(self) -> str:
        command = self.command if len(self.command) <= 400 else f"{self.command[:400]} ..."
        return f"{command!r}: the checkpoint gives {_show(self.expected)}, the file {_show(self.got)}"


def _show(answer: Answer) -> str:
    return repr(answer[1]) if answer[0] == OK else f"the error {answer[0]}"


def random_commands(words: Sequence[str], data: Sequence[str], count: int, longest: int) -> list[str]:
    """Half of any words, half of pieces of `data` strung together; of 1 to `longest` words."""
    draw = random.Random(SEED)
    known = [command.split() for command in data]
    commands = []
    for number in range(count):
        size = draw.randint(1, longest)
        command: list[str] = []
        while len(command) < size:
            command += draw.choice(known) if known and number % 2 else [draw.choice(words)]
        commands.append(" ".join(command[:size]))
    return commands


def bad_commands(words: Sequence[str], max_words: int) -> list[str]:
    """Input that no model translates, and input that is only oddly written."""
    one = words[0]
    unknown = next(text for text in _strangers() if text not in words)
    commands = ["", " ", "\t \u3000", f"  {one}\t", f"{one}\u00a0{one}", f"{one}\u2028{one}\x1c"]
    commands += [unknown, f"{one} {unknown}", f"{unknown} {one}", f"{one}\u200b", f"{one}{one}{one} $ $x"]
    if max_words <= 100_000:
        commands += [" ".join([one] * (max_words + 1)), " ".join([unknown] * (max_words + 1))]
    return commands


def _strangers() -> Iterator[str]:
    word = "qux"
    while True:
        yield word
        word += "x"


def expected(model: LaneModel, checkpoint: Checkpoint, commands: Sequence[str]) -> list[Answer]:
    """The checkpoint's own answers: the loop that it was trained with, its values written out plainly."""
    config = checkpoint.config
    rows = [numbers(command, checkpoint.source) for command in commands]
    answers = {place: _refused(row, config.max_words) for place, row in enumerate(rows)}
    known = [place for place, answer in answers.items() if answer[0] == OK]
    for portion in portions([len(rows[place]) for place in known]):
        places = [known[i] for i in portion]
        rollout = model.rollout(table([rows[place] for place in places]), None, 0)
        values = _values(rollout, config.max_variables, config.max_actions)
        for place, actions in zip(places, values, strict=True):
            if actions is None:
                answers[place] = errors.TOO_MANY_ACTIONS, ""
            else:
                answers[place] = OK, _text(actions, checkpoint.target)
    return [answers[place] for place in range(len(rows))]


def _values(rollout: Rollout, variables: int, limit: int) -> Iterator[list[int] | None]:
    """The output of each row, step after step; None where any value is longer than `limit`."""
    templates = [[t for t in row if t != symbols.END] for row in rollout.translations.template.tolist()]
    steps = (
        rollout.solution.tolist(),
        rollout.derivations.arguments.tolist(),
        rollout.derivations.root.tolist(),
    )
    for solutions, arguments, root in zip(*steps, strict=True):
        values: dict[int, list[int]] = {}
        for step, solution in enumerate(solutions):
            if solution == symbols.NONE:
                continue
            parts = [
                values[arguments[step][token - 1]] if token <= variables else [token - variables]
                for token in templates[solution]
            ]
            # Also where a later rule deletes this value: one rule for all files (docs/format.md).
            if sum(map(len, parts)) > limit:
                yield None
                break
            values[step] = [action for part in parts for action in part]
        else:
            yield values[root]


def _refused(row: Sequence[int], max_words: int) -> Answer:
    """What is wrong with the command by itself."""
    if not row:
        return errors.EMPTY, ""
    if len(row) > max_words:
        return errors.TOO_MANY_WORDS, ""
    return (errors.UNKNOWN_WORD if -1 in row else OK), ""


def _text(actions: Sequence[int], vocabulary: Vocabulary) -> str:
    return " ".join([vocabulary.words[number - 1] for number in actions])


def differences(
    path: Path, commands: Sequence[str], answers: Sequence[Answer], complete: bool
) -> list[Difference]:
    """Where the answers of a file in a fresh process are not `answers`.

    A program that is not `complete` may answer `beyond-model`, and nothing else that differs.
    """
    lengths = [len(command.split()) for command in commands]
    batches = list(portions(lengths))
    # Alone, and in another order and size of batch, the same command must get the same answer.
    draw = random.Random(SEED)
    some = draw.sample(range(len(commands)), min(SINGLE, len(commands)))
    batches += [[place] for place in some]
    shuffled = draw.sample(range(len(commands)), min(7 * SINGLE, len(commands)))
    batches += [shuffled[i : i + 7] for i in range(0, len(shuffled), 7)]
    got = _ask(path, [[commands[place] for place in batch] for batch in batches])
    found: dict[int, Difference] = {}
    for batch, batch_answers in zip(batches, got, strict=True):
        for place, answer in zip(batch, batch_answers, strict=True):
            same = answer == shortened(answers[place])
            if not same and (complete or answer[0] != errors.BEYOND_MODEL):
                found[place] = Difference(commands[place], answers[place], answer)
    return [found[place] for place in sorted(found)]


def _ask(path: Path, batches: list[list[str]]) -> list[list[Answer]]:
    done = subprocess.run(
        [sys.executable, "-m", "lane.export.probe", str(path), "1"],
        input=json.dumps(batches),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise LaneError(f"{path.name}: the written file cannot be used: {lines[-1]}")
    return [[(code, text) for code, text in batch] for batch in json.loads(done.stdout)]
