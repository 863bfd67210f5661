"""The Memory: slots that hold the values of variables, for a batch of derivations at once.

A slot holds the *number of the step* whose value it stands for. The Composer never looks at a value
(section 2 of the method: a variable carries none), so values are written out once, at the end, by
`expand`, and never copied from step to step.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from lane.models import symbols


def empty(rows: int, slots: int, like: Tensor) -> Tensor:
    """A Memory of `rows` derivations with all slots empty.  # [rows, slots]"""
    return torch.full([rows, slots], symbols.NONE, dtype=torch.int64, device=like.device)


def allocate(memory: Tensor) -> Tensor:
    """The lowest empty slot of each row.  # [B, K] -> [B]"""
    return (memory == symbols.NONE).to(torch.int64).argmax(dim=1)


def write(memory: Tensor, slot: Tensor, step: Tensor, where: Tensor) -> Tensor:
    """Store `step` in `slot` in the rows of `where`.  # slot, step, where: [B]"""
    old = memory.gather(1, slot.unsqueeze(1))[:, 0]
    return memory.scatter(1, slot.unsqueeze(1), torch.where(where, step, old).unsqueeze(1))


def read(memory: Tensor, slots: Tensor) -> Tensor:
    """The steps stored in `slots`; NONE for NONE.  # [B, K], [B, P] -> [B, P]"""
    held = memory.gather(1, slots.clamp(min=0))
    return torch.where(slots == symbols.NONE, slots, held)


def release(memory: Tensor, slots: Tensor, where: Tensor) -> Tensor:
    """Empty `slots` in the rows of `where`.  # slots: [B, P], where: [B]"""
    freed = (slots != symbols.NONE) & where.unsqueeze(1)
    for i in range(slots.size(1)):
        slot = slots[:, i].clamp(min=0)
        memory = write(memory, slot, torch.full_like(slot, symbols.NONE), freed[:, i])
    return memory


class Values(NamedTuple):
    """The outputs of a batch."""

    actions: Tensor  # [B, longest] action numbers, 0 where a row has ended
    length: Tensor  # [B]; 0 where the status is not OK
    status: Tensor  # [B]


def measure(template: Tensor, solution: Tensor, arguments: Tensor, words: int, limit: int) -> Tensor:
    """Length of the value of every step, at most limit + 1; arguments as in `expand`.  # -> [B, S]

    Steps 0 .. words-1 are single words and read nothing; each later step reads earlier ones.
    """
    variables = arguments.size(2)
    # An empty last row serves the steps that were not taken (solution -1).
    constants = torch.nn.functional.pad((template > variables).sum(dim=1), [0, 1])  # [O + 1]
    uses = torch.stack([(template == v + 1).sum(dim=1) for v in range(variables)], dim=1)  # [O, P]
    uses = torch.nn.functional.pad(uses, [0, 0, 0, 1])
    length = constants[solution].clamp(max=limit + 1)  # [B, S]
    for step in range(words, solution.size(1)):
        of_arguments = length.gather(1, arguments[:, step].clamp(min=0))  # [B, P]
        total = length[:, step] + (uses[solution[:, step]] * of_arguments).sum(dim=1)
        at = torch.full_like(total, step).unsqueeze(1)
        length = length.scatter(1, at, total.clamp(max=limit + 1).unsqueeze(1))
    return length


def expand(
    template: Tensor, solution: Tensor, arguments: Tensor, root: Tensor, words: int, limit: int
) -> Values:
    """Write out the value of each row's `root` step.

    template [O, T]: DstExps: 1..P are variables, numbers above P are actions, 0 is nothing.
    solution [B, S]: which of them each step has; -1 for a step that was not taken.
    arguments [B, S, P]: the step whose value each variable of the DstExp has.
    """
    rows = solution.size(0)
    lengths = measure(template, solution, arguments, words, limit)
    length, status = outcome(lengths, root, limit)
    width = int(length.max()) if rows > 0 else 0
    row = torch.nonzero(length)[:, 0]
    actions = write_out(template, solution, arguments, lengths, root, row, row * width, rows * width)
    return Values(actions.view(rows, width), length, status)


def expand_flat(
    template: Tensor, solution: Tensor, arguments: Tensor, root: Tensor, words: int, limit: int
) -> Values:
    """As `expand`, but the outputs are concatenated, so that a long one pads no other.  # [total]

    Rows are written out in portions, since that takes some hundred times the memory of the output.
    """
    lengths = measure(template, solution, arguments, words, limit)
    length, status = outcome(lengths, root, limit)
    end = length.cumsum(dim=0)
    portion = torch.div(end, symbols.PORTION, rounding_mode="floor")
    actions = [torch.zeros([0], dtype=torch.int64, device=template.device)]
    for number in range(int(portion.max()) + 1):
        row = torch.nonzero((portion == number) & (length > 0))[:, 0]
        size = length[row]
        offset = size.cumsum(dim=0) - size
        total = int(size.sum())
        actions.append(write_out(template, solution, arguments, lengths, root, row, offset, total))
    return Values(torch.cat(actions), length, status)


def padded(actions: Tensor, length: Tensor) -> Tensor:
    """The rows of a flat output, padded with 0.  # [total], [B] -> [B, longest]"""
    rows = length.size(0)
    width = int(length.max()) if rows > 0 else 0
    there = torch.arange(width, device=length.device).unsqueeze(0) < length.unsqueeze(1)
    none = torch.zeros([rows, width], dtype=torch.int64, device=length.device)
    return none.masked_scatter(there, actions)


def outcome(lengths: Tensor, root: Tensor, limit: int) -> tuple[Tensor, Tensor]:
    """Length and status of each row's output.  # [B, S], [B] -> [B], [B]

    A row fails if any of its values is too long, even one that a later rule deletes: a program stops at
    the first such value, and all files of a model must agree. Steps that were not taken have length 0.
    """
    length = lengths.gather(1, root.unsqueeze(1))[:, 0]
    too_long = (lengths > limit).sum(dim=1) > 0
    status = too_long.to(torch.int64) * symbols.OUTPUT_TOO_LONG
    return torch.where(too_long, torch.zeros_like(length), length), status


def write_out(
    template: Tensor,
    solution: Tensor,
    arguments: Tensor,
    lengths: Tensor,
    root: Tensor,
    row: Tensor,
    offset: Tensor,
    total: int,
) -> Tensor:
    """The value of the root of each row in `row` [F], from its `offset` [F] on.  # -> [total]

    Work is proportional to what is written: a frontier of (step, offset) moves from the roots to
    the leaves, writes the actions of its templates and leaves the variables to the next round.
    """
    variables, steps = arguments.size(2), solution.size(1)
    lengths, solution, arguments = lengths.view(-1), solution.reshape(-1), arguments.reshape(-1)
    # The templates concatenated, without padding.
    tokens = template[template > 0]
    count = (template > 0).sum(dim=1)  # [O], at least 1
    begin = count.cumsum(dim=0) - count
    actions = torch.zeros([total], dtype=torch.int64, device=template.device)
    step = row * steps + root[row]  # [F], a number in the flat batch
    while step.numel() > 0:
        used = solution[step]
        end = count[used].cumsum(dim=0)  # [F], where each step's tokens end among the M of this round
        first = end - count[used]
        place = torch.arange(int(end[-1]), device=step.device)  # [M]
        owner = torch.zeros_like(place).scatter(0, first[1:], torch.ones_like(first[1:])).cumsum(dim=0)
        token = tokens[begin[used][owner] + place - first[owner]]
        is_variable = token <= variables
        of_step = step[owner]
        argument = arguments[of_step * variables + (token - 1).clamp(max=variables - 1)].clamp(min=0)
        argument = of_step - of_step % steps + argument  # a number in the flat batch
        size = torch.where(is_variable, lengths[argument], torch.ones_like(token))
        before = size.cumsum(dim=0) - size
        start = (offset - before[first])[owner] + before  # [M]
        actions = actions.scatter(0, start[~is_variable], token[~is_variable] - variables)
        step = argument[is_variable]
        offset = start[is_variable]
    return actions
