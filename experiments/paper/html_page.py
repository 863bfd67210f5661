"""Markdown as one HTML file, with its pictures inside, for light and for dark screens."""

import base64
import re
from pathlib import Path

from lane.base.errors import LaneError

STYLE = """
:root { color-scheme: light dark; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.55 system-ui, sans-serif;
  color: #1b1f24; background: #ffffff; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; font-size: 0.92rem; }
th, td { padding: 0.3rem 0.5rem; border-bottom: 1px solid #d0d7de; text-align: left; vertical-align: top; }
td[style*="right"] { white-space: nowrap; }
pre, code { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
pre { padding: 0.8rem 1rem; background: #f6f8fa; border-radius: 6px; overflow-x: auto; }
img { max-width: 100%; }
a { color: #0b5394; }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117; }
  th, td { border-color: #30363d; }
  pre { background: #161b22; }
  a { color: #79b8ff; }
}
"""
_IMAGE = re.compile(r'(<img src=")([^":]+\.svg)(")')
_HEADING = re.compile(r"<h([23])>(.*?)</h\1>")


def as_html(markdown: str, place: Path) -> str:
    """The page; pictures are looked for relative to the folder `place`."""
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise LaneError("the report needs markdown-it-py: install lane-expressions[train]") from None
    body = MarkdownIt("commonmark").enable("table").render(markdown)
    body = _IMAGE.sub(lambda image: image[1] + _inside(place / image[2]) + image[3], body)
    body = _HEADING.sub(lambda h: f'<h{h[1]} id="{_anchor(h[2])}">{h[2]}</h{h[1]}>', body)
    title = markdown.partition("\n")[0].removeprefix("# ")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def _inside(path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    return f"data:image/svg+xml;base64,{data}"


def _anchor(heading: str) -> str:
    """As the usual viewers of Markdown name it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
