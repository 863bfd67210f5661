"""Records are read as they were written, or not at all."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.base.record import read_record, write_record

RECORD = {"seed": 1, "config": {"rate": 0.1, "name": "größe", "limits": [1, None, True]}}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def path(tmp_path):
    write_record(tmp_path / "run.json", RECORD)
    return tmp_path / "run.json"


def test_a_record_is_json_with_its_checksum(path):
    assert read_record(path) == RECORD
    content = json.loads(path.read_text())
    assert len(content.pop("sha256")) == 64
    assert content == RECORD


@settings(max_examples=100, deadline=None)
@given(record=st.dictionaries(st.text().filter(lambda key: key != "sha256"), VALUES, max_size=4))
def test_any_record_comes_back(tmp_path_factory, record):
    path = tmp_path_factory.getbasetemp() / "any.json"
    write_record(path, record)
    assert read_record(path) == record


def test_a_flipped_bit_changes_nothing_unnoticed(path):
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            flipped = bytearray(whole)
            flipped[place] ^= 1 << bit
            path.write_bytes(flipped)
            try:
                kept = read_record(path)
            except LaneError:
                continue
            # White space, or the name of the checksum itself.
            assert {key: kept.get(key) for key in RECORD} == RECORD


def test_a_changed_value_is_named_as_damage(path):
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 2'))
    with pytest.raises(LaneError, match=r"run.json: damaged: the checksum does not match"):
        read_record(path)


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, "\ud800".encode("utf-8", "surrogatepass")])
def test_what_is_not_json(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(LaneError, match=r"run.json: damaged, or not JSON"):
        read_record(path)


@pytest.mark.parametrize("content", ["[]", "null", "7", '"text"'])
def test_what_is_not_an_object(path, content):
    path.write_text(content)
    with pytest.raises(LaneError, match=r"run.json: not a record"):
        read_record(path)


def test_a_record_without_a_checksum_is_taken_as_it_is(path):
    path.write_text(json.dumps(RECORD))
    assert read_record(path) == RECORD


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(LaneError, match=r"gone.json: No such file"):
        read_record(tmp_path / "gone.json")
