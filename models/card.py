"""The card of a model: what it was trained on, how, and how good it is. It travels with every file."""

from typing import Any, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from lane.base.errors import LaneError
from lane.base.scheme import WHITESPACE, Schemes


class TrainingData(BaseModel):
    """The training pairs, by number and checksum."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pairs: int = Field(0, ge=0)
    distinct: int = Field(0, ge=0)
    sha256: str = ""


class Disagreement(BaseModel):
    """A new command that has no single output: candidates, or a model and its own rules, differ about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str
    outputs: tuple[str, ...]


class Comparison(BaseModel):
    """How models compare on new commands, none of which is a training command."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    commands: int = Field(0, ge=0)
    agreed: int = Field(0, ge=0)
    placed: int = Field(0, ge=0)  # those with a word or a rule in a place where no pair has it
    placed_agreed: int = Field(0, ge=0)
    longer: int = Field(0, ge=0)  # those longer than every pair
    longer_agreed: int = Field(0, ge=0)
    differing: tuple[Disagreement, ...] = ()  # the shortest

    @property
    def share(self) -> float | None:
        """Of the commands on which both agree; None where no new command could be made."""
        return self.agreed / self.commands if self.commands else None

    def __str__(self) -> str:
        if not self.commands:
            return "no new command could be made from the pairs, so that nothing was compared"
        kinds = [f"{self.commands:,} new commands, {self.agreed / self.commands:.2%} agreed"]
        if self.placed:
            kinds.append(
                f"{self.placed:,} with a word or rule in a new place, {self.placed_agreed / self.placed:.2%}"
            )
        if self.longer:
            kinds.append(f"{self.longer:,} longer than any pair, {self.longer_agreed / self.longer:.2%}")
        return "; ".join(kinds)


class OpenReading(BaseModel):
    """Two readings of a word or rule, each of which fits all pairs, and a command that would decide."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    word: str
    reading: str  # the rules of the model
    other: str  # rules of at most the same size
    pairs: int = Field(ge=0)  # those that the reading takes part in; they support the other as well
    command: str
    outputs: tuple[str, str]  # of the command, by either reading

    def __str__(self) -> str:
        return (
            f"{self.word}: {self.reading} or {self.other} ({self.pairs:,} pairs fit both); "
            f"is {self.command!r} {self.outputs[0]} or {self.outputs[1]}?"
        )


class ModelCard(BaseModel):
    """Provenance and quality of a model; `model_dump(mode="json")` has plain JSON values only."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    task: str = ""
    version: str = ""  # of the release that trained it
    seed: int = 0
    data: TrainingData = TrainingData()
    config: dict[str, Any] = {}  # the settings that were trained, as JSON values
    converged: bool = False
    reason: str = "training has not ended"
    # Share of new commands on which independent candidates agree, None where there are none. Older files
    # call it trust.
    agreement: float | None = Field(
        None, ge=0, le=1, validation_alias=AliasChoices("agreement", "trust"), serialization_alias="agreement"
    )
    comparison: Comparison = Comparison()  # the agreement by kinds of commands
    open_readings: tuple[OpenReading, ...] = ()  # what the pairs do not decide
    accuracy: dict[str, float] = {}  # by name of the set
    rules: tuple[str, ...] = ()
    misfits: int = Field(0, ge=0)  # training pairs that the rules contradict
    candidates: int = Field(0, ge=0)
    source_scheme: str = WHITESPACE  # of older files too, which state none
    target_scheme: str = WHITESPACE
    phrases: tuple[tuple[str, str], ...] = ()  # tokens of commands that are joined to one
    slots: tuple[str, ...] = ()  # names of slots, which stand on both sides of pairs

    @model_validator(mode="after")
    def _known_schemes(self) -> Self:
        _ = self.schemes
        return self

    @model_serializer(mode="wrap")
    def _without_no_slots(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Cards of languages without slots are as they were before there were slots: files repeat."""
        content: dict[str, Any] = serialize(self)
        if not self.slots:
            del content["slots"]
        return content

    @property
    def schemes(self) -> Schemes:
        """How commands are split into words, and actions are joined."""
        return Schemes.checked(self.source_scheme, self.target_scheme, self.phrases, self.slots)

    @classmethod
    def read(cls, content: object) -> Self:
        """The card of a file; a malformed one is an error of one sentence."""
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise LaneError(f"card: {first_problem(error)}") from None


def first_problem(error: ValidationError) -> str:
    """The first problem that pydantic found, in one line: where, and what."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
