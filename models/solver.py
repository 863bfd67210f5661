"""The Solver: a sequence-to-sequence network with attention that translates short expressions.

It sees only a span, so distinct spans are few; and drawn translations of a span share their beginnings,
so the trie of distinct prefixes is decoded, not one row per sample.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from lane.models import symbols
from lane.models.config import ModelConfig
from lane.models.sampling import draw


class Translations(NamedTuple):
    """DstExps of O expressions, and the trie of prefixes along which they were decoded."""

    template: Tensor  # [O, T] the DstExp, END after its last token
    log_prob: Tensor  # [K, A] of each next token at each prefix; IMPOSSIBLE where the mask forbids it
    prefix: Tensor  # [O, T + 1] the prefix at which each token was chosen, NONE after the end
    forced: Tensor  # [K] the mask left one token only


class Prefixes(NamedTuple):
    """The distinct prefixes of one length, K of them."""

    span: Tensor  # [K] whose translation they begin
    token: Tensor  # [K] their last token
    unused: Tensor  # [K, P] variables of the span that they have not used
    h: Tensor  # [K, D]
    c: Tensor  # [K, D]


class Solver(nn.Module):
    """LSTM encoder, LSTM decoder with additive attention (section 3.3 of the paper)."""

    def __init__(self, words: int, actions: int, config: ModelConfig) -> None:
        super().__init__()
        size, self.variables = config.hidden, config.max_variables
        self.template_limit = config.template_limit
        self.deleting = config.deleting
        self.end_mark = config.end_mark
        self.state_only = config.state_only
        self.dropout = config.dropout
        self.shuffled = config.shuffled
        self.tokens = 1 + self.variables + actions
        self.source = nn.Embedding(self.variables + words + 1, config.embedding)  # the last row: the end mark
        self.encoder = nn.LSTMCell(config.embedding, size)
        self.target = nn.Embedding(self.tokens, config.embedding)  # row END also begins
        self.decoder = nn.LSTMCell(config.embedding + size, size)
        self.attend_state = nn.Linear(size, size)
        self.attend_memory = nn.Linear(size, size, bias=False)
        self.attend_score = nn.Linear(size, 1, bias=False)
        self.output = nn.Linear(size if config.state_only else 2 * size, self.tokens)
        # The actions allowed in a rule with variables: given by the config, so not among the weights.
        self.constant: Tensor
        self.register_buffer("constant", _constants(actions, config), persistent=False)

    def localized(self, leaves: Tensor, names: Tensor | None = None) -> Tensor:
        """A span's tokens as the Solver sees them: variables by local name, in order of appearance.

        Variables become 0 .. P-1, word w becomes P - 1 + w, NONE stays.  # [S, max_span]
        With `names` [S, P] the k-th variable has the k-th name instead. The config may ask for an end mark
        behind the last token, in a further column.
        """
        name = (leaves == symbols.VARIABLE).to(torch.int64).cumsum(dim=1) - 1
        if names is not None:
            name = names.gather(1, name.clamp(min=0))
        named = torch.where(leaves == symbols.VARIABLE, name, leaves + (self.variables - 1))
        named = torch.where(leaves == symbols.NONE, leaves, named)
        if self.end_mark:
            behind = (leaves != symbols.NONE).sum(dim=1, keepdim=True)
            mark = torch.full_like(behind, self.source.num_embeddings - 1)
            named = nn.functional.pad(named, [0, 1], value=float(symbols.NONE)).scatter(1, behind, mark)
        return named

    def encode(self, span: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Encoder outputs and the last state.  # [S, W] -> [S, W, D], [S, D], [S, D]"""
        embedded = self.source(span.clamp(min=0))
        h = torch.zeros([span.size(0), self.encoder.hidden_size], dtype=embedded.dtype, device=span.device)
        c = torch.zeros_like(h)
        outputs: list[Tensor] = []
        for i in range(span.size(1)):
            there = (span[:, i] != symbols.NONE).unsqueeze(1)
            h_next, c_next = self.encoder(embedded[:, i], (h, c))
            h, c = torch.where(there, h_next, h), torch.where(there, c_next, c)
            outputs.append(h)
        return torch.stack(outputs, dim=1), h, c

    def solve(
        self,
        leaves: Tensor,
        owner: Tensor,
        temperature: Tensor | None,
        longest: int,
        given: Tensor | None = None,
        names: Tensor | None = None,
    ) -> Translations:
        """Translate the spans `leaves` [S, max_span] for O expressions, of which each has the span `owner`.

        Without a temperature every expression gets its span's best translation (ties: the lowest number);
        with one [O], each draws its own. None has more than `longest` tokens. Some may be `given`
        [O, longest + 1], END behind the last token; a row of NONE is not given. `names` as in `localized`:
        the DstExps have the same.
        """
        span = self.localized(leaves, names)
        outputs, h, c = self.encode(span)
        keys = self.attend_memory(outputs)  # [S, W, D]
        absent = span == symbols.NONE
        variable = torch.arange(self.variables, device=span.device).unsqueeze(0)
        begun = torch.arange(span.size(0), device=span.device)
        present = variable < (leaves == symbols.VARIABLE).sum(dim=1, keepdim=True)  # [S, P]
        if names is not None:  # by name, not by place
            present = torch.zeros_like(present).scatter(1, names, present)
        # Not called `unused`, as below: onnxruntime fails on a name that is given before and inside the loop.
        required = torch.zeros_like(present) if self.deleting else present
        now = Prefixes(begun, torch.full_like(begun, symbols.END), required, h, c)

        # Expressions drop out as they end: `active` are those that go on, `at` the prefix each has reached.
        active, at = torch.arange(owner.size(0), device=span.device), owner
        log_probs: list[Tensor] = []
        forced: list[Tensor] = []
        templates: list[Tensor] = []
        paths: list[Tensor] = []
        earlier = 0  # number of shorter prefixes
        for position in range(longest + 1):
            h, c, logits = self.step(now, outputs, keys, absent, temperature is not None)
            allowed = self._mask(now.unused, present[now.span], position, longest)
            log_prob = torch.log_softmax(logits.masked_fill(~allowed, symbols.IMPOSSIBLE), dim=1)
            token = _given(_next_tokens(log_prob, at, temperature, active), given, active, position)
            log_probs.append(log_prob)
            forced.append(allowed.sum(dim=1) == 1)
            templates.append(torch.full_like(owner, symbols.END).scatter(0, active, token))
            paths.append(torch.full_like(owner, symbols.NONE).scatter(0, active, at + earlier))
            earlier += now.span.size(0)

            going = torch.nonzero(token != symbols.END)[:, 0]
            if going.size(0) == 0:
                break
            child, place = torch.unique(at[going] * self.tokens + token[going], return_inverse=True)
            parent = torch.div(child, self.tokens, rounding_mode="floor")
            last = child % self.tokens
            unused = now.unused[parent] & (variable + 1 != last.unsqueeze(1))
            now = Prefixes(now.span[parent], last, unused, h[parent], c[parent])
            active, at = active[going], place
        return Translations(
            torch.stack(templates, dim=1)[:, :longest],
            torch.cat(log_probs),
            torch.stack(paths, dim=1),
            torch.cat(forced),
        )

    def step(
        self, now: Prefixes, outputs: Tensor, keys: Tensor, absent: Tensor, drawn: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """One decoder step: attention from the state, then the cell, then the scores of the next token."""
        query = self.attend_state(now.h).unsqueeze(1)  # [K, 1, D]
        energy = self.attend_score(torch.tanh(query + keys[now.span]))[:, :, 0]  # [K, W]
        weight = torch.softmax(energy.masked_fill(absent[now.span], symbols.IMPOSSIBLE), dim=1)
        context = (weight.unsqueeze(1) @ outputs[now.span])[:, 0]  # [K, D]
        token = self.target(now.token)
        if drawn and self.dropout > 0:
            token = nn.functional.dropout(token, self.dropout)
        h, c = self.decoder(torch.cat([token, context], dim=1), (now.h, now.c))
        return h, c, self.output(h if self.state_only else torch.cat([h, context], dim=1))

    def _mask(self, unused: Tensor, present: Tensor, position: int, longest: int) -> Tensor:
        """Which tokens may stand at `position`: the non-deleting rule and the template limit.  # [K, A]

        A DstExp ends once it is not empty and every variable of its span is used; where just enough room
        is left for the unused variables, only they may follow. Actions are for spans without variables,
        except those that the config lets rules hold as constants. Where rules may delete, no variable
        counts as unused.
        """
        needed = unused.sum(dim=1, keepdim=True)  # [K, 1]
        room = longest - position
        spare = needed < room
        end = (needed == 0) & (torch.full_like(needed, position) > 0)
        variables = (present & spare) | (unused & (needed == room))
        actions = spare & (self.constant | ~present[:, :1])  # [K, actions]
        return torch.cat([end, variables, actions], dim=1)


def _constants(actions: int, config: ModelConfig) -> Tensor:
    """Which actions may be constants.  # bool [actions]"""
    if isinstance(config.constants, bool):
        return torch.full([actions], config.constants)
    return torch.tensor([number in config.constants for number in range(1, actions + 1)])


def _next_tokens(log_prob: Tensor, at: Tensor, temperature: Tensor | None, active: Tensor) -> Tensor:
    """The token that each active expression takes at its prefix.  # [K, A], [M], [O], [M] -> [M]"""
    log_prob = log_prob.detach()
    if temperature is None:
        return log_prob.argmax(dim=1)[at]
    return draw(torch.exp(log_prob[at] / temperature[active].unsqueeze(1)))


def _given(token: Tensor, given: Tensor | None, active: Tensor, position: int) -> Tensor:
    """The tokens of those expressions that are given, and else those chosen.  # [M], [O, T], [M] -> [M]"""
    if given is None:
        return token
    column = given[active, position]
    return torch.where(column == symbols.NONE, token, column)
