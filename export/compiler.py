"""The compiler: a model's greedy choices as the tables of a program (docs/format.md)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from lane.base.errors import LaneError
from lane.base.rule import VARIABLE
from lane.export.closure import Closure, Tree
from lane.models import symbols
from lane.models.checkpoint import Checkpoint
from lane.models.naming import named_rule
from lane.models.solver import Solver
from lane.runtime import Limits, Program, ProgramError
from lane.runtime.bounds import RANGES
from lane.runtime.kind import RuleKind

CHUNK = 1024  # spans solved together; fixed, so that the same model gives the same numbers

Span = tuple[int, ...]
Rules = dict[Span, tuple[int, ...]]


def compile_program(
    checkpoint: Checkpoint,
    closure: Closure,
    rules: Rules,
    uses: Mapping[Span, int],
    margin: float | None,
    provenance: Mapping[str, Any],
) -> Program:
    """The tables of a closure and its rules, in words."""
    words, config = checkpoint.source.words, checkpoint.config
    vocabularies = checkpoint.source, checkpoint.target
    try:
        return Program.build(
            words=dict(zip(words, closure.recognized, strict=True)),
            nodes=[
                (_named(r.left, words), _named(r.right, words), r.score, r.recognized) for r in closure.rows
            ],
            rules=[
                named_rule(span, template, vocabularies, config.max_variables, uses.get(span, 0))
                for span, template in rules.items()
            ],
            limits=Limits(
                max_words=config.max_words,
                max_actions=config.max_actions,
                max_span=config.max_span,
                max_variables=config.max_variables,
                max_template=config.template_limit,
            ),
            actions=checkpoint.target.words,
            complete=closure.left_out is None,
            margin=margin,
            agreement=checkpoint.card.agreement,
            provenance=provenance,
            kinds=_kinds(checkpoint, rules),
            schemes=checkpoint.card.schemes,
        )
    except ProgramError as error:
        raise LaneError(
            f"this model has no program: {error}; "
            "leave `program` out of --formats, or train with smaller limits"
        ) from None


def _kinds(checkpoint: Checkpoint, rules: Mapping[Span, object]) -> list[RuleKind] | None:
    """The kinds in words, in canonical order: by their first rules."""
    if checkpoint.learned is None:
        return None
    vocabularies, variables = (checkpoint.source, checkpoint.target), checkpoint.config.max_variables
    members: dict[int, list[tuple[str, ...]]] = {}
    for span, rule in checkpoint.learned.rules.items():
        # A program with a budget may have no room for the nodes of a rule.
        if span in rules:
            members.setdefault(rule.kind, []).append(named_rule(span, (), vocabularies, variables).span)
    order = {kind: sorted(spans, key=lambda span: (len(span), span)) for kind, spans in members.items()}
    first = sorted(order, key=lambda kind: (len(order[kind][0]), order[kind][0]))
    number = {kind: place for place, kind in enumerate(first, start=1)}
    found = []
    for kind in first:
        root, slots = checkpoint.learned.kinds[kind - 1]
        kept = tuple(tuple(sorted(number[n] for n in slot if n in number)) for slot in slots)
        found.append(RuleKind(root, kept, tuple(order[kind])))
    return found


def refuse_limits(checkpoint: Checkpoint) -> None:
    """Refuse a model beyond the limits of the format before the work of compiling it."""
    for name in ("max_span", "max_variables"):
        value, (_, most) = getattr(checkpoint.config, name), RANGES[name]
        if value > most:
            raise LaneError(
                f"a program has spans of at most {RANGES['max_span'][1]} tokens and "
                f"{RANGES['max_variables'][1]} variables; this model has {name} {value}: "
                "leave `program` out of --formats, or train with smaller limits"
            )


def spans_of(closure: Closure) -> list[Span]:
    """Every word and the span of every node: each may be the root of a command, and then is translated."""
    spans = {(number,) for number in range(1, len(closure.recognized) + 1)}
    return sorted(spans | {row.leaves for row in closure.rows}, key=lambda span: (len(span), span))


def solve(solver: Solver, spans: Sequence[Span], max_span: int) -> Rules:
    """The best DstExp of each span."""
    rules: Rules = {}
    for chunk in _chunks(spans):
        leaves = torch.full([len(chunk), max_span], symbols.NONE, dtype=torch.int64)
        for i, span in enumerate(chunk):
            leaves[i, : len(span)] = torch.tensor(span)
        found = solver.solve(leaves, torch.arange(len(chunk)), None, solver.template_limit)
        for span, tokens in zip(chunk, found.template.tolist(), strict=True):
            rules[span] = tuple(token for token in tokens if token != symbols.END)
    return rules


def _chunks(spans: Sequence[Span]) -> Iterator[Sequence[Span]]:
    for start in range(0, len(spans), CHUNK):
        yield spans[start : start + CHUNK]


def _named(tree: Tree, words: Sequence[str]) -> Any:
    if isinstance(tree, int):
        return VARIABLE if tree == symbols.VARIABLE else words[tree - 1]
    return _named(tree[0], words), _named(tree[1], words)
