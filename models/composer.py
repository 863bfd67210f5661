"""The Composer: a Tree-LSTM that finds the expressions it recognises, for a batch of commands at once.

A node's vector, merge score and check depend on its own subtree alone. So nodes are hash-consed: every
distinct pair of children is evaluated once for the whole batch, whatever the number of derivations.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from lane.models import memory as mem
from lane.models import sequence as seq
from lane.models import symbols
from lane.models.config import ModelConfig
from lane.models.nodes import Nodes, distinct_rows, joined, place_pairs
from lane.models.sampling import choose, fires


class Derivations(NamedTuple):
    """The decisions of the Composer for B commands of at most L words, in R = L - 1 rounds.

    Step i < L translates word i; step L + r translates what round r merged; S = L + R.
    """

    nodes: Nodes
    node: Tensor  # [B, S] the node that step s translates, NONE where the step was not taken
    arguments: Tensor  # [B, S, P] the steps whose values its variables have, NONE after the last
    slot: Tensor  # [B, S] the Memory slot its value went to, NONE where the step was not taken
    root: Tensor  # [B] the last step: its value is the output
    merged: Tensor  # [B, R] the node that round r made, NONE where the row had ended
    decided: Tensor  # [B, S] the check decided here, not the limits
    fired: Tensor  # [B, S] the check said "recognisable"
    whole: Tensor  # [B] the check recognised the root, which is translated in any case
    # Only where choices are drawn or to be recorded, else empty:
    candidates: Tensor  # [B, R, R] nodes that round r could make, NONE where there is no pair
    choice: Tensor  # [B, R] which of them it made


class Composer(nn.Module):
    """Leaf transform, binary Tree-LSTM cell, merge score and check (section 3.2 of the paper)."""

    def __init__(self, words: int, config: ModelConfig) -> None:
        super().__init__()
        self.words = words
        self.recognizes = config.composer
        self.span_limit = config.span_limit
        self.variable_limit = config.variable_limit
        self.max_span = config.max_span
        self.max_variables = config.max_variables
        self.bounded = config.bounded
        self.embedding = nn.Embedding(words + 1, config.embedding)  # row 0: the key vector of a variable
        self.leaf = nn.Linear(config.embedding, 2 * config.hidden)
        self.parent = nn.Linear(2 * config.hidden, 5 * config.hidden)
        self.query = nn.Parameter(torch.empty(config.hidden))
        self.check = nn.Linear(config.hidden, 1)
        nn.init.normal_(self.query, std=config.hidden**-0.5)
        if config.orthogonal:
            self._begin_even()

    def _begin_even(self) -> None:
        """Weights that keep lengths, forget gates that are open, and all merges nearly equally likely."""
        for layer in (self.leaf, self.parent):
            nn.init.orthogonal_(layer.weight)
            nn.init.zeros_(layer.bias)
        size = self.query.size(0)
        nn.init.ones_(self.parent.bias[size : 3 * size])
        nn.init.normal_(self.query, std=0.01)

    def leaf_vectors(self, embedded: Tensor) -> tuple[Tensor, Tensor]:
        """(h, c) = W_leaf Emb(w) + b_leaf, bounded if the config asks for it.  # [N, E] -> [N, D] each"""
        made = self.leaf(embedded)
        if self.bounded:
            made = torch.tanh(made)
        h, c = made.chunk(2, dim=1)
        return h, c

    def merge(self, h_l: Tensor, c_l: Tensor, h_r: Tensor, c_r: Tensor) -> tuple[Tensor, Tensor]:
        """The parent of two nodes: c = f_l*c_l + f_r*c_r + e*g, h = o*tanh(c).  # [N, D] each

        Where the config asks for bounds, the next parent reads tanh(c) too, as in the published code.
        """
        o, f_l, f_r, e, g = self.parent(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
        c = f_l.sigmoid() * c_l + f_r.sigmoid() * c_r + e.sigmoid() * g.tanh()
        bounded = c.tanh()
        return o.sigmoid() * bounded, bounded if self.bounded else c

    def score(self, h: Tensor) -> Tensor:
        """The merge score <q, h>.  # [N, D] -> [N]"""
        return (h @ self.query.unsqueeze(1))[:, 0]

    def leaf_nodes(self) -> Nodes:
        """The variable and all words."""
        h, c = self.leaf_vectors(self.embedding.weight)
        number = torch.arange(self.words + 1, device=h.device)
        none = torch.full(
            [self.words + 1, self.max_span - 1], symbols.NONE, dtype=torch.int64, device=h.device
        )
        return Nodes(
            total=self.words + 1,
            h=h,
            c=c,
            score=self.score(h),
            check=self.check(h)[:, 0],
            pair=number[:0],
            leaves=torch.cat([number.unsqueeze(1), none], dim=1),
            size=torch.ones_like(number),
            variables=(number == symbols.VARIABLE).to(torch.int64),
        )

    def parents(self, nodes: Nodes, left: Tensor, right: Tensor) -> tuple[Nodes, Tensor]:
        """The parent of each pair; new pairs are evaluated, each once.  # [M], [M] -> [M]"""
        number, fresh = place_pairs(nodes, self.words + 1, left * symbols.PAIR + right)
        return self.grown(nodes, fresh), number

    def grown(self, nodes: Nodes, fresh: Tensor) -> Nodes:
        """The nodes and the parents of the `fresh` pairs."""
        left, right = torch.div(fresh, symbols.PAIR, rounding_mode="floor"), fresh % symbols.PAIR
        h, c = self.merge(nodes.h[left], nodes.c[left], nodes.h[right], nodes.c[right])
        return Nodes(
            total=nodes.total + fresh.size(0),
            h=torch.cat([nodes.h, h]),
            c=torch.cat([nodes.c, c]),
            score=torch.cat([nodes.score, self.score(h)]),
            check=torch.cat([nodes.check, self.check(h)[:, 0]]),
            pair=torch.cat([nodes.pair, fresh]),
            leaves=torch.cat([nodes.leaves, joined(nodes.leaves[left], nodes.leaves[right])]),
            size=torch.cat([nodes.size, nodes.size[left] + nodes.size[right]]),
            variables=torch.cat([nodes.variables, nodes.variables[left] + nodes.variables[right]]),
        )

    def distinct_shapes(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """One row for each distinct shape of `words`, and the shape of every row.  # [B, L] -> [U], [B]

        The shape is what the merges see of a command: a word that is recognised alone is a variable.
        """
        present = words > 0
        variable = torch.full_like(words, symbols.VARIABLE)
        item = torch.where(self._fires(self.leaf_nodes().check[words], None), variable, words)
        item = torch.where(present, item, torch.full_like(words, symbols.NONE))
        return distinct_rows(item)

    def compose(
        self,
        words: Tensor,
        temperature: Tensor | None,
        recorded: bool = False,
        plan: Tensor | None = None,
    ) -> Derivations:
        """Derive every command of `words` [B, L]: rows are padded with 0, no row is empty.

        Without a temperature the best choice is taken, the leftmost on a tie; with one per row [B],
        choices are drawn from the distribution at that temperature. The alternatives
        of each choice are kept where choices are drawn, or if `recorded` is set.

        A `plan` [B, L, L] says of the span from word i to word j (see symbols.FREE) what the derivation must
        do with it; the order of the merges is left to the network.
        """
        width, keeps = words.size(1), recorded or temperature is not None
        nodes = self.leaf_nodes()
        present = words > 0
        head = torch.arange(width, device=words.device).expand_as(words)  # the first word of each item
        tail = head  # and the last
        fired = [present & _planned(self._fires(nodes.check[words], temperature), plan, head, tail)]
        decided = [present & torch.full_like(present, int(self.recognizes))]
        # The root is always translated; `whole` remembers whether its check fired.
        alone = present.sum(dim=1) == 1
        whole = ~alone | fired[0][:, 0]
        recognized = fired[0] | (present & alone.unsqueeze(1))
        rows = seq.start(words, recognized, self.max_variables)
        root = torch.zeros_like(rows.remaining)
        step_node = [torch.where(recognized, words, torch.full_like(words, symbols.NONE))]
        step_arguments = [torch.full_like(rows.held, symbols.NONE)]
        step_slot = [rows.held[:, :, 0]]
        merged = [step_node[0][:, :0]]
        candidates = [torch.empty([words.size(0), 0, width - 1], dtype=torch.int64, device=words.device)]
        choices = [step_node[0][:, :0]]

        nodes, candidate = self._first_candidates(nodes, rows)
        for r in range(width - 1):
            alive = rows.remaining > 1
            allowed = _allowed(candidate, plan, head[:, :-1], tail[:, 1:])
            at = choose(nodes.score, allowed, temperature)  # [B]
            node = candidate.gather(1, at.unsqueeze(1))[:, 0]
            free = self._check_is_free(nodes, node)
            fire = self._fires(nodes.check[node.clamp(min=0)], temperature)
            start, end = head.gather(1, at.unsqueeze(1)), tail.gather(1, at.unsqueeze(1) + 1)
            fire = alive & (_planned(fire.unsqueeze(1), plan, start, end)[:, 0] | ~free)
            last = rows.remaining == 2
            known = fire | last
            whole = whole & (fire | ~last)
            merged.append(node.unsqueeze(1))
            decided.append(free.unsqueeze(1) & decided[0][:, :1])
            fired.append(fire.unsqueeze(1))
            if keeps:
                candidates.append(
                    nn.functional.pad(candidate, [0, r], value=float(symbols.NONE)).unsqueeze(1)
                )
                choices.append(at.unsqueeze(1))

            # A recognised expression reads its variables, frees their slots and takes the lowest free one.
            slots = seq.slots_of_pair(rows, at)
            none = torch.full_like(slots, symbols.NONE)
            arguments = torch.where(known.unsqueeze(1), mem.read(rows.memory, slots), none)
            memory = mem.release(rows.memory, slots, known)
            slot = mem.allocate(memory)
            memory = mem.write(memory, slot, torch.full_like(slot, width + r), known)
            step_node.append(torch.where(known, node, torch.full_like(node, symbols.NONE)).unsqueeze(1))
            step_arguments.append(arguments.unsqueeze(1))
            step_slot.append(torch.where(known, slot, torch.full_like(slot, symbols.NONE)).unsqueeze(1))
            root = torch.where(known, torch.full_like(root, width + r), root)

            node = torch.where(known, torch.full_like(node, symbols.VARIABLE), node)
            alone = torch.cat([slot.unsqueeze(1), none[:, 1:]], dim=1)
            rows = seq.Sequences(rows.item, rows.held, rows.remaining, memory)
            rows = seq.replace_pair(rows, at, node, torch.where(known.unsqueeze(1), alone, slots), alive)
            head, tail = seq.drop_candidate(head, at + 1, alive), seq.drop_candidate(tail, at, alive)
            if r + 2 < width:
                nodes, candidate = self._next_candidates(nodes, rows, candidate, at, alive)
        return Derivations(
            nodes=nodes,
            node=torch.cat(step_node, dim=1),
            arguments=torch.cat(step_arguments, dim=1),
            slot=torch.cat(step_slot, dim=1),
            root=root,
            merged=torch.cat(merged, dim=1),
            decided=torch.cat(decided, dim=1),
            fired=torch.cat(fired, dim=1),
            whole=whole | torch.full_like(whole, int(not self.recognizes)),
            candidates=torch.cat(candidates, dim=1),
            choice=torch.cat(choices, dim=1),
        )

    def _fires(self, logit: Tensor, temperature: Tensor | None) -> Tensor:
        """The check, if there is one."""
        if not self.recognizes:
            return torch.zeros_like(logit, dtype=torch.bool)
        return fires(logit, temperature)

    def _check_is_free(self, nodes: Nodes, node: Tensor) -> Tensor:
        """Whether the limits leave the check of this node to the network.  # [B] -> [B]"""
        small = nodes.size[node.clamp(min=0)] < self.span_limit
        return small & (nodes.variables[node.clamp(min=0)] < self.variable_limit) & (node != symbols.NONE)

    def _first_candidates(self, nodes: Nodes, rows: seq.Sequences) -> tuple[Nodes, Tensor]:
        """All neighbouring pairs of the sequences.  # -> [B, L - 1]"""
        left, right = rows.item[:, :-1], rows.item[:, 1:]
        position = torch.arange(left.size(1), device=left.device)
        there = position.unsqueeze(0) < rows.remaining.unsqueeze(1) - 1
        nodes, number = self.parents(nodes, left[there], right[there])
        return nodes, torch.full_like(left, symbols.NONE).masked_scatter(there, number)

    def _next_candidates(
        self, nodes: Nodes, rows: seq.Sequences, candidate: Tensor, at: Tensor, alive: Tensor
    ) -> tuple[Nodes, Tensor]:
        """Candidates after the merge at `at`: only the pairs on either side of it are new."""
        candidate = seq.drop_candidate(candidate, at, alive)  # [B, W - 1], for W items
        at = at.unsqueeze(1)
        left_at = torch.cat([at - 1, at], dim=1)  # [B, 2] the pairs before and after
        there = (left_at >= 0) & (left_at + 1 < rows.remaining.unsqueeze(1)) & alive.unsqueeze(1)
        left = rows.item.gather(1, left_at.clamp(min=0))
        right = rows.item.gather(1, (left_at + 1).clamp(max=rows.item.size(1) - 1))
        nodes, number = self.parents(nodes, left[there], right[there])
        # An extra column takes the writes that are not wanted.
        place = torch.where(there, left_at, torch.full_like(left_at, candidate.size(1)))
        new = torch.full_like(left, symbols.NONE).masked_scatter(there, number)
        candidate = nn.functional.pad(candidate, [0, 1], value=float(symbols.NONE)).scatter(1, place, new)[
            :, :-1
        ]
        # A row with one item left has no pair; its old candidate must not linger.
        return nodes, torch.where(
            (rows.remaining > 1).unsqueeze(1), candidate, torch.full_like(candidate, symbols.NONE)
        )


def _planned(fire: Tensor, plan: Tensor | None, start: Tensor, end: Tensor) -> Tensor:
    """The decisions of checks of some spans, where no plan makes them.  # [B, W] all"""
    if plan is None:
        return fire
    said = plan.flatten(1).gather(1, start * plan.size(1) + end)
    return torch.where(said == symbols.FREE, fire, said == symbols.RECOGNIZED)


def _allowed(candidate: Tensor, plan: Tensor | None, start: Tensor, end: Tensor) -> Tensor:
    """The candidates that the plan allows; all of them where it allows none.  # [B, W] all"""
    if plan is None:
        return candidate
    said = plan.flatten(1).gather(1, start * plan.size(1) + end)
    allowed = candidate.masked_fill(said == symbols.APART, symbols.NONE)
    any_left = (allowed != symbols.NONE).any(dim=1, keepdim=True)
    return torch.where(any_left, allowed, candidate)
