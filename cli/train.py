"""`lane-train`: learns a translator from pairs and writes it to a checkpoint."""

import signal
import sys
from enum import StrEnum
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from lane.base.errors import LaneError
from lane.base.files import path_of_file
from lane.base.interruption import delayed
from lane.cli.app import fail, leave_stdout, new_app, require, run, show_version
from lane.data.formats import Format

if TYPE_CHECKING:
    from lane.data.pair import Pair
    from lane.data.task import Task
    from lane.trainer.config import TrainConfig
    from lane.trainer.result import Result

DEFAULT_TASK = "limit"
OF_EXPERIMENTS = (
    "sweep",
    "calibrate",
    "refusals",
    "reproduce",
)  # commands that lane-experiments adds, as entry points
# The groups of --help, in their order.
PAIRS, MODEL, RUN, RECIPE = "Pairs", "Model", "Run", "Recipe"
TASK_HELP = (
    "Instead of --train: a task of `lane-data list`, random:N or practical:KIND:N; "
    f"{DEFAULT_TASK} by default."
)
SCHEME_HELP = "How {} are split: whitespace, {}; by default a look at the pairs decides."
FORCE_HELP = "Let an unconverged model replace a converged one; else it goes to NAME.unconverged.pt."

app = new_app(
    "Learn a translator from example pairs.\n\n"
    "Bare, it learns the small task `limit` (MiniSCAN, 14 pairs) to model.pt.\n\n"
    "\b\nExample: lane-train --train my_pairs.tsv --out mine.pt\n"
    "         lane-train --task addjump --seed 1 --out addjump.pt\n"
    "         lane-train settings"
)


def _option(panel: str, text: str, *names: str, min: float | None = None, max: float | None = None) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel, min=min, max=max)


class Device(StrEnum):
    """Where to train."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


class _Group(TyperGroup):
    """Shows the options of --help in groups, and hints at the option for a file or task without one."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            row = option.get_help_record(ctx)
            if row:
                groups.setdefault(getattr(option, "rich_help_panel", None) or "Other", []).append(row)
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)
        self.format_commands(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        from lane.data import task_names

        given = args[0]
        if given in OF_EXPERIMENTS and given not in self.commands:
            raise LaneError(
                f"lane-train {given} is of lane-experiments, which is not installed: "
                "`pip install ./experiments` in a checkout of LAnE"
            )
        if given in task_names():
            raise typer.BadParameter(f"{given} is a task, not a command; to learn it: --task {given}")
        if given not in self.commands and (Path(given).suffix or Path(given).exists()):
            raise typer.BadParameter(f"{given} is not a command; to learn from a file: --train {given}")
        return super().resolve_command(ctx, args)


@app.callback(cls=_Group, invoke_without_command=True)
def train_command(
    context: typer.Context,
    train: Annotated[Path | None, _option(PAIRS, "Your pairs; - reads stdin.")] = None,
    test: Annotated[Path | None, _option(PAIRS, "Pairs to report on at the end; never learned from.")] = None,
    form: Annotated[
        Format | None, _option(PAIRS, "Format of your files; by default the first line decides.", "--format")
    ] = None,
    dev_fraction: Annotated[
        float, _option(PAIRS, "Share of the inputs to hold out and report on.", min=0.0, max=0.9)
    ] = 0.0,
    source_scheme: Annotated[
        str | None, _option(PAIRS, SCHEME_HELP.format("commands", "text or code"))
    ] = None,
    target_scheme: Annotated[str | None, _option(PAIRS, SCHEME_HELP.format("outputs", "or code"))] = None,
    task: Annotated[str | None, _option(PAIRS, TASK_HELP)] = None,
    data_dir: Annotated[
        Path | None, _option(PAIRS, "Folder of the official files (`lane-data fetch`).")
    ] = None,
    out: Annotated[Path, _option(MODEL, "Where the model goes.")] = Path("model.pt"),
    force: Annotated[bool, _option(MODEL, FORCE_HELP, "--force")] = False,
    minutes: Annotated[
        float | None, _option(RUN, "Stop after this long and keep the best model.", min=0.01)
    ] = None,
    resume: Annotated[bool, _option(RUN, "Continue a run that was stopped or killed.", "--resume")] = False,
    quiet: Annotated[bool, _option(RUN, "Only the result, no progress.", "--quiet")] = False,
    device: Annotated[Device, _option(RUN, "Where to train.")] = Device.AUTO,
    workers: Annotated[int, _option(RUN, "Processes; 0: one for each core.", min=0)] = 0,
    run_dir: Annotated[
        Path | None, _option(RUN, "Metrics, plot and state of the run; OUT.run by default.")
    ] = None,
    seed: Annotated[int, _option(RECIPE, "Same seed, settings and kind of CPU: same model.", min=0)] = 1,
    preset: Annotated[str, _option(RECIPE, "fast, unaided (no rules read off the pairs) or paper.")] = "fast",
    settings: Annotated[
        list[str] | None, _option(RECIPE, "key=value for any of `lane-train settings`; repeatable.", "--set")
    ] = None,
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
    path_of_file(out)  # a directory has no place for the run beside it
    config = _config(preset, settings or [])
    _check_schemes(source_scheme, target_scheme)
    loaded, evaluate = _load(task, train, test, form, data_dir)
    require("training", "torch")
    from lane.cli.watch import watcher_for

    with delayed():  # torch would swallow what the handler of a signal raises
        from lane.trainer.api import train as learn

    asked: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda signum, frame: asked.append(signum))
    with watcher_for(sys.stderr, quiet, _headline(loaded, dev_fraction, seed)) as watcher:
        result = learn(
            loaded.train,
            out=out,
            config=config,
            seed=seed,
            minutes=minutes,
            held_out=dev_fraction,
            source_scheme=source_scheme,
            target_scheme=target_scheme,
            test=loaded.test,
            evaluate=evaluate,
            name=loaded.name,
            device=device.value,
            workers=workers or None,
            run_dir=run_dir or out.with_name(out.name + ".run"),
            resume=resume,
            force=force,
            on_report=watcher.report,
            stop=lambda: bool(asked),
        )
    _draw(result, f"{loaded.name}, seed {seed}")
    try:
        typer.echo(str(result))
    except BrokenPipeError:  # nobody reads the result, but the exit code has to be right
        leave_stdout()
    if asked and result.stopped:
        _interrupted(result, asked[0])
    if not result.converged:
        _not_converged(result)


def _check_schemes(source: str | None, target: str | None) -> None:
    from lane.base.scheme import WHITESPACE, Schemes

    try:
        Schemes.checked(source or WHITESPACE, target or WHITESPACE)
    except LaneError as error:
        raise typer.BadParameter(str(error)) from error


def _config(preset: str, settings: list[str]) -> "TrainConfig":
    """The settings from their `key=value`; an error in them is an error of usage, with exit code 2."""
    from lane.trainer.config import build_config

    pairs = [setting.partition("=") for setting in settings]
    for key, equals, _ in pairs:
        if not equals:
            raise typer.BadParameter(f"--set {key}: give it as key=value")
    try:
        return build_config(preset, {key.strip(): value.strip() for key, _, value in pairs})
    except LaneError as error:
        raise typer.BadParameter(str(error)) from error


def _load(
    task: str | None,
    train: Path | None,
    test: Path | None,
    form: Format | None,
    data_dir: Path | None,
) -> "tuple[Task, dict[str, tuple[Pair, ...]]]":
    """The task, and further pairs to report on by name."""
    from lane.data import Task, load_task, read_pairs, scan_pairs
    from lane.data.registry import check_name, is_scan

    if train is not None:
        pairs = tuple(read_pairs(train, form))
        return Task(train.name, pairs, tuple(read_pairs(test, form)) if test else ()), {}
    name = task or DEFAULT_TASK
    try:
        check_name(name)
    except LaneError as error:
        raise typer.BadParameter(str(error)) from error
    loaded = load_task(name, data_dir)
    return loaded, {"language": tuple(scan_pairs())} if is_scan(name) else {}


def _headline(task: "Task", held_out: float, seed: int) -> str:
    notes = f" ({'; '.join(task.notes)})" if task.notes else ""
    share = f", {held_out:.0%} of the inputs held out" if held_out else ""
    return f"{task.name}: {len(task.train)} training pairs{notes}{share}; seed {seed}"


def _draw(result: "Result", title: str) -> None:
    """The plot of the run; a note is enough if matplotlib is missing, as the model is no worse."""
    from lane.trainer.plot import draw

    assert result.run_dir is not None  # the command always names one
    metrics = result.run_dir / "metrics.jsonl"
    if not metrics.exists():  # stopped before the first evaluation
        return
    try:
        draw(metrics, result.run_dir / "run.svg", title)
    except LaneError as error:
        typer.echo(f"no plot: {error}", err=True)


def _interrupted(result: "Result", signum: int) -> NoReturn:
    fail(f"stopped by {signal.Signals(signum).name}; the best so far is in {result.model}, and the same")
    typer.echo("       command with --resume continues the run", err=True)
    _explain(result)
    sys.exit(128 + signum)


def _not_converged(result: "Result") -> NoReturn:
    fail(f"not converged: {result.reason}; the best model is kept in {result.model}")
    _explain(result)
    sys.exit(1)


def _explain(result: "Result") -> None:
    """The diagnosis, below the error."""
    for line in str(result.diagnosis or "").splitlines():
        typer.echo(f"       {line}", err=True)


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


for _name in OF_EXPERIMENTS:
    for _entry in entry_points(group="lane.commands", name=_name):
        app.command(_name)(_entry.load())


def main() -> None:
    """Entry point of `lane-train`."""
    run(app, [LaneError])


if __name__ == "__main__":
    main()
