"""What a model has learned: a tree automaton of rules, and of where each may stand.

A derivation is learned if it has learned rules only, and each stands where a rule of its kind was met.
`trainer.automaton` reads them off the derivations of the training pairs and of commands made from these.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lane.models import symbols
from lane.models.composer import Derivations
from lane.models.nodes import distinct_rows
from lane.models.template import expand

Span = tuple[int, ...]  # the SrcExp of a rule, which names the rule

# Samples taken for each command asked for, before the automaton counts as exhausted.
EFFORT = 20


class LearnedKind(NamedTuple):
    """Rules that stand in the same places and take the same arguments."""

    root: bool  # they may translate a whole command
    slots: tuple[tuple[int, ...], ...]  # for each variable, the kinds of the rules that may give its value


class LearnedRule(NamedTuple):
    """A rule that training pairs needed, or commands that combine what they taught."""

    kind: int
    uses: int  # expressions of the training pairs that it translates: 0 if only combined commands need it


@dataclass(frozen=True)
class Learned:
    """The rules in use and their kinds, numbered from 1 in the order of `kinds`."""

    rules: Mapping[Span, LearnedRule]
    kinds: tuple[LearnedKind, ...]

    def plain(self) -> dict[str, Any]:
        """Plain values for the checkpoint."""
        rows = [[list(span), rule.kind, rule.uses] for span, rule in self.rules.items()]
        return {"rules": rows, "kinds": [[kind.root, [list(s) for s in kind.slots]] for kind in self.kinds]}

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "Learned":
        """From plain values; ValueError if a rule names a kind that does not exist."""
        rules = {tuple(span): LearnedRule(kind, uses) for span, kind, uses in content["rules"]}
        kinds = tuple(
            LearnedKind(root, tuple(tuple(slot) for slot in slots)) for root, slots in content["kinds"]
        )
        named = {rule.kind for rule in rules.values()} | {n for kind in kinds for s in kind.slots for n in s}
        if not named <= set(range(1, len(kinds) + 1)):
            raise ValueError("learned: a kind is named that does not exist")
        if any(len(kinds[rule.kind - 1].slots) != variables_of(span) for span, rule in rules.items()):
            raise ValueError("learned: a rule has other variables than its kind")
        return cls(rules, kinds)

    def kind_of(self, span: Span) -> int:
        """The kind of a rule; UNLEARNED for any other."""
        return self.rules[span].kind if span in self.rules else symbols.UNLEARNED

    def refused(self, derivations: Derivations) -> list[bool]:
        """Whether each derivation leaves what was learned, step by step in plain Python."""
        return [not self._accepts(steps) for steps in steps_of(derivations)]

    def _accepts(self, steps: "list[Step]") -> bool:
        kinds = {step.number: self.kind_of(step.span) for step in steps}
        for step in steps:
            kind = kinds[step.number]
            if kind == symbols.UNLEARNED:
                return False
            slots = self.kinds[kind - 1].slots
            if any(kinds[part] not in slot for part, slot in zip(step.parts, slots, strict=True)):
                return False
        return self.kinds[kinds[steps[-1].number] - 1].root

    def sample(self, count: int, seed: int, most_words: int) -> list[tuple[int, ...]]:
        """Up to `count` distinct commands that combine what was learned, each with at most `most_words`."""
        return list(self.trees(count, seed, most_words))

    def trees(self, count: int, seed: int, most_words: int) -> dict[tuple[int, ...], "Combination"]:
        """The same with a derivation of each command."""
        rng = random.Random(seed)
        members: dict[int, list[Span]] = {}
        for span, rule in self.rules.items():
            members.setdefault(rule.kind, []).append(span)
        roots = [number for number, kind in enumerate(self.kinds, start=1) if kind.root]
        found: dict[tuple[int, ...], Combination] = {}
        for _ in range(EFFORT * count if roots else 0):
            if len(found) == count:
                break
            tree = self._expand(rng.choice(roots), members, rng, most_words)
            if tree is not None:
                found.setdefault(tuple(tree.words()), tree)
        return found

    def _expand(
        self, kind: int, members: Mapping[int, list[Span]], rng: random.Random, room: int
    ) -> "Combination | None":
        span, parts = rng.choice(members[kind]), []
        room -= len(span)
        for slot in self.kinds[kind - 1].slots:
            inner = self._expand(rng.choice(slot), members, rng, room + 1) if room >= 0 else None
            if inner is None:
                return None
            parts.append(inner)
            room -= len(inner.words()) - 1
        return Combination(span, tuple(parts)) if room >= 0 else None


class Combination(NamedTuple):
    """A derivation as a tree of rules."""

    span: Span
    parts: tuple["Combination", ...]  # what its variables stand for

    def words(self) -> list[int]:
        """The command."""
        parts = iter(self.parts)
        return [
            word
            for leaf in self.span
            for word in (next(parts).words() if leaf == symbols.VARIABLE else [leaf])
        ]

    def output(self, templates: Mapping[Span, Sequence[int]], variables: int, most: int) -> list[int] | None:
        """What the rules write, given their right sides; None if any value has more than `most` actions.

        Each value is bounded, since nested rules multiply: `thrice` ten times would write 59,049 actions.
        """
        values = []
        for part in self.parts:
            value = part.output(templates, variables, most)
            if value is None:
                return None
            values.append(value)
        written = expand(templates[self.span], variables, values)
        return written if len(written) <= most else None


class Step(NamedTuple):
    """A step of one derivation."""

    number: int
    span: Span
    parts: list[int]  # the steps whose values its variables have


def steps_of(derivations: Derivations) -> Iterator[list[Step]]:
    """The steps of each row, the root last."""
    leaves = [
        tuple(leaf for leaf in row if leaf != symbols.NONE) for row in derivations.nodes.leaves.tolist()
    ]
    rows = derivations.node.tolist(), derivations.arguments.tolist()
    for nodes, arguments in zip(*rows, strict=True):
        yield [
            Step(number, leaves[node], [part for part in arguments[number] if part != symbols.NONE])
            for number, node in enumerate(nodes)
            if node != symbols.NONE
        ]


def variables_of(span: Sequence[int]) -> int:
    """The number of variables of a span."""
    return sum(leaf == symbols.VARIABLE for leaf in span)


class LearnedTables(NamedTuple):
    """The automaton as tensors, for R rules of K kinds."""

    spans: Tensor  # [R, max_span] padded with NONE
    kind: Tensor  # [R]
    allowed: Tensor  # [(K + 1) * P * (K + 1)] 1 where a kind may stand in a variable of a kind
    root: Tensor  # [K + 1] 1 where a kind may translate a whole command


def tables(learned: Learned | None, max_span: int, variables: int) -> LearnedTables:
    """The tensors of an automaton; without one they are empty, and nothing is refused."""
    rules, kinds = ({}, ()) if learned is None else (learned.rules, learned.kinds)
    spans = torch.full([len(rules), max_span], symbols.NONE, dtype=torch.int64)
    for row, span in enumerate(rules):
        spans[row, : len(span)] = torch.tensor(span, dtype=torch.int64)
    allowed = torch.zeros([len(kinds) + 1, variables, len(kinds) + 1], dtype=torch.int64)
    root = torch.zeros([len(kinds) + 1], dtype=torch.int64)
    for number, kind in enumerate(kinds, start=1):
        root[number] = int(kind.root)
        for slot, children in enumerate(kind.slots):
            allowed[number, slot, list(children)] = 1
    kind_of = torch.tensor([rule.kind for rule in rules.values()], dtype=torch.int64)
    return LearnedTables(spans, kind_of, allowed.flatten(), root)


def refused_rows(
    learned: LearnedTables, spans: Tensor, solution: Tensor, arguments: Tensor, root: Tensor
) -> Tensor:
    """Whether each derivation leaves what was learned, as `Learned.refused`.  # -> [B]

    spans [O, max_span], solution [B, S] and arguments [B, S, P] as the greedy translation has them.
    """
    rules, kinds = learned.spans.size(0), learned.root.size(0)
    # Learned spans and those of the batch get common numbers, by which each takes its kind.
    example, number = distinct_rows(torch.cat([learned.spans, spans]))
    kind_of = torch.zeros_like(example).scatter(0, number[:rules], learned.kind)
    kind_of = kind_of[number[rules:]]  # [O]
    taken = solution != symbols.NONE
    kind = torch.where(taken, kind_of[solution.clamp(min=0)], torch.zeros_like(solution))  # [B, S]
    variables = arguments.size(2)
    flat = arguments.clamp(min=0).flatten(1)
    child = kind.gather(1, flat).view_as(arguments)
    slot = torch.arange(variables, device=kind.device).view(1, 1, -1)
    fits = learned.allowed[(kind.unsqueeze(2) * variables + slot) * kinds + child] > 0
    wrong = ((arguments != symbols.NONE) & ~fits).sum(dim=2) > 0
    wrong = wrong | (taken & (kind == symbols.UNLEARNED))
    outermost = learned.root[kind.gather(1, root.unsqueeze(1))[:, 0]] > 0
    return (wrong.sum(dim=1) > 0) | ~outermost
