"""The pictures of the report."""

from dataclasses import replace

from lane.experiments.paper import figures


def test_pictures_know_the_dark(findings):
    for path in figures.draw(findings):
        text = path.read_text(encoding="utf-8")
        assert "prefers-color-scheme: dark" in text
        assert 'fill: #ffffff"' in text or "fill: #ffffff;" in text, "a background that the style can change"


def test_only_experiments_that_were_done_are_drawn(findings):
    some = replace(findings, rates=(), productivity={})
    assert [path.name for path in figures.draw(some)] == ["times.svg", "ablations.svg", "published.svg"]
    without = replace(some, published=tuple({**run, "curve": []} for run in some.published))
    assert [path.name for path in figures.draw(without)][-1] == "published.svg"
    for run in without.published:
        del run["curve"]
    assert [path.name for path in figures.draw(without)] == ["times.svg", "ablations.svg"]
