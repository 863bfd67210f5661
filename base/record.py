"""Records: JSON objects kept as files, with a checksum that is read."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lane.base.errors import LaneError
from lane.base.files import write_atomically

CHECKSUM = "sha256"


def write_record(path: Path, record: Mapping[str, Any], tidies: bool = True) -> None:
    """Write JSON values by name, as by `write_atomically`; the checksum of all of them is added."""
    text = json.dumps({**record, CHECKSUM: checksum(record)}, indent=1)
    write_atomically(path, text.encode(), tidies)


def read_record(path: Path) -> dict[str, Any]:
    """A record as it was written; early releases wrote no checksum, and theirs are taken without."""
    try:
        record = json.loads(path.read_bytes())
    except OSError as error:
        raise LaneError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise LaneError(f"{path}: damaged, or not JSON ({error})") from None
    if not isinstance(record, dict):
        raise LaneError(f"{path}: not a record: a JSON object was expected")
    stated = record.pop(CHECKSUM, None)
    if stated is not None and stated != checksum(record):
        raise LaneError(f"{path}: damaged: the checksum does not match")
    return record


def checksum(record: Mapping[str, Any]) -> str:
    """The SHA-256 of JSON values by name."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
