"""The replay of a command: steps, slots, and where they end early."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.runtime import Translator
from lane.runtime.composer import Gap
from lane.runtime.explain import derive
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.substitution import write_out


@pytest.fixture(scope="module")
def translator(scan):
    return Translator(ProgramBackend(scan.scan_program()))


def test_steps(translator):
    derivation = translator.explain("walk around left")
    last = derivation.steps[-1]
    assert last.node == "(($x around) $y)"
    assert (last.start, last.stop, last.parts, last.reads, last.slot) == (0, 3, (1, 2), (0, 1), 0)
    assert last.length == 8
    assert last.text == derivation.text == translator.translate("walk around left").text
    assert [step.length for step in derivation.steps] == [1, 1, 8]


@settings(max_examples=60, deadline=None)
@given(
    words=st.lists(
        st.sampled_from(["walk", "left", "turn", "around", "twice", "and"]), min_size=1, max_size=9
    )
)
def test_slots_hold_what_the_steps_read(translator, words):
    """The Memory replayed: a step reads the values of its parts, from slots that hold them."""
    derivation = translator.explain(" ".join(words))
    slots = {}
    for number, step in enumerate(derivation.steps, start=1):
        assert step.number == number
        assert [slots.pop(slot) for slot in step.reads] == list(step.parts)
        assert step.slot not in slots
        assert step.slot == min(set(range(len(slots) + 1)) - set(slots)), "the lowest empty one"
        slots[step.slot] = number
        assert step.length == len(step.text.split(" "))
        values = {f"$X{i}": derivation.steps[part - 1].text for i, part in enumerate(step.parts)}
        names = dict(zip(("$X", "$Y", "$Z", "$W"), values.values(), strict=False))
        assert step.text == " ".join(names.get(token, token) for token in step.rule.template)
    if derivation.error is None:
        assert len(slots) == 1
        assert derivation.text == translator.translate(" ".join(words)).text


def replayed(program, words):
    texts = [" ".join(program.tables.value_of.get(word, ())) for word in words]
    return derive(program.tables, None, words, texts)


def test_why_a_derivation_ends_early(tiny):
    steps, value, problem, _ = replayed(tiny, ["dax", "lug"])
    assert (len(steps), write_out(value), problem) == (3, "RED BLUE RED", None)
    steps, _, problem, _ = replayed(tiny, ["kiki", "dax"])
    assert isinstance(problem, Gap)
    assert problem.start == 0
    steps, _, problem, _ = replayed(tiny, ["dax"] * 20)
    assert isinstance(problem, int), "the word where a value grew too long"
    assert all(step.length <= tiny.limits.max_actions for step in steps)
