"""The fewest pairs that no rules explain together."""

from hypothesis import given
from hypothesis import strategies as st

from lane.data.pair import Pair
from lane.trainer.conflict import conflict, minimal, strict_reading
from lane.trainer.dataset import Dataset
from lane.trainer.induction import induce

DIGITS = {"one": "1", "two": "2", "three": "3", "four": "4", "eleven": "1 1", "twelve": "1 2", "ten": "1 0"}
VERBS = {"walk": "W", "run": "R", "jump": "J", "look": "L"}


def pairs_of(texts):
    return [Pair(tuple(source.split()), tuple(target.split())) for source, target in texts.items()]


def found(texts):
    dataset = Dataset.of(pairs_of(texts))
    core = conflict(strict_reading(dataset, induce(dataset)))
    return {" ".join(pair.source): " ".join(pair.target) for pair in core}


def hundreds():
    """What `hundred` writes depends on whether one or two digits follow."""
    return DIGITS | {
        f"{x} hundred {y}": f"{DIGITS[x]} {DIGITS[y] if ' ' in DIGITS[y] else '0 ' + DIGITS[y]}"
        for x in ("one", "two", "three", "four")
        for y in DIGITS
    }


def robot():
    both = {f"{a} and {b}": f"{VERBS[a]} {VERBS[b]}" for a in VERBS for b in VERBS if a != b}
    return VERBS | {f"{a} twice": f"{b} {b}" for a, b in VERBS.items()} | both


def test_a_word_that_writes_by_what_follows():
    core, language = found(hundreds()), hundreds()
    assert core.items() <= language.items(), "they are training pairs"
    words = [command for command in core if " " not in command]
    phrases = [command for command in core if " " in command]
    assert len(core) == 4
    assert sorted(len(language[word].split()) for word in words) == [1, 2], "one digit against two"
    assert {phrase.split()[-1] for phrase in phrases} == set(words)
    assert len({phrase.split()[0] for phrase in phrases}) == 1, "else two more pairs would be needed"


def test_none_of_them_can_be_left_out():
    core = found(hundreds())
    for command in core:
        assert not found({other: core[other] for other in core if other != command})


def test_a_language_with_rules_has_none():
    assert found(robot()) == {}


def test_a_typing_error_is_shown_beside_the_pair_that_it_contradicts():
    assert found(robot() | {"jump and look": "J LL"}) == {"look": "L", "jump and look": "J LL"}


def test_two_outputs_of_one_command_hide_no_other_conflict():
    texts = robot() | {"jump and look": "J LL"}
    dataset = Dataset.of([*pairs_of(texts), *pairs_of({"walk twice": "W"})])
    core = conflict(strict_reading(dataset, induce(dataset)))
    assert [" ".join(pair.source) for pair in core] == ["look", "jump and look"]


@given(st.sets(st.integers(0, 40), min_size=1, max_size=5), st.integers(41, 60))
def test_exactly_what_fails_is_kept(culprits, size):
    assert minimal(range(size), lambda chosen: culprits <= set(chosen)) == sorted(culprits)


@given(st.integers(1, 40), st.integers(1, 40))
def test_of_many_failing_sets_one_is_kept_from_which_nothing_can_be_left_out(size, needed):
    needed = min(size, needed)
    assert len(minimal(range(size), lambda chosen: len(chosen) >= needed)) == needed
