"""`lane-train sweep`, `calibrate`, `refusals` and `reproduce`: trainings by the dozen."""

from pathlib import Path
from typing import Annotated, Any

import typer

from lane.base.errors import LaneError

TRAINING_BYTES = 2**30  # memory declared for a training on Ray: the largest of the nine tasks takes 900 MB


def sweep_command(
    tasks: Annotated[
        str, typer.Option(help="Names as of lane-train --task, separated by commas; or all: the nine tasks.")
    ] = "all",
    seeds: Annotated[int, typer.Option(min=1, help="Seeds 1 to this.")] = 10,
    jobs: Annotated[
        int, typer.Option(min=1, help="Trainings at the same time; alone, one has two workers.")
    ] = 1,
    out: Annotated[Path, typer.Option(help="Result file; trainings that it has are skipped.")] = Path(
        "results/sweep.jsonl"
    ),
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the official files are (`lane-data fetch`).")
    ] = None,
    preset: Annotated[
        str, typer.Option(help="fast, unaided (no rules read off the pairs) or paper.")
    ] = "fast",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="key=value for any of `lane-train settings`; repeatable."),
    ] = None,
    corrupt: Annotated[
        float,
        typer.Option(min=0.0, max=0.5, help="Replace this share of the training outputs by wrong ones."),
    ] = 0.0,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="Time limit of each training.")] = None,
    models: Annotated[Path | None, typer.Option(help="Keep the models here, as TASK-SEED.pt.")] = None,
    engine: Annotated[
        str, typer.Option(help="local, or ray: a training for each core of a cluster, instead of --jobs.")
    ] = "local",
    address: Annotated[
        str | None, typer.Option(help="The cluster of --engine ray; else RAY_ADDRESS, or a new one here.")
    ] = None,
) -> None:
    """Train many tasks with many seeds, to one result file and a table.

    \b
    Example: lane-train sweep --tasks limit,addjump --seeds 3 --out results/mine.jsonl
    """
    if engine not in ("local", "ray"):
        raise typer.BadParameter(f"--engine {engine}: the engines are local and ray")
    if address and engine != "ray":
        raise typer.BadParameter("--address is that of a Ray cluster: it needs --engine ray")
    from lane.data import task_names
    from lane.data.registry import check_name
    from lane.experiments.sweep import solved, sweep, table
    from lane.experiments.trial import Trial, settings_of, trial_of
    from lane.runtime.pool import RayPool, cluster
    from lane.trainer.config import build_config

    names = task_names() if tasks == "all" else tuple(name.strip() for name in tasks.split(","))
    given = tuple(settings or ())
    try:
        build_config(preset, settings_of(given))
        for name in names:
            check_name(name)
    except LaneError as error:
        raise typer.BadParameter(str(error)) from error
    trials = [
        Trial(name, seed, given, preset=preset, corrupt=corrupt, minutes=minutes)
        for seed in range(1, seeds + 1)
        for name in names
    ]

    def tell(record: dict[str, Any]) -> None:
        verdict = "solved" if solved(record) else f"NOT SOLVED {record['accuracy']}"
        typer.echo(f"{record['task']} seed {record['seed']}: {verdict}, {record['seconds']} s", err=True)

    wanted = set(trials)
    if engine == "ray":
        with cluster(address):
            records = sweep(trials, 1, out, tell, data_dir, models, RayPool(memory=TRAINING_BYTES))
    else:
        records = sweep(trials, jobs, out, tell, data_dir, models)
    for line in table(record for record in records if trial_of(record) in wanted):
        typer.echo(line)


def calibrate_command(
    minutes: Annotated[float, typer.Option(min=0.01, help="Time limit of each training.")] = 1.0,
    jobs: Annotated[
        int, typer.Option(min=1, help="Trainings at the same time; alone, one has two workers.")
    ] = 1,
    out: Annotated[Path, typer.Option(help="Result file; trainings that it has are skipped.")] = Path(
        "results/calibration.jsonl"
    ),
    diagram: Annotated[Path, typer.Option(help="The reliability diagram.")] = Path("docs/calibration.svg"),
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the official files are; without, the mcd tasks are left out.")
    ] = None,
) -> None:
    """Measure whether agreement can be relied on, over trainings that should often fail.

    The nine tasks, random and practical languages, thinned training sets and handicapped recipes: some
    340 trainings. After Ctrl-C the same command continues.

    \b
    Example: lane-train calibrate --data-dir DIR
    """
    from lane.experiments.calibration import draw, is_wrong, study, table

    def tell(record: dict[str, Any]) -> None:
        agreement = "nothing new" if record["agreement"] is None else f"agreement {record['agreement']:.2%}"
        verdict = "wrong" if is_wrong(record) else "right"
        name = " ".join([record["task"], *record["arguments"]])
        typer.echo(f"{name} seed {record['seed']}: {agreement}, {verdict}, {record['seconds']} s", err=True)

    records = study(minutes, jobs, out, tell, data_dir)
    draw(records, diagram)
    for line in table(records):
        typer.echo(line)


def refusals_command(
    trained: Annotated[Path, typer.Argument(help="The result file of `lane-train sweep --models DIR`.")],
    models: Annotated[Path, typer.Option(help="The folder of its models.")],
    strings: Annotated[int, typer.Option(min=1, help="Random strings for each model.")] = 100_000,
    out: Annotated[Path, typer.Option(help="Result file; models that it has are skipped.")] = Path(
        "results/refusals.jsonl"
    ),
    data_dir: Annotated[Path | None, typer.Option(help="Where the official files are.")] = None,
) -> None:
    """Measure what models refuse: commands of their language, and random strings that are none.

    \b
    Example: lane-train sweep --models build/models --out results/sweep.jsonl
             lane-train refusals results/sweep.jsonl --models build/models
    """
    from lane.experiments.rejection import study, table

    for line in table(
        study(trained, models, out, strings, data_dir, lambda line: typer.echo(line, err=True))
    ):
        typer.echo(line)


def reproduce_command(
    seeds: Annotated[int, typer.Option(min=1, help="Seeds of the full model.")] = 5,
    only: Annotated[list[str] | None, typer.Option(help="One experiment instead of all; repeatable.")] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the official files are (`lane-data fetch`).")
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Result files; results that they have are not computed again.")
    ] = Path("results/paper"),
    models: Annotated[Path, typer.Option(help="Where the models are kept.")] = Path("build/paper"),
    report: Annotated[
        Path, typer.Option(help="The report on all results so far; the same as HTML beside it.")
    ] = Path("results/paper/report.md"),
) -> None:
    """Do the experiments of the paper, and write the report.

    They are tasks, rules, trees, limit, productivity, ablations, rates, baselines and departures; and of the
    preset paper: published, published-ablations, published-rates and published-behaviours.
    Results that exist are not computed again: after Ctrl-C the same command continues. The report is
    written each time; `--only report` writes nothing else.

    \b
    Example: lane-train reproduce --data-dir DIR
             lane-train reproduce --only tasks --seeds 1
    """
    from lane.experiments.paper.experiments import EXPERIMENTS, Study, reproduce
    from lane.experiments.paper.report import write

    for name in only or ():
        if name not in (*EXPERIMENTS, "report"):
            raise typer.BadParameter(
                f"--only {name}: the experiments are {', '.join(EXPERIMENTS)}, or report"
            )
    study = Study(out, models, seeds, data_dir, lambda line: typer.echo(line, err=True))
    if report.suffix != ".md":
        raise typer.BadParameter(
            f"--report {report}: give the name of a .md file; the .html is written beside it"
        )
    reproduce(study, only or list(EXPERIMENTS))
    for path in write(out, report):
        typer.echo(path)
