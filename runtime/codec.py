"""Programs to and from the bytes of a `.lane` file. The format: docs/format.md."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any, TypeVar

from lane.base.errors import LaneError
from lane.base.files import write_atomically
from lane.base.rule import Rule
from lane.base.scheme import PLAIN, TRAINED_PARTS, Schemes
from lane.runtime import bounded_json
from lane.runtime.bounds import MAX_FILE_BYTES, RANGES, READABLE_VERSIONS, SPOKEN_VERSION, Limits
from lane.runtime.errors import ProgramError
from lane.runtime.kind import RuleKind
from lane.runtime.program import Node, Program, Tree

MAGIC = b'{"lane-program": '
_HEADER = re.compile(rb'\{"lane-program": ([0-9]{1,9}), "sha256": "([0-9a-f]{64})",\n')
_VERSION = re.compile(rb'\{"lane-program": ([0-9]{1,9})\b')
# `trust` is the measure that the API calls `agreement`; the format keeps the old name.
_KEYS_OF_VERSION_1 = (
    *("complete", "limits", "margin", "trust", "provenance"),
    *("actions", "words", "nodes", "rules"),
)
_KEYS = ("schemes", *_KEYS_OF_VERSION_1, "kinds")
_T = TypeVar("_T")


def encode(program: Program) -> bytes:
    """One row a line, keys in fixed order: equal programs give equal bytes."""
    limits = {name: getattr(program.limits, name) for name in RANGES}
    values = {
        "schemes": _json(program.schemes.stated()),
        "complete": _json(program.complete),
        "limits": _json(limits),
        "margin": _json(program.margin),
        "trust": _json(program.agreement),
        "provenance": json.dumps(program.provenance, ensure_ascii=False, sort_keys=True),
        "actions": _rows(program.actions),
        "words": _rows(program.words),
        "nodes": _rows(program.nodes),
        "rules": _rows((" ".join(rule.span), " ".join(rule.template), rule.uses) for rule in program.rules),
        "kinds": "null" if program.kinds is None else _rows(map(_kind_row, program.kinds)),
    }
    body = (",\n".join(f'"{key}": {values[key]}' for key in _KEYS) + "\n}\n").encode()
    digest = hashlib.sha256(body).hexdigest()
    data = f'{{"lane-program": {program.version}, "sha256": "{digest}",\n'.encode() + body
    if len(data) > MAX_FILE_BYTES:
        raise ProgramError("file", f"would take {len(data)} bytes; at most {MAX_FILE_BYTES} are allowed")
    return data


def _kind_row(kind: RuleKind) -> tuple[Any, ...]:
    return kind.root, kind.slots, [" ".join(span) for span in kind.spans]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rows(rows: Any) -> str:
    lines = ",\n".join(map(_json, rows))
    return f"[\n{lines}\n]" if lines else "[]"


def digest(data: bytes) -> str:
    """The checksum in the first line of a file."""
    return data[:200].split(b'"')[5].decode()


def decode(data: bytes) -> Program:
    """Check the first line, the checksum, the JSON and the tables, in this order."""
    if len(data) > MAX_FILE_BYTES:
        raise ProgramError("file", f"is larger than {MAX_FILE_BYTES} bytes")
    header = _HEADER.match(data)
    if header is None or int(header[1]) not in READABLE_VERSIONS:
        raise ProgramError("line 1", _what_is_wrong(data))
    if hashlib.sha256(data[header.end() :]).hexdigest().encode() != header[2]:
        raise ProgramError("sha256", "does not match the content: the file is damaged or was edited")
    content = _parse(data)
    keys = _KEYS_OF_VERSION_1 if int(header[1]) == 1 else _KEYS
    if tuple(content) != ("lane-program", "sha256", *keys):
        raise ProgramError("file", f"the keys must be lane-program, sha256, {', '.join(keys)}, in this order")
    return Program(
        complete=_typed("complete", content["complete"], bool),
        limits=_limits(content["limits"]),
        margin=_figure("margin", content["margin"]),
        agreement=_figure("trust", content["trust"]),
        provenance=_typed("provenance", content["provenance"], dict),
        actions=tuple(
            _typed(f"actions[{place}]", action, str)
            for place, action in enumerate(_typed("actions", content["actions"], list))
        ),
        words=tuple(_row("words", place, row, (str, bool)) for place, row in _items(content, "words")),
        nodes=tuple(_node(place, row) for place, row in _items(content, "nodes")),
        rules=tuple(_rule(place, row) for place, row in _items(content, "rules")),
        kinds=_kinds(content),
        schemes=_schemes(content["schemes"], int(header[1])) if "schemes" in content else PLAIN,
    )


def _what_is_wrong(data: bytes) -> str:
    version = _VERSION.match(data)
    if version and int(version[1]) not in READABLE_VERSIONS:
        return (
            f"format version {int(version[1])}, but this runtime reads versions "
            f"{', '.join(map(str, READABLE_VERSIONS))}: use a matching version of the package"
        )
    if version and data.find(b"\r\n", 0, 200) > 0:
        return "its line ends were changed to CR LF: fetch the file again as binary"
    kinds = (
        (b"version https://git-lfs", "is a git-lfs pointer, not the file itself: run `git lfs pull`"),
        (b"PK\x03\x04", "is a zip archive (TorchScript archives and .pt files are), not a program"),
        (b"\x1f\x8b", "is compressed with gzip: unpack it first"),
    )
    if not data:
        return "the file is empty"
    for start, problem in kinds:
        if data.startswith(start):
            return problem
    return "is not a LAnE program: the file must begin with " + MAGIC.decode()


def _parse(data: bytes) -> dict[str, Any]:
    try:
        content = bounded_json.parse(data, _distinct)
    except RecursionError:
        raise ProgramError("file", "is nested too deeply") from None
    except ValueError as error:  # JSON and UTF-8 errors, and integers of absurd length
        raise ProgramError("file", f"is not the JSON of a program: {error}") from None
    return _typed("file", content, dict)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a key appears twice")
    return content


def _typed(place: str, value: object, kind: type[_T]) -> _T:
    if type(value) is not kind:
        raise ProgramError(place, f"is not of the type {kind.__name__}")
    return value


def _items(content: dict[str, Any], key: str) -> "enumerate[Any]":
    return enumerate(_typed(key, content[key], list))


def _row(key: str, place: int, row: Any, kinds: tuple[type, ...]) -> Any:
    if type(row) is not list or tuple([type(value) for value in row]) != kinds:
        names = ", ".join(kind.__name__ for kind in kinds)
        raise ProgramError(f"{key}[{place}]", f"is not a row of the form [{names}]")
    return tuple(row)


def _limits(value: object) -> Limits:
    limits = _typed("limits", value, dict)
    if tuple(limits) != tuple(RANGES):
        raise ProgramError("limits", f"the keys must be {', '.join(RANGES)}, in this order")
    return Limits(**limits)


def _schemes(value: object, version: int) -> Schemes:
    schemes = _typed("schemes", value, dict)
    keys = Schemes._fields if version == SPOKEN_VERSION else TRAINED_PARTS
    if tuple(schemes) != keys:
        raise ProgramError("schemes", f"the keys must be {', '.join(keys)}, in this order")
    try:
        found = Schemes.checked(**schemes)
    except LaneError as error:
        raise ProgramError("schemes", str(error)) from None
    if version == SPOKEN_VERSION and not found.is_spoken:  # equal programs have equal files
        raise ProgramError("schemes", "has no slots, skips or folds: that is a program of version 2")
    return found


def _figure(place: str, value: object) -> float | None:
    if value is None or type(value) is float:
        return value
    raise ProgramError(place, "is neither null nor a number with a decimal point or an exponent")


def _node(place: int, row: Any) -> Node:
    if type(row) is not list or len(row) != 4 or type(row[2]) is not int or type(row[3]) is not bool:
        raise ProgramError(f"nodes[{place}]", "is not a row of the form [left, right, rank, recognized]")
    left, right, rank, recognized = row
    return Node(
        left if type(left) is str else _tree(place, left, 8),
        right if type(right) is str else _tree(place, right, 8),
        rank,
        recognized,
    )


def _tree(place: int, value: Any, depth: int) -> Tree:
    if type(value) is str:
        return value
    if type(value) is not list or len(value) != 2 or depth == 0:
        raise ProgramError(
            f"nodes[{place}]", "a side is neither a leaf nor [left, right], or nested too deeply"
        )
    return _tree(place, value[0], depth - 1), _tree(place, value[1], depth - 1)


def _rule(place: int, row: Any) -> Rule:
    span, template, uses = _row("rules", place, row, (str, str, int))
    return Rule(tuple(span.split(" ")), tuple(template.split(" ")), uses)


def _kinds(content: dict[str, Any]) -> tuple[RuleKind, ...] | None:
    if content.get("kinds") is None:
        return None
    return tuple(_kind(place, row) for place, row in _items(content, "kinds"))


def _kind(place: int, row: Any) -> RuleKind:
    root, slots, spans = _row("kinds", place, row, (bool, list, list))
    if not all(type(slot) is list and all(type(kind) is int for kind in slot) for slot in slots):
        raise ProgramError(f"kinds[{place}]", "a slot is not a list of whole numbers")
    if not all(type(span) is str for span in spans):
        raise ProgramError(f"kinds[{place}]", "a span is not a string")
    return RuleKind(root, tuple(map(tuple, slots)), tuple(tuple(span.split(" ")) for span in spans))


def version(data: bytes) -> int:
    """The format version in the first line of a file that was decoded."""
    header = _HEADER.match(data)
    assert header is not None, "decoding has checked the first line"
    return int(header[1])


def load(path: Path) -> Program:
    """Read a file of bounded size."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ProgramError(str(path), error.strerror or str(error)) from None
    return decode_file(path, data)


def decode_file(path: Path, data: bytes) -> Program:
    """The program in the bytes of a file; an error names the file too."""
    try:
        return decode(data)
    except ProgramError as error:
        raise ProgramError(f"{path}: {error.place}", error.problem) from None


def save(program: Program, path: Path) -> None:
    """Write the file atomically: readers see the old one or the new one."""
    write_atomically(path, encode(program))
