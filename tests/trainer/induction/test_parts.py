"""Rules for pieces that are never commands."""

from itertools import product

from lane.data.pair import Pair
from lane.models import symbols
from lane.trainer.dataset import Dataset
from lane.trainer.induction.brackets import Brackets
from lane.trainer.induction.parts import part_rules
from lane.trainer.induction.ruleset import RuleSet
from lane.trainer.induction.shape import shapes_of
from lane.trainer.induction.text import text_of

V = symbols.VARIABLE
WHERE, IS, AND, COUNT, SHOW = range(20, 25)
FIELDS, VALUES = (1, 2, 3), (4, 5, 6)
LEXICON = {word: text_of([word]) for word in (*FIELDS, *VALUES)}
OPEN, CLOSE, EQ, BOTH = 30, 31, 32, 33


def clause(field, value):
    return (field, IS, value), (EQ, OPEN, field, value, CLOSE)


def shapes():
    pairs = {}
    for field in FIELDS:
        for value in VALUES:
            words, call = clause(field, value)
            other, second = clause(FIELDS[value % 3], VALUES[field % 3])
            for verb in (SHOW, COUNT):
                pairs[verb, WHERE, *words] = (verb, *call)
                pairs[verb, WHERE, *words, AND, *other] = (verb, BOTH, *call, *second)
    return shapes_of(list(pairs), [text_of(output) for output in pairs.values()], LEXICON)


WANTED = (V, IS, V), (-EQ, -OPEN, 1, 2, -CLOSE)


def test_a_piece_that_always_writes_the_same_is_proposed():
    made = shapes()
    found = part_rules(made, RuleSet({}), {}, made, 8, Brackets())
    # With as many constants on either side: what is inside the brackets, and the brackets.
    rights = [right for left, right in found if left == (V, IS, V)]
    assert (1, 2) in rights
    assert (-OPEN, 1, 2, -CLOSE) in rights
    assert WANTED[1] in rights
    assert len(found) == len(set(found))


def test_without_lost_shapes_a_piece_must_promise_to_save_enough():
    made = shapes()
    small = RuleSet({(V, IS, V, AND): (1, 2)})
    assert part_rules(made, small, {}, [], 8, Brackets()) == []
    large = RuleSet({(word, V, IS, V): (-EQ, 1, 2) for word in (WHERE, AND, COUNT)})
    assert {left for left, _ in part_rules(made, large, {}, [], 8, Brackets())} == {
        (V, IS),
        (IS, V),
        (V, IS, V),
    }
    assert part_rules(made, large, {}, [], 100, Brackets()) == []


def test_pieces_of_given_pieces_are_variables():
    """Once `$x is $y` is a rule, `$x and $y` can be one."""
    made = shapes()
    before = part_rules(made, RuleSet({}), {}, made, 8, Brackets())
    after = part_rules(made, RuleSet({}), dict([WANTED]), made, 8, Brackets())
    conjunction = (V, AND, V), (1, 2)
    assert conjunction in after
    assert conjunction not in before
    assert WANTED in before
    assert not [right for left, right in after if left == (V, IS, V)]


def test_what_is_written_in_few_places_only_is_not_proposed():
    """The same words with another output each time."""
    commands = [(SHOW, field, IS, value) for field in FIELDS for value in VALUES]
    outputs = [text_of((30 + n, n + 50, n + 70)) for n in range(len(commands))]
    made = shapes_of(commands, outputs, {})
    assert part_rules(made, RuleSet({}), {}, made, 8, Brackets()) == []
    # With its values there, but never the same between them.
    commands = [(verb, 1, IS, 4) for verb in (SHOW, COUNT, WHERE)]
    outputs = [text_of((verb, 1, 40 + verb, 4)) for verb in (SHOW, COUNT, WHERE)]
    made = shapes_of(commands, outputs, LEXICON)
    found = part_rules(made, RuleSet({}), {}, made, 8, Brackets())
    assert ((V, IS), (1,)) in found
    assert not [right for left, right in found if left == (V, IS, V)]


def test_where_outputs_have_brackets_parts_close_theirs():
    """`a $ pizza` is a part of orders; what writes half of its call is none, however often it stands so."""
    sizes, drinks = ("small", "large", "huge"), ("coke", "beer", "tea")
    every = list(product(sizes, drinks))
    pairs = [Pair.of(f"want a {s} pizza plus {d}", f"order [ pizza ( size = {s} ) ; {d} ]") for s, d in every]
    pairs += [Pair.of(f"get {d} plus a {s} pizza", f"take [ {d} ; pizza ( size = {s} ) ]") for s, d in every]
    dataset = Dataset.of(pairs)
    source, target, known = dataset.source, dataset.target, dataset.known()
    lexicon = {source.number(word): text_of([target.number(word)]) for word in (*sizes, *drinks)}
    made = shapes_of(list(known), map(text_of, known.values()), lexicon)
    brackets = Brackets(target)
    found = part_rules(made, RuleSet({}), {}, made, 8, brackets)
    assert all(brackets.balanced(right) for _, right in found)
    part = (source.number("a"), V, source.number("pizza"))
    call = [1 if word == "$" else -target.number(word) for word in ("pizza", "(", "size", "=", "$", ")")]
    assert (part, tuple(call)) in found
    others = part_rules(made, RuleSet({}), {}, made, 8, Brackets())
    assert not all(brackets.balanced(right) for _, right in others)
