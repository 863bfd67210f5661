"""Verification: an exported file, loaded in a fresh process, must answer as the checkpoint does."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

from lane.base.errors import LaneError
from lane.export.batches import portions
from lane.export.probe import LONGEST, OK, Reply, shortened
from lane.models import symbols
from lane.models.checkpoint import Checkpoint
from lane.models.model import Rollout
from lane.models.template import expand
from lane.runtime import errors

SEED = 20200606  # fixed, so that an export can be repeated
SINGLE = 16  # commands that are also sent one at a time; few, as each costs a call
ODD_BATCH = 7  # size of the shuffled batches: no power of two, so that no vector width divides it


@dataclass(frozen=True)
class Difference:
    """A command on which a file and the checkpoint disagree."""

    command: str
    expected: Reply
    got: Reply

    def __str__(self) -> str:
        command = self.command if len(self.command) <= LONGEST else f"{self.command[:LONGEST]} ..."
        return f"{command!r}: the checkpoint gives {_show(self.expected)}, the file {_show(self.got)}"


def _show(reply: Reply) -> str:
    return repr(reply[1]) if reply[0] == OK else f"the error {reply[0]}"


def random_commands(words: Sequence[str], data: Sequence[str], count: int, longest: int) -> list[str]:
    """Half of them random words, half random commands of `data` concatenated; 1 to `longest` words."""
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
    """Invalid input, and valid input with unusual white space."""
    one = words[0]
    unknown = next(text for text in _strangers() if text not in words)
    commands = ["", " ", "\t \u3000", f"  {one}\t", f"{one}\u00a0{one}", f"{one}\u2028{one}\x1c"]
    commands += [unknown, f"{one} {unknown}", f"{unknown} {one}", f"{one}\u200b", f"{one}{one}{one} $ $x"]
    if max_words <= 100_000:  # one line of more words would cost more than the rest of the comparison
        commands += [" ".join([one] * (max_words + 1)), " ".join([unknown] * (max_words + 1))]
    return commands


def _strangers() -> Iterator[str]:
    word = "qux"
    while True:
        yield word
        word += "x"


def replies(rollout: Rollout, checkpoint: Checkpoint) -> Iterator[Reply]:
    """The reply to each command of a rollout."""
    config, names, learned = checkpoint.config, checkpoint.target.words, checkpoint.learned
    outputs = _values(rollout, config.max_variables, config.max_actions)
    refused = repeat(False) if learned is None else learned.refused(rollout.derivations)
    for actions, is_refused in zip(outputs, refused, strict=False):
        if actions is None:
            yield errors.TOO_MANY_ACTIONS, ""
        else:
            code = errors.NOT_LEARNED if is_refused else OK
            yield code, " ".join([names[number - 1] for number in actions])


def _values(rollout: Rollout, variables: int, limit: int) -> Iterator[list[int] | None]:
    """The output of each row, step by step; None where any value is longer than `limit`.

    In plain Python on purpose: the files contain the tensor code of `models.memory`, and a check against that
    same code would miss its mistakes.
    """
    templates = [[t for t in row if t != symbols.END] for row in rollout.translations.template.tolist()]
    derivations = rollout.derivations
    rows = rollout.solution.tolist(), derivations.arguments.tolist(), derivations.root.tolist()
    for solutions, arguments, root in zip(*rows, strict=True):
        values: dict[int, list[int]] = {}
        for step, solution in enumerate(solutions):
            if solution == symbols.NONE:
                continue
            read = [values[place] for place in arguments[step] if place != symbols.NONE]
            values[step] = expand(templates[solution], variables, read)
            # Also where a later rule deletes this value: one rule for all files (docs/format.md).
            if len(values[step]) > limit:
                yield None
                break
        else:
            yield values[root]


def refusal(row: Sequence[int], max_words: int) -> Reply:
    """The reason to refuse a command before any derivation, or an empty OK."""
    if not row:
        return errors.EMPTY, ""
    if len(row) > max_words:
        return errors.TOO_MANY_WORDS, ""
    return (errors.UNKNOWN_WORD if -1 in row else OK), ""


def differences(
    path: Path, commands: Sequence[str], expected: Sequence[Reply], complete: bool
) -> list[Difference]:
    """The commands on which a file, in a fresh process, replies differently from `expected`.

    The only difference allowed is `beyond-model`, from a program that is not `complete`.
    """
    lengths = [len(command.split()) for command in commands]
    batches = list(portions(lengths))
    # Alone, and in another order and size of batch, the same command must get the same answer.
    draw = random.Random(SEED)
    some = draw.sample(range(len(commands)), min(SINGLE, len(commands)))
    batches += [[place] for place in some]
    shuffled = draw.sample(range(len(commands)), min(ODD_BATCH * SINGLE, len(commands)))
    batches += [shuffled[i : i + ODD_BATCH] for i in range(0, len(shuffled), ODD_BATCH)]
    got = _ask(path, [[commands[place] for place in batch] for batch in batches])
    found: dict[int, Difference] = {}
    for batch, batch_replies in zip(batches, got, strict=True):
        for place, reply in zip(batch, batch_replies, strict=True):
            same = reply == shortened(expected[place])
            if not same and (complete or reply[0] != errors.BEYOND_MODEL):
                found[place] = Difference(commands[place], expected[place], reply)
    return [found[place] for place in sorted(found)]


def _ask(path: Path, batches: list[list[str]]) -> list[list[Reply]]:
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
