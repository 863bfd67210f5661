"""The bundled model: right on all of SCAN, and open about where it comes from."""

from lane.data import scan_pairs
from lane.runtime import load


def test_the_bundled_model_translates_the_whole_language():
    pairs = list(scan_pairs())
    answers = load().translate_batch([" ".join(pair.source) for pair in pairs])
    assert len(answers) == 20_910
    assert [answer.text for answer in answers] == [" ".join(pair.target) for pair in pairs]


def test_it_says_how_it_was_trained():
    training = load().info.provenance["training"]
    assert training["task"] == "addjump"
    assert training["seed"] == 1
    assert training["converged"]
