"""The public interface of a loaded model, the same for every backend."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

from lane.base.placeholder import placeholder
from lane.base.rule import Rule, Rules
from lane.runtime import codec, model_file
from lane.runtime.bounds import MAX_FILE_BYTES
from lane.runtime.derivation import Derivation
from lane.runtime.errors import ModelError
from lane.runtime.failures import SLOTS_OF_PROGRAMS
from lane.runtime.hearing_backend import HearingBackend
from lane.runtime.model_file import ModelFile, Trust
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.results import NO_BUDGET, Info, Translation
from lane.runtime.tokenised import TokenisedBackend

BUDGET = 2**24  # characters of answers that a stream keeps at a time; usual batches have a tenth of it


class Backend(Protocol):
    """Runs one kind of model file."""

    def translate_batch(self, texts: Sequence[str], budget: int = NO_BUDGET) -> list[Translation]:
        """Answers in order: all, or the first ones that have more than `budget` characters together."""

    def explain(self, text: str) -> Derivation:
        """The derivation of one command."""

    def rules(self) -> tuple[Rule, ...]:
        """The learned rules."""

    @property
    def info(self) -> Info:
        """The card of the model."""

    def close(self) -> None:
        """Free its resources."""


def _onnx(file: ModelFile, threads: int, lenient: bool) -> Backend:
    from lane.runtime import onnx_backend  # programs do not need its imports

    return onnx_backend.load(file, threads, lenient)


def _torchscript(file: ModelFile, threads: int, lenient: bool) -> Backend:
    from lane.runtime import torchscript_backend

    return torchscript_backend.load(file, threads, lenient)


class _Kind(NamedTuple):
    """A kind of file: how to open it, its first bytes, and its largest size."""

    open: Callable[[ModelFile, int, bool], Backend]
    magic: bytes
    max_bytes: int


# Tried in this order. ONNX has no magic number: the key of its first field serves as one.
_BACKENDS = {
    "program": _Kind(ProgramBackend.load, codec.MAGIC, MAX_FILE_BYTES),
    "onnx": _Kind(_onnx, b"\x08", 2**30),
    "torchscript": _Kind(_torchscript, b"PK\x03\x04", 2**30),
}
BACKENDS = ("auto", *_BACKENDS)


class Translator:
    """Translates commands into actions.

    The same command always gives the same answer, alone or in a batch. Threads may share a translator, and
    it can be pickled to other processes.
    """

    def __init__(self, backend: Backend) -> None:
        schemes = backend.info.schemes
        if schemes.is_spoken and isinstance(backend, ProgramBackend):
            self._backend: Backend = HearingBackend(backend)
        else:
            self._backend = backend if schemes.is_plain else TokenisedBackend(backend, schemes)

    def translate(self, text: str) -> Translation:
        """Translate one command, which is split into words by `info.schemes`: at white space, or as text."""
        try:
            return self._backend.translate_batch((text,))[0]
        except TypeError:  # checked only now, since checking every command would slow down all of them
            _require_text("text", text)
            raise

    def translate_batch(self, texts: Sequence[str]) -> list[Translation]:
        """Translate many commands; answer i is for command i.

        All answers are in memory together, each of at most `info.max_actions` actions: `translate_iter` and
        `translate_some` bound that for commands of strangers.
        """
        return self.translate_some(texts, NO_BUDGET)

    def translate_some(self, texts: Sequence[str], budget: int) -> list[Translation]:
        """Translate the first commands, at least one, until the answers have more than `budget` characters.

        They have at most twice as many, and two answers more. Call it again with the commands that are left.
        A network gives all answers, whatever the budget.
        """
        if type(texts) is not list:
            if isinstance(texts, str | bytes) or not hasattr(texts, "__len__"):
                raise TypeError(
                    f"texts is of type {type(texts).__name__}, but must be a list of commands; "
                    "translate takes a single command, translate_iter any iterable of them"
                )
            texts = list(texts)
        try:
            return self._backend.translate_batch(texts, max(budget, 0))
        except TypeError:
            for place, text in enumerate(texts):
                _require_text(f"texts[{place}]", text)
            raise

    def translate_iter(self, lines: Iterable[str], batch_size: int = 256) -> Iterator[Translation]:
        """Translate a stream in order, reading ahead at most `batch_size` lines.

        The answers that it keeps are within `BUDGET`, as by `translate_some`.
        """
        _require_count("batch_size", batch_size)
        if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
            raise TypeError(f"lines is of type {type(lines).__name__}, but must be an iterable of commands")
        return self._stream(iter(lines), batch_size)

    def _stream(self, lines: Iterator[str], batch_size: int) -> Iterator[Translation]:
        while batch := list(islice(lines, batch_size)):
            while batch:
                answers = self.translate_some(batch, BUDGET)
                del batch[: len(answers)]
                yield from answers

    def set_list(self, name: str, entries: Iterable[str]) -> tuple[str, ...]:
        """Give the entries of a slot, in place of any given before, also while other threads translate.

        Returns the entries that are never heard: those of known words alone, which keep their meaning, and
        those that read like an earlier one. ValueError for a slot that the program does not have.
        """
        if isinstance(self._backend, HearingBackend):
            return self._backend.set_list(name, entries)
        if self.info.schemes.slots:
            raise ModelError(f"{self.info.path}: {SLOTS_OF_PROGRAMS}")
        raise ValueError(f"no slot {placeholder(name)}: this model has no slots")

    @property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        """The entries of each slot whose list was given, without those that are never heard."""
        return self._backend.lists if isinstance(self._backend, HearingBackend) else {}

    def explain(self, text: str) -> Derivation:
        """How a command is translated, step by step."""
        _require_text("text", text)
        return self._backend.explain(text)

    def rules(self) -> Rules:
        """The rules of the model; they print as a table."""
        return Rules(self._backend.rules())

    @property
    def info(self) -> Info:
        """The card of the model: vocabulary, limits, provenance."""
        return self._backend.info

    def close(self) -> None:
        """Free the backend; a `with` block does so at its end."""
        self._backend.close()

    def __enter__(self) -> "Translator":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _require_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is of type {type(value).__name__}, but a command must be a str")


def _require_count(name: str, value: object) -> None:
    if type(value) is not int:
        raise TypeError(f"{name} is of type {type(value).__name__}, but must be an int")
    if value < 1:
        raise ValueError(f"{name} is {value}; it must be at least 1")


def load(
    path: str | Path | None = None,
    backend: str = "auto",
    threads: int = 1,
    trust: bool | str = False,
    lenient: bool = False,
    lists: Mapping[str, Iterable[str]] | None = None,
) -> Translator:
    """Open a model file, or the bundled SCAN model; raises ModelError if it cannot be used.

    `backend` "auto" goes by the file's first bytes; `threads` bounds the threads of backends that have any.
    A TorchScript archive is code and is opened only with `trust`: True, or the SHA-256 of the file from its
    maker. Other files need no trust, but a SHA-256 is verified for them too. A `lenient` translator answers
    every command of known words, also where its derivation leaves what was learned. `lists` has the entries
    of slots by name, as for `Translator.set_list`.
    """
    _require_count("threads", threads)
    trust = model_file.checked(trust)
    if backend not in BACKENDS:
        raise ValueError(f"backend {backend!r} is not one of {', '.join(BACKENDS)}")
    if path is None:
        path = model_file.BUNDLED
        if not path.exists():
            raise ModelError("this installation bundles no model: give the path of one")
    translator = Translator(open_backend(Path(path), backend, threads, trust, lenient))
    for name, entries in (lists or {}).items():
        translator.set_list(name, entries)
    return translator


def open_backend(path: Path, name: str, threads: int, trust: Trust, lenient: bool = False) -> Backend:
    """Open a file with the backend of this name; "auto" goes by its first bytes."""
    file = model_file.read(path, lambda start: _kind(name, start).max_bytes, trust)
    return _kind(name, file.data).open(file, threads, lenient)


def _kind(name: str, start: bytes) -> _Kind:
    if name != "auto":
        return _BACKENDS[name]
    matching = (kind for kind in _BACKENDS.values() if start.startswith(kind.magic))
    # The reader of programs names other kinds of files in its error.
    return next(matching, _BACKENDS["program"])
