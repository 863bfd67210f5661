"""`lane-export`: a checkpoint as self-contained, verified files; `lane-export info` shows the card of one."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lane.base.errors import LaneError
from lane.base.interruption import delayed
from lane.base.placeholder import placeholder
from lane.cli.app import new_app, require, run, show_version
from lane.export.kinds import BUDGET, EXPORTED, RANDOM, checked_formats

if TYPE_CHECKING:
    from lane.export.inspection import FileCard

SHOWN_RULES = 40  # about one screen
SHOWN_WORDS = 20  # about one line
MEANING = {  # of the facts that are true or false
    ("complete", True): "yes: no command of known words is beyond the model",
    ("complete", False): "no: commands outside of its tables are beyond the model",
    ("refuses", True): "commands that leave what was learned",
    ("refuses", False): "nothing: it does not know what was learned",
}
LONGEST = 1000  # characters of one value: some lines
_UNKNOWN = "not known"

Version = Annotated[
    bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
]

app = new_app("")
info_app = new_app("")


def _check_formats(text: str) -> str:
    try:
        return ",".join(checked_formats(text.split(",")))
    except LaneError as error:
        raise typer.BadParameter(str(error)) from None


@app.command(name="lane-export")
def export_files(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A checkpoint of lane-train.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where to write, created if missing; beside the checkpoint if not given."
        ),
    ] = None,
    formats: Annotated[
        str, typer.Option(callback=_check_formats, help="Which files, separated by commas.")
    ] = ",".join(EXPORTED),
    verify: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The training pairs: compared too, with their outputs.",
        ),
    ] = None,
    random: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="How many random commands to compare.")
    ] = RANDOM,
    budget: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Most nodes of the program's table.")
    ] = BUDGET,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only the files that were written.")] = False,
    version: Version = False,
) -> None:
    """Write a trained model as self-contained files, each verified against the checkpoint.

    \b
    MODEL.ts    TorchScript: lines in, lines out, for torch and C++
    MODEL.onnx  ONNX: word numbers in, action numbers out, for onnxruntime
    MODEL.lane  program: the model as tables, for lane-run; data only
    \b
    Every file is loaded in a fresh process and compared with the checkpoint, token by token. If one
    answer differs, nothing is written and the exit code is 1. A model that has not converged, or gets
    pairs of --verify wrong, is exported with a warning and exit code 0.
    \b
    `lane-export info FILE` shows what a file holds (a checkpoint named info is given as ./info).
    \b
    Example: lane-export model.pt --out exported --verify data/addjump_train.txt
    """
    require("exporting", "torch", "onnx")
    from lane.data.reader import read_pairs

    with delayed():  # torch would swallow what the handler of a signal raises
        from lane.export import export

    done = export(
        model,
        out=out,
        formats=formats.split(","),
        pairs=None if verify is None else read_pairs(verify),
        random=random,
        budget=budget,
        on_step=None if quiet else lambda line: typer.echo(line, err=True),
    )
    for warning in done.warnings:
        typer.echo(f"warning: {warning}", err=True)
    for written in done.files:
        typer.echo(f"{written.sha256}  {written.path}  {written.size:,} bytes")
    if not quiet:
        if done.pairs:
            typer.echo(f"the model gets {done.correct:,} of {done.pairs:,} pairs right", err=True)
        if done.refusals is not None:
            typer.echo(f"the model {done.refusals}", err=True)
        margin = "none" if done.margin is None else f"{done.margin:.2e}"
        typer.echo(f"{done.compared:,} commands without a difference; smallest margin {margin}", err=True)


@info_app.command(name="lane-export info")
def info(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of lane-train or lane-export.")],
    as_json: Annotated[bool, typer.Option("--json", help="The whole card as one JSON object.")] = False,
    version: Version = False,
) -> None:
    """Show what a file is, how good the model is, and its rules; --json has the whole card.

    Nothing in the file is run. A foreign file is an error that names its kind, with exit code 1.

    \b
    Example: lane-export info model.lane
    """
    from lane.export import inspect

    card = inspect(file)
    if as_json:
        import json
        from dataclasses import asdict

        typer.echo(json.dumps(asdict(card), ensure_ascii=False, indent=1))
    else:
        _show(card)


def _show(card: "FileCard") -> None:
    """What a person wants to know first."""
    training = _record(card.provenance, "training") or card.provenance
    rows = {
        "file": card.path,
        "kind": f"{card.kind}, format version {card.version}, {card.size:,} bytes",
        "converged": _converged(training),
        "agreement": _UNKNOWN if card.agreement is None else f"{card.agreement:.2%} of new commands",
        "accuracy": _accuracy(_record(training, "accuracy")),
        "trained on": _training_data(training),
        **({} if card.schemes.is_plain else {"schemes": f"{card.schemes.source} to {card.schemes.target}"}),
        **({"slots": ", ".join(map(placeholder, slots))} if (slots := card.schemes.slots) else {}),
        **({"phrases": ", ".join(map(" ".join, phrases))} if (phrases := card.schemes.phrases) else {}),
        "words": f"{len(card.words)}: {_some(card.words)}",
        "actions": f"{len(card.actions)}: {_some(card.actions)}",
        "limits": ", ".join(f"{name} {value:,}" for name, value in card.limits.items()),
        "margin": _UNKNOWN if card.margin is None else f"{card.margin:.3g}",
        **{name: _plain(name, value) for name, value in card.notes.items()},
        "made by": _releases(training, _record(card.provenance, "export")),
        "sha256": card.sha256,
    }
    for title, value in rows.items():
        typer.echo(f"{title:12}{_safe(value)}")
    _show_rules(card.rules)


def _show_rules(rules: tuple[tuple[str, str, int], ...]) -> None:
    used = [rule for rule in rules if rule[2]] or list(rules)
    if rules:
        more = f", of which the training data uses {len(used):,}" if len(used) < len(rules) else ""
        typer.echo(f"{'rules':12}{len(rules):,}{more}")
    for span, template, uses in used[:SHOWN_RULES]:
        typer.echo(f"  {_safe(f'{span} -> {template}')}" + (f"  ({uses:,})" if uses > 1 else ""))
    if len(used) > SHOWN_RULES:
        typer.echo(f"  ... and {len(used) - SHOWN_RULES:,} more")


def _record(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A part of the provenance; empty where it is missing, since its content is free."""
    part = content.get(key)
    return part if isinstance(part, Mapping) else {}


def _converged(training: Mapping[str, Any]) -> str:
    if "converged" not in training:
        return _UNKNOWN
    return "yes" if training["converged"] else f"NO: {training.get('reason')}; expect wrong answers"


def _accuracy(accuracy: Mapping[str, Any]) -> str:
    values = [f"{name} {value:.2%}" for name, value in accuracy.items() if isinstance(value, int | float)]
    return ", ".join(values) or _UNKNOWN


def _training_data(training: Mapping[str, Any]) -> str:
    data, task = _record(training, "data"), training.get("task")
    pairs, distinct = data.get("pairs"), data.get("distinct")
    parts = [f"task {task}"] if task else []
    if isinstance(pairs, int) and isinstance(distinct, int) and pairs:
        parts.append(f"{pairs:,} pairs ({distinct:,} distinct)")
    parts += [f"seed {training['seed']}"] if "seed" in training else []
    return ", ".join(parts) or _UNKNOWN


def _releases(training: Mapping[str, Any], export: Mapping[str, Any]) -> str:
    parts = [f"trained by lane {training['version']}"] if training.get("version") else []
    parts += [f"exported by lane {export['lane']}"] if export.get("lane") else []
    return ", ".join(parts) or _UNKNOWN


def _some(words: tuple[str, ...]) -> str:
    more = f" ... ({len(words) - SHOWN_WORDS:,} more)" if len(words) > SHOWN_WORDS else ""
    return " ".join(words[:SHOWN_WORDS]) + more


def _safe(text: str) -> str:
    """The text with control characters escaped, cut after some lines: the file may come from anywhere."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:LONGEST])
    return f"{shown} ..." if len(text) > LONGEST else shown


def _plain(name: str, value: object) -> str:
    if isinstance(value, bool):
        return MEANING[name, value]
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else f"{value:,}"


def main() -> None:
    """Entry point."""
    if sys.argv[1:2] == ["info"]:
        del sys.argv[1]
        run(lambda: info_app(prog_name="lane-export info"), [LaneError])
    else:
        run(lambda: app(prog_name="lane-export"), [LaneError])


if __name__ == "__main__":
    main()
