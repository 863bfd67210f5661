"""Sizes and limits of a model: frozen, validated records that travel with every file."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lane.base.rule import MOST_VARIABLES


class NetworkConfig(BaseModel):
    """The settings of the networks: those of a model, and of the recipe that trains one."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    embedding: int = Field(64, ge=1, le=4096, description="Length of the word and variable vectors.")
    hidden: int = Field(64, ge=1, le=4096, description="Length of the hidden vectors of Composer and Solver.")
    composer: bool = Field(True, description="Without it the whole command is one span (an ablation).")
    span_limit: int = Field(
        3, ge=2, le=64, description="A merged span with this many tokens or more is always recognised."
    )
    variable_limit: int = Field(
        2, ge=2, le=8, description="A merged span with this many variables or more is always recognised."
    )
    template_limit: int = Field(10, ge=1, le=64, description="Most tokens on the right side of a rule.")
    deleting: bool = Field(
        False, description="Whether a rule may leave out variables of its left side (an ablation)."
    )

    # Details of the published networks; the preset `paper` has them all.
    orthogonal: bool = Field(
        False, description="Trees begin with orthogonal weights, open forget gates and even merge scores."
    )
    bounded: bool = Field(
        False, description="Whether a tanh bounds the vectors of leaves and the cells of trees."
    )
    end_mark: bool = Field(
        False, description="Whether the Solver reads a mark behind the last token of a span."
    )
    state_only: bool = Field(
        False,
        description="Whether the decoder's state alone scores the next token, without what it attends to.",
    )
    dropout: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="Share of the decoder's embeddings that is dropped where choices are drawn.",
    )
    shuffled: bool = Field(
        False, description="Whether drawn translations name the variables of their span at random."
    )

    @model_validator(mode="after")
    def _variables_have_names_and_room(self) -> Self:
        # Without the Composer, span_limit grows with the data: only variable_limit bounds the variables.
        most = self.max_variables if self.composer else self._variables_of_two
        if most > MOST_VARIABLES:
            raise ValueError(
                f"variable_limit {self.variable_limit} with span_limit {self.span_limit} allows rules of "
                f"{most} variables, and only {MOST_VARIABLES} have names; "
                f"set variable_limit={MOST_VARIABLES // 2 + 1} or less, or a smaller span_limit"
            )
        if self.template_limit < most:
            raise ValueError(
                f"template_limit {self.template_limit} is too small: a right side must have room for each "
                f"of the {most} variables that a span can have; set template_limit={most} or more"
            )
        return self

    @property
    def max_span(self) -> int:
        """Most tokens on the left side of a rule: two unrecognised nodes side by side."""
        return 2 * (self.span_limit - 1)

    @property
    def max_variables(self) -> int:
        """Most variables on the left side of a rule."""
        return min(self.max_span, self._variables_of_two)

    @property
    def _variables_of_two(self) -> int:
        """Most variables of two unrecognised nodes, if their length does not matter."""
        return 2 * (self.variable_limit - 1)


class ModelConfig(NetworkConfig):
    """Everything needed to build the networks and to bound the derivation loop."""

    constants: bool | tuple[int, ...] = Field(
        False,
        description="Whether the right side of a rule with variables may hold actions too; or which of them.",
    )
    max_words: int = Field(10_000, ge=1, le=1_000_000, description="Longest command that is translated.")
    max_actions: int = Field(100_000, ge=1, le=10_000_000, description="Longest output that is written.")
