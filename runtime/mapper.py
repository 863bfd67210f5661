"""A model as the batch mapper of an engine: columns in, the same columns with the answers out."""

import hashlib
import json
import pickle
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lane.runtime.results import Translation
from lane.runtime.translator import BUDGET, Translator, load

OUTPUT, ERROR = "output", "error"
_MOST_OPEN = 4  # a process works for one model, or for a few in turn
_Key = tuple[str, str, bool, str]  # of a model: backend, checksum, whether it is lenient, and its lists
_OPEN: dict[_Key, Translator] = {}  # sent to this process


class BatchMapper:
    """Translates a column of commands; Ray, Spark, Dask or a pool of processes can hold one.

    The answers are two columns more: `output`, and `error` with the code of a failure, or None. A missing
    command (None) is answered like an empty one. A mapper is sent by pickle, with its model inside unless
    that is a network; each process opens the model once, however often a mapper is sent to it.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        column: str = "text",
        *,
        backend: str = "auto",
        trust: bool | str = False,
        lenient: bool = False,
        lists: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self.translator: Translator = load(model, backend, trust=trust, lenient=lenient, lists=lists)
        self.column, self.lenient = column, lenient

    def __reduce__(self) -> tuple[Any, ...]:
        info = self.translator.info
        key = info.backend, info.file_sha256, self.lenient, self.lists_sha256
        return _restored, (key, pickle.dumps(self.translator), self.column)

    @property
    def lists_sha256(self) -> str:
        """Of the lists that its slots were given; empty if there are none."""
        lists = self.translator.lists
        return hashlib.sha256(json.dumps(sorted(lists.items())).encode()).hexdigest() if lists else ""

    def __call__(self, batch: Any) -> Any:
        """A mapping of lists or arrays gives a dictionary; an Arrow table or record batch gives a table.

        The answers to the whole batch are in memory together: `map_arrow` bounds them.
        """
        if isinstance(batch, Mapping):
            self._check(batch)
            answers = self.translator.translate_batch(_texts(batch[self.column]))
            return {**batch, OUTPUT: [answer.text for answer in answers], ERROR: _codes(answers)}
        import pyarrow

        batches = batch.to_batches() if hasattr(batch, "to_batches") else [batch]
        return pyarrow.Table.from_batches(self.map_arrow(batches), self.schema(batch.schema))

    def map_arrow(self, batches: Iterable[Any]) -> Iterator[Any]:
        """A stream of Arrow record batches, as of Spark's `mapInArrow`.

        A batch whose answers have more than `BUDGET` characters gives several.
        """
        import pyarrow

        for batch in batches:
            schema = self.schema(batch.schema)
            texts = _texts(batch.column(self.column))
            start = 0
            while start < len(texts):
                answers = self.translator.translate_some(texts[start:] if start else texts, BUDGET)
                columns = batch.slice(start, len(answers)).columns
                outputs = pyarrow.array([answer.text for answer in answers], pyarrow.string())
                errors = pyarrow.array(_codes(answers), pyarrow.string())
                yield pyarrow.RecordBatch.from_arrays([*columns, outputs, errors], schema=schema)
                start += len(answers)

    def schema(self, schema: Any) -> Any:
        """The Arrow schema of the answers to batches of this schema."""
        import pyarrow

        self._check(schema.names)
        for name in (OUTPUT, ERROR):
            schema = schema.append(pyarrow.field(name, pyarrow.string()))
        return schema

    def _check(self, names: Iterable[str]) -> None:
        known = list(names)
        if self.column not in known:
            raise ValueError(f"no column {self.column!r}; the batch has {', '.join(known) or 'none'}")
        for name in (OUTPUT, ERROR):
            if name in known:
                raise ValueError(f"the batch has a column {name!r} already: rename it, the answer needs it")


def _texts(column: Any) -> list[str]:
    """The commands of a list, a numpy array or an Arrow array."""
    for method in ("to_pylist", "tolist"):
        if hasattr(column, method):
            column = getattr(column, method)()
    return ["" if text is None else text for text in column]


def _codes(answers: list[Translation]) -> list[str | None]:
    return [answer.error.code if answer.error else None for answer in answers]


def _restored(key: _Key, model: bytes, column: str) -> BatchMapper:
    if key not in _OPEN:
        if len(_OPEN) >= _MOST_OPEN:
            _OPEN.clear()
        _OPEN[key] = pickle.loads(model)
    mapper = BatchMapper.__new__(BatchMapper)
    mapper.translator, mapper.column, mapper.lenient = _OPEN[key], column, key[2]
    return mapper
