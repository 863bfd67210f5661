"""A page to play with a program: one HTML file with everything inside, for any browser, without a network."""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from types import MappingProxyType

_TEMPLATE = Path(__file__).parent / "bundled" / "page.html.gz"  # built from js/page by `make page`
_START = '<script id="model" type="text/plain"'
_MODEL = "<!-- model -->"


def as_page(
    data: bytes, name: str, command: str = "", lists: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> str:
    """The page with the bytes of a program and lists of its slots, all valid, and a command to begin with."""
    page = gzip.decompress(_TEMPLATE.read_bytes()).decode()
    attributes = f' data-name="{escape(name)}" data-command="{escape(command)}"'
    if lists:
        attributes += f' data-lists="{escape(json.dumps({**lists}))}"'
    return page.replace(_START, _START + attributes, 1).replace(_MODEL, base64.b64encode(data).decode(), 1)
