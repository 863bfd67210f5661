"""The teacher: shows explorers derivations by rules that were read off the pairs.

It tells the Composer which spans belong together (the order of the merges stays the Composer's), and the
Solver what the spans are translated to. What it shows counts as any explorer does: only where it is better
than what the policy draws.
"""

import torch
from torch import Tensor

from lane.models import symbols
from lane.models.config import ModelConfig
from lane.trainer.dataset import Dataset
from lane.trainer.induction import Induced
from lane.trainer.induction.chart import Part
from lane.trainer.induction.reading import Reading
from lane.trainer.induction.ruleset import Left, Right, groups, split
from lane.trainer.induction.shape import shape_of
from lane.trainer.induction.text import actions_of

Spans = dict[tuple[int, int], int]  # what the plan says of the spans of a shape, by first and last word


class Teacher:
    """Plans for the examples of a data set, and right sides for the spans of a batch."""

    def __init__(self, dataset: Dataset, induced: Induced, config: ModelConfig) -> None:
        self.dataset, self.config = dataset, config
        limits = config.span_limit, config.variable_limit
        rules = {
            left: right
            for left, right in induced.rules.items()
            if split(left, *limits) is not None and self._fits(right, left)
        }
        self.reading = Reading(dataset, induced.lexicon, rules)
        self._plans: dict[Left, Spans | None] = {}
        # The right sides as the Solver writes them: variables from 1 on, then the actions.
        self._templates: dict[tuple[int, ...], list[int]] = {}
        for left, right in rules.items():
            self._templates[left] = [t if t > 0 else config.max_variables - t for t in right]
        known = dataset.known().items()
        words = {command[0]: gold for command, gold in known if len(command) == 1}
        words |= {word: actions_of(text) for word, text in induced.lexicon.items()}
        for word, actions in words.items():
            if len(actions) <= config.template_limit:
                self._templates[(word,)] = [config.max_variables + action for action in actions]

    def _fits(self, right: Right, left: Left) -> bool:
        """Whether the Solver may write this right side."""
        constants = self.config.constants
        held = {-token for token in right if token < 0} if symbols.VARIABLE in left else set()
        allowed = constants if isinstance(constants, bool) else held <= set(constants)
        return len(right) <= self.config.template_limit and (not held or allowed)

    def plans(self, index: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """Plans of some examples, and for which there is one.  # [B] -> [B, L, L], bool [B]"""
        plan = torch.zeros([len(index), width, width], dtype=torch.int64)
        known = torch.zeros([len(index)], dtype=torch.bool)
        for row, number in enumerate(index.tolist()):
            spans = self._spans(shape_of(self.reading.commands[number], self.reading.lexicon))
            if spans is None:
                continue
            known[row] = True
            plan[row] = symbols.APART
            places = torch.tensor([[i, j, said] for (i, j), said in spans.items()])
            plan[row, places[:, 0], places[:, 1]] = places[:, 2]
        return plan, known

    def templates(self, spans: Tensor, longest: int) -> Tensor:
        """The right sides of spans, NONE where it knows none.  # [S, max_span] -> [S, longest + 1]"""
        rows = torch.full([spans.size(0), longest + 1], symbols.NONE)
        for row, leaves in enumerate(spans.tolist()):
            template = self._templates.get(tuple(leaf for leaf in leaves if leaf != symbols.NONE))
            if template is not None and len(template) <= longest:
                rows[row] = symbols.END
                rows[row, : len(template)] = torch.tensor(template)
        return rows

    def _spans(self, tokens: Left) -> Spans | None:
        """The plan of a shape: all derivations that the rules give it, laid over each other."""
        if tokens not in self._plans:
            words: Spans = {
                (n, n): symbols.RECOGNIZED if token == symbols.VARIABLE else symbols.JOINED
                for n, token in enumerate(tokens)
            }
            self._plans[tokens] = words if len(tokens) == 1 else self._laid_over(tokens, words)
        return self._plans[tokens]

    def _laid_over(self, tokens: Left, spans: Spans) -> Spans | None:
        """The spans of every derivation of a shape."""
        parts = self.reading.parts(tokens)
        if parts is None:
            return None
        for part, left, arguments in parts:
            _note(spans, part.start, part.end, symbols.RECOGNIZED)
            for start, end in self._joined(left, part.start, arguments):
                _note(spans, start, end, symbols.JOINED)
        return spans

    def _joined(self, left: Left, start: int, arguments: tuple[Part, ...]) -> list[tuple[int, int]]:
        """The spans inside an expression that are merged on the way and not recognised."""
        parts = iter(arguments)
        items: list[tuple[int, int]] = []
        for token in left:
            begin = items[-1][1] if items else start
            end = next(parts).end if token == symbols.VARIABLE else begin + 1
            items.append((begin, end))
        within = groups(left, self.config.span_limit, self.config.variable_limit)
        return [(items[i][0], items[j - 1][1]) for i, j in within]


def _note(spans: Spans, start: int, end: int, said: int) -> None:
    """Where derivations differ about a span, the network decides."""
    key = start, end - 1
    spans[key] = said if spans.get(key, said) == said else symbols.FREE
