"""The search for the shortest description."""

from lane.data.pair import Pair
from lane.models import symbols
from lane.trainer.dataset import Dataset
from lane.trainer.induction import descent as module
from lane.trainer.induction.descent import LOST, Descent, _sample, _thinned
from lane.trainer.induction.shape import Shape
from lane.trainer.induction.text import text_of


def started(dataset):
    known = dataset.known()
    return Descent(list(known), [text_of(gold) for gold in known.values()])


def test_no_move_makes_the_description_longer(languages, named):
    search = started(languages[named].seen)
    before = search.best.length
    end = search.run()
    assert search.best.length <= before
    assert end.lost == []
    assert end.length == search._tried(search.best, range(len(search.commands)), 600).length


def test_the_length_is_of_rules_guesses_and_what_is_lost(languages):
    search = started(languages["operators"].seen)
    nothing = search._tried(module.Hypothesis(search.best.variables, banned=search.best.banned))
    assert nothing.length == nothing.grammar.size, "all variables are examples, and nothing is lost"
    for rule in list(nothing.grammar.rules.items()):
        without = search._tried(module.Hypothesis(search.best.variables, banned=frozenset([rule])))
        if without.lost:
            cost = sum(
                min(shape.commands, module.OFTEN) * (len(shape.tokens) + len(shape.outputs[0]))
                for shape in without.lost
            )
            assert without.length == without.grammar.size + LOST * cost
        assert without.length > nothing.length


def test_a_part_is_a_rule_of_its_own(languages):
    dataset = languages["parts"].seen
    clause = (symbols.VARIABLE, dataset.source.number("is"), symbols.VARIABLE)
    assert clause in started(dataset).run().grammar.rules


def test_words_of_commands_are_not_variables(languages):
    """`turn on the lamp`: neither `turn` nor `the` has a value."""
    dataset = languages["names"].seen
    variables = started(dataset).run().variables
    assert {dataset.source.word(word) for word in variables} == {f"thing{n}" for n in range(6)}


def test_values_of_a_kind_get_one_form():
    """Dates: `april` is `04 -`, since `fourth` has `04` too; `august` is `08`, since there is no eighth."""
    months, days = (
        {name: f"0{n}" for n, name in enumerate(names.split(), 1)}
        for names in (
            "january february march april may june july august",
            "first second third fourth fifth sixth seventh",
        )
    )
    pairs = [
        Pair.of(command, f"at {month} - {day} )")
        for name, month in months.items()
        for order, day in days.items()
        for command in (f"on {name} {order} call", f"call on the {order} of {name}")
    ]
    dataset = Dataset.of(tuple(pairs))
    search = started(dataset)
    end = search.run()
    values = {dataset.source.word(word): value for word, value in search.lexicon_of(end).items()}
    assert end.lost == []
    assert {len(values[name]) for name in months} == {1}


def test_it_ends_without_steps(languages, monkeypatch):
    monkeypatch.setattr(module, "STEPS", 0)
    end = started(languages["operators"].seen).run()
    assert end.grammar.rules == {}
    assert len(end.lost) == len(end.shapes)


def test_samples_have_the_shortest_and_some_of_the_rest(monkeypatch):
    monkeypatch.setattr(module, "SAMPLE", 20)
    commands = [(n,) * (1 + n % 50) for n in range(1, 500)]
    chosen = _sample(commands)
    assert len(chosen) == len(set(chosen)) == 20
    shortest = sorted(range(len(commands)), key=lambda n: (len(commands[n]), commands[n]))
    assert chosen[:10] == shortest[:10]
    assert max(len(commands[n]) for n in chosen[10:]) > 5
    assert sorted(_sample(commands[:7])) == list(range(7)), "all, where there are few"


def test_thinned_shapes_stay_in_their_order():
    shapes = [Shape((n,)) for n in range(100)]
    assert _thinned(shapes, 100) is shapes
    numbers = [shape.tokens[0] for shape in _thinned(shapes, 20)]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 20
    assert numbers[:10] == list(range(10))
