"""Expressions that follow the gold actions: help in training that the published code has.

In a share of the derivations, the last expression follows the gold: each of its tokens is drawn from the next
gold action and the variables whose values come next, in the proportion that the Solver gives to these. The
code means it for all commands; by a slip it happens only where the gold has 2 x words - 1 actions (and there
to inner expressions too, which is left out), and so it is here. The paper does not mention it.
"""

import torch
from torch import Tensor

from lane.models import memory as mem
from lane.models import symbols
from lane.models.model import LaneModel, Rollout
from lane.models.nodes import distinct_spans
from lane.models.solver import Prefixes, Solver, Translations


def following(
    model: LaneModel, rollout: Rollout, words: Tensor, gold: Tensor, share: float, limit: int
) -> Rollout:
    """The rollout with the last expressions of some rows rewritten; `limit` is its own.  # [B, L], [B, G]"""
    derivations = rollout.derivations
    length = (words > 0).sum(dim=1)
    may = (gold != 0).sum(dim=1) == 2 * length - 1
    may &= torch.rand_like(gold[:, 0], dtype=torch.float32) < share
    rows = torch.nonzero(may & (length > 1))[:, 0]
    arguments = rollout.arguments[rows, derivations.root[rows]]  # [R, P]
    found = [_values(rollout, rows, argument, words.size(1), gold.size(1)) for argument in arguments.T]
    followed: list[int] = []
    targets: list[list[int]] = []
    values: list[dict[int, list[int]]] = []
    for place, (row, target) in enumerate(zip(rows.tolist(), gold[rows].tolist(), strict=True)):
        own = {name + 1: each[place] for name, each in enumerate(found) if each[place]}
        count = int((arguments[place] != symbols.NONE).sum())
        target = target[: target.index(0)] if 0 in target else target
        # Every variable must have a value that is somewhere in the gold.
        if count and len(own) == count and all(_is_in(value, target) for value in own.values()):
            followed.append(row)
            targets.append(target)
            values.append(own)
    if not followed:
        return rollout
    row = torch.tensor(followed, device=words.device)
    spans, span = distinct_spans(derivations.nodes, derivations.node[row, derivations.root[row]].unsqueeze(1))
    leaves, names = spans[span[:, 0]], _names(rollout, row)
    templates = _written(model.solver, leaves, names, targets, values)
    short = [place for place, one in enumerate(templates) if len(one) <= model.solver.template_limit]
    if not short:
        return rollout
    kept = torch.tensor(short, device=words.device)
    tokens = [templates[place] for place in short]
    return _rewritten(model, rollout, row[kept], leaves[kept], names[kept], tokens, words.size(1), limit)


def _values(rollout: Rollout, rows: Tensor, step: Tensor, words: int, limit: int) -> list[list[int]]:
    """The value of a step of each row; empty where there is none, or one longer than `limit`."""
    found = mem.expand(
        rollout.translations.template,
        rollout.solution[rows],
        rollout.arguments[rows],
        step.clamp(min=0),
        words,
        limit,
    )
    actions = zip(found.actions.tolist(), found.length.tolist(), step.tolist(), strict=True)
    return [row[:length] if number != symbols.NONE else [] for row, length, number in actions]


def _is_in(part: list[int], whole: list[int]) -> bool:
    return any(whole[i : i + len(part)] == part for i in range(len(whole)))


def _names(rollout: Rollout, row: Tensor) -> Tensor:
    """The name of each variable of the last expressions of `row`, then the free names.  # -> [F, P]

    A variable is known by its step: no value is used twice.
    """
    root = rollout.derivations.root[row]
    by_place, by_name = rollout.derivations.arguments[row, root], rollout.arguments[row, root]  # [F, P]
    absent, free = by_place == symbols.NONE, by_name == symbols.NONE
    same = (by_place.unsqueeze(2) == by_name.unsqueeze(1)) & ~absent.unsqueeze(2)
    next_free = absent.cumsum(dim=1).unsqueeze(2) == free.cumsum(dim=1).unsqueeze(1)
    same = same | (next_free & absent.unsqueeze(2) & free.unsqueeze(1))
    return same.to(torch.int64).argmax(dim=2)


@torch.no_grad()
def _written(
    solver: Solver,
    leaves: Tensor,
    names: Tensor,
    targets: list[list[int]],
    values: list[dict[int, list[int]]],
) -> list[list[int]]:
    """DstExps that write the targets, their tokens drawn from those that do.  # [F, max_span], [F, P]"""
    span = solver.localized(leaves, names)
    outputs, h, c = solver.encode(span)
    keys, absent = solver.attend_memory(outputs), span == symbols.NONE
    begun = torch.arange(len(leaves), device=leaves.device)
    now = Prefixes(begun, torch.full_like(begun, symbols.END), torch.zeros_like(names).bool(), h, c)
    templates: list[list[int]] = [[] for _ in targets]
    at = [0] * len(targets)
    while any(place < len(target) for place, target in zip(at, targets, strict=True)):
        h, c, logits = solver.step(now, outputs, keys, absent, True)
        token = torch.full_like(begun, symbols.END)
        for row, target in enumerate(targets):
            if at[row] == len(target):
                continue
            rest = target[at[row] :]
            fitting = [name for name, value in values[row].items() if rest[: len(value)] == value]
            options = [solver.variables + rest[0], *fitting]
            chosen = options[int(torch.multinomial(torch.softmax(logits[row, options], dim=0), 1))]
            templates[row].append(chosen)
            token[row] = chosen
            at[row] += len(values[row][chosen]) if chosen in values[row] else 1
        now = Prefixes(begun, token, now.unused, h, c)
    return templates


def _rewritten(
    model: LaneModel,
    rollout: Rollout,
    row: Tensor,
    leaves: Tensor,
    names: Tensor,
    tokens: list[list[int]],
    words: int,
    limit: int,
) -> Rollout:
    """The rollout in which the last expressions of `row` have these tokens."""
    solver, derivations, old = model.solver, rollout.derivations, rollout.translations
    longest = max(solver.template_limit, old.template.size(1))
    given = torch.zeros([len(row), longest + 1], dtype=torch.int64, device=row.device)
    for place, template in enumerate(tokens):
        given[place, : len(template)] = torch.tensor(template, device=row.device)
    warmth = torch.ones([len(row)], dtype=old.log_prob.dtype, device=row.device)
    own = torch.arange(len(row), device=row.device)
    new = solver.solve(leaves, own, warmth, longest, given, names)
    translations = _joined(old, new, rollout.solution[row, derivations.root[row]])
    values = mem.expand(
        translations.template, rollout.solution, rollout.arguments, derivations.root, words, limit
    )
    return Rollout(derivations, translations, rollout.solution, rollout.arguments, values)


def _joined(old: Translations, new: Translations, number: Tensor) -> Translations:
    """The old translations, those of `number` replaced by the new ones."""
    pad = torch.nn.functional.pad
    width = max(old.template.size(1), new.template.size(1))
    template = pad(old.template, [0, width - old.template.size(1)])
    template[number] = pad(new.template, [0, width - new.template.size(1)])
    width = max(old.prefix.size(1), new.prefix.size(1))
    prefix = pad(old.prefix, [0, width - old.prefix.size(1)], value=symbols.NONE)
    shifted = torch.where(new.prefix == symbols.NONE, new.prefix, new.prefix + old.log_prob.size(0))
    prefix[number] = pad(shifted, [0, width - new.prefix.size(1)], value=symbols.NONE)
    return Translations(
        template, torch.cat([old.log_prob, new.log_prob]), prefix, torch.cat([old.forced, new.forced])
    )
