"""Compares all files of a model, token by token: checkpoint, TorchScript, ONNX and program.

    python benchmarks/equivalence.py MODEL.pt ... [--data-dir DIR] [--out results/equivalence.jsonl]

The reference is the checkpoint: the loop that was trained, with its values written out in Python. The
commands are those of the model's language, the tests of the nine tasks, random ones of up to 100 words, and
invalid ones. Each file answers all of them in batches of 1, 7, 256 and 2048, shuffled differently each time;
batches of 256 and 2048 also with two threads and for four concurrent callers. Smaller batches have only a
sample of the random commands there, since a batch of one takes the networks milliseconds. The record has the
number of answers for every file, batch size and number of threads.

Files missing beside a checkpoint are exported first. Differences are printed and make the exit code 1. Every
run is recorded in --out as it ends, and recorded runs of the same files are not repeated. Without a model,
the table of the records in --out is shown.
"""

import argparse
import fcntl
import json
import os
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from lane.base.errors import LaneError
from lane.base.files import write_atomically
from lane.data import load_task, scan_pairs, task_names
from lane.data.official import MCD_TASKS
from lane.experiments.sweep import read_results
from lane.export import export
from lane.export.batches import numbers, portions
from lane.export.batches import table as batch_table
from lane.export.inspection import inspect
from lane.export.kinds import EXPORTED, PROGRAM, SUFFIXES
from lane.export.probe import OK, Reply, Translate, open_file, shortened
from lane.export.verify import Difference, bad_commands, refusal, replies
from lane.models.checkpoint import Checkpoint, load
from lane.models.model import LaneModel
from lane.runtime.errors import BEYOND_MODEL

BATCHES = (1, 7, 256, 2048)  # alone; a size that no vector width divides; usual and large
THREADS = (1, 2)
CALLERS = 4
LONGEST = 100  # words; ten times as long as the commands of SCAN
# Most random commands are as short as those of SCAN. Repeated ones, nearly all short, are drawn again, so the
# final share of long ones is several times as large.
SHORT, LONG_SHARE = 8, 0.02
CHUNK = 2048  # commands per batch of the reference
SHOWN = 20  # differences printed per run; all are counted
SEED = 20200606  # fixed, so that runs can be resumed and repeated
# A run is named by threads and batch size; the four callers are one run, of all sizes at once.
Run = tuple[int, int]
RUNS: tuple[Run, ...] = (*((threads, size) for threads in THREADS for size in BATCHES), (CALLERS, 0))
# Runs in which the networks answer only this number of random commands: about a minute's work.
SAMPLE: dict[Run, int] = {(2, 1): 1_000, (2, 7): 5_000, (CALLERS, 1): 1_000, (CALLERS, 7): 5_000}

Groups = dict[str, list[str]]  # commands by origin


@dataclass(frozen=True)
class Options:
    """What to compare for every model."""

    data_dir: Path | None = None
    random: int = 100_000
    runs: tuple[Run, ...] = RUNS
    formats: tuple[str, ...] = EXPORTED
    out: Path | None = None


@dataclass(frozen=True)
class Reference:
    """Commands, and the checkpoint's answers; long answers are shortened to a checksum."""

    commands: list[str]
    answers: list[Reply]
    fixed: int = 0  # number of commands, from the first on, that are in every sample


# The commands.


def language_commands(checkpoint: Checkpoint, data_dir: Path | None) -> Groups:
    """The commands of the model's language; for a model of one of the nine tasks, the tests of all nine."""
    task = checkpoint.card.task
    words = {word for pair in scan_pairs() for word in pair.source}
    if words == set(checkpoint.source.words):
        own = scan_pairs()
    elif number := re.fullmatch(r"language(\d+)", task):
        language = load_task(f"random:{number[1]}")
        own = (*language.train, *language.test)
    elif task in task_names():
        loaded = load_task(task, data_dir)
        own = (*loaded.train, *loaded.test)
    else:
        own = ()
    groups = {"language": _texts(own)}
    if task in task_names():
        for name in task_names():
            if name not in MCD_TASKS or data_dir is not None:
                groups[f"{name} test"] = _texts(load_task(name, data_dir).test)
            else:
                _tell(f"{name}: left out; its official files need --data-dir")
    return groups


def _texts(pairs: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(" ".join(pair.source) for pair in pairs))


def random_commands(
    words: Sequence[str], known: Sequence[str], joints: Sequence[str], count: int
) -> Iterator[str]:
    """Distinct commands of up to LONGEST words, mostly short: random words, or known commands in sequence.

    `joints` are words like `and` that join two phrases to a valid command of the language.
    """
    draw, seen, given = random.Random(SEED), set(known), 0
    phrases = [command.split() for command in known] or [[word] for word in words]
    while given < count:
        size = draw.randint(1, LONGEST if draw.random() < LONG_SHARE else SHORT)
        command: list[str] = []
        manner = draw.randrange(3)
        while len(command) < size:
            if manner == 0:
                command += draw.choices(words, k=size)
            else:
                if manner == 1 and command and joints:
                    command.append(draw.choice(joints))
                command += draw.choice(phrases)
        # A joined command ends with its last phrase, if that leaves it short enough.
        text = " ".join(command if manner == 1 and len(command) <= LONGEST else command[:size])
        if text not in seen:
            seen.add(text)
            given += 1
            yield text


def joints_of(rules: Iterable[tuple[str, str, int]]) -> list[str]:
    """The words between two variables in the derivations of the data."""
    spans = [span.split() for span, _, uses in rules if uses]
    return [span[1] for span in spans if len(span) == 3 and (span[0], span[2]) == ("$x", "$y")]


def all_commands(checkpoint: Checkpoint, program: Path, options: Options) -> Groups:
    """All commands for the files of a model, by group."""
    groups = language_commands(checkpoint, options.data_dir)
    words, joints = checkpoint.source.words, joints_of(inspect(program).rules)
    groups["bad"] = bad_commands(words, checkpoint.config.max_words)
    groups["random"] = list(random_commands(words, groups["language"], joints, options.random))
    return groups


# The comparison.


def reference(checkpoint: Checkpoint, commands: Sequence[str], fixed: int = 0) -> Reference:
    """The checkpoint's own answers, in chunks, since some have a million characters."""
    model = checkpoint.model().double()
    # By length, so that a long command pads no short one.
    order = sorted(range(len(commands)), key=lambda place: commands[place].count(" "))
    answers: dict[int, Reply] = {}
    with torch.inference_mode():
        for start in range(0, len(commands), CHUNK):
            places = order[start : start + CHUNK]
            part = expected(model, checkpoint, [commands[place] for place in places])
            answers.update(zip(places, map(shortened, part), strict=True))
    return Reference(list(commands), [answers[place] for place in range(len(commands))], fixed)


def expected(model: LaneModel, checkpoint: Checkpoint, commands: Sequence[str]) -> list[Reply]:
    """The checkpoint's own replies: the loop that was trained, with its values written out in Python."""
    rows = [numbers(command, checkpoint.source) for command in commands]
    found = [refusal(row, checkpoint.config.max_words) for row in rows]
    good = [place for place, reply in enumerate(found) if reply[0] == OK]
    for portion in portions([len(rows[place]) for place in good]):
        batch = [good[i] for i in portion]
        rollout = model.rollout(batch_table([rows[place] for place in batch]), None, 0)
        for place, reply in zip(batch, replies(rollout, checkpoint), strict=True):
            found[place] = reply
    return found


def compare(
    translate: Translate, truth: Reference, order: Sequence[int], size: int, complete: bool
) -> list[Difference]:
    """The differences from the checkpoint in batches of `size`, taken in `order`.

    Only `beyond-model` is allowed to differ, from a program that is not `complete`.
    """
    found = []
    for start in range(0, len(order), size):
        places = order[start : start + size]
        answers = translate([truth.commands[place] for place in places])
        for place, answer in zip(places, answers, strict=True):
            got, wanted = shortened(answer), truth.answers[place]
            if got != wanted and (complete or got[0] != BEYOND_MODEL):
                found.append(Difference(truth.commands[place], wanted, got))
    return found


def runs(
    path: Path, kind: str, truth: Reference, options: Options, done: dict[tuple[str, str, int], int]
) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Do the runs of one file that are not `done` with as many answers: record, and differences as text."""
    complete = bool(inspect(path).notes.get("complete", True))
    for threads, size in options.runs:
        if kind == PROGRAM and threads == 2:
            continue  # pure Python: it ignores the number of threads
        parts = {one: _places(kind, threads, one, truth) for one in ((size,) if size else BATCHES)}
        batch = str(size) if size else f"{CALLERS} callers"
        key = kind, batch, threads if size else 1
        count = sum(map(len, parts.values()))
        if done.get(key, -1) >= count:
            continue
        translate = open_file(path, key[2])
        check = partial(compare, translate, truth, complete=complete)
        yield _timed(*key, count, partial(_at_once, check, parts))


def _at_once(check: Callable[..., list[Difference]], parts: dict[int, list[int]]) -> list[Difference]:
    """Each part, by batch size, for one of the concurrent callers."""
    if len(parts) == 1:
        ((size, order),) = parts.items()
        return check(order=order, size=size)
    with ThreadPoolExecutor(len(parts)) as pool:
        found = [pool.submit(check, order=order, size=size) for size, order in parts.items()]
        return [difference for future in found for difference in future.result()]


def _places(kind: str, threads: int, size: int, truth: Reference) -> list[int]:
    """The commands of a run, shuffled."""
    places = list(range(len(truth.commands)))
    draw = random.Random(f"{SEED}/{kind}/{size}/{threads}")
    if kind != PROGRAM and (most := SAMPLE.get((threads, size))) is not None:
        free = places[truth.fixed :]
        places = places[: truth.fixed] + draw.sample(free, min(len(free), most))
    draw.shuffle(places)
    return places


def _timed(
    kind: str, batch: str, threads: int, count: int, work: Callable[[], list[Difference]]
) -> tuple[dict[str, Any], list[str]]:
    begin = time.perf_counter()
    found = work()
    seconds = round(time.perf_counter() - begin, 1)
    record = {"file": kind, "batch": batch, "threads": threads, "compared": count}
    record |= {"differences": len(found), "seconds": seconds}
    more = [f"... and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return record, [*map(str, found[:SHOWN]), *more]


def prove(model: Path, name: str | None, options: Options) -> tuple[dict[str, Any], list[str]]:
    """The record of one model, and a line for each difference."""
    torch.set_num_threads(1)
    checkpoint = load(model)
    card = checkpoint.card
    name = name or f"{card.task or model.stem}, seed {card.seed}"
    paths = {kind: model.with_suffix(suffix) for kind, suffix in SUFFIXES.items()}
    missing = tuple(kind for kind, path in paths.items() if not path.exists())
    if missing:
        data = tuple(language_commands(checkpoint, options.data_dir)["language"])
        export(
            model,
            formats=missing,
            pairs=data,
            random=min(2000, options.random),
            on_step=lambda line: _tell(f"{name}: {line}"),
        )
    groups = all_commands(checkpoint, paths[PROGRAM], options)
    fixed = dict.fromkeys(text for group, part in groups.items() if group != "random" for text in part)
    truth = reference(checkpoint, list(fixed | dict.fromkeys(groups["random"])), len(fixed))
    _tell(f"{name}: {len(truth.commands):,} commands, the reference is ready")
    cards = {kind: inspect(path) for kind, path in paths.items()}
    lengths = [len(text.split()) for text in groups["random"]] or [0]
    head = {
        "name": name,
        "commands": len(truth.commands),
        "groups": {group: len(texts) for group, texts in groups.items()},
        "answers": dict(Counter(code for code, _ in truth.answers).most_common()),
        "random_words": {"mean": round(statistics.mean(lengths), 1), "longest": max(lengths)}
        | {f"over {words}": sum(length > words for length in lengths) for words in (10, 50, 90)},
        "margin": min(card.margin for card in cards.values() if card.margin is not None),
        "files": {kind: card.sha256[:16] for kind, card in cards.items()},
        "torch": torch.__version__,
    }
    records, lines = [], []
    for kind in options.formats:
        for record, found in runs(paths[kind], kind, truth, options, done(head, options.out)):
            records.append(record)
            lines += [f"{name}, {kind}, batch {record['batch']}, {line}" for line in found]
            where = f"{name}: {kind}, batch {record['batch']}, threads {record['threads']}"
            what = f"{record['compared']:,} compared, {record['differences']} differences"
            _tell(f"{where}: {what} ({record['seconds']} s)")
            if options.out:
                keep(_summed(head | {"runs": [record]}), options.out)
    return _summed(head | {"runs": records}), lines


def done(head: dict[str, Any], out: Path | None) -> dict[tuple[str, str, int], int]:
    """The number of answers in each recorded run of the same files and commands."""
    same = [record for record in (read_results(out) if out else []) if _same(record, head)]
    return {_key(run): run["compared"] for record in same for run in record["runs"] if not run["differences"]}


def _same(record: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether both records are of the same files and commands."""
    return all(record.get(key) == other[key] for key in ("name", "groups", "answers", "files"))


def _key(run: dict[str, Any]) -> tuple[str, str, int]:
    return run["file"], run["batch"], run["threads"]


def _summed(record: dict[str, Any]) -> dict[str, Any]:
    return record | {key: sum(run[key] for run in record["runs"]) for key in ("compared", "differences")}


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The new record, with the runs of the old one that it lacks or has with fewer answers."""
    if not _same(old, new):
        return new
    runs = {_key(run): run for run in old["runs"]}
    for run in new["runs"]:
        if _key(run) not in runs or run["differences"] or run["compared"] >= runs[_key(run)]["compared"]:
            runs[_key(run)] = run
    return _summed(new | {"runs": list(runs.values())})


# Output.


def table(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A row of Markdown per model; the numbers are answers compared, summed over the three files."""
    heads = ["model", "commands", "translated", *(f"batch {size}" for size in BATCHES), "4 at once"]
    heads += ["differences", "smallest margin"]
    yield f"| {' | '.join(heads)} |"
    yield f"|---|{'---:|' * (len(heads) - 1)}"
    for record in records:
        compared: Counter[str] = Counter()
        for run in record["runs"]:
            compared[run["batch"]] += run["compared"]
        numbers = [record["commands"], record["answers"].get("ok", 0)]
        numbers += [compared[batch] for batch in (*map(str, BATCHES), f"{CALLERS} callers")]
        cells = [record["name"], *(f"{number:,}" for number in (*numbers, record["differences"]))]
        yield f"| {' | '.join(cells)} | {record['margin']:.2g} |"


def keep(record: dict[str, Any], out: Path) -> None:
    """Add a record to the file, merged with an older one of the same name."""
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(out.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # concurrent models write to the same file
        records = {old["name"]: old for old in read_results(out)}
        older = records.get(record["name"])
        records[record["name"]] = merged(older, record) if older else record
        text = "".join(json.dumps(one) + "\n" for one in records.values())
        write_atomically(out, text.encode())
    finally:
        os.close(folder)


def _runs(text: str) -> tuple[Run, ...]:
    """`1x7,2x256`: with one thread in batches of 7, with two in batches of 256."""
    known = {_names([run]): run for run in RUNS}
    for one in (asked := [one for one in text.split(",") if one]):
        if one not in known:
            raise argparse.ArgumentTypeError(f"{one}: threads and a batch size, one of {', '.join(known)}")
    return tuple(known[one] for one in asked)


def _names(some: Iterable[Run]) -> str:
    return ",".join(f"{threads}x{size}" for threads, size in some)


def _format(name: str) -> str:
    if name not in EXPORTED:
        raise argparse.ArgumentTypeError(f"{name}: one of {', '.join(EXPORTED)}")
    return name


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _proofs(models: Sequence[Path], name: str | None, options: Options, jobs: int) -> Iterator[Any]:
    """The results in order, each from a fresh process."""
    # Idle threads sleep instead of spinning, which matters with two models at a time.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        yield from pool.map(partial(prove, name=name, options=options), models)


def main() -> int:
    """Compare the files of each model; 1 if any answer differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", type=Path, nargs="*", metavar="MODEL", help="checkpoints of lane-train")
    parser.add_argument("--data-dir", type=Path, help="where the official files are (`lane-data fetch`)")
    parser.add_argument("--out", type=Path, help="result file: the table is that of all its records")
    parser.add_argument("--random", type=int, default=100_000, help="how many random commands (100000)")
    parser.add_argument("--runs", type=_runs, default=RUNS, help=f"threads x batch size ({_names(RUNS)})")
    parser.add_argument(
        "--formats",
        type=lambda text: tuple(_format(name) for name in text.split(",")),
        default=EXPORTED,
        help=f"the files to compare ({','.join(EXPORTED)})",
    )
    parser.add_argument("--name", help="of the record; task and seed of the checkpoint if not given")
    parser.add_argument("--jobs", type=int, default=1, help="models at a time (1)")
    given = parser.parse_args()
    if given.name and len(given.models) != 1:
        parser.error("--name is for a single model")
    if not given.models and not given.out:
        parser.error("give a checkpoint, or --out FILE to show its table")
    for model in given.models:
        if not model.is_file():
            _tell(f"error: {model}: no such file; `lane-train --out {model}` makes one")
            return 2
    options = Options(given.data_dir, given.random, given.runs, given.formats, given.out)
    records, different = [], False
    try:
        for record, lines in _proofs(given.models, given.name, options, given.jobs):
            records.append(record)
            different |= record["differences"] > 0
            print("\n".join(lines), end="\n" if lines else "", flush=True)
    except LaneError as error:
        _tell(f"error: {error}")
        return 2
    print("\n".join(table(read_results(given.out) if given.out else records)))
    return int(different)


if __name__ == "__main__":
    sys.exit(main())
