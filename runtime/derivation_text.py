"""Derivations as text, as a tree for the terminal, and as plain data."""

from dataclasses import asdict
from typing import Any

from lane.runtime.bounds import SOURCE_VARIABLES
from lane.runtime.derivation import Derivation, Step
from lane.runtime.substitution import flatten

MAX_SHOWN = 24  # actions of a value in views for people


def as_text(derivation: Derivation) -> str:
    """One line a step: its rule, where its variables come from, and the value stored."""
    lines = [" ".join(derivation.words)]
    left = [str(step.rule) + _bindings(step) for step in derivation.steps]
    width = min(max(map(len, left), default=0), 60)
    digits = len(str(len(left)))
    for step, text in zip(derivation.steps, left, strict=True):
        lines.append(f"  {step.number:>{digits}}. {text:<{width}}  ${step.slot} = {shorten(step)}")
    lines.append(_outcome(derivation))
    return "\n".join(lines)


def _bindings(step: Step) -> str:
    pairs = [f"{name} = ${slot}" for name, slot in zip(SOURCE_VARIABLES, step.reads, strict=False)]
    return f"  ({', '.join(pairs)})" if pairs else ""


def _outcome(derivation: Derivation) -> str:
    if derivation.error is not None:
        return f"  error: {derivation.error.message}"
    return f"  = {derivation.text}"


def shorten(step: Step, bound: int = MAX_SHOWN) -> str:
    """A value for people: its first actions, and how many there are in all."""
    actions: list[str] = []
    for piece in flatten(step.value):
        actions += str(piece).split(" ")
        if len(actions) > bound:
            return f"{' '.join(actions[:bound])} ... ({step.length} actions)"
    return " ".join(actions)


def as_tree(derivation: Derivation) -> str:
    """The steps under the step that uses their values; the last one is the root."""
    lines = [" ".join(derivation.words)]
    steps = derivation.steps
    used = {part for step in steps for part in step.parts}
    # A finished derivation has one root; one that ended early has several.
    stack = [(step, "", "") for step in reversed(steps) if step.number not in used]
    while stack:
        step, first, rest = stack.pop()
        value = f"   = {shorten(step, 8)}" if step.parts else ""  # else the rule says it already
        lines.append(f"{first}{step.rule}{value}")
        parts = [steps[number - 1] for number in step.parts]
        for place, part in reversed(list(enumerate(parts, start=1))):
            last = place == len(parts)
            stack.append((part, rest + ("└── " if last else "├── "), rest + ("    " if last else "│   ")))
    lines.append(_outcome(derivation))
    return "\n".join(lines)


def as_dict(derivation: Derivation) -> dict[str, Any]:
    """Plain data; the keys are part of the public API."""
    return {
        "words": list(derivation.words),
        "text": derivation.text,
        "error": asdict(derivation.error) if derivation.error else None,
        "steps": [
            {
                "number": step.number,
                "span": " ".join(step.rule.span),
                "template": " ".join(step.rule.template),
                "node": step.node,
                "start": step.start,
                "stop": step.stop,
                "parts": list(step.parts),
                "reads": list(step.reads),
                "slot": step.slot,
                "value": step.text,
            }
            for step in derivation.steps
        ],
    }
