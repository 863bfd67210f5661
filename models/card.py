"""The card of a model: what it was trained on, how, and how good it is. It travels with every file."""

from typing import Any, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from lane.base.errors import LaneError
from lane.base.scheme import WHITESPACE, Schemes


class TrainingData(BaseModel):
    """The training pairs, by number and checksum."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pairs: int = Field(0, ge=0)
    distinct: int = Field(0, ge=0)
    sha256: str = ""


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
    # Share of new commands on which independent candidates agree. Older files call it trust.
    agreement: float | None = Field(
        None, ge=0, le=1, validation_alias=AliasChoices("agreement", "trust"), serialization_alias="agreement"
    )
    accuracy: dict[str, float] = {}  # by name of the set
    rules: tuple[str, ...] = ()
    misfits: int = Field(0, ge=0)  # training pairs that the rules contradict
    candidates: int = Field(0, ge=0)
    source_scheme: str = WHITESPACE  # of older files too, which state none
    target_scheme: str = WHITESPACE
    phrases: tuple[tuple[str, str], ...] = ()  # tokens of commands that are joined to one

    @model_validator(mode="after")
    def _known_schemes(self) -> Self:
        _ = self.schemes
        return self

    @property
    def schemes(self) -> Schemes:
        """How commands are split into words, and actions are joined."""
        return Schemes.checked(self.source_scheme, self.target_scheme, self.phrases)

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
