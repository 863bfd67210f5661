"""`lane-data`: lists and writes the benchmark tasks, checks a user's pairs, downloads the official files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lane.base.errors import LaneError
from lane.cli.app import new_app, run, show_version
from lane.data.formats import Format

if TYPE_CHECKING:
    from lane.data.summary import Contradiction, Lengths, Summary

SHOWN_CONTRADICTIONS = 10  # with their lines, about one screen
SHOWN_LINES = 5  # of each output of a contradiction: about one line

app = new_app(
    "Benchmark tasks and files of pairs.\n\n"
    "\b\nExample: lane-data list\n"
    "         lane-data write addjump data/\n"
    "         lane-data check data/addjump_train.txt"
)


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None: ...


def _check_task(name: str) -> str:
    from lane.data.registry import check_name

    try:
        return check_name(name)
    except LaneError as error:
        raise typer.BadParameter(str(error)) from error


def _check_source(url: str | None) -> str | None:
    if url is not None and not url.startswith(("http://", "https://")):
        raise typer.BadParameter(f"{url!r} is not an http:// or https:// URL")
    return url


@app.command("list")
def list_tasks() -> None:
    """The tasks: how many pairs, and where they come from.

    \b
    Example: lane-data list
    """
    from lane.data.registry import TASKS

    typer.echo(f"{'task':14}{'train':>7}{'test':>7}  origin")
    for entry in TASKS:
        typer.echo(f"{entry.name:14}{entry.train:7}{entry.test:7}  {entry.origin}")
    typer.echo("random:N is the N-th random language; practical:KIND:N the N-th of a practical kind:")
    try:
        from lane.experiments.languages.practical import KINDS
    except ModuleNotFoundError:
        typer.echo("both need lane-experiments: `pip install ./experiments` in a checkout of LAnE.")
    else:
        typer.echo(f"{', '.join(KINDS)}.")
    typer.echo("\nOfficial files: `lane-data fetch DIR` downloads them, `--data-dir DIR` reads them.")


@app.command()
def write(
    task: Annotated[
        str,
        typer.Argument(
            callback=_check_task, help="A task of `lane-data list`, random:N or practical:KIND:N."
        ),
    ],
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write; created if missing.")],
    form: Annotated[Format, typer.Option("--format", help="How to write a pair.")] = Format.SCAN,
    data_dir: Annotated[
        Path | None,
        typer.Option(help="The directory of the official files, for simple and mcd1 to mcd3."),
    ] = None,
    seed: Annotated[int, typer.Option(help="For extend, and for simple without official files.")] = 0,
) -> None:
    """Write the training and the test pairs of a task as files.

    \b
    Example: lane-data write addjump data/ --format tsv
             writes data/addjump_train.tsv and data/addjump_test.tsv
    """
    from lane.data.registry import load_task
    from lane.data.writer import write_task

    loaded = load_task(task, data_dir, seed)
    paths = write_task(loaded, directory, form)
    for path, pairs in zip(paths, (loaded.train, loaded.test), strict=True):
        typer.echo(f"{path}: {len(pairs)} pairs")
    for note in loaded.notes:
        typer.echo(f"note: {note}")


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of pairs, plain or gzip; - is stdin.")],
    form: Annotated[
        Format | None,
        typer.Option("--format", help="The format of a pair; by the first line if not given."),
    ] = None,
) -> None:
    """Summarise a file of pairs and look for the usual slips.

    It notes punctuation glued to words, headers, words that differ in case, and words of a single pair.
    The exit code is 1 if the file is malformed or contradicts itself.

    \b
    A line is one of
      IN: jump twice OUT: JUMP JUMP
      jump twice<TAB>JUMP JUMP
      {"in": "jump twice", "out": ["JUMP", "JUMP"]}
    \b
    Example: lane-data check my_pairs.tsv
    """
    from lane.data.choice import choose
    from lane.data.finding import find
    from lane.data.reader import PairReader
    from lane.data.summary import summarize

    reader = PairReader(file, form)
    numbered = list(reader)
    summary = summarize(numbered)
    _print_summary(summary, reader.name, str(reader.format), reader.blank_lines)
    choice = choose([pair for _, pair in numbered])
    for finding in (*choice.reasons, *find(numbered, choice.schemes)):
        typer.echo(f"note: {finding}")
    if summary.contradictions:
        raise LaneError(
            f"{reader.name}: {len(summary.contradictions)} inputs have more than one output; keep one of each"
        )


@app.command()
def fetch(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where to put them; created if missing.")],
    source: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            callback=_check_source,
            help="Base URL of a mirror with simple_split/tasks_{train,test}_simple.txt, tasks.txt "
            "and scan-splits.tar.gz.",
        ),
    ] = None,
) -> None:
    """Download the official files of simple and mcd1 to mcd3, verified by count and checksum.

    simple comes as text from SCAN's repository (github.com/brendenlake/SCAN). The MCD splits are
    published as line numbers of SCAN's tasks.txt (storage.googleapis.com/cfq_dataset): their text
    files are made here from the two. About 8 MB. Run it again after an interruption: it resumes,
    and keeps verified files.

    \b
    Example: lane-data fetch data/
    """
    from lane.data.fetch import fetch as fetch_files

    fetch_files(directory, source, typer.echo)


def _print_summary(summary: "Summary", name: str, form: str, blank_lines: int) -> None:
    rows = {
        "file": f"{name} ({form})",
        "pairs": f"{summary.pairs}, {summary.distinct} distinct, {summary.duplicates} duplicates",
        "blank lines": f"{blank_lines} skipped",
        "input words": f"{len(summary.source_vocabulary)} distinct; length {_span(summary.source_lengths)}",
        "output words": f"{len(summary.target_vocabulary)} distinct; length {_span(summary.target_lengths)}",
        "contradictions": f"{len(summary.contradictions)}",
    }
    for title, value in rows.items():
        typer.echo(f"{title:16}{value}")
    for contradiction in summary.contradictions[:SHOWN_CONTRADICTIONS]:
        _print_contradiction(contradiction)
    hidden = len(summary.contradictions) - SHOWN_CONTRADICTIONS
    if hidden > 0:
        typer.echo(f"... and {hidden} more")


def _print_contradiction(contradiction: "Contradiction") -> None:
    typer.echo(f"  {' '.join(contradiction.source)}")
    for target, lines in contradiction.outputs:
        more = f" and {len(lines) - SHOWN_LINES} more" if len(lines) > SHOWN_LINES else ""
        typer.echo(f"    line {', '.join(map(str, lines[:SHOWN_LINES]))}{more}: {' '.join(target)}")


def _span(lengths: "Lengths") -> str:
    return f"{lengths.min} to {lengths.max}, median {lengths.median}"


def main() -> None:
    """Entry point."""
    run(app, [LaneError])


if __name__ == "__main__":
    main()
