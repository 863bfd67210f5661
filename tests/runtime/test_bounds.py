"""Limits: each has its range, and what they allow together is bounded too."""

from dataclasses import replace

import pytest

from lane.runtime import Limits, Program, ProgramError
from lane.runtime.bounds import MAX_OUTPUT_BYTES, RANGES, most_output

LIMITS = Limits(max_words=9, max_actions=200)


@pytest.mark.parametrize("name", RANGES)
def test_every_limit_has_its_range(name):
    low, high = RANGES[name]
    for value in (low - 1, high + 1, True, float(high), "1", None):
        with pytest.raises(ProgramError, match=rf"limits\.{name}: .* whole number from {low} to {high}"):
            replace(LIMITS, **{name: value}).check()
    replace(LIMITS, **{name: high}).check()


def test_a_template_fits_into_an_output():
    replace(LIMITS, max_actions=10, max_template=10).check()
    with pytest.raises(ProgramError, match=r"limits\.max_template: is larger than max_actions"):
        replace(LIMITS, max_actions=9, max_template=10).check()


def program(action, max_actions):
    limits = Limits(max_words=9, max_actions=max_actions, max_template=1)
    return Program.build(words={"a": True}, nodes=[], rules=[(("a",), (action,), 1)], limits=limits)


def test_the_longest_output_is_bounded_in_bytes():
    """Otherwise a file of three kilobytes could ask for gigabytes: many long actions."""
    assert most_output(7, ["A", "ÜÜ", "BBB"]) == 7 * 5
    assert most_output(7, []) == 0
    most = MAX_OUTPUT_BYTES // 257
    assert program("A" * 256, most).limits.max_actions == most
    for action, actions in (("A" * 256, most + 1), ("\U0001f600" * 256, 10_000_000)):
        with pytest.raises(
            ProgramError, match=r"limits\.max_actions: allows outputs of more than 67108864 bytes"
        ):
            program(action, actions)
    assert program("A" * 5, 10_000_000)
