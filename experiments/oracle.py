"""The method spelt out: one command at a time, one decision after the other.

The fast loop must give what this gives: the same steps, values, log-probabilities and gradients.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import torch
from torch import Tensor

from lane.models import symbols
from lane.models.model import LaneModel
from lane.models.template import expand

# Given the log-probabilities of the options, the number of the one to take.
Decide = Callable[[Tensor], int]


def best(log_probs: Tensor) -> int:
    """The most probable option, the first on a tie."""
    return int(log_probs.argmax())


@dataclass(frozen=True)
class Step:
    """A recognised SrcExp, its DstExp, and the slot of its value."""

    source: tuple[int, ...]  # words, and VARIABLE for each variable
    arguments: tuple[int, ...]  # the steps that its variables stand for
    template: tuple[int, ...]  # 1..P the variables, above P actions
    slot: int


@dataclass
class Derivation:
    """The whole derivation of one command."""

    steps: list[Step] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    longest: int = 0  # the length of its longest value, which a later rule may have deleted
    whole: bool = True  # the root's own check recognised it
    log_prob: Tensor = field(default_factory=lambda: torch.zeros([]))
    entropy: Tensor = field(default_factory=lambda: torch.zeros([]))


@dataclass(frozen=True)
class _Item:
    """A position of the sequence: a node of the tree over its leaves."""

    h: Tensor
    c: Tensor
    leaves: tuple[int, ...]
    slots: tuple[int, ...]


class Oracle:
    """Derives single commands with the networks of a model."""

    def __init__(self, model: LaneModel, decide: Decide = best) -> None:
        self.composer, self.solver = model.composer, model.solver
        self._choose = decide
        self._derivation = Derivation()

    def derive(self, words: Sequence[int]) -> Derivation:
        """The derivation of one command, given as word numbers."""
        derivation = self._derivation = Derivation()
        memory: dict[int, tuple[int, list[int]]] = {}  # slot -> (step, value)
        items = [self._leaf(word, ()) for word in words]
        for i, item in enumerate(items):
            fired = self._check(item)
            derivation.whole = fired or len(items) > 1
            if fired or len(items) == 1:
                items[i] = self._solved(item, memory)
        while len(items) > 1:
            items = self._merged(items, memory)
        derivation.whole = derivation.whole or not self.composer.recognizes
        (_, derivation.actions) = memory[items[0].slots[0]]
        return derivation

    def _merged(self, items: list[_Item], memory: dict[int, tuple[int, list[int]]]) -> list[_Item]:
        """One merge, one check, and the translation if the check fires."""
        parents = [self._parent(left, right) for left, right in pairwise(items)]
        scores = torch.stack([parent.h @ self.composer.query for parent in parents])
        at = self._decide(torch.log_softmax(scores, dim=0))
        node, is_root = parents[at], len(items) == 2
        variables = node.leaves.count(symbols.VARIABLE)
        if len(node.leaves) >= self.composer.span_limit or variables >= self.composer.variable_limit:
            fired = True
        else:
            fired = self._check(node)
        if is_root:
            self._derivation.whole = fired
        if fired or is_root:
            node = self._solved(node, memory)
        return [*items[:at], node, *items[at + 2 :]]

    def _decide(self, log_probs: Tensor) -> int:
        """Take one option, and add its log-probability and the entropy."""
        taken = self._choose(log_probs.detach())
        self._derivation.log_prob = self._derivation.log_prob + log_probs[taken]
        possible = log_probs[log_probs > symbols.IMPOSSIBLE / 2]
        self._derivation.entropy = self._derivation.entropy - (possible.exp() * possible).sum()
        return taken

    def _check(self, item: _Item) -> bool:
        if not self.composer.recognizes:
            return False
        logit = self.composer.check(item.h).squeeze(0)
        both = torch.stack([torch.nn.functional.logsigmoid(-logit), torch.nn.functional.logsigmoid(logit)])
        return self._decide(both) == 1

    def _leaf(self, number: int, slots: tuple[int, ...]) -> _Item:
        h, c = self.composer.leaf_vectors(self.composer.embedding.weight[number][None])
        return _Item(h[0], c[0], (number,), slots)

    def _parent(self, left: _Item, right: _Item) -> _Item:
        h, c = self.composer.merge(left.h[None], left.c[None], right.h[None], right.c[None])
        return _Item(h[0], c[0], left.leaves + right.leaves, left.slots + right.slots)

    def _solved(self, item: _Item, memory: dict[int, tuple[int, list[int]]]) -> _Item:
        """Translate, read the variables and free their slots, store the value; a variable is left."""
        template = self._translate(item.leaves)
        read = [memory.pop(slot) for slot in item.slots]
        value = expand(template, self.solver.variables, [value for _, value in read])
        self._derivation.longest = max(self._derivation.longest, len(value))
        slot = next(slot for slot in range(len(memory) + 1) if slot not in memory)
        memory[slot] = (len(self._derivation.steps), value)
        step = Step(item.leaves, tuple(number for number, _ in read), tuple(template), slot)
        self._derivation.steps.append(step)
        return self._leaf(symbols.VARIABLE, (slot,))

    def _translate(self, leaves: tuple[int, ...]) -> list[int]:
        """The Solver's DstExp of one span, token by token."""
        solver, variables = self.solver, self.solver.variables
        names = iter(range(variables))
        tokens = [next(names) if leaf == symbols.VARIABLE else variables - 1 + leaf for leaf in leaves]
        if solver.end_mark:
            tokens.append(len(solver.source.weight) - 1)
        outputs, h, c = solver.encode(torch.tensor([tokens]))
        present, template = set(range(1, leaves.count(symbols.VARIABLE) + 1)), list[int]()
        unused = set[int]() if solver.deleting else set(present)
        token = symbols.END
        while True:
            query = solver.attend_state(h) + solver.attend_memory(outputs[0])  # [W, D]
            weight = torch.softmax(solver.attend_score(torch.tanh(query)).squeeze(1), dim=0)
            context = weight @ outputs[0]
            embedded = solver.target.weight[token]
            h, c = solver.decoder(torch.cat([embedded, context])[None], (h, c))
            logits = solver.output(h[0] if solver.state_only else torch.cat([h[0], context]))
            token = self._decide(torch.log_softmax(self._masked(logits, template, present, unused), dim=0))
            if token == symbols.END:
                return template
            template.append(token)
            unused.discard(token)

    def _masked(self, logits: Tensor, template: list[int], present: set[int], unused: set[int]) -> Tensor:
        """Allowed are: END once something is there and no variable is unused; and, where more room is left
        than the unused variables need, the span's variables, else just the unused ones. Actions where a
        variable may stand that is not needed: any if the span has none, else those that may be constants.
        """
        room = self.solver.template_limit - len(template)
        allowed = set(present) if room > len(unused) else set(unused)
        if room > len(unused):
            actions = range(1 + self.solver.variables, self.solver.tokens)
            constant = self.solver.constant.tolist()
            allowed |= {token for token in actions if not present or constant[token - actions.start]}
        if template and not unused:
            allowed.add(symbols.END)
        forbidden = torch.tensor([token not in allowed for token in range(self.solver.tokens)])
        return logits.masked_fill(forbidden, symbols.IMPOSSIBLE)
