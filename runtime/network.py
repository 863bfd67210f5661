"""The part that the ONNX and TorchScript backends share: everything except the call of the network."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, Protocol

from lane.base.placeholder import placeholder
from lane.base.rule import Rule
from lane.runtime.derivation import Derivation
from lane.runtime.errors import NOT_LEARNED, TOO_MANY_ACTIONS, UNKNOWN_WORD, ModelError
from lane.runtime.failures import SLOTS_OF_PROGRAMS, Failures
from lane.runtime.model_file import ModelFile
from lane.runtime.network_card import NetworkCard
from lane.runtime.results import NO_BUDGET, Info, Translation

OK = "ok"
_CELLS = 2**16  # words per call, padding included: bounds its memory


class Call(Protocol):
    """How to call a network."""

    def __call__(self, rows: list[list[int]]) -> tuple[list[int], list[int], list[int]]:
        """From rows of word numbers, padded with zeros: all actions, concatenated; lengths; statuses."""


class NetworkBackend:
    """Translates with a network file. Immutable, so threads may share it."""

    def __init__(
        self, file: ModelFile, card: NetworkCard, threads: int, call: Call, lenient: bool = False
    ) -> None:
        self._path, self._threads, self._card = file.path, threads, card
        self._file_sha256, self._lenient = file.sha256, lenient
        self._call: Call | None = call
        self._number_of = {word: number for number, word in enumerate(card.words, start=1)}
        # To a network a slot is a word; a user who types `{number}` must not get it into an output.
        slots = set(map(placeholder, card.schemes.slots))
        words = (word for word in card.words if word not in slots)
        self._failures = Failures(words, card.max_words, card.max_actions)

    def __reduce__(self) -> tuple[Any, ...]:
        """By path: another process opens the file again, and only if it has not changed."""
        if self._path.exists() and not self._path.is_file():
            raise self._error("read from a pipe, it cannot be opened again in another process: save it first")
        path = str(self._path.absolute())
        return reopen, (self._card.kind, path, self._threads, self._file_sha256, self._lenient)

    def translate_batch(self, texts: Sequence[str], budget: int = NO_BUDGET) -> list[Translation]:
        """One answer a command; invalid commands never reach the network.

        The budget is not kept: the network gives all its answers at once.
        """
        split = [str.split(text) for text in texts]
        answers: dict[int, Translation] = {}
        lengths: dict[int, int] = {}
        for place, words in enumerate(split):
            failure = self._failures.of_command(words)
            if failure is None:
                lengths[place] = len(words)
            else:
                if failure.code == UNKNOWN_WORD and self._card.schemes.slots:
                    failure = failure.with_hint(f"; {SLOTS_OF_PROGRAMS}")
                answers[place] = Translation("", failure)
        for portion in _portions(lengths):
            commands = [split[place] for place in portion]
            answers.update(zip(portion, self._translate(commands), strict=True))
        return [answers[place] for place in range(len(split))]

    def _translate(self, commands: list[list[str]]) -> Iterator[Translation]:
        """Commands in order of their lengths, all of known words."""
        width, number_of = len(commands[-1]), self._number_of
        rows = [[number_of[word] for word in words] + [0] * (width - len(words)) for words in commands]
        if self._call is None:
            raise self._error("the translator is closed: load the model again")
        try:
            actions, length, status = self._call(rows)
        except Exception as error:
            raise self._error(f"the network failed on a batch of commands: {first_line(error)}") from None
        if not len(length) == len(status) == len(rows) or min(length) < 0 or sum(length) != len(actions):
            self._refuse()
        names, statuses, at = self._card.actions, self._card.statuses, 0
        if actions and not 1 <= min(actions) <= max(actions) <= len(names):
            self._refuse()
        for words, size, number in zip(commands, length, status, strict=True):
            code = statuses[number] if 0 <= number < len(statuses) else None
            if code == OK or (code == NOT_LEARNED and self._lenient):
                yield Translation(" ".join([names[i - 1] for i in actions[at : at + size]]))
            elif code == NOT_LEARNED:
                yield Translation("", self._failures.not_learned())
            elif code == TOO_MANY_ACTIONS:
                # Only the network knows which value grew too long.
                yield Translation("", self._failures.too_long(words, None))
            else:
                self._refuse()
            at += size

    def explain(self, text: str) -> Derivation:
        """A network file gives results, not steps: ModelError says what to use."""
        raise self._error(
            f"a file of this kind ({self._card.kind}) cannot explain its translations; export the model as a "
            "program (lane-export --formats program) and explain with that: it gives the same answers"
        )

    def rules(self) -> tuple[Rule, ...]:
        """The rules that the training data used, as the card lists them; none if it lists none."""
        return self._card.rules

    @property
    def info(self) -> Info:
        """The card of the file."""
        return self._card.info(str(self._path), self._file_sha256)

    def close(self) -> None:
        """Free the network."""
        self._call = None

    def _error(self, problem: str) -> ModelError:
        return ModelError(f"{self._path}: {problem}")

    def _refuse(self) -> NoReturn:
        raise self._error(
            "the network answers with numbers that its card does not define: export the model again"
        )


def reopen(kind: str, path: str, threads: int, sha256: str, lenient: bool) -> Any:
    """Open the file of an unpickled backend, which is trusted if it has not changed."""
    from lane.runtime.translator import open_backend

    try:
        return open_backend(Path(path), kind, threads, sha256, lenient)
    except ModelError as error:
        raise ModelError(f"a translator that was sent to this process cannot be opened: {error}") from None


def _portions(lengths: dict[int, int]) -> Iterator[list[int]]:
    """The places of commands to translate together, sorted by length to keep padding short."""
    portion: list[int] = []
    for place in sorted(lengths, key=lengths.__getitem__):
        # Lengths are ascending: this command is the longest of the portion.
        if portion and (len(portion) + 1) * lengths[place] > _CELLS:
            yield portion
            portion = []
        portion.append(place)
    if portion:
        yield portion


def needs(file: ModelFile, package: str, extra: str, imports: Callable[[], Any]) -> Any:
    """The imported packages; ModelError names the extra to install if one is missing."""
    try:
        return imports()
    except ImportError as error:
        raise file.error(
            f'to use it {package} is needed ({first_line(error)}): pip install "lane-expressions[{extra}]"; '
            "a program (.lane) of the same model needs neither"
        ) from None


def first_line(error: Exception) -> str:
    """The first line of a library's message, which may go on with a stack trace."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
