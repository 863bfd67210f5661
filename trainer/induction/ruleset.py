"""A grammar: rules by their left sides, in a trie along which commands are matched."""

from collections.abc import Mapping

from lane.models import symbols
from lane.models.config import NetworkConfig
from lane.trainer.induction.text import text_of

Left = tuple[int, ...]  # words, and VARIABLE
Right = tuple[int, ...]  # variables 1, 2, ... in their order on the left; actions negative

# Within what a program file can hold: at most 4 variables and 8 tokens on a left side.
WIDEST = {"span_limit": 5, "variable_limit": 3}
MOST_TOKENS = 2 * (WIDEST["span_limit"] - 1)
MOST_VARIABLES = 2 * (WIDEST["variable_limit"] - 1)


class Fork:
    """A node of the trie."""

    __slots__ = ("left", "next")

    def __init__(self) -> None:
        self.next: dict[int, Fork] = {}
        self.left: Left | None = None  # of the rule that ends here


class RuleSet:
    """Rules that can be looked up along a command; one right side for each left side."""

    def __init__(self, rules: Mapping[Left, Right]) -> None:
        self.rules: dict[Left, Right] = {}
        self.pieces: dict[Left, list[int | str]] = {}  # right sides with texts in place of actions
        self.root = Fork()
        for left, right in rules.items():
            self.add(left, right)

    def add(self, left: Left, right: Right) -> None:
        """A rule more."""
        self.rules[left] = right
        self.pieces[left] = pieces_of(right)
        branch = self.root
        for token in left:
            branch = branch.next.setdefault(token, Fork())
        branch.left = left

    @property
    def size(self) -> int:
        """Its description length, in tokens."""
        return sum(size_of(left, right) for left, right in self.rules.items())


def pieces_of(right: Right) -> list[int | str]:
    """A right side with texts in place of actions."""
    return [token if token > 0 else text_of((-token,)) for token in right]


def size_of(left: Left, right: Right) -> int:
    """The description length of a rule: its tokens, and one for being a rule."""
    return len(left) + len(right) + 1


def split(left: Left, span_limit: int, variable_limit: int) -> int | None:
    """Where the last merge joins a left side, the most even place; None if the limits allow none.

    Either part must be a node that the limits leave unrecognised.
    """
    places = sorted(range(1, len(left)), key=lambda place: (abs(2 * place - len(left)), place))
    for place in places:
        if all(_is_joined(part, span_limit, variable_limit) for part in (left[:place], left[place:])):
            return place
    return None


def groups(left: Left, span_limit: int, variable_limit: int) -> list[tuple[int, int]]:
    """The groups of neighbouring tokens, by start and end, that may be merged on the way to a left side.

    All that the limits leave unrecognised; in a left side that has too many tokens or variables for any
    order of merges to be safe, only those on one side of the split.
    """
    size, middle = len(left), split(left, span_limit, variable_limit)
    safe = size <= span_limit and left.count(symbols.VARIABLE) <= variable_limit
    halves = [(0, size)] if safe else [(0, middle or size), (middle or 0, size)]
    return [
        (start, end)
        for low, high in halves
        for start in range(low, high)
        for end in range(start + 2, high + 1)
        if end - start < size and _is_joined(left[start:end], span_limit, variable_limit)
    ]


def _is_joined(part: Left, span_limit: int, variable_limit: int) -> bool:
    """Whether the limits leave it unrecognised."""
    return len(part) == 1 or (len(part) < span_limit and part.count(symbols.VARIABLE) < variable_limit)


def limits_for(rules: Mapping[Left, Right], config: NetworkConfig) -> dict[str, int]:
    """Limits, none below those of `config`, under which the networks can have all rules.

    A span limit of a left side's length leaves the order of its merges open. The Composer needs that where
    a part of one left side is a part of another too, as `to $x` is of `$x added to $y` and `$x raised to $y`.
    """
    longest = max(map(len, rules), default=0)
    span = max(config.span_limit, min(longest, WIDEST["span_limit"]))
    variables = config.variable_limit
    while any(len(left) > 1 and split(left, span, variables) is None for left in rules):
        variables += 1
    limits = {"span_limit": span, "variable_limit": variables}
    # A right side needs room for every variable that these limits allow, not only for those in use.
    room = config.model_copy(update=limits).max_variables
    template = max([config.template_limit, room, *map(len, rules.values())])
    return {**limits, "template_limit": template}
