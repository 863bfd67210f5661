from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from lane.base.errors import LaneError
from lane.data.checksum import checksum
from lane.data.pair import checked_pair
from lane.data.registry import load_task
from lane.experiments.languages.drawing import MAX_TEST_ACTIONS, MAX_TRAIN_ACTIONS
from lane.experiments.languages.frames import Grammar, Nesting, Tree
from lane.experiments.languages.practical import KINDS, practical_language, practical_task

SEEDS = range(3)
SUMS = {
    "calls": "29140846",
    "prefix": "cecea656",
    "counts": "4ac73aa7",
    "arguments": "a66fcd88",
    "home": "a4f2b12e",
    "query": "e37d0ee8",
    "ambiguous": "26500291",
    "idioms": "3e1595c7",
    "synonyms": "9c1d8e94",
    "fillers": "97678d26",
    "names50": "f5ad290d",
    "names200": "542da183",
    "names1000": "930012b1",
}
LANGUAGES = [(kind, seed) for kind in KINDS for seed in SEEDS]

# Each language serves several tests.
cached_task = cache(practical_task)
cached_language = cache(practical_language)
every_language = pytest.mark.parametrize(("kind", "seed"), LANGUAGES)


class Reader:
    """All readings of a command, found by trying everything."""

    def __init__(self, grammar: Grammar, words: tuple[str, ...]) -> None:
        self.grammar, self.words = grammar, words
        self.trees = cache(self._trees)

    def commands(self) -> tuple[Tree, ...]:
        return self.trees(self.grammar.root, 0, len(self.words))

    def _trees(self, sort: str, start: int, end: int) -> tuple[Tree, ...]:
        return tuple(
            Tree(frame, arguments)
            for frame in self.grammar.by_sort[sort]
            for arguments in self._filled(frame.source, start, end)
        )

    def _filled(self, items: tuple[str, ...], start: int, end: int) -> Iterator[tuple[Tree, ...]]:
        if not items or end - start < len(items):
            if not items and start == end:
                yield ()
        elif not items[0].startswith("$"):
            if self.words[start] == items[0]:
                yield from self._filled(items[1:], start + 1, end)
        else:
            middles = (end,) if len(items) == 1 else range(start + 1, end)
            for middle in middles:
                for rest in self._filled(items[1:], middle, end):
                    for tree in self.trees(items[0][1:], start, middle):
                        yield (tree, *rest)


def test_there_are_the_kinds_that_were_asked_for() -> None:
    assert (
        *("calls", "prefix", "counts", "arguments", "home", "query", "ambiguous", "idioms", "synonyms"),
        *("fillers", "names50", "names200", "names1000"),
    ) == KINDS


def test_a_seed_gives_the_same_task_for_ever() -> None:
    assert practical_task("query", 1) == cached_task("query", 1)
    sums = {kind: checksum(cached_task(kind, 0).train + cached_task(kind, 0).test)[:8] for kind in KINDS}
    assert sums == SUMS


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_differ_in_words_and_rules(kind: str) -> None:
    frames = [set(cached_language(kind, seed).grammar.frames) for seed in SEEDS]
    for one in range(len(frames)):
        for other in range(one):
            assert frames[one] - frames[other]
            assert frames[other] - frames[one]
            rules = [{frame for frame in frames[at] if frame.slots} for at in (one, other)]
            assert rules[0] != rules[1]


@every_language
def test_pairs_are_valid_distinct_and_bounded(kind: str, seed: int) -> None:
    task = cached_task(kind, seed)
    assert 14 <= len(task.train) <= 1_500
    assert 200 <= len(task.test) <= 400
    sources = [pair.source for pair in (*task.train, *task.test)]
    assert len(set(sources)) == len(sources)
    for pair in (*task.train, *task.test):
        assert checked_pair(pair.source, pair.target) == pair
    assert max(len(pair.target) for pair in task.train) <= MAX_TRAIN_ACTIONS
    assert max(len(pair.target) for pair in task.test) <= MAX_TEST_ACTIONS


@every_language
def test_training_has_every_word_and_token_of_the_test(kind: str, seed: int) -> None:
    task = cached_task(kind, seed)
    assert {w for pair in task.test for w in pair.source} <= {w for pair in task.train for w in pair.source}
    assert {t for pair in task.test for t in pair.target} <= {t for pair in task.train for t in pair.target}


@every_language
def test_rules_keep_within_spans_of_8_templates_of_30_and_4_variables(kind: str, seed: int) -> None:
    for frame in cached_language(kind, seed).grammar.frames:
        # `the $device` is a rule of its own where a frame has more.
        assert len(frame.source) - frame.source.count("the") <= 8
        assert len(frame.target) <= 30
        assert len(frame.slots) <= 3


@every_language
def test_a_command_has_one_meaning(kind: str, seed: int) -> None:
    """Every reading that the rules allow of a command writes the same."""
    task, grammar = cached_task(kind, seed), cached_language(kind, seed).grammar
    if kind == "names1000":
        pytest.skip("as names50, and slow")
    alone = {tree.words(): tree.meaning() for tree in cached_language(kind, seed).alone}
    for pair in (*task.train[::3], *task.test[::5]):
        meanings = {tree.meaning() for tree in Reader(grammar, pair.source).commands()}
        if pair.source in alone:
            meanings.add(alone[pair.source])
        assert meanings == {pair.target}


@every_language
def test_held_out_names_are_trained_alone_or_in_one_frame_and_tested_elsewhere(kind: str, seed: int) -> None:
    task, design = cached_task(kind, seed), cached_language(kind, seed)
    alone = {tree.words() for tree in design.alone}
    longest = max(len(pair.source) for pair in task.train)
    hosts = {"train": set[Nesting](), "test": set[Nesting]()}
    for name in design.held_out[:5]:
        trained = [pair.source for pair in task.train if _has(pair.source, name.source)]
        tested = [pair.source for pair in task.test if _has(pair.source, name.source)]
        given = [words for words in trained if words in alone and len(words) <= len(name.source) + 1]
        frames = {outer for outer, _, inner in _nestings(design.grammar, trained) if inner == name}
        if kind != "ambiguous":  # the word is there as an order too
            assert len(trained) == 1 if given else len(trained) in (1, 2)
        assert len(frames) == (0 if given else 1)
        hosts["train"] |= {nesting for nesting in _nestings(design.grammar, trained) if nesting[2] == name}
        hosts["test"] |= {nesting for nesting in _nestings(design.grammar, tested) if nesting[2] == name}
    assert len(hosts["test"] - hosts["train"]) >= 3
    names = [name.source for name in design.held_out]
    long = [pair.source for pair in task.test if len(pair.source) > longest]
    assert sum(any(_has(words, name) for name in names) for words in long) >= 20


@every_language
def test_tests_have_lengths_and_combinations_that_training_has_not(kind: str, seed: int) -> None:
    task, design = cached_task(kind, seed), cached_language(kind, seed)
    longest = max(len(pair.source) for pair in task.train)
    assert sum(len(pair.source) > longest for pair in task.test) >= 60
    if kind == "names1000":
        return  # as names50, and slow to read
    trained = _nestings(design.grammar, [pair.source for pair in task.train])
    tested = _nestings(design.grammar, [pair.source for pair in task.test if len(pair.source) <= longest])
    fresh = tested - trained
    assert sum(inner not in design.held_out for _, _, inner in fresh) >= 3
    # Whatever decides the order of rules is in training.
    assert all(not inner.slots for _, _, inner in fresh)


def test_the_shortest_command_of_a_home_has_seven_words() -> None:
    for seed in SEEDS:
        assert min(len(pair.source) for pair in cached_task("home", seed).train) == 7


def test_half_of_the_ambiguous_words_never_meet_themselves_in_training() -> None:
    for seed in SEEDS:
        task = cached_task("ambiguous", seed)
        selves = [
            {a for pair in pairs for a, the, b in _triples(pair.source) if the == "the" and a == b}
            for pairs in (task.train, task.test)
        ]
        assert len(selves[1] - selves[0]) >= 2


def test_idioms_have_parts_that_are_words_too() -> None:
    for seed in SEEDS:
        train = {pair.source: pair.target for pair in cached_task("idioms", seed).train}
        idioms = [frame for frame in cached_language("idioms", seed).grammar.frames if len(frame.source) > 1]
        idioms = [frame for frame in idioms if not frame.slots]
        assert len(idioms) >= 4
        for frame in idioms:
            assert train[frame.source] == frame.target
            assert any((word,) in train for word in frame.source)


@pytest.mark.parametrize("count", [50, 200, 1000])
def test_names_are_given_alone_or_in_one_or_two_sentences(count: int) -> None:
    task, design = cached_task(f"names{count}", 0), cached_language(f"names{count}", 0)
    names = [frame.source[0] for frame in design.grammar.frames if not frame.slots]
    alone = {pair.source[0] for pair in task.train if len(pair.source) == 1}
    assert len(names) == count
    assert len(alone) == count - count // 12
    used = Counter(word for pair in task.train for word in set(pair.source))
    assert {used[name] for name in names if name not in alone} == {1, 2}


def test_notes_tell_the_rules() -> None:
    for kind in KINDS:
        text = "\n".join(cached_task(kind, 0).notes)
        assert f"practical language {kind}, seed 0" in text
        assert "Decided by" in text
        assert "held out, " in text
        rules = [frame for frame in cached_language(kind, 0).grammar.frames if frame.slots]
        assert all(str(frame) in text for frame in rules)


def test_practical_languages_go_by_kind_and_number() -> None:
    assert load_task("practical:calls:2") == cached_task("calls", 2)
    for name in ("practical:", "practical:calls", "practical:calls:x", "practical:calls:-1"):
        with pytest.raises(LaneError, match=rf"no task '{name}'.*practical:KIND:N"):
            load_task(name)


def test_an_unknown_kind_lists_the_kinds_and_suggests_the_nearest() -> None:
    with pytest.raises(
        LaneError, match="no kind 'call' of practical languages; did you mean 'calls'"
    ) as caught:
        load_task("practical:call:1")
    assert all(kind in str(caught.value) for kind in KINDS)
    with pytest.raises(LaneError, match=r"no kind 'xyz' of .* \(the kinds are calls, prefix"):
        practical_task("xyz", 1)


def _nestings(grammar: Grammar, commands: Iterable[tuple[str, ...]]) -> set[Nesting]:
    """What stands in what, in any reading of any of the commands."""
    readings = (tree for words in commands for tree in Reader(grammar, words).commands())
    return {nesting for tree in readings for nesting in tree.nestings()}


def _has(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return any(words[at : at + len(name)] == name for at in range(len(words)))


def _triples(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return zip(words, words[1:], words[2:], strict=False)
