"""Derivations by the rules that were read."""

from lane.data.pair import Pair
from lane.models import symbols
from lane.trainer.dataset import Dataset
from lane.trainer.induction.chart import written
from lane.trainer.induction.reading import Reading
from lane.trainer.induction.shape import shape_of
from lane.trainer.induction.wordclass import EDGE


def test_new_commands_of_known_shapes_have_their_outputs(languages, induced, named):
    """Of shapes in the pairs that were read, whatever their words."""
    made, found = languages[named], induced[named]
    reading = Reading(made.seen, found.lexicon, found.rules)
    new = {c: gold for c, gold in made.everything.known().items() if c not in made.seen.known()}
    told = {command: reading.output(command) for command in new}
    assert all(output in (None, new[command]) for command, output in told.items())
    for command, output in told.items():
        assert (output is None) == (shape_of(command, found.lexicon) not in reading.shapes)
    if named != "calls":
        assert any(told.values())


def test_what_is_not_explained_has_no_output(languages, induced):
    made, found = languages["operators"], induced["operators"]
    less = {left: right for left, right in found.rules.items() if right != (2, 1)}
    reading = Reading(made.seen, found.lexicon, less)
    after = made.seen.source.number("after")
    for command, gold in made.seen.known().items():
        if len(command) > 1:
            tokens = shape_of(command, found.lexicon)
            assert reading.output(command) == (None if after in command else gold)
            assert (reading.chart(tokens) is None) == (reading.parts(tokens) is None) == (after in command)


def test_wrong_pairs_do_not_make_a_shape_explained(languages, induced):
    dataset, found = languages["operators"].seen, induced["operators"]
    wrong = dataset.like([Pair.of("walk twice", "W R")])
    reading = Reading(wrong, found.lexicon, found.rules)
    assert reading.output(tuple(wrong.words[0].tolist())) is None


def test_parts_cover_the_shape_and_write_their_values(languages, induced, named):
    made, found = languages[named], induced[named]
    reading = Reading(made.seen, found.lexicon, found.rules)
    for tokens, shape in reading.shapes.items():
        parts = reading.parts(tokens)
        assert (0, len(tokens), shape.outputs) in {part for part, _, _ in parts}
        explained = {part for part, _, _ in parts}
        for part, left, arguments in parts:
            values = [argument.value for argument in arguments]
            for member, value in enumerate(part.value):
                assert written(reading.grammar.pieces[left], values, member) == value
            for argument in arguments:
                word = argument.end - argument.start == 1 and tokens[argument.start] == symbols.VARIABLE
                assert word or argument in explained


def test_several_derivations_are_all_there():
    """`a and b and c` is the same from either side."""
    from lane.trainer.dataset import Dataset

    dataset = Dataset.of([Pair.of("a and b and c", "A B C"), *(Pair.of(w, w.upper()) for w in "abc")])
    lexicon = {dataset.source.number(w): chr(0x4E00 + dataset.target.number(w.upper())) for w in "abc"}
    conjunction = (0, dataset.source.number("and"), 0)
    reading = Reading(dataset, lexicon, {conjunction: (1, 2)})
    tokens = (0, conjunction[1], 0, conjunction[1], 0)
    spans = {(part.start, part.end) for part, _, _ in reading.parts(tokens)}
    assert spans == {(0, 5), (0, 3), (2, 5)}


def test_the_neighbours_of_words():
    dataset = Dataset.of([Pair.of("walk twice", "W W"), Pair.of("walk", "W"), Pair.of("run and walk", "R W")])
    walk, run, twice, both = (dataset.source.number(word) for word in ("walk", "run", "twice", "and"))
    company = Reading(dataset, {walk: "", run: ""}, {}).company
    assert company == {
        symbols.VARIABLE: {(EDGE, twice), (EDGE, both), (both, EDGE)},
        twice: {(symbols.VARIABLE, EDGE)},
        both: {(symbols.VARIABLE, symbols.VARIABLE)},
    }
