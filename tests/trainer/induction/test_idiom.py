"""Phrases are found where a word lacks the value that it has elsewhere, and only where they pay."""

from itertools import product

from lane.base.phrase import BLANK
from lane.data.pair import Pair
from lane.trainer.dataset import Dataset
from lane.trainer.induction import induce
from lane.trainer.induction.idiom import find_phrases

UNITS = {"volt": "V", "metre": "m", "gram": "g", "second": "s"}
IDIOMS = {"electron volt": "eV", "gram force": "gf"}


def pairs_of(units):
    single = [Pair.of(unit, value) for unit, value in units.items()]
    two = product(units.items(), repeat=2)
    return single + [Pair.of(f"{a} per {b}", f"{x} / ( {y} )") for (a, x), (b, y) in two]


def test_idioms_are_phrases():
    found = find_phrases(pairs_of(UNITS | IDIOMS))
    assert set(found) == {("electron", "volt"), ("gram", "force")}


def test_a_language_without_idioms_has_no_phrases():
    assert find_phrases(pairs_of(UNITS)) == []
    operators = [Pair.of(f"{a} twice", f"{x} {x}") for a, x in UNITS.items()]
    assert find_phrases(pairs_of(UNITS) + operators) == []


def test_a_phrase_grows_by_words_that_occur_only_beside_it():
    units = UNITS | {"thermal": "Q", "unit": "U"}
    phrases = [("thermal", "unit"), ("british", f"thermal{BLANK}unit")]
    assert find_phrases(pairs_of(units | {"british thermal unit": "BTU"})) == phrases
    stated_once = [*pairs_of(units), Pair.of("british thermal unit", "BTU")]
    assert find_phrases(stated_once) == phrases
    assert find_phrases([*stated_once, Pair.of("british", "B")]) == phrases[:1]


def test_one_wrong_pair_is_no_phrase():
    pairs = [pair for pair in pairs_of(UNITS) if pair != Pair.of("volt per gram", "V / ( g )")]
    wrong = [
        *pairs,
        Pair.of("volt per gram", "m / ( s ) s"),
        Pair.of("volt per gram per metre", "V / ( g / m )"),
    ]
    assert find_phrases(wrong) == []


def test_blanks_of_the_data_are_left_alone():
    assert find_phrases([*pairs_of(UNITS | IDIOMS), Pair.of(f"a{BLANK}b", "X")]) == []


def test_induction_reads_phrases_as_words():
    dataset = Dataset.of(pairs_of(UNITS | IDIOMS))
    induced = induce(dataset)
    assert induced.lost == 0
    assert len(induced.rules) == 1, "$x per $y"
    joined = Dataset.of(dataset.pairs, induced.phrases)
    assert {joined.source.word(word) for word in induced.lexicon} == {
        *UNITS,
        f"electron{BLANK}volt",
        f"gram{BLANK}force",
    }


def test_phrases_that_do_not_pay_are_not_taken():
    pairs = [Pair.of(f"turn {a} now", f"TURN {a.upper()}") for a in ("left", "right", "up", "down")]
    assert induce(Dataset.of(pairs)).phrases == ()
