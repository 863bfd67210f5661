"""What the four commands share: version, exit codes, and errors without a traceback."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

import typer

from lane.base.errors import LaneError

DISTRIBUTION = "lane-expressions"
SIGINT_EXIT = 130


def new_app(help_text: str) -> typer.Typer:
    """A command with our defaults: plain tracebacks off, no shell-completion flags in --help."""
    return typer.Typer(
        help=help_text,
        add_completion=False,
        no_args_is_help=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def show_version(wanted: bool) -> None:
    """Callback of every --version flag."""
    if wanted:
        from importlib.metadata import version  # takes longer than all the rest of --help

        typer.echo(f"lane {version(DISTRIBUTION)}")
        raise typer.Exit


def fail(message: str) -> None:
    """One line on stderr; the caller decides the exit code."""
    typer.echo(f"error: {message}", err=True)


def require(purpose: str, *modules: str) -> None:
    """Say what to install where the base install does not have what a command needs."""
    from importlib.util import find_spec

    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise LaneError(f"{purpose} needs {' and '.join(missing)}: pip install 'lane-expressions[train]'")


def run(app: Callable[[], object], errors: Sequence[type[Exception]]) -> None:
    """Run `app`; the named errors end it with exit code 1 and their message, and a closed pipe quietly."""
    try:
        app()
    except tuple(errors) as error:
        fail(str(error))
        sys.exit(1)
    except (KeyboardInterrupt, BrokenPipeError) as error:
        _end_after(error)
    except SystemExit as end:
        # typer answers these two with exits of its own; what they were is left in the chain.
        cause: BaseException | None = end
        while cause is not None:
            if isinstance(cause, KeyboardInterrupt | BrokenPipeError):
                _end_after(cause)
            cause = cause.__cause__ or cause.__context__
        raise


def _end_after(cause: KeyboardInterrupt | BrokenPipeError) -> NoReturn:
    if isinstance(cause, KeyboardInterrupt):
        typer.echo("interrupted", err=True)
        sys.exit(SIGINT_EXIT)
    leave_stdout()
    sys.exit(0)


def leave_stdout() -> None:
    """The reader is gone. Point stdout elsewhere so that the interpreter's own flush stays silent."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
