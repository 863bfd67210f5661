"""The reference of an export: one pass, and the outputs that the user gave are compared."""

from dataclasses import replace

import pytest

from lane.base.errors import LaneError
from lane.data.checksum import checksum
from lane.data.pair import Pair
from lane.export import export
from lane.export.batches import numbers, table
from lane.export.reference import Given, derive, given_pairs, refuse_damage
from lane.export.verify import refusal, replies
from lane.models.card import TrainingData
from lane.models.checkpoint import save
from lane.models.naming import named_rule


def test_pairs_of_any_kind_are_taken():
    pairs = ["jump  twice", ("run", "A  B"), (["run"], ["A"]), Pair.of("walk", "W")]
    assert given_pairs(pairs) == [
        Given("jump twice", None),
        Given("run", "A B"),
        Given("run", "A"),
        Given("walk", "W"),
    ]


@pytest.mark.parametrize("pair", [7, ("run",), ("run", "A", "B"), None, ("run", 7)])
def test_something_else_is_named_with_its_place(pair):
    with pytest.raises(LaneError, match=r"verification pair 2: .*a pair is two texts or two lists of words"):
        given_pairs(["run", pair])


def test_the_replies_are_the_checkpoints(checkpoint, model, commands_of):
    commands = commands_of(3, 40, 8)
    reference = derive(checkpoint, given_pairs(commands), random=100)
    assert len(reference.commands) > 140
    assert reference.commands[: len(set(commands))] == list(dict.fromkeys(commands))
    for command, reply in zip(reference.commands, reference.replies, strict=True):
        row = numbers(command, checkpoint.source)
        alone = refusal(row, checkpoint.config.max_words)
        if alone[0] == "ok":
            (alone,) = replies(model.rollout(table([row]), None, 0), checkpoint)
        assert reply == alone
    assert {code for code, _ in reference.replies} >= {"ok", "empty", "unknown-word", "too-many-words"}


def test_uses_are_counted_in_the_users_commands_only(checkpoint):
    once = derive(checkpoint, given_pairs(["jump"]), random=50)
    assert dict(once.uses) == {(checkpoint.source.number("jump"),): 1}
    assert len(once.met) == 1


def test_without_pairs_the_rules_of_the_card_count_as_used(checkpoint):
    vocabularies = checkpoint.source, checkpoint.target
    rule = named_rule([0, 7], [1, 1], vocabularies, checkpoint.config.max_variables)
    foreign = "$x thrice -> $X $X $X"
    card = checkpoint.card.model_copy(update={"rules": (str(rule), foreign)})
    assert dict(derive(replace(checkpoint, card=card), [], random=5).uses) == {(0, 7): 1}


def test_the_accuracy_is_that_of_distinct_pairs(checkpoint):
    right = derive(checkpoint, given_pairs(["run"]), random=0).replies[0][1]
    given = given_pairs(
        [("run", right), ("run", right), ("run", f"{right} WALK"), ("run", f"{right} WALK"), "jump"]
    )
    reference = derive(checkpoint, given, random=0)
    assert len(reference.misfits) == 2
    assert reference.accuracy(given) == 0.5
    assert derive(checkpoint, [], random=0).accuracy([]) == 1.0


@pytest.fixture
def trained(checkpoint, commands_of):
    """A checkpoint that states to get all its training pairs right, and does; and the pairs."""
    commands = list(dict.fromkeys(commands_of(9, 30, 3)))
    replies = derive(checkpoint, given_pairs(commands), random=0).replies
    pairs = [Pair.of(c, text) for c, (code, text) in zip(commands, replies, strict=False) if code == "ok"]
    data = TrainingData(pairs=len(pairs), distinct=len(pairs), sha256=checksum(pairs))
    card = checkpoint.card.model_copy(update={"accuracy": {"train": 1.0}, "data": data})
    return replace(checkpoint, card=card), pairs


def test_the_stated_accuracy_is_measured_again(trained, tmp_path):
    checkpoint, pairs = trained
    save(checkpoint, tmp_path / "model.pt")
    done = export(tmp_path / "model.pt", formats="program", random=0, pairs=pairs)
    assert (done.pairs, done.correct) == (len(pairs), len(pairs))
    edited = {name: -tensor for name, tensor in checkpoint.weights.items()}
    save(replace(checkpoint, weights=edited), tmp_path / "other.pt")
    with pytest.raises(LaneError, match=r"the card states 100.00% .*the model gets .*damaged or was edited"):
        export(tmp_path / "other.pt", formats="program", random=0, pairs=pairs)
    assert not (tmp_path / "other.lane").exists()


def test_other_pairs_say_nothing_about_the_stated_accuracy(trained):
    checkpoint, pairs = trained
    wrong = given_pairs([*pairs, ("run", "WALK WALK WALK WALK WALK")])
    reference = derive(checkpoint, wrong, random=0)
    assert reference.misfits
    refuse_damage(checkpoint, wrong, reference)
