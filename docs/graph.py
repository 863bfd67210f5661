"""Writes the import graph of the rooms into ARCHITECTURE.md: `python docs/graph.py`.

The column "may import" of the page's table of rooms is the one list of allowed arrows; the architecture test
reads it from here too.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "ARCHITECTURE.md"
_ROW = re.compile(r"^\| `(\w+)/` \|.*\|([^|]*)\|$", re.MULTILINE)
_BLOCK = re.compile(r"(<!-- graph -->\n).*?(<!-- end -->)", re.DOTALL)


def allowed(page: str) -> dict[str, set[str]]:
    """What each room may import of the others, by the page's table."""
    return {room: set(re.findall(r"`(\w+)`", names)) for room, names in _ROW.findall(page)}


def imported(path: Path) -> set[str]:
    """The rooms that a module imports, at its start or later."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name.split(".")[1] for name in names if name.startswith("lane.")}


def arrows(rooms: list[str]) -> set[tuple[str, str]]:
    """Each room with each other room that one of its modules imports."""
    return {
        (room, other)
        for room in rooms
        for path in (ROOT / room).rglob("*.py")
        for other in imported(path) - {room}
    }


def filled(page: str) -> str:
    """The page with the graph of the present sources: a row imports the columns that are marked."""
    rooms = list(allowed(page))
    found = arrows(rooms)
    lines = [f"| imports | {' | '.join(rooms)} |", "|---" + "|:-:" * len(rooms) + "|"]
    for room in rooms:
        marks = ("●" if (room, other) in found else "" for other in rooms)
        lines.append(f"| **{room}** | {' | '.join(marks)} |")
    return _BLOCK.sub(lambda block: block[1] + "\n".join(lines) + "\n" + block[2], page)


def main() -> None:
    """Rewrite the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
