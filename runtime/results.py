"""The results of a translator."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from lane.base.placeholder import filled
from lane.base.scheme import PLAIN, Schemes

NO_BUDGET: Final = 2**62  # characters of answers: more than any memory holds
COUNTED: Final = range(1, 2**62)  # positions of words in a command that was typed word by word


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a command has no translation."""

    code: str
    """One of the documented codes, for programs."""
    message: str
    """One line for people."""
    word: str | None = None
    """The word at fault, if the backend knows it."""
    position: int | None = None
    """The position of that word in the command, counted from 1."""
    nearest: str | None = None
    """The known word nearest to an unknown one, or the learned rule nearest to what was not learned."""

    def with_hint(self, hint: str) -> "Failure":
        """The same with more at the end of the message."""
        return replace(self, message=self.message + hint)


@dataclass(frozen=True, slots=True)
class SlotText:
    """The text that filled a slot of a command."""

    name: str
    """Of the slot."""
    text: str
    """A number or free text as typed, or the entry of a list as the application gave it."""
    position: int
    """Of its first word among the words typed, counted from 1."""

    @property
    def token(self) -> str:
        """The action that stands for it in the output, and can be no other action: `{room:blue%20hall}`."""
        return filled(self.name, self.text)


@dataclass(frozen=True, slots=True)
class Translation:
    """The answer to one command: `text`, or an `error`."""

    text: str
    """The output: the actions, joined by the model's scheme; empty if there is an error."""
    error: Failure | None = None

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions one by one."""
        return tuple(self.text.split(" ")) if self.text else ()

    @property
    def slots(self) -> tuple[SlotText, ...]:
        """The texts of slots that the command holds, in its order."""
        return ()

    @property
    def ok(self) -> bool:
        """Whether the command was translated."""
        return self.error is None

    def _repr_html_(self) -> str:
        from html import escape

        if self.error is None:
            return f"<code>{escape(self.text)}</code>"
        return f"<b>{escape(self.error.code)}</b>: {escape(self.error.message)}"


@dataclass(frozen=True, slots=True)
class JoinedTranslation(Translation):
    """The answer of a model with slots, or whose actions are not joined by spaces alone."""

    parts: tuple[str, ...] = ()
    filled: tuple[SlotText, ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions one by one, with the signs of their spacing."""
        return self.parts

    @property
    def slots(self) -> tuple[SlotText, ...]:
        """The texts of slots that the command holds, in its order."""
        return self.filled


@dataclass(frozen=True, slots=True)
class Info:
    """The card of a loaded model."""

    backend: str
    path: str
    format_version: int
    sha256: str
    """The checksum inside the file."""
    file_sha256: str
    """Of the whole file, as `lane-export` prints it; `load` compares it with `trust`."""
    words: tuple[str, ...]
    actions: tuple[str, ...]
    max_words: int
    max_actions: int
    complete: bool
    """No command over the vocabulary leads beyond the model."""
    nodes: int
    """Of a program's table; networks have none."""
    rules: int
    margin: float | None
    agreement: float | None
    """Share of unlabelled commands on which independent trainings agree."""
    refuses: bool
    """It knows what was learned, and refuses the rest; files of earlier releases do not."""
    provenance: Mapping[str, Any]
    schemes: Schemes = PLAIN
    """How commands are split into words, and actions are joined."""

    @property
    def converged(self) -> bool | None:
        """Whether the training converged; None if the file does not say."""
        training = self.provenance.get("training")
        said = training.get("converged") if isinstance(training, Mapping) else None
        return said if isinstance(said, bool) else None
