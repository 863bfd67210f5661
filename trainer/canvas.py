"""Plots that can be read on a light page and on a dark one."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

from lane.base.errors import LaneError
from lane.base.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#1f6feb", "#d9730d", "#2da44e", "#8250df", "#bf3989", "#6e7781")
INK, PAPER = "#1b1f24", "#ffffff"
DARK = {INK: "#e6edf3", PAPER: "#0d1117"}


def new_figure(width: float, height: float) -> "Figure":
    """A figure of this size in inches, with text and axes in INK."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise LaneError("a plot needs matplotlib: install lane-expressions[train]") from None
    for part in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"):
        mpl.rcParams[part] = INK
    # The same figure gives the same bytes.
    mpl.rcParams.update({"svg.hashsalt": "lane", "axes.spines.top": False, "axes.spines.right": False})
    return Figure(figsize=(width, height), layout="constrained", facecolor=PAPER)


def save(figure: "Figure", path: Path) -> None:
    """Write it atomically; an SVG adapts to dark pages."""
    stream = io.BytesIO()
    kind = path.suffix.removeprefix(".")
    for axis in figure.axes:
        axis.set_facecolor("none")
    figure.savefig(stream, format=kind, metadata={"Date": None} if kind == "svg" else None)
    data = stream.getvalue()
    if kind == "svg":
        data = data.replace(b"<defs>", _dark_style().encode() + b"<defs>", 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)


def _dark_style() -> str:
    rules = "".join(
        f'[style*="{part}: {light}"] {{ {part}: {dark} !important }}\n'
        for light, dark in DARK.items()
        for part in ("fill", "stroke")
    )
    return f"<style>@media (prefers-color-scheme: dark) {{\n{rules}}}</style>\n"
