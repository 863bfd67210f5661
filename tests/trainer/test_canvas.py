"""Plots for light and dark pages."""

from xml.etree import ElementTree

import pytest

from lane.trainer.canvas import DARK, INK, new_figure, save


@pytest.fixture
def figure():
    figure = new_figure(2, 1)
    figure.subplots().plot([0, 1], [0, 1])
    return figure


def test_an_svg_restyles_itself_on_a_dark_page(figure, tmp_path):
    save(figure, tmp_path / "new" / "plot.svg")
    text = (tmp_path / "new" / "plot.svg").read_text()
    ElementTree.fromstring(text)
    _, _, rest = text.partition("<style>@media (prefers-color-scheme: dark)")
    style, _, picture = rest.partition("</style>")
    for light, dark in DARK.items():
        assert f'[style*="fill: {light}"] {{ fill: {dark} !important }}' in style
    assert f"stroke: {INK}" in picture, "the selectors match what matplotlib writes"


def test_a_png_too(figure, tmp_path):
    save(figure, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["plot.png"], "no temporary file stays"
