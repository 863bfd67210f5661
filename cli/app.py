"""What the commands built on typer share: version, exit codes, and errors without a traceback."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import RawIOBase, TextIOWrapper
from typing import NoReturn

import typer

from lane.base.errors import LaneError, UnwrittenError
from lane.cli.entry import DISTRIBUTION, missing

IO_EXIT = 3  # as lane-run: the output is cut short
SIGINT_EXIT, SIGTERM_EXIT = 130, 143  # 128 and the number of the signal, as shells have it


def new_app(help_text: str) -> typer.Typer:
    """A command with the house's defaults: no tracebacks of typer's, no shell-completion flags in --help."""
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
        from importlib.metadata import version  # takes longer to import than the rest of --help takes

        typer.echo(f"lane {version(DISTRIBUTION)}")
        raise typer.Exit


def fail(message: str) -> None:
    """One line on stderr, if that can be written; the caller decides the exit code."""
    with suppress(OSError):
        typer.echo(f"error: {message}", err=True)


def require(purpose: str, *modules: str) -> None:
    """Say what to install before any work is done, where a module that is needed later is missing."""
    from importlib.util import find_spec

    for module in modules:
        if find_spec(module) is None:
            raise LaneError(missing(purpose, module))


def run(app: Callable[[], object], errors: Sequence[type[Exception]]) -> None:
    """Run `app`: a named error ends it with its message and exit code 1, a broken pipe with silence and 0.

    Output or a file that cannot be written is one line and exit code 3: 0 means that every byte was.
    """
    _prepare_stdout()
    signal.signal(signal.SIGTERM, _terminate)
    try:
        _ended(app)
    except UnwrittenError as error:
        fail(str(error))
        sys.exit(IO_EXIT)
    except tuple(errors) as error:
        fail(str(error))
        sys.exit(1)
    except (KeyboardInterrupt, BrokenPipeError) as error:
        _end_after(error)
    except OSError as error:
        leave_stdout()
        fail(f"{error.filename or 'standard output'}: {error.strerror or error}")
        sys.exit(IO_EXIT)
    except MemoryError:
        fail("out of memory")
        sys.exit(IO_EXIT)
    except SystemExit as end:
        # typer turns both into exits of its own; the original is still in the chain of causes.
        cause: BaseException | None = end
        while cause is not None:
            if isinstance(cause, KeyboardInterrupt | BrokenPipeError):
                _end_after(cause)
            cause = cause.__cause__ or cause.__context__
        raise


def _prepare_stdout() -> None:
    if sys.stdout is None:
        fail("standard output is closed")
        sys.exit(IO_EXIT)
    if isinstance(sys.stdout, TextIOWrapper):
        if isinstance(sys.stdout.buffer, RawIOBase):
            # PYTHONUNBUFFERED: Python would ignore that a write was cut short.
            sys.stdout = open(sys.stdout.fileno(), "w", buffering=1, closefd=False)  # noqa: SIM115
        # A word that the terminal's encoding lacks is printed escaped instead of ending the command.
        sys.stdout.reconfigure(errors="backslashreplace")


def _ended(app: Callable[[], object]) -> None:
    """Run `app` and flush, however it ends: the interpreter's own flush would report a failure too late."""
    try:
        app()
    except SystemExit:
        sys.stdout.flush()
        raise
    sys.stdout.flush()


def _terminate(number: int, frame: object) -> NoReturn:
    """As an exception, so that temporary files go and no process is left behind."""
    sys.exit(SIGTERM_EXIT)


def _end_after(cause: KeyboardInterrupt | BrokenPipeError) -> NoReturn:
    if isinstance(cause, KeyboardInterrupt):
        typer.echo("interrupted", err=True)
        sys.exit(SIGINT_EXIT)
    leave_stdout()
    sys.exit(0)


def leave_stdout() -> None:
    """After a broken pipe: point stdout at the null device, so that the interpreter's own flush is silent."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
