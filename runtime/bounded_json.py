"""JSON from files of strangers: memory in proportion to the bytes.

An empty list takes three bytes of JSON and some seventy of memory: 64 MB of them would take gigabytes.
Rows of a model file have at least eight bytes for each list; more lists than that are refused before parsing.
"""

import json
import re
from collections.abc import Callable
from typing import Any

BYTES_PER_PART = 8  # the shortest row is ["a","b"]; a part is a list, an object or a key
SPARE_PARTS = 65_536  # for provenance, which is free in form and has at most as many bytes
_STRING_OR_PART = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[{:]')


def parse(data: bytes, pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of JSON text; ValueError or RecursionError if it is invalid or too dense."""
    most = len(data) // BYTES_PER_PART + SPARE_PARTS
    # Strings may hold these characters too: they are told apart only where there are too many in all.
    if sum(map(data.count, (b"[", b"{", b":"))) > most and _parts(data) > most:
        raise ValueError("more lists than a model file of its size holds")
    return json.loads(data.decode(), object_pairs_hook=pairs_hook, parse_constant=_refuse_constant)


def _parts(data: bytes) -> int:
    return sum(found[0][0] != ord('"') for found in _STRING_OR_PART.finditer(data))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not allowed")
