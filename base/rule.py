"""Rules as people read them: `$x twice -> $X $X`, and the names of their variables."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from lane.base.scheme import shown

VARIABLE: Final = "$"  # begins every variable, and so no word
SOURCE_NAMES: Final = ("$x", "$y", "$z", "$w", "$u", "$v", "$s", "$t")
TARGET_NAMES: Final = tuple(name.upper() for name in SOURCE_NAMES)
MOST_VARIABLES: Final = len(SOURCE_NAMES)
_LEFT = "text-align: left; padding-right: 1.5em"
_MOST_SHOWN = 500  # rules in a notebook: a page of a hundred thousand would stall the browser


class Rule(NamedTuple):
    """A span of words and `$x`, `$y`, and its translation: actions and `$X`, `$Y`."""

    span: tuple[str, ...]
    template: tuple[str, ...]
    uses: int = 0
    """How many expressions of the training pairs it translates (0: none, or not known)."""

    @property
    def is_word(self) -> bool:
        """Whether it translates a single word."""
        return len(self.span) == 1

    @property
    def order(self) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
        """Single words first, then by length and name: the order of every list of rules."""
        return len(self.span), self.span, self.template

    def __str__(self) -> str:
        return f"{' '.join(self.span)} -> {shown(self.template)}"


class Rules(tuple[Rule, ...]):
    """A tuple of rules that prints as a table, and shows itself as one in a notebook."""

    __slots__ = ()

    @property
    def used(self) -> "Rules":
        """The rules that the training pairs use; all of them where no use was counted."""
        return Rules([rule for rule in self if rule.uses] or self)

    def __str__(self) -> str:
        width = max((len(" ".join(rule.span)) for rule in self), default=0)
        return "\n".join(f"{' '.join(rule.span):<{width}} -> {shown(rule.template)}" for rule in self)

    def _repr_html_(self) -> str:
        """A table of the rules in use; in `code`, since notebooks take `$...$` for mathematics elsewhere."""
        from html import escape

        shown_rules = self.used[:_MOST_SHOWN]
        rows = [
            f'<tr><td style="{_LEFT}"><code>{escape(" ".join(rule.span))}</code></td>'
            f'<td style="{_LEFT}"><code>{escape(shown(rule.template))}</code></td>'
            f'<td style="text-align: right">{rule.uses:,}</td></tr>'
            for rule in shown_rules
        ]
        if left := len(self) - len(shown_rules):
            rows.append(f'<tr><td style="{_LEFT}" colspan="3">and {left:,} more</td></tr>')
        header = f'<th style="{_LEFT}">span</th><th style="{_LEFT}">becomes</th><th>uses</th>'
        return f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def name_variables(leaves: Iterable[str]) -> tuple[str, ...]:
    """A span whose variables are all `$`, with the variables named in order of appearance."""
    names = iter(SOURCE_NAMES)
    return tuple([next(names) if leaf == VARIABLE else leaf for leaf in leaves])
