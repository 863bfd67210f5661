"""The program backend: what it reports, and that it may be shared and sent."""

import pickle

import pytest

from lane.runtime import load
from lane.runtime.program_backend import ProgramBackend


@pytest.fixture
def backend(tiny):
    return ProgramBackend(tiny, "some.lane", "ab", "cd")


def test_the_card(backend, tiny):
    info = backend.info
    assert (info.backend, info.path, info.sha256, info.file_sha256) == ("program", "some.lane", "ab", "cd")
    assert info.words == tuple(word for word, _ in tiny.words)
    assert (info.nodes, info.rules, info.complete) == (len(tiny.nodes), len(tiny.rules), tiny.complete)
    assert (info.max_words, info.max_actions) == (tiny.limits.max_words, tiny.limits.max_actions)
    assert backend.rules() == tiny.rules


def test_a_copy_answers_alike(backend):
    backend.translate_batch(["dax lug"])
    copy = pickle.loads(pickle.dumps(backend))
    assert copy.info == backend.info
    texts = ["dax lug", "kiki", "what", "", "dax " * 60]
    assert copy.translate_batch(texts) == backend.translate_batch(texts)


@pytest.mark.parametrize("compiled", [True, False])
def test_gaps_are_named(backend, compiled):
    if not compiled:
        backend._core = None
    (answer,) = backend.translate_batch(["kiki dax lug"])
    assert answer.error.code == "beyond-model"
    assert answer.error.message == "beyond the model: no rule for 'kiki $x' (from word 1)"
    assert (answer.error.word, answer.error.position) == ("kiki", 1)


def test_plans_are_made_once_and_used(backend):
    for _ in range(3):
        backend.translate_batch(["dax lug", "lug dax"])
    assert len(backend._plans.young) == 1, "both have the shape $ $"


def test_closing_changes_nothing():
    translator = load()
    translator.close()
    assert translator.translate("run").text == "I_RUN"
