"""Refusals of a model with random weights, and the languages that models are measured against."""

import json
from dataclasses import replace

import pytest
import torch

from lane.base.errors import LaneError
from lane.base.vocabulary import Vocabulary
from lane.data import load_task, scan_pairs
from lane.experiments import rejection as module
from lane.experiments.rejection import domain, refusals, study, table
from lane.models.card import ModelCard
from lane.models.checkpoint import Checkpoint
from lane.models.config import ModelConfig
from lane.models.learned import Learned, LearnedKind, LearnedRule
from lane.models.model import LaneModel


@pytest.fixture
def checkpoint() -> Checkpoint:
    """It has learned its words, each as a whole command."""
    words = Vocabulary(("blicket", "dax", "fep", "kiki", "lug", "wif", "zup"))
    config = ModelConfig(embedding=4, hidden=4)
    torch.manual_seed(0)
    weights = LaneModel(len(words), 1, config).state_dict()
    rules = {(number,): LearnedRule(1, 1) for number in range(1, len(words) + 1)}
    learned = Learned(rules, (LearnedKind(True, ()),))
    return Checkpoint(config, words, Vocabulary(("RED",)), weights, ModelCard(), learned=learned)


@pytest.mark.parametrize("task", ["addjump", "mcd1", "extend", "limit", "random:3"])
def test_a_language_contains_its_commands_and_not_their_fragments(task):
    language = domain(task)
    assert len(language.commands) > 1_000
    assert all(map(language.contains, language.commands[::97]))
    assert not language.contains(())
    longest = max(language.commands, key=len)
    operator = next(word for word in longest if not language.contains((word,)))
    assert not language.contains((operator, operator))


def test_languages_beyond_their_pairs():
    assert len(domain("simple").commands) == len(scan_pairs())
    assert max(command.count("and") for command in domain("extend").commands) == 100
    assert domain("limit").contains(("zup", "fep", "fep"))
    assert domain("practical:home:0") is None


def test_the_tests_of_the_tasks_are_of_their_languages():
    for name in ("limit", "random:3", "extend", "addjump"):
        task, language = load_task(name), domain(name)
        assert all(language.contains(pair.source) for pair in task.test)


def test_random_strings_are_distinct_and_none_is_a_command():
    language = domain("limit")
    strings = module._nonsense(["dax", "fep", "kiki"], language, 300)
    assert len(set(strings)) == 300
    assert not any(map(language.contains, strings))


def test_wrong_verdicts_are_counted_with_the_shortest_of_them(checkpoint):
    """`dax` is answered rightly and `fep` wrongly; whatever is longer is refused."""
    task = load_task("limit")
    record = refusals(checkpoint, task, domain("limit"), 500)
    assert record["commands"] - record["refused"] == len(["dax", "lug", "wif", "zup"])
    assert record["refused_examples"][0] == "dax fep"
    assert (record["strings"], record["answered"]) == (500, 3)
    assert record["answered_examples"] == ["blicket", "fep", "kiki"]
    assert "strings" not in refusals(checkpoint, task, None, 500)


def test_a_checkpoint_that_does_not_say_what_was_learned_is_an_error(checkpoint):
    with pytest.raises(LaneError, match="what was learned"):
        refusals(replace(checkpoint, learned=None), load_task("limit"), None, 1)


def test_a_model_that_is_missing_is_named(tmp_path):
    trained = tmp_path / "sweep.jsonl"
    trained.write_text(json.dumps({"task": "limit", "seed": 2, "arguments": []}) + "\n")
    with pytest.raises(LaneError, match=r"limit-2\.pt: no such model"):
        study(trained, tmp_path, tmp_path / "out.jsonl", 1, None, print)


def test_the_table():
    record = {"task": "limit", "arguments": [], "commands": 2000, "refused": 1, "strings": 200, "answered": 1}
    rows = list(table([{**record, "answered_examples": ["dax dax"]}, record, {**record, "task": "random:1"}]))
    assert rows[2:] == [
        "| limit | 2 | 4,000 | 2 | 400 | 99.50% | `dax dax` |",
        "| random:1 | 1 | 2,000 | 1 | 200 | 99.50% |  |",
    ]
