"""The card that goes into network files is the one that the runtime reads."""

from dataclasses import replace
from pathlib import Path

from lane.export.metadata import NO_CHECKSUM, STATUSES, describe
from lane.models import symbols
from lane.models.learned import Learned
from lane.runtime.model_file import ModelFile
from lane.runtime.network_card import read_card

RULES = [["$x twice", "$X $X", 3], ["jump", "I_JUMP", 1]]


def test_the_runtime_reads_what_is_written(checkpoint):
    card = describe(checkpoint, "onnx", 0.25, RULES, {"training": {"task": "toy"}})
    assert card["sha256"] == NO_CHECKSUM  # the file's writer fills it in
    read = read_card(ModelFile(Path("m.onnx"), b""), "onnx", card)
    assert (read.words, read.actions) == (checkpoint.source.words, checkpoint.target.words)
    assert (read.max_words, read.max_actions) == (checkpoint.config.max_words, checkpoint.config.max_actions)
    assert (read.margin, read.agreement) == (0.25, checkpoint.card.agreement)
    assert read.provenance == {"training": {"task": "toy"}}
    assert [(" ".join(rule.span), rule.uses) for rule in read.rules] == [("jump", 1), ("$x twice", 3)]


def test_every_status_of_the_networks_has_a_name(checkpoint):
    numbers = [
        symbols.OK,
        symbols.OUTPUT_TOO_LONG,
        symbols.EMPTY,
        symbols.UNKNOWN_WORD,
        symbols.TOO_MANY_WORDS,
        symbols.NOT_LEARNED,
    ]
    assert (
        sorted(numbers) == sorted(STATUSES) == list(range(len(STATUSES)))
    )  # a status is a place in the list
    listed = ["ok", "too-many-actions", "empty", "unknown-word", "too-many-words", "not-learned"]
    learns = replace(checkpoint, learned=Learned({}, ()))
    assert describe(learns, "onnx", None, [], {})["statuses"] == [listed[n] for n in sorted(numbers)]
    # A file that cannot refuse does not list the status: readers go by that.
    assert describe(checkpoint, "onnx", None, [], {})["statuses"] == listed[:-1]
