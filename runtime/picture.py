"""Derivations as self-contained SVG pictures and HTML pages, for light and dark colour schemes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from lane.base.rule import VARIABLE
from lane.runtime.derivation import Derivation, Step
from lane.runtime.derivation_text import shorten

_CHARACTER = 7.83  # width in pixels in common monospace fonts of 13 px
_LINE = 18
_PAD = 10
_GAP_X, _GAP_Y = 18, 34
_MARGIN = 20
_WRAP = 40  # characters of a box's line
_MAX_VALUE = 40  # actions shown of a value
_MAX_LABEL = 1000  # characters shown of a rule or a value: tokens may be long too
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

STYLE = """
.lane { background: #ffffff; }
.lane text { font: 13px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1b1f24; }
.lane .command { font-weight: 600; }
.lane .value { fill: #0b5394; }
.lane .word { fill: #57606a; }
.lane .error { fill: #b42318; }
.lane rect { fill: #f6f8fa; stroke: #8c959f; }
.lane .root { fill: #e8f1fb; stroke: #0b5394; }
.lane path { fill: none; stroke: #8c959f; }
@media (prefers-color-scheme: dark) {
.lane { background: #0d1117; }
.lane text { fill: #e6edf3; }
.lane .value { fill: #79b8ff; }
.lane .word { fill: #9da7b3; }
.lane .error { fill: #ff8f85; }
.lane rect { fill: #1f242b; stroke: #6e7681; }
.lane .root { fill: #10263f; stroke: #79b8ff; }
.lane path { stroke: #6e7681; }
}
"""


@dataclass(slots=True, eq=False)
class _Box:
    """A step, or a literal word of a step's span."""

    lines: list[tuple[str, str]]
    """(class, text) from top to bottom."""
    parts: "list[_Box]"
    framed: bool
    width: float = 0.0
    spread: float = 0.0
    """Width of the subtree."""
    x: float = 0.0
    y: float = 0.0

    @property
    def height(self) -> float:
        return len(self.lines) * _LINE + (_PAD if self.framed else 0)


def as_svg(derivations: Sequence[Derivation], titled: bool = True) -> str:
    """One picture, the derivations below each other, each with its command as its title."""
    y = float(_MARGIN)
    width = 0.0
    body: list[str] = []
    for derivation in derivations:
        drawn, right, y = _draw(derivation, y, titled)
        body += drawn
        width = max(width, right)
    size = f'width="{width + _MARGIN:.0f}" height="{y:.0f}" viewBox="0 0 {width + _MARGIN:.0f} {y:.0f}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" class="lane" role="img" {size}>'
    return "\n".join([opening, f"<style>{STYLE}</style>", *body, "</svg>"]) + "\n"


def as_html(derivations: Sequence[Derivation]) -> str:
    """One page: for each command its picture and the table of its steps."""
    parts = [_PAGE_START]
    for derivation in derivations:
        parts += ["<section>", f"<h2>{_clean(' '.join(derivation.words))}</h2>"]
        parts += [as_svg([derivation], titled=False)]  # the heading is its title
        parts += ["<table>", "<tr><th>step</th><th>rule</th><th>memory</th><th>value</th></tr>"]
        parts += [_table_row(step) for step in derivation.steps]
        parts += ["</table>", "</section>"]
    return "\n".join([*parts, "</body>", "</html>"]) + "\n"


_PAGE_START = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Derivations</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
section { margin-bottom: 3rem; overflow-x: auto; }
table { border-collapse: collapse; font: 13px ui-monospace, Menlo, Consolas, monospace; }
th, td { border-bottom: 1px solid #8c959f; padding: .3rem .8rem; text-align: left; vertical-align: top; }
td:nth-child(3) { white-space: nowrap; }
</style>
</head>
<body>"""


def _table_row(step: Step) -> str:
    read = ", ".join(f"${slot}" for slot in step.reads)
    memory = f"{read} → ${step.slot}" if read else f"→ ${step.slot}"
    cells = (str(step.number), _rule(step), memory, _cut(shorten(step, _MAX_VALUE)))
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _draw(derivation: Derivation, y: float, titled: bool) -> tuple[list[str], float, float]:
    """The elements of one derivation from height `y`, its right edge and its lower edge."""
    elements: list[str] = []
    right = float(_MARGIN)
    if titled:
        command = wrap(" ".join(derivation.words), 100) or [""]
        for number, line in enumerate(command, start=1):
            elements.append(_text(_MARGIN, y + number * _LINE - 5, "command", line, False))
        y += len(command) * _LINE + 8
        right += max(map(len, command)) * (_CHARACTER + 0.6)  # bold is wider
    if derivation.error is not None:
        elements.append(_text(_MARGIN, y + _LINE - 5, "error", derivation.error.message, False))
        right = max(right, _MARGIN + len(derivation.error.message) * _CHARACTER)
        y += _LINE + 8
    boxes, roots = _boxes(derivation)
    x = float(_MARGIN)
    for root in roots:
        root.x, root.y = x, y
        x += root.spread + _GAP_X
    _place(boxes)
    for box in boxes:
        elements += _elements(box, box in roots)
    bottom = max((box.y + box.height for box in boxes), default=y)
    return elements, max(right, x - _GAP_X), bottom + _MARGIN


def _boxes(derivation: Derivation) -> tuple[list[_Box], list[_Box]]:
    """All boxes, children before parents; and the roots."""
    boxes: list[_Box] = []
    of_step: list[_Box] = []
    for step in derivation.steps:
        steps = iter([of_step[number - 1] for number in step.parts])
        # A rule of one word needs no child; in longer spans the literal words are children too.
        names = step.rule.span if len(step.rule.span) > 1 else ()
        parts = [next(steps) if name[0] == VARIABLE else _word(name) for name in names]
        boxes += [part for part in parts if not part.framed]
        box = _measured(_Box(_labels(step), parts, True))
        boxes.append(box)
        of_step.append(box)
    used = {part for step in derivation.steps for part in step.parts}
    return boxes, [box for number, box in enumerate(of_step, start=1) if number not in used]


def _labels(step: Step) -> list[tuple[str, str]]:
    labels = [("rule", line) for line in wrap(_rule(step), _WRAP, break_long_words=False)]
    if len(step.rule.span) > 1 or step.is_filled:
        value = wrap(_cut(shorten(step, _MAX_VALUE)), _WRAP, break_long_words=False)
        labels += [("value", line) for line in value]
    return labels


def _rule(step: Step) -> str:
    return _cut(str(step.rule).replace("->", "→", 1))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_LABEL else text[:_MAX_LABEL] + "..."


def _word(word: str) -> _Box:
    return _measured(_Box([("word", word)], [], False))


def _measured(box: _Box) -> _Box:
    box.width = max(len(text) for _, text in box.lines) * _CHARACTER + (2 * _PAD if box.framed else 0)
    below = sum(part.spread for part in box.parts) + _GAP_X * (len(box.parts) - 1)
    box.spread = max(box.width, below)
    return box


def _place(boxes: Iterable[_Box]) -> None:
    """Place boxes from the roots down; `x` is the left edge of the subtree until the box is centred."""
    for box in reversed(list(boxes)):
        below = sum(part.spread for part in box.parts) + _GAP_X * (len(box.parts) - 1)
        x = box.x + (box.spread - below) / 2
        for part in box.parts:
            part.x, part.y = x, box.y + box.height + _GAP_Y
            x += part.spread + _GAP_X
        box.x += (box.spread - box.width) / 2


def _elements(box: _Box, is_root: bool) -> list[str]:
    middle = box.x + box.width / 2
    elements = []
    for part in box.parts:
        top, bottom, to = box.y + box.height, part.y, part.x + part.width / 2
        bend = (top + bottom) / 2
        curve = f"M{middle:.1f} {top:.1f}C{middle:.1f} {bend:.1f} {to:.1f} {bend:.1f} {to:.1f} {bottom:.1f}"
        elements.append(f'<path d="{curve}"/>')
    if box.framed:
        kind = ' class="root"' if is_root else ""
        size = f'width="{box.width:.1f}" height="{box.height:.1f}"'
        elements.append(f'<rect{kind} x="{box.x:.1f}" y="{box.y:.1f}" {size} rx="6"/>')
    top = box.y + (_PAD / 2 if box.framed else 0)
    for number, (kind, text) in enumerate(box.lines, start=1):
        elements.append(_text(middle, top + number * _LINE - 5, kind, text, True))
    return elements


def _text(x: float, y: float, kind: str, text: str, centred: bool) -> str:
    anchor = ' text-anchor="middle"' if centred else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"{anchor}>{_clean(text)}</text>'


def _clean(text: str) -> str:
    """Escaped for XML, which forbids control characters; unknown words may hold them."""
    return escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))
