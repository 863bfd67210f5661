"""The label file: commands whose outputs would decide what the pairs do not, to be filled in."""

from collections.abc import Iterable
from pathlib import Path

from lane.base.files import write_atomically


def write_label(model: Path, commands: Iterable[str]) -> Path | None:
    """Write NAME.label.tsv beside a model: a command and a tab on each line; None without commands.

    Lines of an earlier file that somebody has filled in are kept.
    """
    path = model.with_name(f"{model.stem}.label.tsv")
    wanted = dict.fromkeys(commands)
    if not wanted:
        return None
    filled = _filled(path)
    lines = [*(f"{command}\t{output}" for command, output in filled.items())]
    lines += [f"{command}\t" for command in wanted if command not in filled]
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())
    return path


def _filled(path: Path) -> dict[str, str]:
    """The commands of a label file that have an output."""
    try:
        rows = [line.partition("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return {}
    return {command: output for command, _, output in rows if command and output.strip()}
