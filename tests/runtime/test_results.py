"""What a translator returns."""

import pickle
from dataclasses import FrozenInstanceError, asdict, replace

import pytest

from lane.runtime import Failure, Translation, load

FAILED = Translation("", Failure("unknown-word", "unknown word '<b>'", "<b>", 1))


def test_an_answer_is_a_text_or_an_error():
    answer = Translation("A B")
    assert (answer.ok, answer.actions) == (True, ("A", "B"))
    assert (FAILED.ok, FAILED.actions) == (False, ())


def test_answers_are_frozen_values():
    assert Translation("A") == Translation("A")
    assert len({Translation("A"), Translation("A"), FAILED}) == 2
    assert pickle.loads(pickle.dumps(FAILED)) == FAILED
    with pytest.raises(FrozenInstanceError):
        FAILED.error.code = "other"


def test_failures_as_plain_data():
    assert asdict(FAILED.error) == {
        "code": "unknown-word",
        "message": "unknown word '<b>'",
        "word": "<b>",
        "position": 1,
        "nearest": None,
    }


def test_notebooks_show_answers():
    assert Translation("A <B>")._repr_html_() == "<code>A &lt;B&gt;</code>"
    assert FAILED._repr_html_() == "<b>unknown-word</b>: unknown word &#x27;&lt;b&gt;&#x27;"


@pytest.mark.parametrize(
    ("provenance", "converged"),
    [
        ({"training": {"converged": False}}, False),
        ({"training": {"converged": True}}, True),
        ({"training": {"converged": "no"}}, None),
        ({"training": ["converged"]}, None),
        ({}, None),
    ],
)
def test_a_card_says_whether_the_training_converged(tiny, tmp_path, provenance, converged):
    path = tmp_path / "tiny.lane"
    replace(tiny, provenance=provenance).save(path)
    assert load(path).info.converged is converged
