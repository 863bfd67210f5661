"""The kinds of file, by name and by suffix, and the defaults of an export."""

from collections.abc import Iterable

from lane.base.errors import LaneError

PROGRAM, ONNX, TORCHSCRIPT, CHECKPOINT = "program", "onnx", "torchscript", "checkpoint"
SUFFIXES = {PROGRAM: ".lane", ONNX: ".onnx", TORCHSCRIPT: ".ts"}
EXPORTED = tuple(SUFFIXES)
RANDOM = 2000  # commands to compare, beside the given ones: seconds of work
BUDGET = 200_000  # nodes of a program: a file of some ten megabytes; the format allows a million


def checked_formats(names: Iterable[str]) -> tuple[str, ...]:
    """The formats by name or suffix (`program`, `lane`, `.lane`), each once."""
    kinds = {suffix[1:]: kind for kind, suffix in SUFFIXES.items()}
    bare = [name.strip().removeprefix(".") for name in names]
    wanted = dict.fromkeys(kinds.get(name, name) for name in bare if name)
    unknown = [name for name in wanted if name not in SUFFIXES]
    if unknown or not wanted:
        problem = f"{unknown[0]!r} is not a format" if unknown else "no format is named"
        raise LaneError(f"{problem}; there are {', '.join(EXPORTED)}")
    return tuple(wanted)
