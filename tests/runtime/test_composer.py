"""The fast loop against the naive one."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.runtime import Program, Translator
from lane.runtime.program_backend import ProgramBackend


def outcome(translation):
    if translation.error is None:
        return "ok", translation.actions
    return translation.error.code, translation.error.position


@settings(max_examples=250, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_random_programs_and_commands_agree_with_the_naive_loop(naive, seed):
    program = naive.random_program(seed)
    random = Random(seed)
    commands = [naive.random_command(program, random) for _ in range(40)]
    expected = [naive.translate(program, command) for command in commands]
    translator = Translator(ProgramBackend(program))
    assert [outcome(answer) for answer in translator.translate_batch(commands)] == expected
    # Again, with every plan cached; one by one; and as a derivation.
    assert [outcome(answer) for answer in translator.translate_batch(commands)] == expected
    assert [outcome(translator.translate(command)) for command in commands[:10]] == expected[:10]
    for command, (code, result) in zip(commands[:10], expected, strict=False):
        derivation = translator.explain(command)
        if code == "ok":
            assert derivation.error is None
            assert tuple(derivation.text.split(" ")) == result
        else:
            assert (derivation.error.code, derivation.error.position) == (code, result)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_file_holds_all_of_a_program(naive, seed):
    program = naive.random_program(seed)
    data = program.dumps()
    again = Program.loads(data)
    assert again == program
    assert again.dumps() == data


def test_the_random_programs_reach_every_outcome(naive):
    codes = set()
    for seed in range(150):
        program, random = naive.random_program(seed), Random(seed)
        codes |= {naive.translate(program, naive.random_command(program, random))[0] for _ in range(20)}
    assert codes == {"ok", "unknown-word", "too-many-words", "too-many-actions", "beyond-model"}


@pytest.mark.parametrize("size", [1, 7, 256, 20_910])
def test_all_of_scan(scan, size):
    expected = scan.grammar()
    commands = list(expected)
    Random(1).shuffle(commands)
    translator = Translator(ProgramBackend(scan.scan_program()))
    for start in range(0, len(commands) if size > 1 else 500, size):
        batch = commands[start : start + size]
        assert [answer.text for answer in translator.translate_batch(batch)] == [expected[c] for c in batch]


def test_long_commands_agree_with_the_naive_loop(scan, naive):
    random = Random(3)
    program = scan.scan_program()
    translator = Translator(ProgramBackend(program))
    words = [word for word, _ in program.words]
    for length in (65, 100, 150):
        command = " ".join(random.choices(words, k=length))
        assert outcome(translator.translate(command)) == naive.translate(program, command)


def test_exponential_growth_is_stopped_before_it_is_written_out(scan):
    translator = Translator(ProgramBackend(scan.scan_program()))
    for count in (10, 60, 5000):
        answer = translator.translate("jump" + " twice" * count)
        if count == 10:
            assert len(answer.actions) == 2**10
        else:
            assert answer.error.code == "too-many-actions"


def test_the_work_of_a_word_hardly_grows_with_the_length_of_the_command(scan):
    """Counted in steps of the interpreter rather than seconds, so that a busy machine changes nothing."""
    import sys

    translator = Translator(ProgramBackend(scan.scan_program()))

    def lines_run(command):
        count = 0

        def trace(frame, event, argument):
            nonlocal count
            count += event == "line"
            return trace

        sys.settrace(trace)
        try:
            assert translator.translate(command).ok
        finally:
            sys.settrace(None)
        return count

    short, long = ("walk left and " * n + "run" for n in (50, 1600))
    assert lines_run(long) / 1600 < 1.3 * lines_run(short) / 50
