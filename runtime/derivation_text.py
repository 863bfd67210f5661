"""Derivations as text, as a tree for the terminal, and as plain data, piece by piece."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from lane.base.scheme import shown
from lane.runtime.bounds import SOURCE_VARIABLES
from lane.runtime.derivation import Derivation, Step
from lane.runtime.substitution import flatten

MAX_SHOWN = 24  # actions of a value on display


def text_lines(derivation: Derivation) -> Iterator[str]:
    """One line a step: its rule, where its variables come from, and the value stored."""
    yield " ".join(derivation.words)
    width = min(max((len(_left_side(step)) for step in derivation.steps), default=0), 60)
    digits = len(str(len(derivation.steps)))
    for step in derivation.steps:
        text = _left_side(step)
        yield f"  {step.number:>{digits}}. {text:<{width}}  ${step.slot} = {shorten(step)}{_mark(step)}"
    yield _outcome(derivation)


def _mark(step: Step) -> str:
    return "" if step.learned else "   <- not learned"


def _left_side(step: Step) -> str:
    pairs = [f"{name} = ${slot}" for name, slot in zip(SOURCE_VARIABLES, step.reads, strict=False)]
    return f"{step.rule}  ({', '.join(pairs)})" if pairs else str(step.rule)


def _outcome(derivation: Derivation) -> str:
    if derivation.error is not None:
        return f"  error: {derivation.error.message}"
    return f"  = {derivation.text}"


def shorten(step: Step, bound: int = MAX_SHOWN) -> str:
    """A value for display: its first actions, and their total number."""
    actions: list[str] = []
    for piece in flatten(step.value):
        actions += str(piece).split(" ")
        if len(actions) > bound:
            return f"{shown(actions[:bound])} ... ({step.length} actions)"
    return shown(actions)


def tree_lines(derivation: Derivation) -> Iterator[str]:
    """The steps under the step that uses their values; the last one is the root."""
    yield " ".join(derivation.words)
    steps = derivation.steps
    used = {part for step in steps for part in step.parts}
    # A finished derivation has one root; one that ended early has several. Each entry links to the branches
    # above it: keeping the indents as strings would take memory quadratic in the depth.
    stack: list[tuple[Step, _Branch | None]] = [
        (step, None) for step in reversed(steps) if step.number not in used
    ]
    while stack:
        step, branch = stack.pop()
        # A rule without variables shows its value already, unless that is the text of a slot.
        value = f"   = {shorten(step, 8)}" if step.parts or step.is_filled else ""
        yield f"{_indent(branch)}{step.rule}{value}{_mark(step)}"
        parts = [steps[number - 1] for number in step.parts]
        for place, part in reversed(list(enumerate(parts, start=1))):
            stack.append((part, _Branch(place == len(parts), branch)))
    yield _outcome(derivation)


class _Branch(NamedTuple):
    is_last: bool
    above: "_Branch | None"


def _indent(branch: _Branch | None) -> str:
    if branch is None:
        return ""
    marks = ["└── " if branch.is_last else "├── "]
    while (branch := branch.above) is not None:
        marks.append("    " if branch.is_last else "│   ")
    return "".join(reversed(marks))


def as_dict(derivation: Derivation) -> dict[str, Any]:
    """Plain data; the keys are part of the public API."""
    slots = {"slots": [asdict(slot) for slot in derivation.slots]} if derivation.slots else {}
    return {
        "words": list(derivation.words),
        "text": derivation.text,
        "error": asdict(derivation.error) if derivation.error else None,
        **slots,
        "steps": [_step_as_dict(step) for step in derivation.steps],
    }


def json_pieces(derivation: Derivation) -> Iterator[str]:
    """The JSON of `as_dict`, with one value in memory at a time: all of them can be quadratic in size."""
    head = json.dumps(as_dict(replace(derivation, steps=())), ensure_ascii=False)
    yield head.removesuffix("]}")
    for number, step in enumerate(derivation.steps):
        yield (", " if number else "") + json.dumps(_step_as_dict(step), ensure_ascii=False)
    yield "]}"


def _step_as_dict(step: Step) -> dict[str, Any]:
    return {
        "number": step.number,
        "span": " ".join(step.rule.span),
        "template": " ".join(step.rule.template),
        "node": step.node,
        "start": step.start,
        "stop": step.stop,
        "parts": list(step.parts),
        "reads": list(step.reads),
        "slot": step.slot,
        "learned": step.learned,
        "value": step.text,
    }
