"""The three formats of a pair on one line: SCAN's own, tab-separated, and JSON."""

import json
import re
from collections.abc import Callable
from enum import StrEnum

from lane.base.placeholder import begins_like_slot
from lane.data.pair import Pair, checked_pair

_IN, _OUT = "IN:", "OUT:"
_OUTPUT = re.compile(r"\sOUT:(?=\s)")  # the word, not the end of another one


class Format(StrEnum):
    """How a pair is written on a line."""

    SCAN = "scan"
    TSV = "tsv"
    JSONL = "jsonl"

    @property
    def suffix(self) -> str:
        """The usual end of a file name in this format."""
        return ".txt" if self is Format.SCAN else f".{self.value}"


def guess_format(line: str) -> Format:
    """The format of a file by its first non-blank line; ValueError if it fits none."""
    text = line.strip()
    if text.startswith(_IN):
        return Format.SCAN
    if text.startswith("{") and not begins_like_slot(text):
        return Format.JSONL
    if "\t" in text:
        return Format.TSV
    raise ValueError(
        "cannot tell the format; expected 'IN: <words> OUT: <words>', '<words><TAB><words>' "
        f'or \'{{"in": "<words>", "out": "<words>"}}\'{_separator_hint(text)}'
    )


def _separator_hint(line: str) -> str:
    """What seems to separate the sides, since outputs often contain such signs themselves."""
    for sign in ("->", "=>", "→", "|"):
        if sign in line:
            return f"; put a tab in place of {sign!r}"
    if "," in line or ";" in line:
        return "; a CSV file? Save it with tabs between the columns"
    return "; put a tab between the sides" if re.search(r"\S {2,}\S", line) else ""


def parse_line(form: Format, line: str) -> Pair:
    """The pair on a line without its line end; a malformed one is a ValueError with the reason."""
    return _PARSERS[form](line)


def format_line(form: Format, pair: Pair) -> str:
    """The inverse of `parse_line`; ValueError if the format cannot hold the pair."""
    checked_pair(pair.source, pair.target)
    source, target = " ".join(pair.source), pair.output
    if form is Format.TSV:
        return f"{source}\t{target}"
    if form is Format.JSONL:
        return json.dumps({"in": source, "out": target}, ensure_ascii=False)
    for word in (*pair.source, *pair.target):
        if word in (_IN, _OUT):
            raise ValueError(f"the word {word!r} cannot be written in the scan format; use tsv or jsonl")
    return f"{_IN} {source} {_OUT} {target}"


def _parse_scan(line: str) -> Pair:
    words = line.split()
    if words[0] != _IN:
        raise ValueError(f"does not start with '{_IN} '; expected 'IN: <words> OUT: <words>'")
    if _OUT not in words:
        raise ValueError(f"has no '{_OUT}'; expected 'IN: <words> OUT: <words>'")
    if words.count(_IN) > 1 or words.count(_OUT) > 1:
        raise ValueError(f"has '{_IN}' or '{_OUT}' more than once; is a line end missing?")
    middle = words.index(_OUT)
    return checked_pair(words[1:middle], _OUTPUT.split(line, 1)[1] if words[middle + 1 :] else [])


def _parse_tsv(line: str) -> Pair:
    columns = line.split("\t")
    if len(columns) != 2:
        raise ValueError(f"has {len(columns)} tab-separated columns; expected 2, '<words><TAB><words>'")
    return checked_pair(columns[0], columns[1])


def _parse_json(line: str) -> Pair:
    try:
        record = json.loads(line)
    # Deep nesting is a RecursionError; to the user it is malformed like any other.
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON ({error})") from error
    if not isinstance(record, dict):
        raise ValueError('is not a JSON object; expected {"in": ..., "out": ...}')
    return checked_pair(_json_side(record, "in"), _json_side(record, "out"))


def _json_side(record: dict[str, object], key: str) -> str | list[str]:
    if key not in record:
        raise ValueError(f'has no "{key}"; expected {{"in": ..., "out": ...}}')
    value = record[key]
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return value
    raise ValueError(f'"{key}" is neither a string nor a list of strings')


_PARSERS: dict[Format, Callable[[str], Pair]] = {
    Format.SCAN: _parse_scan,
    Format.TSV: _parse_tsv,
    Format.JSONL: _parse_json,
}
