"""The Memory against a plain dictionary, and values against a plain recursion."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.models import memory as mem
from lane.models import symbols

NONE = symbols.NONE


@settings(max_examples=60, deadline=None)
@given(data=st.data(), rows=st.integers(1, 4), slots=st.integers(1, 5))
def test_slots_are_a_dictionary(data, rows, slots):
    """Random writes to the lowest free slot, reads and releases; some rows sit out each time."""
    memory = mem.empty(rows, slots, torch.zeros([1]))
    plain: list[dict[int, int]] = [{} for _ in range(rows)]
    for step in range(data.draw(st.integers(1, 12))):
        takes_part = data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
        if data.draw(st.booleans()):
            where = [part and len(held) < slots for part, held in zip(takes_part, plain, strict=True)]
            slot = mem.allocate(memory)
            for row, held in enumerate(plain):
                if len(held) < slots:
                    assert int(slot[row]) == min(set(range(slots)) - set(held))
                if where[row]:
                    held[int(slot[row])] = step
            memory = mem.write(memory, slot, torch.full([rows], step), torch.tensor(where))
        else:
            asked = [data.draw(st.permutations(sorted(held)))[:2] for held in plain]
            asked = [[*some, *[NONE] * (2 - len(some))] for some in asked]
            expected = [
                [held.get(slot, NONE) for slot in some] for held, some in zip(plain, asked, strict=True)
            ]
            assert mem.read(memory, torch.tensor(asked)).tolist() == expected
            memory = mem.release(memory, torch.tensor(asked), torch.tensor(takes_part))
            for held, some, part in zip(plain, asked, takes_part, strict=True):
                for slot in some if part else []:
                    held.pop(slot, None)
        assert memory.tolist() == [[held.get(slot, NONE) for slot in range(slots)] for held in plain]


VARIABLES = 2


@st.composite
def programs(draw):
    """Templates, and rows of steps that use them: `words` single words, then steps on earlier ones."""
    words, rounds = draw(st.integers(1, 4)), draw(st.integers(0, 5))
    action = st.integers(VARIABLES + 1, VARIABLES + 4)
    of_words = draw(st.lists(st.lists(action, min_size=1, max_size=3), min_size=1, max_size=3))
    token = st.integers(1, VARIABLES + 4)
    others = draw(st.lists(st.lists(token, min_size=1, max_size=5), min_size=1, max_size=3))
    templates = [*of_words, *others]
    rows = []
    for _ in range(draw(st.integers(1, 3))):
        steps = [(draw(st.integers(0, len(of_words) - 1)), [NONE] * VARIABLES) for _ in range(words)]
        for step in range(words, words + rounds):
            arguments = [draw(st.integers(0, step - 1)) for _ in range(VARIABLES)]
            steps.append((draw(st.integers(0, len(templates) - 1)), arguments))
        rows.append((steps, draw(st.integers(0, words + rounds - 1))))
    return words, templates, rows


def evaluated(templates, steps, step):
    template, arguments = templates[steps[step][0]], steps[step][1]
    value = []
    for token in template:
        is_action = token > VARIABLES
        value += [token - VARIABLES] if is_action else evaluated(templates, steps, arguments[token - 1])
    return value


def as_tensors(words, templates, rows):
    width = max(map(len, templates))
    return {
        "template": torch.tensor([[*t, *[symbols.END] * (width - len(t))] for t in templates]),
        "solution": torch.tensor([[solution for solution, _ in steps] for steps, _ in rows]),
        "arguments": torch.tensor([[arguments for _, arguments in steps] for steps, _ in rows]),
        "root": torch.tensor([root for _, root in rows]),
        "words": words,
    }


@settings(max_examples=200, deadline=None)
@given(programs(), st.integers(1, 60))
def test_values_are_those_of_a_recursion_unless_they_are_too_long(program, limit):
    _, templates, rows = program
    values = mem.expand(**as_tensors(*program), limit=limit)
    flat = mem.expand_flat(**as_tensors(*program), limit=limit)
    written = []
    for row, (steps, root) in enumerate(rows):
        expected = evaluated(templates, steps, root)
        too_long = any(len(evaluated(templates, steps, step)) > limit for step in range(len(steps)))
        assert values.status[row] == (symbols.OUTPUT_TOO_LONG if too_long else symbols.OK)
        expected = [] if too_long else expected
        assert values.length[row] == len(expected)
        assert values.actions[row].tolist() == expected + [0] * (values.actions.size(1) - len(expected))
        written += expected
    assert flat.actions.tolist() == written
    assert torch.equal(flat.length, values.length)
    assert torch.equal(flat.status, values.status)
    assert torch.equal(mem.padded(flat.actions, flat.length), values.actions)


@settings(max_examples=100, deadline=None)
@given(programs())
def test_every_step_is_measured(program):
    _, templates, rows = program
    given_tensors = as_tensors(*program)
    del given_tensors["root"]
    lengths = mem.measure(**given_tensors, limit=50)
    for row, (steps, _) in enumerate(rows):
        exact = [len(evaluated(templates, steps, step)) for step in range(len(steps))]
        assert lengths[row].tolist() == [min(length, 51) for length in exact]


def test_a_length_that_overflows_is_only_too_long():
    """Sixty doublings of a doubling: the lengths must saturate, not wrap."""
    steps = [(0, [NONE] * VARIABLES), *((1, [step, step]) for step in range(80))]
    ended = steps[:2] + [(NONE, [NONE] * VARIABLES)] * 79  # steps that were not taken
    program = 1, [[VARIABLES + 1], [1, 1, 2, 2]], [(steps, 80), (ended, 1)]
    values = mem.expand(**as_tensors(*program), limit=1000)
    assert values.status.tolist() == [symbols.OUTPUT_TOO_LONG, symbols.OK]
    assert values.length.tolist() == [0, 4]


def test_a_deleted_value_that_is_too_long_fails_the_row():
    steps = [(0, [NONE] * VARIABLES), (1, [0, 0]), (2, [1, 0])]
    program = 1, [[VARIABLES + 1], [1, 1, 1, 1], [2]], [(steps, 2)]
    assert mem.expand(**as_tensors(*program), limit=3).status.tolist() == [symbols.OUTPUT_TOO_LONG]
    assert mem.expand(**as_tensors(*program), limit=4).length.tolist() == [1]


def test_long_outputs_are_written_in_portions(monkeypatch):
    steps = [(0, [NONE] * VARIABLES), (1, [0, 0])]
    program = 1, [[VARIABLES + 1, VARIABLES + 2], [1, 2]], [(steps, i % 2) for i in range(50)]
    whole = mem.expand_flat(**as_tensors(*program), limit=10)
    monkeypatch.setattr(symbols, "PORTION", 7)
    portions = mem.expand_flat(**as_tensors(*program), limit=10)
    assert portions.actions.tolist() == whole.actions.tolist()
    assert whole.actions.tolist() == [1, 2, 1, 2, 1, 2] * 25
