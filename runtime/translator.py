"""The public face of a loaded model, the same for every backend."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from lane.runtime import codec
from lane.runtime.derivation import Derivation
from lane.runtime.errors import ModelError
from lane.runtime.program import Rule
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.results import Info, Translation

BUNDLED_MODEL = Path(__file__).parent / "bundled" / "scan.lane"


class Backend(Protocol):
    """What runs a kind of model file."""

    def translate_batch(self, texts: Sequence[str]) -> list[Translation]:
        """One answer a command, in order."""

    def explain(self, text: str) -> Derivation:
        """The derivation of one command."""

    def rules(self) -> tuple[Rule, ...]:
        """What it has learned."""

    @property
    def info(self) -> Info:
        """The card of the model."""

    def close(self) -> None:
        """Give back what it holds."""


# By name: how to open a file, and the first bytes that tell its kind. Looked through in this order.
_BACKENDS: dict[str, tuple[Callable[[Path, int], Backend], bytes]] = {
    "program": (ProgramBackend.load, codec.MAGIC),
}
BACKENDS = ("auto", *_BACKENDS)


class Translator:
    """Translates commands into actions.

    The same command always gives the same answer, alone or in a batch. Threads may share a translator, and
    it can be pickled to other processes.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def translate(self, text: str) -> Translation:
        """Translate one command: words separated by white space, matched exactly, case included."""
        return self._backend.translate_batch((text,))[0]

    def translate_batch(self, texts: Sequence[str]) -> list[Translation]:
        """Translate many commands; answer i is for command i."""
        if isinstance(texts, str):  # a sequence of texts by type, and never meant as one
            raise TypeError("translate_batch takes a list of commands; for a single one there is translate")
        return self._backend.translate_batch(texts)

    def translate_iter(self, lines: Iterable[str], batch_size: int = 256) -> Iterator[Translation]:
        """Translate a stream in order and in constant memory, reading ahead at most `batch_size` lines."""
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}; it must be at least 1")
        source = iter(lines)
        while batch := list(islice(source, batch_size)):
            yield from self._backend.translate_batch(batch)

    def explain(self, text: str) -> Derivation:
        """How a command is translated, step by step."""
        return self._backend.explain(text)

    def rules(self) -> tuple[Rule, ...]:
        """The rules of the model."""
        return self._backend.rules()

    @property
    def info(self) -> Info:
        """The card of the model: vocabulary, limits, provenance."""
        return self._backend.info

    def close(self) -> None:
        """Give back what the backend holds; a `with` block does so by itself."""
        self._backend.close()

    def __enter__(self) -> "Translator":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def load(path: str | Path | None = None, backend: str = "auto", threads: int = 1) -> Translator:
    """Open a model file, or the bundled SCAN model; raises ModelError if it cannot be used.

    `backend` "auto" goes by the file's first bytes; `threads` bounds the threads of backends that have any.
    """
    if threads < 1:
        raise ValueError(f"threads is {threads}; it must be at least 1")
    if path is None:
        if not BUNDLED_MODEL.exists():
            raise ModelError("this installation bundles no model: give the path of one")
        path = BUNDLED_MODEL
    path = Path(path)
    if backend == "auto":
        backend = _kind(path)
    elif backend not in _BACKENDS:
        raise ValueError(f"backend {backend!r} is not one of {', '.join(BACKENDS)}")
    open_file, _ = _BACKENDS[backend]
    return Translator(open_file(path, threads))


def _kind(path: Path) -> str:
    """The backend for a file by its first bytes; the program's reader knows best what else a file may be."""
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None
    for name, (_, magic) in _BACKENDS.items():
        if start.startswith(magic):
            return name
    return "program"
