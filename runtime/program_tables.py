"""A program's tables as the loop uses them: nodes are numbered, and validated on the way.

Node 0 is the variable `$`, then come the unrecognised words in order, then the rows of the node table.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lane.base.rule import VARIABLE, Rule
from lane.runtime.bounds import (
    ERROR_MARK,
    MAX_NODES,
    MAX_OUTPUT_BYTES,
    MAX_RULES,
    MAX_TOKEN_LENGTH,
    MAX_TOKENS,
    MAX_USES,
    SOURCE_VARIABLES,
    TARGET_VARIABLES,
    Limits,
    most_output,
)
from lane.runtime.errors import ProgramError
from lane.runtime.kind import check_kinds
from lane.runtime.spoken import check_spoken

if TYPE_CHECKING:
    from lane.runtime.program import Program, Tree


# Spelled out, since the Unicode tables of languages and their versions differ.
_FORBIDDEN = re.compile("[\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]")


class Template(NamedTuple):
    """A rule's right side, ready for substitution."""

    pieces: tuple[int | str, ...]
    """A variable's number, or a run of constant actions joined by spaces."""
    constants: int
    """How many constant actions."""
    counts: tuple[int, ...]
    """How often each variable of the span is used."""


@dataclass(frozen=True, slots=True)
class Tables:
    """What the greedy loop looks up; read-only, so any number of threads may share it."""

    limits: Limits
    leaf_of: dict[str, int]
    """Word -> its leaf: 0 if recognised (it becomes a variable at once), its own node otherwise."""
    value_of: dict[str, tuple[str, ...]]
    """Recognised word -> its actions."""
    stride: int
    """The pair (left, right) has the key left * stride + right."""
    pairs: dict[int, tuple[int, int]]
    """Key of a pair -> (priority, 0 is the first to merge; node)."""
    recognized: list[bool]
    """By node."""
    spans: list[tuple[str, ...]]
    """By node: its leaves, every variable as `$`."""
    rule_of: "dict[tuple[str, ...], Rule]"
    """By span, every variable as `$`."""
    kind_of: dict[tuple[str, ...], int]
    """The kind of each learned rule, by span as above; empty if the program cannot refuse."""
    templates: dict[int, Template | None] = field(default_factory=dict)
    """By node, compiled on first use: most spans of a large table never occur."""

    @classmethod
    def compile(cls, program: "Program") -> "Tables":
        """Check a program against every rule of the format, and number its nodes."""
        program.limits.check()
        words = [word for word, _ in program.words]
        _check_tokens("words", words)
        _check_tokens("actions", program.actions)
        if most_output(program.limits.max_actions, program.actions) > MAX_OUTPUT_BYTES:
            raise ProgramError(
                "limits.max_actions",
                f"allows outputs of more than {MAX_OUTPUT_BYTES} bytes: lower it, or shorten the actions",
            )
        rule_of = _check_rules(program, set(words))
        _check_one_word_rules(program, rule_of)
        check_spoken(program.schemes, dict(program.words), program.actions, program.rules, program.kinds)
        leaf_of, leaves = _leaves(program)
        spans: list[tuple[str, ...]] = [(leaf,) for leaf in leaves]
        stride = len(leaves) + len(program.nodes)
        tables = cls(
            limits=program.limits,
            leaf_of=leaf_of,
            value_of={word: rule_of[word,].template for word, known in program.words if known},
            stride=stride,
            pairs={},
            recognized=[False] * len(leaves),
            spans=spans,
            rule_of=rule_of,
            kind_of=check_kinds(program.kinds or (), rule_of),
        )
        tables._number_nodes(program, {leaf: number for number, leaf in enumerate(leaves)})
        met = set(spans)
        for place, span in enumerate(rule_of):
            if len(span) > 1 and span not in met:
                raise ProgramError(f"rules[{place}]", f"no node has the span {' '.join(span)!r}")
        return tables

    def _number_nodes(self, program: "Program", ids: "dict[Tree, int]") -> None:
        """Fill `pairs`, `recognized` and `spans`, row by row: nodes refer to earlier rows only."""
        if len(program.nodes) > MAX_NODES:
            raise ProgramError("nodes", f"holds more than {MAX_NODES}")
        limits, stride, spans, recognized = self.limits, self.stride, self.spans, self.recognized
        top = _check_ranks([node.rank for node in program.nodes])
        previous = (0, 0, 0)
        for place, (left, right, rank, known) in enumerate(program.nodes):
            try:
                first, second = ids[left], ids[right]
            except KeyError as error:
                problem = f"{_show(error.args[0])} is neither a leaf nor an earlier unrecognised node"
                raise ProgramError(f"nodes[{place}]", problem) from None
            span = spans[first] + spans[second]
            order = (len(span), first, second)
            if order <= previous:
                raise ProgramError(f"nodes[{place}]", "is out of order or repeated")
            previous = order
            if len(span) > limits.max_span or span.count(VARIABLE) > limits.max_variables:
                raise ProgramError(f"nodes[{place}]", "is larger than max_span or max_variables allow")
            if known and span not in self.rule_of:
                raise ProgramError(f"nodes[{place}]", f"is recognised, but {' '.join(span)!r} has no rule")
            self.pairs[first * stride + second] = (top - rank, len(spans))
            if not known:
                ids[left, right] = len(spans)
            spans.append(span)
            recognized.append(known)

    def template(self, node: int) -> Template | None:
        """The template of a node's span; None where the program holds no rule for it."""
        try:
            return self.templates[node]
        except KeyError:
            rule = self.rule_of.get(self.spans[node])
            # Two threads may both compile it, with equal results.
            return self.templates.setdefault(node, rule and _compile_template(rule))


def _leaves(program: "Program") -> tuple[dict[str, int], list[str]]:
    leaf_of: dict[str, int] = {}
    leaves = [VARIABLE]
    for word, known in program.words:
        if known:
            leaf_of[word] = 0
        else:
            leaf_of[word] = len(leaves)
            leaves.append(word)
    return leaf_of, leaves


def _check_tokens(place: str, tokens: Sequence[str]) -> None:
    """Words and actions: sorted, distinct, printable, and never mistaken for a variable or an error."""
    if len(tokens) > MAX_TOKENS:
        raise ProgramError(place, f"holds more than {MAX_TOKENS}")
    previous = ""
    for number, token in enumerate(tokens):
        here = f"{place}[{number}]"
        if not 0 < len(token) <= MAX_TOKEN_LENGTH:
            raise ProgramError(here, f"is empty or longer than {MAX_TOKEN_LENGTH} characters")
        if _FORBIDDEN.search(token):
            raise ProgramError(here, f"{token!r} holds white space or a control character")
        if token.startswith((VARIABLE, ERROR_MARK)):
            raise ProgramError(here, f"{token!r} begins like a variable or an error")
        if token <= previous:
            raise ProgramError(here, f"{token!r} is out of order or repeated")
        previous = token


def _check_rules(program: "Program", words: set[str]) -> "dict[tuple[str, ...], Rule]":
    """Each rule by its span with every variable as `$`."""
    if len(program.rules) > MAX_RULES:
        raise ProgramError("rules", f"holds more than {MAX_RULES}")
    limits, actions = program.limits, set(program.actions)
    targets = [actions.union(TARGET_VARIABLES[:count]) for count in range(limits.max_variables + 1)]
    rule_of: dict[tuple[str, ...], Rule] = {}
    previous: tuple[int, tuple[str, ...]] = (0, ())
    for place, rule in enumerate(program.rules):
        here = f"rules[{place}]"
        span, template, uses = rule
        if not 0 < len(span) <= limits.max_span or not 0 < len(template) <= limits.max_template:
            raise ProgramError(here, "a side is empty, or longer than max_span or max_template allow")
        if (len(span), span) <= previous:
            raise ProgramError(here, "is out of order or repeated")
        previous = (len(span), span)
        plain = tuple([token if token in words else VARIABLE for token in span])
        count = plain.count(VARIABLE)
        variables = tuple([token for token in span if token not in words])
        if variables != SOURCE_VARIABLES[:count] or count > limits.max_variables or plain == (VARIABLE,):
            raise ProgramError(here, f"{' '.join(span)!r} holds a wrong variable or an unknown word")
        if not targets[count].issuperset(template):
            raise ProgramError(here, f"{' '.join(template)!r} holds a wrong variable or an unknown action")
        if not 0 <= uses <= MAX_USES:
            raise ProgramError(here, f"uses is not a whole number from 0 to {MAX_USES}")
        rule_of[plain] = rule
    return rule_of


def _check_one_word_rules(program: "Program", rule_of: "dict[tuple[str, ...], Rule]") -> None:
    if not program.words:
        raise ProgramError("words", "the vocabulary is empty")
    for place, (word, known) in enumerate(program.words):
        if (known or program.complete) and (word,) not in rule_of:
            raise ProgramError(f"words[{place}]", f"{word!r} has no rule of its own")


def _check_ranks(ranks: list[int]) -> int:
    """Ranks must be 0, 1, ... without a gap, so that equal orders have equal files; returns the highest."""
    distinct = set(ranks)
    if distinct and (min(distinct) != 0 or max(distinct) != len(distinct) - 1):
        raise ProgramError("nodes", "the ranks are not 0, 1, ... without a gap")
    return len(distinct) - 1


def _compile_template(rule: "Rule") -> Template:
    pieces: list[int | str] = []
    for token in rule.template:
        if token[0] == VARIABLE:
            pieces.append(TARGET_VARIABLES.index(token))
        elif pieces and isinstance(pieces[-1], str):
            pieces[-1] += " " + token
        else:
            pieces.append(token)
    counts = [rule.template.count(name) for name in TARGET_VARIABLES]
    constants = len(rule.template) - sum(counts)
    return Template(
        tuple(pieces), constants, tuple(counts[: sum(token[0] == VARIABLE for token in rule.span)])
    )


def _show(tree: "Tree") -> str:
    return tree if isinstance(tree, str) else f"({' '.join(_show(part) for part in tree)})"
