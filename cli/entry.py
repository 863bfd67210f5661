"""Where the commands start. The base install has no dependencies, so the standard library must do here."""

import sys
from importlib import import_module

DISTRIBUTION = "lane-expressions"


def missing(command: str, module: str) -> str:
    """What to install where `module`, which the command needs, is not installed."""
    if module.startswith("lane.experiments"):
        return f"{command} needs {module}: in a checkout of LAnE, pip install ./experiments"
    return f"{command} needs {module}: pip install '{DISTRIBUTION}[train]'"


def _start(command: str) -> None:
    try:
        import_module(f"lane.cli.{command}").main()
    except ModuleNotFoundError as error:
        print(f"error: {missing(f'lane-{command}', error.name or str(error))}", file=sys.stderr)
        sys.exit(1)


def data() -> None:
    """Entry point of `lane-data`."""
    _start("data")


def train() -> None:
    """Entry point of `lane-train`."""
    _start("train")


def export() -> None:
    """Entry point of `lane-export`."""
    _start("export")
