"""Sizes and limits of a model: one frozen, validated record that travels with every file."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class ModelConfig(BaseModel):
    """What must be known to build the networks and to bound the derivation loop."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    embedding: int = Field(64, ge=1, le=4096, description="Length of the word and variable vectors.")
    hidden: int = Field(64, ge=1, le=4096, description="Length of the hidden vectors of Composer and Solver.")
    composer: bool = Field(
        True, description="Without it nothing is recognised before the whole command (an ablation)."
    )
    span_limit: int = Field(
        3, ge=2, le=64, description="A merged span with this many tokens or more is always recognised."
    )
    variable_limit: int = Field(
        2, ge=2, le=8, description="A merged span with this many variables or more is always recognised."
    )
    template_limit: int = Field(10, ge=1, le=64, description="Most tokens on the right side of a rule.")
    constants: bool | tuple[int, ...] = Field(
        False,
        description="Whether the right side of a rule with variables may hold actions too; or which of them.",
    )
    deleting: bool = Field(False, description="Whether a rule may leave out variables of its left side.")
    max_words: int = Field(10_000, ge=1, le=1_000_000, description="Longest command that is translated.")
    max_actions: int = Field(100_000, ge=1, le=10_000_000, description="Longest output that is written.")

    @model_validator(mode="after")
    def _every_variable_fits(self) -> Self:
        if self.template_limit < self.max_variables:
            raise ValueError(
                f"template_limit {self.template_limit} is too small: a right side must have room for "
                f"each of the {self.max_variables} variables a span can have"
            )
        return self

    @property
    def max_span(self) -> int:
        """Most tokens on the left side of a rule: two unrecognised nodes side by side."""
        return 2 * (self.span_limit - 1)

    @property
    def max_variables(self) -> int:
        """Most variables on the left side of a rule."""
        return min(self.max_span, 2 * (self.variable_limit - 1))
