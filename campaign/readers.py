"""What is fuzzed: each reader as a function of bytes, which must return or raise the reader's own error.

Checksums are made to match, since no random change would get past them. What was read is also used and
compared with a second way to the same result, so that a wrong answer counts as much as a crash.
"""

import gzip
import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lane.base.errors import LaneError
from lane.base.placeholder import NUMBER, TEXT
from lane.base.rule import name_variables
from lane.data.formats import Format, format_line, parse_line
from lane.data.reader import PairReader
from lane.runtime import (
    Limits,
    ModelError,
    Program,
    ProgramError,
    Translation,
    codec,
    embedded_card,
    program_backend,
)
from lane.runtime.bounds import READABLE_VERSIONS
from lane.runtime.extension import Growth, NewWord, grow
from lane.runtime.model_file import ModelFile
from lane.runtime.network_card import read_card
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.translator import Translator

ROOT = Path(__file__).parents[1]
TINY = ROOT / "tests" / "runtime" / "golden" / "tiny.lane"
ATTACKS = ROOT / "tests" / "runtime" / "attacks"
CARD = {
    "version": 1,
    "lane": "onnx",
    "sha256": "0" * 64,
    "words": ["a", "b"],
    "actions": ["A", "B"],
    "statuses": ["ok", "too-many-words"],
    "limits": {"max_words": 5, "max_actions": 9},
    "margin": 0.5,
    "trust": None,
    "provenance": {"task": "x"},
    "rules": [["a", "A", 1], ["$x b", "$X $X", 0]],
}


class Reader(NamedTuple):
    """How to read some bytes, and a few good ones to begin with."""

    read: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


def read_program(data: bytes) -> None:
    """The body of a program below a first line with the right checksum; its answers by steps and by plans."""
    for version in READABLE_VERSIONS:
        head = f'{{"lane-program": {version}, "sha256": "{hashlib.sha256(data).hexdigest()}",\n'.encode()
        try:
            program = codec.decode(head + data)
        except ProgramError:
            continue
        assert codec.decode(codec.encode(program)) == program
        _translate(program)
        if program.schemes.is_spoken:
            _hear(program)


def _translate(program: Program) -> None:
    backend = ProgramBackend(program)
    words = [word for word, _ in program.words][:4]
    texts = [" ".join(words[:count]) for count in range(1, 5)] + [" ".join([words[0]] * 3), "nobody"]
    first = backend.translate_batch(texts)
    assert first == backend.translate_batch(texts), "a second time, by plans"
    for text, answer in zip(texts, first, strict=True):
        shown = backend.explain(text)
        assert (shown.text, shown.error) == (answer.text, answer.error)


def _hear(program: Program) -> None:
    """Commands with anything in their slots: what is not written by the rules is the text of a slot."""
    translator = Translator(ProgramBackend(program))
    for name in program.schemes.slots:
        if name not in (NUMBER, TEXT):
            translator.set_list(name, ["blue moon", "{x}", *program.actions[:3]])
    words = [word for word, _ in program.words][:4]
    texts = [
        " ".join([*words[:count], said])
        for count in range(4)
        for said in ("12", "Blue MOON", "<error:x> {a}")
    ]
    for text in [*texts, *program.schemes.skips]:
        answer, shown = translator.translate(text), translator.explain(text)
        assert (shown.text, shown.error, shown.slots) == (answer.text, answer.error, answer.slots)
        assert set(answer.actions) <= {*program.actions, *(slot.token for slot in answer.slots)}


def read_tables(data: bytes) -> None:
    """A program of words, nodes and rules drawn from the bytes: what no change of JSON text would reach."""
    take = _Draw(data)
    words = {word: take.number(2) == 1 for word in "abcd"[: 1 + take.number(4)]}
    leaves = ["$", *(word for word, recognised in words.items() if not recognised)]
    nodes = {}
    for _ in range(take.number(20)):
        left, right = (leaves[take.number(len(leaves))] for _ in range(2))
        nodes[left, right] = float(take.number(5)), take.number(2) == 1
    spans = [(word,) for word, recognised in words.items() if recognised]
    spans += [name_variables(pair) for pair, (_, recognised) in nodes.items() if recognised]
    rules = [
        (span, tuple(take.some(["A", "B", *(name.upper() for name in span if name[0] == "$")])), 1)
        for span in spans
    ]
    try:
        program = Program.build(
            words=words,
            nodes=[(*pair, *row) for pair, row in nodes.items()],
            rules=rules,
            limits=Limits(1 + take.number(8), 1 + take.number(30)),
            complete=take.number(2) == 1,
        )
    except ProgramError:
        return
    assert codec.decode(codec.encode(program)) == program
    _translate(program)


def _program_seeds() -> list[bytes]:
    files = [TINY, *sorted(ATTACKS.glob("*.lane"))]
    grown = Growth(
        (NewWord("{number}", "dax"), NewWord("{room}", "lug"), NewWord("{text}", "lug")), ("please",), True
    )
    files_and_grown = [*(path.read_bytes() for path in files), grow(Program.load(TINY), grown).dumps()]
    return [body for data in files_and_grown if len(body := data.partition(b"\n")[2]) < 20_000]


def read_onnx(data: bytes) -> None:
    """The message of an ONNX file; if it is accepted, no tensor that protobuf finds has external data."""
    embedded_card.checksum_around = lambda data, stated: stated
    file = ModelFile(Path("model.onnx"), data)
    try:
        read_card(file, "onnx", embedded_card.card_of_onnx(file))
    except ModelError:
        return
    assert not _has_external(data), "external data was accepted"


def _has_external(data: bytes) -> bool:
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.ModelProto.FromString(data)
    except (DecodeError, UnicodeDecodeError):
        return False  # onnxruntime cannot read it either
    return any(
        message.external_data or message.data_location == onnx.TensorProto.EXTERNAL
        for message in _messages(model)
        if isinstance(message, onnx.TensorProto)
    )


def _messages(message: Any) -> Iterator[Any]:
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for inner in value if field.is_repeated else [value]:
                yield from _messages(inner)


def _onnx_seeds() -> list[bytes]:
    import onnx

    def model(**changes: Any) -> Any:
        tensor = onnx.helper.make_tensor("t", onnx.TensorProto.FLOAT, [1], [0.5])
        branch = onnx.helper.make_graph([], "branch", [], [], [tensor])
        node = onnx.helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch, **changes)
        made = onnx.helper.make_model(onnx.helper.make_graph([node], "main", [], [], [tensor]))
        made.metadata_props.add(key="lane.json", value=json.dumps(CARD))
        return made

    outside = model()
    outside.graph.initializer[0].external_data.add(key="location", value="secret")
    inside = model()
    inside.graph.node[0].attribute[0].g.initializer[0].data_location = onnx.TensorProto.EXTERNAL
    sparse = model()
    sparse.graph.sparse_initializer.add().values.CopyFrom(outside.graph.initializer[0])
    return [made.SerializeToString() for made in (model(), model(domain="other"), outside, inside, sparse)]


class _AnyChecksum(str):
    """Equal to every checksum."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


def read_archive(data: bytes) -> None:
    """The card of a TorchScript archive; the archive itself is opened only with trust."""
    embedded_card.checksum_of_records = lambda records: _AnyChecksum()
    file = ModelFile(Path("model.ts"), data)
    try:
        read_card(file, "torchscript", embedded_card.card_of_archive(file))
    except ModelError:
        return


def _zip(records: dict[str, str], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as made:
        for name, content in records.items():
            made.writestr(zipfile.ZipInfo(f"m/{name}"), content, compression)
    return buffer.getvalue()


def _archive_seeds() -> list[bytes]:
    card = {"extra/lane.json": json.dumps(CARD | {"lane": "torchscript"})}
    other = {"code/a.py": "x", "data.pkl": "y", "version": "3", ".data/serialization_id": "1"}
    return [
        _zip(card | other),
        _zip(other),
        _zip({"data.pkl": ""}),
        _zip(card, zipfile.ZIP_DEFLATED),
        _zip({}),
    ]


def read_checkpoint(data: bytes) -> None:
    """A checkpoint with a matching checksum. The pickle inside is torch's to read, as plain values only."""
    from lane.models import checkpoint

    body = data[: -checkpoint._SEAL_SIZE] if checkpoint._SEAL in data[-checkpoint._SEAL_SIZE :] else data
    checkpoint._read = lambda path: checkpoint._sealed(body[:-2] + b"\0\0")
    try:
        checkpoint.load(Path("model.pt")).model()
    except LaneError:
        return


def _checkpoint_seeds() -> list[bytes]:
    import torch

    from lane.base.vocabulary import Vocabulary
    from lane.models.checkpoint import Checkpoint, save
    from lane.models.config import ModelConfig
    from lane.models.model import LaneModel

    config = ModelConfig(embedding=1, hidden=1)
    torch.manual_seed(1)
    words, actions = Vocabulary(["a", "b"]), Vocabulary(["A"])
    made = Checkpoint(config, words, actions, LaneModel(2, 1, config).state_dict())
    path = ROOT / "build" / "fuzz" / "seed.pt"
    path.parent.mkdir(parents=True, exist_ok=True)
    save(made, path)
    return [path.read_bytes()]


def read_pairs(data: bytes) -> None:
    """Pairs on standard input, packed or not; each comes back from every format that can hold it."""
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))  # type: ignore[arg-type]
    try:
        for _, pair in PairReader("-"):
            for form in Format:
                try:
                    line = format_line(form, pair)
                except ValueError:
                    continue
                assert parse_line(form, line) == pair
    except LaneError:
        return
    finally:
        sys.stdin = sys.__stdin__


def _pairs_seeds() -> list[bytes]:
    return [
        b"IN: jump twice OUT: JUMP JUMP\n\nIN: walk OUT: WALK\n",
        b"jump twice\tJUMP JUMP\r\nwalk\tWALK\r\n",
        b'{"in": "jump twice", "out": ["JUMP", "JUMP"]}\n{"in": ["walk"], "out": "WALK"}\n',
        gzip.compress("\ufeffcaf\u00e9\tCAF\u00c9\n".encode(), mtime=0),
    ]


def read_core(data: bytes) -> None:
    """Words, plans and commands drawn from the bytes, given to the compiled core and to a dictionary."""
    core = program_backend._core
    assert core is not None, "the core is not compiled"
    take = _Draw(data)
    words = {take.text(4): (take.number(6), take.text(6)) for _ in range(take.number(8))}
    made, plans = core.Core(words, Translation), {}
    for _ in range(take.number(6)):
        shape, constants = take.numbers(6), tuple(take.text(5) for _ in range(take.number(3)))
        indices = take.numbers(len(shape) + len(constants) + 1)
        try:
            kept = made.add(shape, indices, constants)
        except ValueError:
            assert max(indices) >= len(shape) + len(constants)
            continue
        if kept:
            plans.setdefault(shape, (indices, constants))
        if take.number(20) == 1:
            made.clear()
            plans.clear()
    known = [*words, "nobody", take.text(3)]
    texts = [" ".join(known[place % len(known)] for place in take.numbers(9)) for _ in range(4)]
    answers, missed = made.translate(texts, take.number(256))
    for place, answer in enumerate(answers):
        if answer is None:
            assert place in missed
        else:
            assert answer == Translation(_by_dictionary(words, plans, texts[place]))


def _by_dictionary(words: dict[str, tuple[int, str]], plans: dict[Any, Any], text: str) -> str:
    found = [words[word] for word in text.split()]
    indices, constants = plans[tuple(leaf for leaf, _ in found)]
    values = [*(value for _, value in found), *constants]
    return " ".join(values[index] for index in indices)


class _Draw:
    """Values from bytes; zeros and empty texts when they are used up."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def number(self, bound: int) -> int:
        self._at += 1
        return self._data[self._at - 1] % bound if self._at <= len(self._data) else 0

    def numbers(self, most: int) -> tuple[int, ...]:
        return tuple(self.number(most) for _ in range(self.number(most)))

    def some(self, choices: list[str]) -> list[str]:
        return [choices[self.number(len(choices))] for _ in range(1 + self.number(5))]

    def text(self, most: int) -> str:
        start, size = self._at + 1, self.number(most)
        self._at += size
        return self._data[start : start + size].decode("latin-1")


def _core_seeds() -> list[bytes]:
    return [bytes(range(256)), b"\x03\x01a\x01\x02AA\x01b\x02\x02BB\x01c\x03\x02CC\x02\x02\x01\x02\x00" * 3]


READERS = {
    "core": Reader(read_core, _core_seeds),
    "program": Reader(read_program, _program_seeds),
    "tables": Reader(read_tables, _core_seeds),
    "onnx": Reader(read_onnx, _onnx_seeds),
    "archive": Reader(read_archive, _archive_seeds),
    "checkpoint": Reader(read_checkpoint, _checkpoint_seeds),
    "pairs": Reader(read_pairs, _pairs_seeds),
}
