"""Figures from the literature: each has a source that the page lists."""

from lane.experiments.paper.reported import DIVERGENCE, MCD, SOURCES, SYSTEMATIC, SYSTEMATICITY


def test_every_row_names_sources_that_are_listed():
    for row in (*SYSTEMATICITY, *DIVERGENCE):
        assert set(row.source.split(", ")) <= set(SOURCES), row.method


def test_rows_have_the_tasks_of_their_table_and_numbers():
    for rows, tasks in ((SYSTEMATICITY, SYSTEMATIC), (DIVERGENCE, (*MCD, "mean"))):
        for row in rows:
            assert row.percent
            assert set(row.percent) <= set(tasks)
            assert all(float(value.split(" ± ")[0]) <= 100 for value in row.percent.values())
