"""How many modules a training pair, a checkpoint and a line of input pass on their way.

    python benchmarks/layers.py [--list] [--preset unaided]

A module is passed if one of its functions runs while the command works; imports do not count. Training is of
the task limit, one candidate in this process. The code is that of the `lane` which Python finds: with
PYTHONPATH=DIR, where DIR/lane is another checkout, that checkout is counted.
"""

import argparse
import contextlib
import os
import sys
import tempfile
import threading
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any


def passed(command: str, *arguments: str) -> list[str]:
    """The modules in which a function runs during a command, which must end without an error."""
    main = import_module(f"lane.cli.{command}").main
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.argv = [f"lane-{command}", *arguments]
    threading.setprofile(note)
    sys.setprofile(note)
    # A file, since lane-run writes to its descriptor.
    with Path("printed.txt").open("w+", encoding="utf-8") as printed:
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                end = main()
        except SystemExit as ended:
            end = ended.code
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    if end:
        sys.exit(f"error: {' '.join(sys.argv)}: {Path('printed.txt').read_text(encoding='utf-8')[-500:]}")
    ran = {code.co_filename for code in codes if code.co_name != "<module>"}
    rooms = [(name, module) for name, module in sys.modules.items() if name.startswith("lane.")]
    return sorted(name for name, module in rooms if getattr(module, "__file__", None) in ran)


def main() -> None:
    """Print the counts by room."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="name the modules")
    parser.add_argument("--preset", action="append", default=[], help="of the training")
    options = parser.parse_args()
    preset = [part for name in options.preset for part in ("--preset", name)]
    with tempfile.TemporaryDirectory() as folder:
        model, lines = str(Path(folder, "model.pt")), Path(folder, "lines.txt")
        lines.write_text("zup fep kiki lug\n", encoding="utf-8")
        os.chdir(folder)
        single = ["--set", "candidates=1", "--set", "rounds=1", "--workers", "1"]
        ways = {
            "a training pair": ("train", "--task", "limit", "--seed", "3", "--out", model, *single, *preset),
            "a checkpoint": ("export", model),
            "a line of input": ("run", "--model", str(Path(folder, "model.lane")), str(lines)),
        }
        for title, command in ways.items():
            modules = passed(*command)
            rooms = Counter(name.split(".")[1] for name in modules)
            print(f"{title:16} {len(modules):3}  {', '.join(f'{room} {n}' for room, n in rooms.items())}")
            if options.list:
                print("\n".join(f"    {name}" for name in modules))


if __name__ == "__main__":
    main()
