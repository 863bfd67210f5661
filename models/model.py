"""LAnE as one module: Composer, Solver and Memory, and the loop that joins them."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from lane.models import memory as mem
from lane.models import symbols
from lane.models.composer import Composer, Derivations
from lane.models.config import ModelConfig
from lane.models.nodes import distinct_rows, distinct_spans
from lane.models.solver import Solver, Translations


class Rollout(NamedTuple):
    """Whole derivations of a batch: its trees, their translations, and the outputs."""

    derivations: Derivations
    translations: Translations
    solution: Tensor  # [B, S] which translation each step has, NONE where the step was not taken
    arguments: Tensor  # [B, S, P] as in Derivations, by the names that the translation has for its variables
    values: mem.Values


class Greedy(NamedTuple):
    """Greedy translations of a batch, and the steps that led there."""

    values: mem.Values  # the actions concatenated
    spans: Tensor  # [O, max_span] the distinct spans
    solution: Tensor  # [B, S] which of them each step has, NONE where the step was not taken
    arguments: Tensor  # [B, S, P] as in Derivations
    root: Tensor  # [B]


class LaneModel(nn.Module):
    """Translates batches of word numbers into action numbers, greedily or by sampling."""

    def __init__(self, words: int, actions: int, config: ModelConfig) -> None:
        super().__init__()
        self.max_actions = config.max_actions
        self.composer = Composer(words, config)
        self.solver = Solver(words, actions, config)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Greedy translation.  # [B, L] -> actions [B, longest], length [B], status [B]"""
        values = self.translate(words).values
        return mem.padded(values.actions, values.length), values.length, values.status

    @torch.jit.export
    def translate(self, words: Tensor) -> Greedy:
        """Greedy translation, the outputs concatenated.  # [B, L] -> Greedy with actions [total]

        Commands of one shape (equal but for the words that are recognised alone) have one derivation, so
        each distinct shape is composed once and each distinct expression solved once.
        """
        width = words.size(1)
        example, shape = self.composer.distinct_shapes(words)
        derivations = self.composer.compose(words[example], None)
        node = derivations.node[shape]  # [B, S]
        of_words, of_rounds = node[:, :width], node[:, width:]
        node = torch.cat([torch.where(of_words == symbols.NONE, of_words, words), of_rounds], dim=1)
        spans, solution = distinct_spans(derivations.nodes, node)
        each = torch.arange(spans.size(0), device=spans.device)
        translations = self.solver.solve(spans, each, None, self.solver.template_limit)
        arguments, root = derivations.arguments[shape], derivations.root[shape]
        template = translations.template
        values = mem.expand_flat(template, solution, arguments, root, width, self.max_actions)
        return Greedy(values, spans, solution, arguments, root)

    @torch.jit.export
    def rollout(
        self, words: Tensor, temperature: Tensor | None, limit: int, recorded: bool = False
    ) -> Rollout:
        """Derive, solve and write out each row of `words` (padded with 0, no row empty).

        All derivations are composed first, since the Composer never sees the Solver's output, and all
        their expressions are then solved together. A row with a value longer than `limit` is not written.
        `recorded` as in `Composer.compose`.
        """
        derivations = self.composer.compose(words, temperature, recorded)
        spans, span = distinct_spans(derivations.nodes, derivations.node)
        arguments = derivations.arguments
        if temperature is None:
            # One translation serves every expression with the same span.
            each = torch.arange(spans.size(0), device=spans.device)
            translations = self.solver.solve(spans, each, None, self.solver.template_limit)
            solution = span
        else:
            taken = derivations.node != symbols.NONE  # [B, S]
            warmth = temperature.unsqueeze(1).expand_as(taken)[taken]
            # A value is no shorter than its template: a template beyond the limit need not be drawn.
            longest = max(self.solver.variables, min(self.solver.template_limit, limit))
            owner = span[taken]
            names: Tensor | None = None
            if self.solver.shuffled:
                spans, owner, names, arguments = _renamed(spans, span, arguments)
            translations = self.solver.solve(spans, owner, warmth, longest, None, names)
            place = torch.arange(warmth.size(0), device=words.device)
            solution = torch.full_like(span, symbols.NONE).masked_scatter(taken, place)
        values = mem.expand(
            translations.template,
            solution,
            arguments,
            derivations.root,
            words.size(1),
            limit,
        )
        return Rollout(derivations, translations, solution, arguments, values)


def _renamed(spans: Tensor, span: Tensor, arguments: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Names for the variables of each expression, drawn at random from all P.

    Gives the spans, told apart by the names that they use; which of them each expression has; the names
    [S', P] of their variables; and the arguments by name.  # [S, max_span], [B, S], [B, S, P]
    """
    taken = span != symbols.NONE
    name = torch.rand(arguments.size(), device=span.device).argsort(dim=2)  # [B, S, P] of the k-th variable
    by_name = torch.full_like(arguments, symbols.NONE).scatter(2, name, arguments)
    owner, name = span[taken], name[taken]  # [O], [O, P]
    count = (spans == symbols.VARIABLE).sum(dim=1)[owner].unsqueeze(1)
    place = torch.arange(name.size(1), device=span.device).unsqueeze(0)
    used = torch.where(place < count, name, torch.full_like(name, symbols.NONE))
    example, renamed = distinct_rows(torch.cat([owner.unsqueeze(1), used], dim=1))
    return spans[owner[example]], renamed, name[example], by_name
