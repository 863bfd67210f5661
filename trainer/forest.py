"""A forest: the derivations of many examples, retranslated with other right sides."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import NamedTuple

from lane.models.model import Rollout
from lane.models.template import expand
from lane.trainer.derived import derived
from lane.trainer.slot import Place, Span

Template = tuple[int, ...]  # a DstExp: 1, 2, ... are the variables, higher numbers the actions
Output = tuple[int, ...]


class Instance(NamedTuple):
    """The values of the variables of an expression, and its own value."""

    arguments: tuple[Output, ...]
    value: Output


class Joint(NamedTuple):
    """A rule with a given rule as one of its arguments: an expression made of two."""

    place: Place
    inner: Span


class Forest:
    """Nodes, each a rule and the nodes of its arguments, which have lower numbers; equal parts are one."""

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.template: dict[Span, Template] = {}
        self.rules: list[Span] = []
        self.arguments: list[tuple[int, ...]] = []
        self.roots: list[int] = []
        self._numbers: dict[tuple[Span, tuple[int, ...]], int] = {}

    def add(self, rollout: Rollout, wanted: Sequence[bool]) -> None:
        """Record the derivations of the wanted rows."""
        for steps, templates in compress(derived(rollout), wanted):
            self.template |= {span: tuple(template) for span, template in templates.items()}
            numbers: dict[int, int] = {}
            for step in steps:
                numbers[step.number] = self._number(step.span, tuple(numbers[part] for part in step.parts))
            self.roots.append(numbers[steps[-1].number])

    def _number(self, rule: Span, arguments: tuple[int, ...]) -> int:
        number = self._numbers.setdefault((rule, arguments), len(self.rules))
        if number == len(self.rules):
            self.rules.append(rule)
            self.arguments.append(arguments)
        return number

    def values(
        self, templates: Mapping[Span, Template] | None = None, joints: Mapping[Joint, Template] | None = None
    ) -> list[Output]:
        """The value of every node, with other templates for some rules, and for some joints."""
        changed = {**self.template, **(templates or {})}
        found: list[Output] = []
        for number, rule in enumerate(self.rules):
            template, arguments = changed[rule], self.arguments[number]
            for joint, other in (joints or {}).items():
                if self.is_joint(number, joint):
                    template, arguments = other, self.joined(number, joint)
            values = [found[argument] for argument in arguments]
            found.append(tuple(expand(template, self.variables, values)))
        return found

    def is_joint(self, number: int, joint: Joint) -> bool:
        """Whether a node is of a joint."""
        rule, argument = joint.place
        return self.rules[number] == rule and self.rules[self.arguments[number][argument]] == joint.inner

    def joined(self, number: int, joint: Joint) -> tuple[int, ...]:
        """The arguments of a joint: those of the inner rule in the place of its node."""
        arguments, place = self.arguments[number], joint.place.argument
        return (*arguments[:place], *self.arguments[arguments[place]], *arguments[place + 1 :])

    def fits(
        self,
        values: Sequence[Output],
        templates: Mapping[Span, Template] | None = None,
        joints: Mapping[Joint, Template] | None = None,
    ) -> bool:
        """Whether every example keeps its output with other templates."""
        others = self.values(templates, joints)
        return all(values[root] == others[root] for root in self.roots)

    def examples(self) -> dict[Span, set[int]]:
        """The examples whose derivation has a rule, by rule."""
        within: list[frozenset[Span]] = []
        for rule, arguments in zip(self.rules, self.arguments, strict=True):
            within.append(frozenset({rule}).union(*(within[argument] for argument in arguments)))
        found: defaultdict[Span, set[int]] = defaultdict(set)
        for example, root in enumerate(self.roots):
            for rule in within[root]:
                found[rule].add(example)
        return found

    def places(self) -> dict[Span, set[Place]]:
        """Under which arguments each rule stands."""
        found: defaultdict[Span, set[Place]] = defaultdict(set)
        for rule, arguments in zip(self.rules, self.arguments, strict=True):
            for number, argument in enumerate(arguments):
                found[self.rules[argument]].add(Place(rule, number))
        return found
