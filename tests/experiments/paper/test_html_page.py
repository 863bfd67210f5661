"""Markdown as one HTML file."""

from lane.experiments.paper.html_page import as_html


def test_markdown_becomes_html(tmp_path):
    html = as_html("# A title\n\n## Part one\n\n| a | b |\n|---|---:|\n| 1 | `x < y` |\n", tmp_path)
    assert "<title>A title</title>" in html
    assert '<h2 id="part-one">' in html
    assert "<code>x &lt; y</code>" in html


def test_pictures_are_embedded(tmp_path):
    (tmp_path / "a.svg").write_text("<svg/>")
    html = as_html("# T\n\n![A picture](a.svg)\n", tmp_path)
    assert 'src="data:image/svg+xml;base64,PHN2Zy8+"' in html
    assert "a.svg" not in html
