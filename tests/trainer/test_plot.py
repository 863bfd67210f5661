"""The picture of a run, from its metrics file."""

import json

import pytest

from lane.base.errors import LaneError
from lane.trainer.plot import draw, read_metrics


def record(candidate, seconds, lesson=1, outcome="training"):
    numbers = {"accuracy": 0.5, "simplicity": 1.0, "rules": 3, "seed": 1}
    return {"candidate": candidate, "seconds": seconds, "lesson": lesson, "outcome": outcome, **numbers}


@pytest.fixture
def metrics(tmp_path):
    records = [record(0, 1.0), record(1, 1.0), record(0, 2.0, lesson=2), record(0, 0.5, outcome="stalled")]
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def test_a_truncated_last_line_is_left_out(metrics):
    whole = metrics.read_text()
    metrics.write_text(whole + whole[:30])
    series = read_metrics(metrics)
    assert {number: len(records) for number, records in series.items()} == {0: 3, 1: 1}


@pytest.mark.parametrize(
    "line", ["5", "[]", "{}", "null", '{"candidate": 0}', '{"candidate": []}', "[" * 100_000]
)
def test_a_damaged_line_is_left_out(metrics, line, tmp_path):
    metrics.write_text(f"{line}\n{metrics.read_text()}")
    draw(metrics, tmp_path / "run.svg", "a title")
    assert {number: len(records) for number, records in read_metrics(metrics).items()} == {0: 3, 1: 1}


def test_flipped_bits_in_the_metrics_end_no_training(metrics, tmp_path):
    data = metrics.read_bytes()
    for place in range(len(data)):
        metrics.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        assert sum(map(len, read_metrics(metrics).values())) >= 2


def test_the_same_metrics_give_the_same_picture(metrics, tmp_path):
    places = [tmp_path / "deep" / "run.svg", tmp_path / "again.svg"]
    for place in places:
        draw(metrics, place, "a title")
    pictures = [place.read_text() for place in places]
    assert pictures[0] == pictures[1]
    assert pictures[0].rstrip().endswith("</svg>")


def test_missing_metrics(tmp_path):
    with pytest.raises(LaneError, match=r"gone.jsonl: cannot be read"):
        read_metrics(tmp_path / "gone.jsonl")
