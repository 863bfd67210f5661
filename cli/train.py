"""`lane-train`: learns a translator from pairs and writes it to a checkpoint."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from lane.base.errors import LaneError
from lane.cli import study
from lane.cli.app import fail, leave_stdout, new_app, require, run, show_version
from lane.data.formats import Format

if TYPE_CHECKING:
    from collections.abc import Callable

    from lane.data.pair import Pair
    from lane.data.task import Task
    from lane.trainer.config import TrainConfig
    from lane.trainer.run import Plan, Result

SHOWN_MISFITS = 20
DEFAULT_TASK = "limit"

app = new_app(
    "Learn a translator from example pairs.\n\n"
    "Bare, it learns the small task `limit` (MiniSCAN, 14 pairs) to model.pt.\n\n"
    "\b\nExample: lane-train --task addjump --seed 1 --out addjump.pt\n"
    "         lane-train --train my_pairs.tsv --out mine.pt\n"
    "         lane-train settings"
)


@app.callback(invoke_without_command=True)
def train_command(
    context: typer.Context,
    task: Annotated[
        str | None,
        typer.Option(help=f"A task of `lane-data list`, or random:N; {DEFAULT_TASK} by default."),
    ] = None,
    train: Annotated[
        Path | None, typer.Option(help="Your own pairs instead of a task; - reads stdin.")
    ] = None,
    test: Annotated[
        Path | None, typer.Option(help="Pairs to report on at the end; never learned from.")
    ] = None,
    form: Annotated[
        Format | None, typer.Option("--format", help="Format of your files, where it cannot be told.")
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the official files are (`lane-data fetch`).")
    ] = None,
    dev_fraction: Annotated[
        float, typer.Option(min=0.0, max=0.9, help="Share of the training pairs to hold out and report on.")
    ] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, settings and kind of CPU: same model.")] = 1,
    out: Annotated[Path, typer.Option(help="Where the model goes.")] = Path("model.pt"),
    preset: Annotated[str, typer.Option(help="fast, or paper: the published numbers.")] = "fast",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="key=value for any of `lane-train settings`; repeatable."),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0: as many as there are cores.")] = 0,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Stop after this long, best model kept.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a stopped run was left.")] = False,
    run_dir: Annotated[
        Path | None, typer.Option(help="Metrics, plot and states of the run; by default OUT.run.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only the result, no progress.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Learn a translator from example pairs."""
    if context.invoked_subcommand is not None:
        return
    if task is not None and train is not None:
        raise typer.BadParameter("give --task or --train, not both")
    if test is not None and train is None:
        raise typer.BadParameter("--test goes with --train; a task has its own test pairs")
    from lane.trainer.config import build_config

    config = _usage(lambda: build_config(preset, _parsed(settings or [])))
    loaded, evaluate = _load(task, train, test, form, data_dir)
    if dev_fraction > 0:
        loaded, dev = _held_out(loaded, dev_fraction, seed)
        evaluate = (*evaluate, ("dev", dev))
    require("training", "torch")
    from lane.trainer.run import Plan

    plan = Plan(
        loaded,
        config,
        seed,
        out,
        run_dir or out.with_name(out.name + ".run"),
        _device(device),
        workers
        or min(config.candidates, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2),
        resume,
        evaluate,
    )
    _run(plan, minutes, quiet)


def _usage(build: "Callable[[], TrainConfig]") -> "TrainConfig":
    """Errors of what the user typed are errors of use: exit code 2."""
    try:
        return build()
    except LaneError as error:
        raise typer.BadParameter(str(error)) from error


def _parsed(settings: list[str]) -> dict[str, Any]:
    """`key=value` strings; pydantic turns the values into their types."""
    pairs = [setting.partition("=") for setting in settings]
    for key, equals, _ in pairs:
        if not equals:
            raise typer.BadParameter(f"--set {key}: give it as key=value")
    return {key.strip(): value.strip() for key, _, value in pairs}


def _load(
    task: str | None,
    train: Path | None,
    test: Path | None,
    form: Format | None,
    data_dir: Path | None,
) -> "tuple[Task, tuple[tuple[str, tuple[Pair, ...]], ...]]":
    """What to learn from, and the sets to report on besides the test pairs."""
    from lane.data import Task, load_task, read_pairs, scan_pairs
    from lane.data.registry import check_name

    if train is not None:
        pairs = tuple(read_pairs(train, form))
        return Task(train.name, pairs, tuple(read_pairs(test, form)) if test else ()), ()
    name = task or DEFAULT_TASK
    try:
        check_name(name)
    except LaneError as error:
        raise typer.BadParameter(str(error)) from error
    loaded = load_task(name, data_dir)
    is_scan = name not in ("limit", "extend") and not name.startswith("random:")
    return loaded, (("language", tuple(scan_pairs())),) if is_scan else ()


def _held_out(task: "Task", fraction: float, seed: int) -> "tuple[Task, tuple[Pair, ...]]":
    """Some distinct commands leave the training pairs, with all their repetitions."""
    import random

    from lane.data import Task

    distinct = sorted({pair.source for pair in task.train})
    random.Random(seed).shuffle(distinct)
    away = set(distinct[: round(len(distinct) * fraction)])
    train = tuple(pair for pair in task.train if pair.source not in away)
    if not train:
        raise LaneError(f"--dev-fraction {fraction} leaves nothing to learn from; give a smaller share")
    dev = tuple(pair for pair in task.train if pair.source in away)
    return Task(task.name, train, task.test, task.notes), dev


def _device(name: str) -> str:
    import torch

    if name not in ("auto", "cpu", "cuda"):
        raise typer.BadParameter(f"--device {name}: auto, cpu or cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise LaneError("--device cuda: torch sees no GPU here; use --device cpu or auto")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


def _run(plan: "Plan", minutes: float | None, quiet: bool) -> None:
    """Train with Ctrl-C, SIGTERM and the clock under control, then tell the result."""
    from lane.trainer.run import run as train
    from lane.trainer.watch import stderr_watcher

    asked: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda signum, frame: asked.append(signum))
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    result = train(
        plan,
        stderr_watcher(quiet),
        lambda: bool(asked) or (deadline is not None and time.monotonic() > deadline),
    )
    _draw(plan)
    try:
        _tell(plan, result)
    except BrokenPipeError:  # nobody reads on, and the exit code still tells
        leave_stdout()
    if asked and result.stopped:
        _interrupted(plan, asked[0])
    if not result.converged:
        _not_converged(plan, result)


def _tell(plan: "Plan", result: "Result") -> None:
    """The result on standard output: rules, accuracy, agreement, what does not fit."""
    words = [rule for rule in result.rules if rule.is_word]
    others = [rule for rule in result.rules if not rule.is_word]
    typer.echo(f"{len(words)} words and {len(others)} rules:")
    width = max((len(" ".join(rule.span)) for rule in result.rules), default=0)
    for rule in result.rules:
        typer.echo(f"  {' '.join(rule.span):{width}} -> {' '.join(rule.template)}")
    for misfit in result.misfits[:SHOWN_MISFITS]:
        typer.echo(f"does not fit: {' '.join(misfit.source)} -> {' '.join(misfit.target)}")
        typer.echo(f"   the rules say {' '.join(misfit.says) or '(an output far too long)'}")
    if len(result.misfits) > SHOWN_MISFITS:
        typer.echo(f"... and {len(result.misfits) - SHOWN_MISFITS} pairs more, in {plan.run_dir}/misfits.tsv")
    shown = ", ".join(f"{name} {value:.2%}" for name, value in result.accuracy.items())
    typer.echo(f"accuracy: {shown}")
    typer.echo(f"agreement: {result.reason}")
    typer.echo(
        f"{result.seconds:.1f} s, {result.candidates} candidates, {result.trajectories:,} derivations, "
        f"model in {result.model}"
    )


def _draw(plan: "Plan") -> None:
    """The plot of the run; a run is not lost for the want of one."""
    from lane.trainer.plot import draw

    try:
        draw(plan.run_dir / "metrics.jsonl", plan.run_dir / "run.svg", f"{plan.task.name}, seed {plan.seed}")
    except LaneError as error:
        typer.echo(f"no plot: {error}", err=True)


def _interrupted(plan: "Plan", signum: int) -> NoReturn:
    fail(f"stopped by {signal.Signals(signum).name}; the best so far is in {plan.out}, and the same command")
    typer.echo("       with --resume goes on where it was left", err=True)
    sys.exit(128 + signum)


def _not_converged(plan: "Plan", result: "Result") -> NoReturn:
    fail(f"not converged: {result.reason}; the best model is kept in {plan.out}")
    if result.stopped:
        advice = "give it more --minutes (with --resume it goes on where it was left)"
    else:
        advice = (
            "try another --seed, more --set rounds=..., check the pairs with `lane-data check`; a\n"
            "       language with rules of more than two variables or longer than the template limit needs\n"
            "       --set variable_limit=..., span_limit=... or template_limit=..."
        )
    typer.echo(f"       {advice}", err=True)
    sys.exit(1)


@app.command("settings")
def settings_command() -> None:
    """List what --set can change.

    \b
    Example: lane-train --set samples=40 --set entropy=0.1
    """
    from lane.trainer.config import GROUPS, TrainConfig

    for name, field in TrainConfig.model_fields.items():
        if name in GROUPS:
            typer.echo(f"{GROUPS[name]}:")
        typer.echo(f"  {name:22}{field.default!s:12}{field.description}")


study.add_to(app)


def main() -> None:
    """Entry point of `lane-train`."""
    run(app, [LaneError])


if __name__ == "__main__":
    main()
