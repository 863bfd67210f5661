"""`lane-run`: translate lines of commands with an exported model.

It parses with argparse, unlike the other commands: importing typer takes longer than all the rest of a
translation, from the start of the process to its end.
"""

import argparse
import gc
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO

from lane.base.errors import LaneError, UnwrittenError
from lane.base.suggestion import did_you_mean
from lane.cli.lines import StreamError, answer_all, widen_pipe
from lane.cli.output import Output, StoppedError, say, write_all
from lane.cli.rendering import Answerer, Gallery, Options, TooManyPicturesError
from lane.runtime import Translator, codec, load, model_file
from lane.runtime.bounds import MAX_FILE_BYTES
from lane.runtime.entries import never_heard, read_entries
from lane.runtime.model_file import checked
from lane.runtime.translator import BACKENDS

EXPLAIN = ("text", "tree", "svg", "html", "json")
SOME_FAILED, WRONG_USE, CUT_SHORT, INTERRUPTED = 1, 2, 3, 130
MAX_MESSAGE = 2000  # characters: model files may hold words of any length

HELP = """Translate commands into actions, one a line: line N out answers line N in.

Words are separated by white space and matched exactly, case included. An empty
line gives an empty line. A line that cannot be translated is reported on standard
error with its number, and --on-error decides what is written instead. The codes:
  unknown-word      a word the model does not know; the nearest known one is named
  too-many-words    more words than the model takes
  too-many-actions  the translation, or a part of it, would be longer than allowed
  beyond-model      the model was exported with a budget, and the line is outside it
  not-learned       no training pair shows such a combination; --lenient translates it
  text-too-long     the text for a slot has more words than it may have
  invalid-utf8      the line is not UTF-8
  line-too-long     the line is longer than 16 MiB
"""
EPILOG = """`lane-run rules` prints what the model has learned, and `lane-run page` writes a page to
play with it. `lane-run test` compares it with pairs, `lane-run grow` adds words to it, and
`lane-run serve` answers over HTTP.
(Files of these names are given as ./rules, ./page, ./test, ./grow and ./serve.)

Exit code: 0 every line translated and written, 1 some lines failed, 2 wrong use or
an unusable model, 3 the output is cut short: reading or writing failed, a worker died
or memory ran out. Lines that have arrived are answered before it waits for more.

Example: echo jump twice | lane-run --model scan.lane
         lane-run --model scan.lane --format tsv --stats commands.txt > answers.tsv
         lane-run --engine ray --out answers/ commands.txt; cat answers/part-*
"""
TEST_HELP = """Test a program with pairs of commands and outputs.

Shows the pairs that fail with their derivations, and which rules and words of the model
no pair covers; with --against also where another program answers differently, on the
pairs and on new commands made from the rules of both.
"""
TEST_EPILOG = """Exit code: 0 every pair passed and nothing differs, 1 otherwise, 2 wrong use,
unreadable pairs or an unusable model.

Example: lane-run test pairs.tsv --model robot.lane --against released.lane --format junit
"""
GROW_HELP = """Add words to a program without training. A line of WORDS is one of:

  hop like look = I_HOP   a word that is used as a known one, with a value of its own
  gaze like look          a synonym
  {number} like look      a slot: numbers, which the output holds as {number:12}
  {text} like look        free text
  {room} like look        entries of a list, which lane-run takes as --list room=FILE
  skip please             a word that means nothing
  fold case               words are known in any case

The known word must stand for a value by itself. Answers to commands without the new
words stay as they are. The new program is verified and written at once.
"""

SERVE_HELP = """Serve models over HTTP, each by its name: that of its file, or NAME in NAME=FILE.

A model is reloaded when its file changes, and so is the file of a --list, which is for every
model that has the slot. If a new file cannot be used, that is told on standard error, and
the old one goes on.

  GET  /health                  whether it answers, and whether every file could be used
  GET  /models                  what the models are
  POST /models/NAME/translate   {"command": "jump twice"} or {"commands": [...]}
  POST /translate               the same for the first model
"""


def _parser() -> "_Parser":
    parser = _new_parser("lane-run", HELP, EPILOG)
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="files of commands; - or none: standard input")
    add("-f", "--format", choices=("text", "jsonl", "tsv"), default="text", help="how to write the answers")
    kinds = "|".join(EXPLAIN)
    add(
        "--explain",
        choices=EXPLAIN,
        metavar=f"[{kinds}]",
        help="show the derivations; text if no kind is named",
    )
    add("--batch-size", type=_positive, default=8192, metavar="N", help="lines translated at a time, at most")
    add("--workers", type=_positive, default=1, metavar="N", help="processes (1)")
    out = "write the answers as parts in this directory; parts that it has are not made again"
    add("--out", type=Path, metavar="DIR", help=out)
    engine = "with --out: processes of this machine (the default), or a cluster of Ray"
    add("--engine", choices=("local", "ray"), default="local", help=engine)
    add("--address", help="the cluster of --engine ray; else RAY_ADDRESS, or a new one on this machine")
    add("--block", type=_positive, default=64, metavar="MIB", help="with --out: input of a part, in MiB (64)")
    column = "with --out and Parquet files: the column of the commands (text)"
    add("--column", default="text", metavar="NAME", help=column)
    on_error = "write <error:CODE> in its place (the default), leave the line out, or end there"
    add("--on-error", choices=("mark", "skip", "stop"), default="mark", help=on_error)
    add("--lenient", action="store_true", help="translate also what was never learned")
    _add_lists(parser)
    add("--stats", action="store_true", help="lines, failures and speed, on standard error")
    progress = "count lines on standard error; auto: if that is a terminal and the output is not"
    add("--progress", choices=("auto", "on", "off"), default="auto", help=progress)
    return parser


def _add_lists(parser: "_Parser") -> None:
    what = "the entries of the slot {NAME}, one a line; may be given for several slots"
    parser.add_argument(
        "--list", action="append", default=[], type=_list, dest="lists", metavar="NAME=FILE", help=what
    )


def _rules_parser() -> "_Parser":
    parser = _new_parser("lane-run rules", "Print the rules of a model, the shortest spans first.", None)
    help_text = "also the rules that the training data never used"
    parser.add_argument("--all", action="store_true", dest="everything", help=help_text)
    return parser


def _page_parser() -> "_Parser":
    parser = _new_parser("lane-run page", "Write a page to play with a program: one HTML file.", None)
    parser.add_argument("--command", default="", metavar="TEXT", help="the command that it begins with")
    _add_lists(parser)
    return parser


def _test_parser() -> "_Parser":
    parser = _new_parser("lane-run test", TEST_HELP, TEST_EPILOG)
    add = parser.add_argument
    add(
        "pairs",
        metavar="PAIRS",
        help="commands with their outputs: TSV, JSON lines or SCAN's; - is standard input",
    )
    add("--against", metavar="FILE", help="another program: what it answers differently is a failure")
    add(
        "--commands", type=_positive, default=2000, metavar="N", help="new commands to compare both on (2000)"
    )
    add("-f", "--format", choices=("text", "json", "junit"), default="text", help="how to write the result")
    _add_lists(parser)
    return parser


def _grow_parser() -> "_Parser":
    parser = _new_parser("lane-run grow", GROW_HELP, None)
    parser.add_argument("words", metavar="WORDS", help="a file of new words; - is standard input")
    parser.add_argument("--out", required=True, metavar="FILE", help="the program with the new words")
    return parser


def _serve_parser() -> "_Parser":
    parser = _bare_parser("lane-run serve", SERVE_HELP, None)
    add = parser.add_argument
    add("models", nargs="*", metavar="[NAME=]FILE", help="exported model files (the bundled SCAN model)")
    add("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1: this machine only)")
    add("--port", type=_port, default=8080, help="the port (8080); 0 is any that is free")
    add("--lenient", action="store_true", help="translate also what was never learned")
    _add_lists(parser)
    return parser


def _new_parser(name: str, description: str, epilog: str | None) -> "_Parser":
    parser = _bare_parser(name, description, epilog)
    parser.add_argument("-m", "--model", metavar="FILE", help="exported model file (the bundled SCAN model)")
    backend = "how to run the model; auto (the default) depends on the file"
    parser.add_argument("--backend", choices=BACKENDS, default="auto", help=backend)
    return parser


def _bare_parser(name: str, description: str, epilog: str | None) -> "_Parser":
    layout = argparse.RawDescriptionHelpFormatter
    parser = _Parser(name, None, description, epilog, formatter_class=layout, allow_abbrev=False)
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    trust = "the SHA-256 that the model file must have, from a source you trust; or yes. TorchScript needs it"
    parser.add_argument("--trust", type=_trust, default=False, metavar="SHA256|yes", help=trust)
    return parser


class _Parser(argparse.ArgumentParser):
    """Accepts files between options, and suggests the option that a misspelt one resembles."""

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        end = arguments.index("--") if "--" in arguments else len(arguments)
        options, unknown = self.parse_known_intermixed_args(arguments[:end])
        for argument in unknown:
            name = argument.partition("=")[0]
            known = [option for option in self._option_string_actions if option.startswith("--")]
            self.error(f"unknown argument {name}{did_you_mean(name, known)}")
        options.files = [*getattr(options, "files", ()), *arguments[end + 1 :]]
        return options

    def _print_message(self, message: str, file: Any = None) -> None:
        """Help and version on standard output, completely; argparse itself ignores failures."""
        if file is sys.stderr:
            say(message.rstrip("\n"))
        else:
            write_all(message.encode())


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 1000000")
    return int(text)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 65535")
    return int(text)


def _list(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=FILE, as in room=rooms.txt")
    return name.removeprefix("{").removesuffix("}"), path


def _trust(text: str) -> bool | str:
    try:
        return text == "yes" or checked(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither yes nor a SHA-256 of 64 hexadecimal digits"
        ) from None


class _ShowVersion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        write_all(f"lane {version('lane-expressions')}\n".encode())
        parser.exit()


class WrongUseError(Exception):
    """Wrong use: nothing was translated."""


def _translate(options: argparse.Namespace) -> int:
    if options.explain and options.format != "text":
        raise WrongUseError("--format has no meaning with --explain; see --explain json")
    style = Options(options.format, options.explain, options.on_error)
    if options.out:
        return _write_parts(options, style)
    if options.engine != "local" or options.address:
        raise WrongUseError("--engine and --address need --out DIR: a cluster writes its answers as parts")
    inputs, size = _inputs(options), options.batch_size
    for number in (0, 1):
        widen_pipe(number)
    with _load(options) as translator:
        if options.explain:
            translator.explain("")  # a backend that cannot explain fails now, not after the first line
        # Answers form no reference cycles, and collecting them would take a fifth of the time.
        gc.freeze()
        gc.disable()
        output = Output(options.progress)
        with suppress(StoppedError):
            if options.explain in ("svg", "html"):
                _draw(inputs, Gallery(translator, style), output, size)
            elif options.workers == 1:
                answer_all(inputs, Answerer(translator, style), output.write, size)
            else:
                from lane.cli.workers import Workers

                with Workers(options.workers, translator, style) as pool:
                    answer_all(inputs, pool, output.write, size, ahead=2 * options.workers)
    output.finish(options.stats)
    return SOME_FAILED if output.failed else 0


def _write_parts(options: argparse.Namespace, style: Options) -> int:
    """The answers as files, made by processes of this machine or of a cluster."""
    from lane.cli import shards
    from lane.runtime.mapper import BatchMapper

    if options.explain or options.on_error == "stop":
        raise WrongUseError("--out writes translations of all lines: no --explain, no --on-error stop")
    if options.address and options.engine != "ray":
        raise WrongUseError("--address is that of a Ray cluster: it needs --engine ray")
    mapper = BatchMapper(
        options.model,
        options.column,
        backend=options.backend,
        trust=options.trust,
        lenient=options.lenient,
    )
    _warn(mapper.translator)
    _give_lists(mapper.translator, options.lists)
    job = shards.Shards(options.files, options.out, mapper, style, options.block * 2**20)
    output = Output(options.progress)
    _end_by_exception()
    try:
        with shards.open_pool(options.engine, options.address, options.workers) as pool:
            failed = job.write(pool, output.write)
    except BaseException:
        job.stop()
        raise
    output.finish(options.stats)
    if failed:
        job.stop()  # a worker that was killed leaves what it had begun
        raise StreamError("\n".join([*failed, "some parts are missing: the same command makes them"]))
    return SOME_FAILED if output.failed else 0


def _end_by_exception() -> None:
    """SIGTERM and SIGHUP end the command like Ctrl-C, so that temporary files go; an ignored one stays so."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # no SIGHUP on Windows
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda number, frame: sys.exit(128 + number))


def _load(options: argparse.Namespace) -> Translator:
    lenient = getattr(options, "lenient", False)  # only an option of translations
    translator = load(options.model, options.backend, trust=options.trust, lenient=lenient)
    _warn(translator)
    _give_lists(translator, getattr(options, "lists", ()))
    return translator


def _give_lists(translator: Translator, lists: Iterable[tuple[str, str]]) -> None:
    """Give the translator the entries of files; of those that are never heard the user is told."""
    for name, path in lists:
        try:
            idle = translator.set_list(name, read_entries(path))
        except ValueError as error:
            raise WrongUseError(f"--list {name}={path}: {error}") from None
        if idle:
            say(f"warning: {never_heard(path, idle)}")


def _warn(translator: Translator) -> None:
    if translator.info.converged is False:
        say(f"warning: the training of {translator.info.path} has not converged: expect wrong answers")


def _inputs(options: argparse.Namespace) -> Iterator[tuple[str, BinaryIO]]:
    """Every input unbuffered, with its name for messages."""
    for name in options.files or ["-"]:
        if name == "-":
            if sys.stdin is None:
                raise StreamError("standard input is closed: name a file of commands")
            yield "stdin", sys.stdin.buffer
            continue
        try:
            file = Path(name).open("rb", buffering=0)  # noqa: SIM115 - closed below
        except OSError as error:
            hint = _hint(name, options) if isinstance(error, FileNotFoundError) else ""
            raise WrongUseError(f"{name}: {error.strerror or error}{hint}") from None
        with file:
            yield name, file


def _hint(name: str, options: argparse.Namespace) -> str:
    """The end of the message about a missing file: what the user probably meant."""
    model = f" --model {quote(options.model)}" if options.model else ""
    if options.explain and (kind := did_you_mean(name, EXPLAIN)):
        return kind
    if name in COMMANDS:
        return f"; for the command of this name, write `{name}` first: lane-run {name}{model}"
    if name == options.files[0] and (command := did_you_mean(name, COMMANDS)):
        return command
    if any(Path(other).exists() for other in options.files):
        return ""
    command = quote(" ".join(options.files))
    return f"; commands are read from files or standard input: echo {command} | lane-run{model}"


def _draw(inputs: Iterator[tuple[str, BinaryIO]], gallery: Gallery, output: Output, batch_size: int) -> None:
    """One picture or page of all commands; after an early end, of those before it."""
    try:
        with suppress(StoppedError):
            answer_all(inputs, gallery, output.write, batch_size)
    except TooManyPicturesError as error:
        raise WrongUseError(str(error)) from None
    write_all(gallery.write())


def _rules(options: argparse.Namespace) -> int:
    with _load(options) as translator:
        table = translator.rules()
        if not table:
            raise WrongUseError(
                f"{translator.info.path}: its card lists no rules; export again with --verify and the "
                "training pairs, or as a program"
            )
    shown = table if options.everything else table.used
    write_all(f"{shown}\n".encode())
    if len(shown) < len(table):
        say(f"{len(table) - len(shown):,} more were never used by the training data: see --all")
    return 0


def _page(options: argparse.Namespace) -> int:
    from lane.runtime.page import as_page
    from lane.runtime.program_backend import ProgramBackend

    path = Path(options.model) if options.model else model_file.BUNDLED
    data = model_file.read(path, lambda start: MAX_FILE_BYTES, options.trust).data
    program = codec.decode_file(path, data)  # refuses what is no program
    translator = Translator(ProgramBackend(program))
    _give_lists(translator, options.lists)
    page = as_page(data, path.name.removesuffix(".gz"), options.command, translator.lists)
    write_all(page.encode(errors="replace"))  # names and arguments need not be UTF-8
    return 0


def _test(options: argparse.Namespace) -> int:
    from lane.cli import verdict
    from lane.cli.examination import examine
    from lane.data.reader import PairReader

    reader = PairReader(options.pairs)
    try:
        pairs = list(reader)
    except LaneError as error:
        raise WrongUseError(str(error)) from None
    other = load(options.against, "program") if options.against else None
    if other is not None:
        given = ((name, path) for name, path in options.lists if name in other.info.schemes.slots)
        _give_lists(other, given)
    with _load(options) as translator:
        translator.explain("")  # a network has no derivations, and says so
        result = examine(translator, reader.name, pairs, other, options.commands)
    write = {"text": verdict.as_text, "json": verdict.as_json, "junit": verdict.as_junit}[options.format]
    write_all(write(result).encode(errors="replace"))
    return 0 if result.passed else SOME_FAILED


def _grow(options: argparse.Namespace) -> int:
    from lane.runtime.extension import grow_by_lines

    path = Path(options.model) if options.model else model_file.BUNDLED
    data = model_file.read(path, lambda start: MAX_FILE_BYTES, options.trust).data
    program = codec.decode_file(path, data)
    _end_by_exception()
    grow_by_lines(program, _lines_of(options.words), options.words).save(options.out)
    return 0


def _serve(options: argparse.Namespace) -> int:
    from lane.service import Application, ModelStore
    from lane.service.store import read_names

    try:
        from lane.service.server import listen, run
    except ModuleNotFoundError as error:
        message = f"lane-run serve needs {error.name}: pip install 'lane-expressions[serve]'"
        raise WrongUseError(message) from None

    def tell(line: str) -> None:
        with suppress(StreamError):  # standard error may have failed: models are reloaded all the same
            say(line)

    files = read_names([*options.models, *options.files])
    with ModelStore(files, tell, options.trust, options.lenient, dict(options.lists)) as store:
        for model in store.models.values():
            _warn(model.translator)
        try:
            listener = listen(options.host, options.port)
        except OSError as error:
            raise WrongUseError(f"{options.host}, port {options.port}: {error.strerror or error}") from None
        with listener:
            host = f"[{options.host}]" if ":" in options.host else options.host
            write_all(f"http://{host}:{listener.getsockname()[1]}\n".encode())
            run(Application(store), listener)
    return 0


def _lines_of(name: str) -> list[str]:
    """The lines of a small file of text, or of standard input; editors of Windows write a byte order mark."""
    if name == "-" and sys.stdin is None:
        raise WrongUseError("standard input is closed: name a file of words")
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise WrongUseError(f"{name}: is larger than {MAX_FILE_BYTES} bytes")
        return data.decode("utf-8-sig").split("\n")
    except OSError as error:
        raise WrongUseError(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise WrongUseError(f"{name}: is not UTF-8") from None


COMMANDS: dict[str, tuple[Callable[[], _Parser], Callable[[argparse.Namespace], int]]] = {
    "rules": (_rules_parser, _rules),
    "page": (_page_parser, _page),
    "test": (_test_parser, _test),
    "grow": (_grow_parser, _grow),
    "serve": (_serve_parser, _serve),
}


def main() -> int:
    """Entry point of `lane-run`; gives the exit code."""
    arguments = sys.argv[1:]
    try:
        if arguments and arguments[0] in COMMANDS:
            parser, run = COMMANDS[arguments[0]]
            return run(parser().parse(arguments[1:]))
        return _translate(_parser().parse(_with_kind(arguments)))
    except (StreamError, UnwrittenError) as error:
        return _fail(str(error), CUT_SHORT)
    except (WrongUseError, LaneError) as error:
        return _fail(str(error), WRONG_USE)
    except MemoryError:
        return _fail("out of memory, and the output is cut short: try a smaller --batch-size", CUT_SHORT)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader closed the pipe
        return 0
    except OSError as error:  # too many open files or processes, for example
        return _fail(f"{error.strerror or error}; the output is cut short", CUT_SHORT)


def _fail(problem: str, code: int) -> int:
    with suppress(StreamError):  # standard error may have failed as well; the exit code remains
        say("error: " + (problem if len(problem) <= MAX_MESSAGE else problem[:MAX_MESSAGE] + "..."))
    return code


def _with_kind(arguments: list[str]) -> list[str]:
    """`--explain` stands for `--explain text` unless a kind follows it; it never swallows a file."""
    return [
        "--explain=text" if argument == "--explain" and following not in EXPLAIN else argument
        for argument, following in zip(arguments, [*arguments[1:], ""], strict=False)
    ]


if __name__ == "__main__":
    sys.exit(main())
