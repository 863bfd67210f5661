import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane.runtime.bounded_json import BYTES_PER_PART, SPARE_PARTS, _parts, parse


@pytest.fixture
def traced():
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize(
    "data",
    [
        b"[" + b"[]," * 400_000 + b"0]",
        b"[" + b"{}," * 400_000 + b"0]",
        b"[" + b"[1]," * 400_000 + b"0]",
        b"{" + b'"a":0,' * 400_000 + b'"b":0}',
        b"[" * 400_000,
    ],
    ids=["lists", "objects", "numbers", "keys", "nesting"],
)
def test_dense_text_takes_no_memory(data):
    with pytest.raises(ValueError, match="more lists"):
        parse(data)
    assert tracemalloc.get_traced_memory()[1] < 200_000


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize(
    "data",
    [
        b"[" + b'"aa",' * 100_000 + b"0]",
        b"[" + b"123456," * 100_000 + b"0]",
        b"[" + b'["a","b"],' * 100_000 + b"0]",
        b'["\xf0\x9f\x8c\x8d",' + b'"\xc3\xa9\xc3\xa9",' * 100_000 + b"0]",
    ],
    ids=["strings", "numbers", "rows", "wide"],
)
def test_the_memory_of_what_is_parsed(data):
    assert parse(data)
    assert tracemalloc.get_traced_memory()[1] < 20 * len(data)  # docs/security.md says so


def test_brackets_in_words_are_no_lists():
    words = [["[" * 20 + ":{" * 20 + '"\\', True]] * 20_000
    data = json.dumps(words, ensure_ascii=False).encode()
    assert data.count(b"[") + data.count(b"{") > len(data) // BYTES_PER_PART + SPARE_PARTS
    assert parse(data) == words


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def count(value):
    if isinstance(value, list):
        return 1 + sum(map(count, value))
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(count, value.values()))
    return 0


@given(VALUES, st.booleans())
def test_parts_are_counted_outside_of_strings(value, ascii_only):
    data = json.dumps(value, ensure_ascii=ascii_only).encode(errors="replace")
    assert _parts(data) == count(json.loads(data))
    assert parse(data) == json.loads(data)


@pytest.mark.parametrize("data", [b"NaN", b"[Infinity]", b"\xff", b"", b"[", b'{"a"}'])
def test_what_is_no_json(data):
    with pytest.raises(ValueError, match=r".+"):
        parse(data)
