"""`lane-export`: a checkpoint as self-contained, verified files; `lane-export info` shows the card of one."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lane.base.errors import LaneError
from lane.cli.app import new_app, require, run, show_version

if TYPE_CHECKING:
    from lane.export.inspection import Card

FORMATS = ("torchscript", "onnx", "program")
SUFFIXES = {"ts": "torchscript", "lane": "program"}  # formats are also known by the suffix of their file
SHOWN_RULES = 40

Version = Annotated[
    bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
]

app = new_app("")
info_app = new_app("")


def _check_formats(text: str) -> str:
    names = [name.strip().removeprefix(".") for name in text.split(",") if name.strip()]
    wanted = [SUFFIXES.get(name, name) for name in names]
    unknown = [name for name in wanted if name not in FORMATS]
    if unknown or not wanted:
        problem = f"{unknown[0]!r} is not a format" if unknown else "no format is named"
        raise typer.BadParameter(f"{problem}; there are {', '.join(FORMATS)}")
    return ",".join(dict.fromkeys(wanted))


@app.command(name="lane-export")
def export_files(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A checkpoint of lane-train.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to write; beside the checkpoint if not given.")
    ] = None,
    formats: Annotated[
        str, typer.Option(callback=_check_formats, help="Which files, separated by commas.")
    ] = ",".join(FORMATS),
    verify: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The training pairs: they are compared too, and rules are counted."
        ),
    ] = None,
    random: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="How many random commands to compare.")
    ] = 2000,
    budget: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Most nodes of the program's table.")
    ] = 200_000,
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
    answer differs, nothing is written and the exit code is 1.
    \b
    `lane-export info FILE` shows what a file holds (a checkpoint named info is given as ./info).
    \b
    Example: lane-export model.pt --out exported --verify data/addjump_train.txt
    """
    require("exporting", "torch", "onnx")
    from lane.export.exporter import Request, export

    data = _commands(verify) if verify is not None else ()
    request = Request(
        model=model,
        out=out if out is not None else model.parent,
        formats=tuple(formats.split(",")),
        data=data,
        budget=budget,
        random=random,
    )
    done = export(request, (lambda _: None) if quiet else (lambda line: typer.echo(line, err=True)))
    for warning in done.warnings:
        typer.echo(f"warning: {warning}", err=True)
    for written in done.files:
        typer.echo(f"{written.sha256}  {written.path}  {written.size:,} bytes")
    if not quiet:
        margin = "none" if done.margin is None else f"{done.margin:.2e}"
        typer.echo(f"{done.compared:,} commands without a difference; smallest margin {margin}", err=True)


def _commands(path: Path) -> tuple[str, ...]:
    """The distinct commands of a file of pairs, in its order."""
    from lane.data.reader import PairReader

    return tuple(dict.fromkeys(" ".join(pair.source) for _, pair in PairReader(str(path))))


@info_app.command(name="lane-export info")
def info(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of lane-train or lane-export.")],
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    version: Version = False,
) -> None:
    """Show the card of a file: kind, version, vocabulary, limits, provenance, checksum and rules.

    Nothing in the file is run. Exit code 1, and what it is instead, if it is not one of ours.

    \b
    Example: lane-export info model.lane
    """
    from lane.export.inspection import read_card

    card = read_card(file)
    if as_json:
        import json
        from dataclasses import asdict

        typer.echo(json.dumps(asdict(card), ensure_ascii=False, indent=1))
    else:
        _show(card)


def _show(card: "Card") -> None:
    import json

    rows = {
        "file": card.path,
        "kind": f"{card.kind}, format version {card.version}, {card.size:,} bytes",
        "converged": _converged(card.provenance.get("training", card.provenance)),
        "sha256": card.sha256,
        "words": f"{len(card.words)}: {_some(card.words)}",
        "actions": f"{len(card.actions)}: {_some(card.actions)}",
        "limits": ", ".join(f"{name} {value:,}" for name, value in card.limits.items()),
        "margin": "not known" if card.margin is None else f"{card.margin:.3g}",
        "trust": "not known" if card.trust is None else f"{card.trust:.4f}",
        **{name: _plain(value) for name, value in card.notes.items()},
        "provenance": json.dumps(card.provenance, ensure_ascii=False, sort_keys=True),
    }
    for title, value in rows.items():
        typer.echo(f"{title:12}{value}")
    used = [rule for rule in card.rules if rule[2]] or list(card.rules)
    if card.rules:
        typer.echo(
            f"{'rules':12}{len(card.rules):,}, of which the data used {sum(r[2] > 0 for r in card.rules)}"
        )
    for span, template, uses in used[:SHOWN_RULES]:
        typer.echo(f"  {span} -> {template}" + (f"  ({uses:,})" if uses else ""))
    if len(used) > SHOWN_RULES:
        typer.echo(f"  ... and {len(used) - SHOWN_RULES:,} more")


def _converged(training: Mapping[str, Any]) -> str:
    if "converged" not in training:
        return "not known"
    return "yes" if training["converged"] else f"NO: {training.get('reason')}; expect wrong answers"


def _some(words: tuple[str, ...], most: int = 20) -> str:
    more = f" ... ({len(words) - most:,} more)" if len(words) > most else ""
    return " ".join(words[:most]) + more


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
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
