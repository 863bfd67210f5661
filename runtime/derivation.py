"""Derivations: how a translation came about, step by step."""

from dataclasses import dataclass, field
from typing import Any

from lane.base.rule import Rule
from lane.runtime.results import Failure, SlotText
from lane.runtime.substitution import Piece, write_out


@dataclass(frozen=True, slots=True)
class Step:
    """One recognised span, translated by its rule."""

    number: int
    """Counted from 1."""
    rule: Rule
    node: str
    """The merges inside the span, as a bracketed expression."""
    start: int
    """The first word covered, counted from 0."""
    stop: int
    """One past the last word covered."""
    parts: tuple[int, ...]
    """The numbers of the steps whose values the variables of the span are bound to."""
    reads: tuple[int, ...]
    """The memory slots of those values; reading empties them."""
    slot: int
    """The memory slot of the result."""
    length: int
    """How many actions the value has."""
    value: Piece = field(repr=False, compare=False)
    learned: bool = True
    """False where the derivation leaves what was learned: by this rule, or by its place."""

    @property
    def is_filled(self) -> bool:
        """Whether it is a slot, whose value is the text that filled it instead of its own name."""
        return self.rule.span == self.rule.template and self.text != self.rule.span[0]

    @property
    def text(self) -> str:
        """The value: actions joined by spaces."""
        return write_out(self.value)


@dataclass(frozen=True, slots=True)
class Derivation:
    """All steps of one command; with an error, the steps that came before it."""

    words: tuple[str, ...]
    steps: tuple[Step, ...]
    text: str
    """The translation; empty if there is an error."""
    error: Failure | None = None
    slots: tuple[SlotText, ...] = ()
    """The texts of the slots among the words."""

    def as_text(self) -> str:
        """The steps as lines of text."""
        from lane.runtime import derivation_text

        return "\n".join(derivation_text.text_lines(self))

    def as_tree(self) -> str:
        """The steps as a tree of text."""
        from lane.runtime import derivation_text

        return "\n".join(derivation_text.tree_lines(self))

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        from lane.runtime import derivation_text

        return derivation_text.as_dict(self)

    def as_svg(self) -> str:
        """A self-contained picture."""
        from lane.runtime import picture

        return picture.as_svg([self])

    def _repr_html_(self) -> str:
        """Notebooks show the picture; one wider than the page scrolls."""
        # The class keeps notebooks from taking the text between two `$` for mathematics.
        style = 'class="tex2jax_ignore mathjax_ignore" style="overflow-x: auto"'
        return f"<div {style}>{self.as_svg()}</div>"
