from collections import Counter
from functools import cache

import pytest

from lane.data.checksum import checksum
from lane.experiments.languages.language import (
    LONG_WORDS,
    MAX_TEST_ACTIONS,
    MAX_TRAIN_ACTIONS,
    TRAIN_WORDS,
    nestings,
    random_language,
    random_task,
)
from lane.experiments.languages.precedence import Fixity, Parse

SEEDS = range(10)


# Each seed serves several tests.
cached_task = cache(random_task)


def nested(tree: Parse) -> set[tuple[str, int, str]]:
    found = set()
    for slot, argument in enumerate(tree.arguments):
        if argument.arguments:
            found.add((tree.word, slot, argument.word))
        found |= nested(argument)
    return found


def test_languages_keep_to_their_bounds_and_differ() -> None:
    languages = [random_language(seed) for seed in range(200)]
    for language in languages:
        assert 4 <= len(language.primitives) <= 30
        assert 2 <= language.depth <= 4
        assert all(2 <= len(operator.template) <= 8 for operator in language.operators)
        assert any(operator.kind is Fixity.INFIX for operator in language.operators)
    assert {len(language.primitives) for language in languages} == set(range(4, 31))
    assert {language.depth for language in languages} == {2, 3, 4}
    operators = [operator for language in languages for operator in language.operators]
    assert {operator.kind for operator in operators} == set(Fixity)
    assert {len(operator.template) for operator in operators} == set(range(2, 9))
    constants = [
        operator for operator in operators if any(isinstance(item, str) for item in operator.template)
    ]
    assert 0 < len(constants) < len(operators) / 4
    assert len(set(languages)) == 200


def test_a_seed_gives_the_same_task_for_ever() -> None:
    task = random_task(0)
    assert task == random_task(0)
    assert (checksum(task.train), checksum(task.test)) == ("016cf926da3de48c", "16aedcdf86d4aeb2")


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_are_right_distinct_and_bounded(seed: int) -> None:
    task, language = cached_task(seed), random_language(seed)
    assert 200 <= len(task.train) <= 4_000
    assert 200 <= len(task.test) <= 2_000
    for pair in (*task.train, *task.test):
        assert language.evaluate(pair.source) == pair.target
    sources = [pair.source for pair in (*task.train, *task.test)]
    assert len(set(sources)) == len(sources)
    assert max(len(pair.target) for pair in task.train) <= MAX_TRAIN_ACTIONS
    assert max(len(pair.target) for pair in task.test) <= MAX_TEST_ACTIONS


@pytest.mark.parametrize("seed", SEEDS)
def test_training_shows_every_length_operator_and_nesting(seed: int) -> None:
    task, language = cached_task(seed), random_language(seed)
    trees = [language.parse(pair.source) for pair in task.train]
    shown = Counter(nesting for tree in trees for nesting in nested(tree))
    for outer, slot, inner in nestings(language):
        assert shown[outer.word, slot, inner.word] >= 2
    used = Counter(word for pair in task.train for word in set(pair.source))
    assert all(used[operator.word] >= 8 for operator in language.operators)
    assert all(used[word] >= 3 for word, _ in language.primitives[:-1])
    odd_only = all(operator.kind is Fixity.INFIX for operator in language.operators)
    expected = {1, *(size for size in TRAIN_WORDS if size % 2 or not odd_only)}
    assert {len(pair.source) for pair in task.train} == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lone_primitive_is_trained_alone_and_tested_everywhere(seed: int) -> None:
    task, language = cached_task(seed), random_language(seed)
    lone = language.primitives[-1][0]
    assert [pair.source for pair in task.train if lone in pair.source] == [(lone,)]
    with_lone = [language.parse(pair.source) for pair in task.test if lone in pair.source]
    direct = {
        (tree.word, slot)
        for tree in with_lone
        for slot, argument in enumerate(tree.arguments)
        if argument == Parse(lone)
    }
    for operator in language.operators:
        for slot in range(operator.kind.arity):
            assert (operator.word, slot) in direct
    assert any(len(pair.source) >= LONG_WORDS.start and lone in pair.source for pair in task.test)
    assert any(len(pair.source) >= LONG_WORDS.start and lone not in pair.source for pair in task.test)


def test_notes_tell_the_rules() -> None:
    task, language = random_task(5), random_language(5)
    text = "\n".join(task.notes)
    assert all(str(operator) in text for operator in language.operators)
    assert f"trained alone only: {language.primitives[-1][0]}" in text
