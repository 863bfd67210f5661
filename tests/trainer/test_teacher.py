"""What the teacher shows is right: by its plans and templates an untrained network writes the gold."""

import pytest
import torch

from lane.data.pair import Pair
from lane.models import memory as mem
from lane.models import symbols
from lane.models.model import LaneModel
from lane.models.nodes import distinct_spans
from lane.trainer.config import build_config
from lane.trainer.dataset import Dataset
from lane.trainer.induction import Induced, induce
from lane.trainer.learner import Learner, same_rows
from lane.trainer.teacher import Teacher, _note


def taught(dataset: Dataset, found: Induced, **settings) -> tuple[Teacher, Learner]:
    """A teacher, and a learner with random weights whose limits fit the rules."""
    config = build_config("fast", {"embedding": 8, "hidden": 8, "samples": 6, "explorers": 0.5, **settings})
    config = config.model_copy(update=found.limits(config))
    network = config.network(found.constants_for(config.constants))
    teacher = Teacher(dataset, found, network)
    torch.manual_seed(1)
    return teacher, Learner(LaneModel(len(dataset.source), len(dataset.target), network), config, teacher)


def shown(teacher: Teacher, learner: Learner, index: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Which examples the teacher knows, and whether a drawn derivation by its plan writes the gold."""
    dataset, model = teacher.dataset, learner.model
    words, gold = dataset.words_of(index), dataset.gold_of(index)
    plan, known = teacher.plans(index, words.size(1))
    derivations = model.composer.compose(words, torch.full([len(index)], 1.5), plan=plan)
    spans, span = distinct_spans(derivations.nodes, derivations.node)
    limit = model.solver.template_limit
    given = teacher.templates(spans, limit)
    translations = model.solver.solve(spans, torch.arange(len(spans)), None, limit, given)
    values = mem.expand(
        translations.template, span, derivations.arguments, derivations.root, words.size(1), gold.size(1)
    )
    right = (values.status == symbols.OK) & same_rows(values.actions, gold)
    return known, right


def test_plans_and_templates_write_the_gold(languages, induced, named):
    """Of every example, in whatever order the network makes its merges."""
    dataset = languages[named].seen
    teacher, learner = taught(dataset, induced[named])
    for seed in range(3):
        torch.manual_seed(seed)
        known, right = shown(teacher, learner, torch.arange(len(dataset)))
        assert known.all()
        assert right.all()


def test_explorers_are_shown_and_the_policy_is_not(languages, induced, named):
    dataset = languages[named].seen
    teacher, learner = taught(dataset, induced[named])
    index = torch.arange(len(dataset))
    drawn, explorers = learner.config.samples, 3
    rows = index.repeat_interleave(drawn)
    temperature = torch.ones([len(index), drawn])
    temperature[:, drawn - explorers :] = 2.5
    gold = dataset.gold_of(rows)
    rollout = learner._taught(
        teacher, dataset.words_of(rows), temperature, 2 * gold.size(1) + 1, index, explorers
    )
    right = same_rows(rollout.values.actions, gold).view(len(index), drawn)
    assert right[:, drawn - explorers :].all()
    assert right[:, : drawn - explorers].float().mean() < 0.5
    assert temperature.eq(1).all(), "what is shown is drawn at the temperature of the policy"
    # Explorers use rules that were read off the pairs: they are as simple as can be.
    assert learner._simplicity(rollout).view(len(index), drawn)[:, drawn - explorers :].eq(1).all()


def without(found: Induced, left: tuple[int, ...]) -> Induced:
    return Induced(found.lexicon, {a: b for a, b in found.rules.items() if a != left}, 1, found.shapes)


def test_examples_without_a_derivation_have_no_plan(languages, induced):
    dataset = languages["operators"].seen
    after = dataset.source.number("after")
    teacher, learner = taught(dataset, without(induced["operators"], (0, after, 0)))
    known, right = shown(teacher, learner, torch.arange(len(dataset)))
    needs_it = (dataset.words == after).any(dim=1)
    assert torch.equal(known, ~needs_it)
    assert right[known].all()
    plan, _ = teacher.plans(torch.nonzero(needs_it)[:, 0], dataset.words.size(1))
    assert (plan == symbols.FREE).all()


@pytest.mark.parametrize(("name", "setting"), [("constants", "never"), ("template_limit", None)])
def test_rules_that_the_networks_cannot_have_are_not_shown(languages, induced, name, setting):
    dataset, found = languages["calls"].seen, induced["calls"]
    config = build_config("fast", {"constants": "never"} if name == "constants" else {})
    limits = found.limits(config) | ({} if name == "constants" else {"template_limit": 5})
    network = config.model_copy(update=limits).network(found.constants_for(config.constants))
    teacher = Teacher(dataset, found, network)
    _, known = teacher.plans(torch.arange(len(dataset)), dataset.words.size(1))
    kept = {left for left, right in found.rules.items() if name != "constants" and len(right) <= 5}
    assert set(teacher.reading.grammar.rules) == kept
    assert torch.equal(known, dataset.length == 1) == (not kept)


def test_templates_are_those_of_the_rules(languages, induced):
    dataset, found = languages["calls"].seen, induced["calls"]
    teacher, learner = taught(dataset, found)
    variables, none = learner.model.solver.variables, symbols.NONE
    number, target = dataset.source.number, dataset.target.number
    wanted = [variables + target("add"), variables + target("("), 1, variables + target(","), 2]
    wanted.append(variables + target(")"))
    width = learner.model.composer.max_span
    spans = [[0, number("plus"), 0], [number("one")], [number("plus")], [0, number("one"), 0]]
    leaves = torch.tensor([span + [none] * (width - len(span)) for span in spans])
    rows = teacher.templates(leaves, 10).tolist()
    assert rows[0] == wanted + [symbols.END] * 5
    assert rows[1] == [variables + target("1")] + [symbols.END] * 10
    assert rows[2] == rows[3] == [none] * 11
    assert teacher.templates(leaves, 5).tolist()[0] == [none] * 6, "no room for it"


def test_where_derivations_differ_the_network_decides():
    spans = {}
    _note(spans, 0, 3, symbols.JOINED)
    _note(spans, 1, 3, symbols.RECOGNIZED)
    _note(spans, 1, 3, symbols.RECOGNIZED)
    assert spans == {(0, 2): symbols.JOINED, (1, 2): symbols.RECOGNIZED}
    _note(spans, 0, 3, symbols.RECOGNIZED)
    assert spans[0, 2] == symbols.FREE


def test_ambiguous_commands_show_some_right_derivation():
    words = {"a": "A", "b": "B", "c": "C"}
    pairs = [Pair.of(*pair) for pair in words.items()]
    pairs += [Pair.of(f"{x} and {y}", f"{words[x]} {words[y]}") for x in words for y in words]
    pairs += [Pair.of("a and b and c", "A B C"), Pair.of("c and b and b", "C B B")]
    dataset = Dataset.of(pairs)
    teacher, learner = taught(dataset, induce(dataset))
    found = torch.zeros([len(dataset)], dtype=torch.bool)
    for seed in range(20):
        torch.manual_seed(seed)
        known, right = shown(teacher, learner, torch.arange(len(dataset)))
        assert known.all()
        assert right[dataset.length <= 3].all()
        found |= right
    assert found.all()


def test_an_update_learns_from_what_is_shown(languages, induced):
    """Names are never alone here: by chance no draw would be right."""
    dataset, found = languages["names"].seen, induced["names"]
    index = torch.arange(len(dataset))

    def right(teaching: bool) -> float:
        _, learner = taught(dataset, found, composer_rate=0.02, solver_rate=0.02, samples=10)
        learner.teacher = learner.teacher if teaching else None
        for _ in range(40):
            learner.update(dataset, index, 0.0, explore=True)
        return learner.evaluate(dataset, index).accuracy

    assert right(teaching=True) > 0.9
    assert right(teaching=False) < 0.1


@pytest.mark.parametrize("explore", [True, False])
def test_it_teaches_explorers_on_its_own_pairs_only(languages, induced, explore):
    """Without explorers, or on other pairs, an update is as ever but for the simplicity of known rules."""
    dataset = languages["operators"].seen
    other = dataset.like(dataset.pairs[:20]) if explore else dataset
    index = torch.arange(20)

    def drawn(teaching: bool) -> torch.Tensor:
        teacher, learner = taught(dataset, induced["operators"])
        asked = []
        learner.teacher = teacher if teaching else None
        teacher.plans = lambda *arguments: asked.append(arguments)  # it must not be asked
        torch.manual_seed(3)
        learner.update(other, index, 0.0, explore=explore)
        assert not asked
        return torch.get_rng_state()

    assert torch.equal(drawn(teaching=True), drawn(teaching=False))
