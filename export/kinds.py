"""The kinds of file, by the name and by the suffix that people use for them."""

from collections.abc import Iterable

from lane.base.errors import LaneError

PROGRAM, ONNX, TORCHSCRIPT, CHECKPOINT = "program", "onnx", "torchscript", "checkpoint"
SUFFIXES = {PROGRAM: ".lane", ONNX: ".onnx", TORCHSCRIPT: ".ts"}
EXPORTED = tuple(SUFFIXES)


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
