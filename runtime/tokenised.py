"""Commands and outputs as people write them, around a backend that takes and gives tokens."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lane.base.rule import Rule
from lane.base.scheme import Schemes
from lane.runtime.derivation import Derivation
from lane.runtime.errors import UNKNOWN_WORD
from lane.runtime.results import NO_BUDGET, Failure, Info, JoinedTranslation, Translation

if TYPE_CHECKING:
    from lane.runtime.translator import Backend


class TokenisedBackend:
    """A backend with the schemes of its model: the same steps before and behind it, whatever its kind."""

    def __init__(self, backend: "Backend", schemes: Schemes) -> None:
        self.backend, self.schemes = backend, schemes

    def translate_batch(self, texts: Sequence[str], budget: int = NO_BUDGET) -> list[Translation]:
        """Answers in order, as those of the backend."""
        read = self.schemes.read
        answers = self.backend.translate_batch([" ".join(read(text)) for text in texts], budget)
        return [self._joined(text, answer) for text, answer in zip(texts, answers, strict=False)]

    def _joined(self, text: str, answer: Translation) -> Translation:
        if answer.error is not None:
            return replace(answer, error=self._as_typed(text, answer.error))
        actions = answer.actions
        return JoinedTranslation(self.schemes.join(actions), None, actions)

    def _as_typed(self, text: str, failure: Failure) -> Failure:
        """The failure in the words of the user: the spelling, and the position among words typed."""
        if failure.position is None:
            return failure
        typed, position = self.schemes.typed(text, failure.position)
        # No token holds a blank, so the position stands here only, and before the suggestion.
        message = failure.message.replace(f"word {failure.position})", f"word {position})", 1)
        if failure.code == UNKNOWN_WORD and failure.word is not None:
            message = message.replace(repr(failure.word), repr(typed), 1)
        return replace(failure, message=message, word=typed, position=position)

    def explain(self, text: str) -> Derivation:
        """The derivation in tokens, with the joined text."""
        derivation = self.backend.explain(" ".join(self.schemes.read(text)))
        error = derivation.error and self._as_typed(text, derivation.error)
        joined = self.schemes.join(derivation.text.split(" ")) if derivation.text else ""
        return replace(derivation, text=joined, error=error)

    def rules(self) -> tuple[Rule, ...]:
        """The learned rules, in tokens."""
        return self.backend.rules()

    @property
    def info(self) -> Info:
        """The card of the model."""
        return self.backend.info

    def close(self) -> None:
        """Free its resources."""
        self.backend.close()
