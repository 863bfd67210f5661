"""A model as the batch mapper of an engine."""

import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.runtime import BatchMapper, load
from lane.runtime import mapper as module

WORDS = st.sampled_from(["jump", "walk", "twice", "thrice", "and", "after", "wolk", ""])
COMMANDS = st.lists(st.none() | st.lists(WORDS, max_size=6).map(" ".join), max_size=30)
MAPPER = BatchMapper()


def expected(texts):
    answers = load().translate_batch([text or "" for text in texts])
    return [answer.text for answer in answers], [answer.error and answer.error.code for answer in answers]


@given(COMMANDS)
def test_lists_give_lists_with_the_answers_of_the_translator(texts):
    numbers = list(range(len(texts)))
    answered = MAPPER({"id": numbers, "text": texts})
    assert list(answered) == ["id", "text", "output", "error"]
    assert (answered["id"], answered["text"]) == (numbers, texts)
    assert (answered["output"], answered["error"]) == expected(texts)


@settings(deadline=None)  # the first import of pyarrow takes long
@given(COMMANDS, st.integers(1, 7))
def test_arrow_gives_arrow(texts, size):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"id": list(range(len(texts))), "text": pyarrow.array(texts, pyarrow.string())})
    answered = MAPPER(table)
    assert answered.schema.names == ["id", "text", "output", "error"]
    assert answered.select(["id", "text"]) == table
    assert (answered["output"].to_pylist(), answered["error"].to_pylist()) == expected(texts)
    batches = table.to_batches(max_chunksize=size)
    streamed = pyarrow.Table.from_batches(MAPPER.map_arrow(batches), MAPPER.schema(table.schema))
    assert streamed == answered
    for batch in batches:
        assert MAPPER(batch)["id"].to_pylist() == batch.column("id").to_pylist()


def test_long_answers_are_streamed_in_parts(monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.setattr(module, "BUDGET", 100)
    batch = pyarrow.record_batch({"text": ["jump around left thrice and jump around right"] * 50})
    parts = list(MAPPER.map_arrow([batch]))
    assert len(parts) > 5
    assert [text for part in parts for text in part.column("output").to_pylist()] == expected(
        ["jump around left thrice and jump around right"] * 50
    )[0]


def test_arrays_of_numpy_are_columns_too():
    numpy = pytest.importorskip("numpy")
    assert MAPPER({"text": numpy.array(["jump", "jmp"])})["error"] == [None, "unknown-word"]


def test_the_column_has_any_name():
    assert BatchMapper(column="value")({"value": ["jump"]})["output"] == ["I_JUMP"]


@pytest.mark.parametrize(
    ("batch", "problem"),
    [
        ({"value": ["jump"]}, "no column 'text'; the batch has value"),
        ({"text": ["jump"], "error": [1]}, "a column 'error' already"),
    ],
)
def test_a_wrong_batch_is_named(batch, problem):
    with pytest.raises(ValueError, match=problem):
        MAPPER(batch)


def test_a_command_that_is_no_text_is_named():
    with pytest.raises(TypeError, match=r"texts\[1\] is of type int"):
        MAPPER({"text": ["jump", 2]})


def test_a_process_opens_the_model_once():
    sent = pickle.dumps(MAPPER)
    first, second = pickle.loads(sent), pickle.loads(sent)
    assert first.translator is second.translator
    other = pickle.loads(pickle.dumps(BatchMapper(column="value")))
    assert (other.translator, other.column) == (first.translator, "value")


def test_a_mapper_works_in_another_process_without_the_file(scan_file, tmp_path):
    path = tmp_path / "model.lane"
    shutil.copyfile(scan_file, path)
    mapper = BatchMapper(path)
    path.unlink()
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        answered = pool.submit(mapper, {"text": ["walk twice", None]}).result()
    assert answered["output"] == ["I_WALK I_WALK", ""]
    assert answered["error"] == [None, "empty"]


def test_lists_need_no_arrow():
    code = (
        "import sys; from lane.runtime import BatchMapper; BatchMapper()({'text': ['jump']});"
        "sys.exit(bool({'pyarrow', 'numpy', 'ray', 'pyspark'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, check=False).returncode == 0
