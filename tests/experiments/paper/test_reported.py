"""Figures from the literature: each has a source that the page lists."""

from lane.experiments.paper.experiments import ABLATIONS, SCAN
from lane.experiments.paper.reported import (
    ABLATED,
    DIVERGENCE,
    LIMIT,
    MCD,
    SOURCES,
    SYSTEMATIC,
    SYSTEMATICITY,
)


def test_every_row_names_sources_that_are_listed():
    for row in (*SYSTEMATICITY, *DIVERGENCE):
        assert set(row.source.split(", ")) <= set(SOURCES), row.method


def test_rows_have_the_tasks_of_their_table_and_numbers():
    for rows, tasks in ((SYSTEMATICITY, SYSTEMATIC), (DIVERGENCE, (*MCD, "mean"))):
        for row in rows:
            assert row.percent
            assert set(row.percent) <= set(tasks)
            assert all(float(value.split(" ± ")[0]) <= 100 for value in row.percent.values())


def test_every_ablation_has_a_figure_for_every_task():
    assert set(ABLATED) == set(ABLATIONS)
    for name, percent in ABLATED.items():
        assert set(percent) == set(SCAN), name
        assert all(0 <= float(value.split(" ± ")[0]) <= 100 for value in percent.values())


def test_the_paper_reports_a_method_that_is_always_right():
    for rows, tasks in ((SYSTEMATICITY, SYSTEMATIC), (DIVERGENCE, MCD)):
        (lane,) = [row for row in rows if row.method == "LANE"]
        assert lane.source == "Liu 2020"
        assert lane.percent == dict.fromkeys(tasks, "100.0")
    assert LIMIT["LANE"] == "100.0"
