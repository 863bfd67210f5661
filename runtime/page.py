"""A page to play with a program: one HTML file with everything inside, for any browser, without a network."""

import base64
import gzip
from html import escape
from pathlib import Path

_TEMPLATE = Path(__file__).parent / "bundled" / "page.html.gz"  # built from js/page by `make page`
_START = '<script id="model" type="text/plain"'
_MODEL = "<!-- model -->"


def as_page(data: bytes, name: str, command: str = "") -> str:
    """The page with the bytes of a program, which must be valid, and a command to begin with."""
    page = gzip.decompress(_TEMPLATE.read_bytes()).decode()
    attributes = f' data-name="{escape(name)}" data-command="{escape(command)}"'
    return page.replace(_START, _START + attributes, 1).replace(_MODEL, base64.b64encode(data).decode(), 1)
