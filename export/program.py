"""The compiler: a model's greedy choices as the tables of a program (docs/format.md)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from lane.export.closure import Closure, Tree
from lane.models import codes
from lane.models.errors import LaneError
from lane.models.solver import Solver
from lane.runtime import Limits, Program, ProgramError
from lane.runtime.bounds import RANGES, SOURCE_VARIABLES, TARGET_VARIABLES, VARIABLE
from lane.trainer.checkpoint import Checkpoint

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
    named = NamedRules(checkpoint)
    try:
        return Program.build(
            words=dict(zip(words, closure.recognized, strict=True)),
            nodes=[
                (_named(r.left, words), _named(r.right, words), r.score, r.recognized) for r in closure.rows
            ],
            rules=[(*named(span, template), uses.get(span, 0)) for span, template in rules.items()],
            limits=Limits(
                max_words=config.max_words,
                max_actions=config.max_actions,
                max_span=config.max_span,
                max_variables=config.max_variables,
                max_template=config.template_limit,
            ),
            actions=checkpoint.target.words,
            complete=not closure.left_out,
            margin=margin,
            trust=checkpoint.card.get("trust"),
            provenance=provenance,
        )
    except ProgramError as error:
        raise LaneError(
            f"this model has no program: {error}; "
            "leave `program` out of --formats, or train with smaller limits"
        ) from None


def refuse_limits(checkpoint: Checkpoint) -> None:
    """Say at once, and not after compiling, that the format has no room for a model."""
    for name in ("max_span", "max_variables"):
        value, (_, most) = getattr(checkpoint.config, name), RANGES[name]
        if value > most:
            raise LaneError(
                f"a program has spans of at most {RANGES['max_span'][1]} tokens and "
                f"{RANGES['max_variables'][1]} variables; this model has {name} {value}: "
                "leave `program` out of --formats, or train with smaller limits"
            )


def spans_of(closure: Closure) -> list[Span]:
    """Every word, and every span of a node: as the root, any of them may have to be translated."""
    spans = {(number,) for number in range(1, len(closure.recognized) + 1)}
    return sorted(spans | {row.leaves for row in closure.rows}, key=lambda span: (len(span), span))


def solve(solver: Solver, spans: Sequence[Span], max_span: int) -> Rules:
    """The best DstExp of each span."""
    rules: Rules = {}
    for chunk in _chunks(spans):
        leaves = torch.full([len(chunk), max_span], codes.NONE, dtype=torch.int64)
        for i, span in enumerate(chunk):
            leaves[i, : len(span)] = torch.tensor(span)
        found = solver.solve(leaves, torch.arange(len(chunk)), None, solver.template_limit)
        for span, tokens in zip(chunk, found.template.tolist(), strict=True):
            rules[span] = tuple(token for token in tokens if token != codes.END)
    return rules


def _chunks(spans: Sequence[Span]) -> Iterator[Sequence[Span]]:
    for start in range(0, len(spans), CHUNK):
        yield spans[start : start + CHUNK]


def _named(tree: Tree, words: Sequence[str]) -> Any:
    if isinstance(tree, int):
        return VARIABLE if tree == codes.VARIABLE else words[tree - 1]
    return _named(tree[0], words), _named(tree[1], words)


class NamedRules:
    """Writes spans and templates in words."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._words, self._actions = checkpoint.source.words, checkpoint.target.words
        self._variables = checkpoint.config.max_variables

    def __call__(self, span: Span, template: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """`$x twice` and `$X $X`."""
        names = iter(_names(SOURCE_VARIABLES, "$v", self._variables))
        source = [next(names) if leaf == codes.VARIABLE else self._words[leaf - 1] for leaf in span]
        variables = _names(TARGET_VARIABLES, "$V", self._variables)
        target = [
            variables[token - 1] if token <= self._variables else self._actions[token - self._variables - 1]
            for token in template
        ]
        return tuple(source), tuple(target)


def _names(known: Sequence[str], more: str, count: int) -> list[str]:
    """Models that no program can hold have more variables than the format has names."""
    return [*known, *(f"{more}{number}" for number in range(len(known), count))][:count]
