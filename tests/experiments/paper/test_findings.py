"""The result files of a study, and the numbers taken from them."""

import json

from lane.experiments.paper.findings import Findings, of_task, shares, spread, with_setting


def test_numbers_as_people_write_them():
    assert spread([100.0, 99.0]) == "99.5 ± 0.7"
    assert spread([98.0]) == "98.0"
    assert spread([]) == ""


def test_records_are_chosen_by_task_and_by_setting(run):
    records = [run("limit"), run("mcd1", settings=["gamma=0", "sure=0"]), run("mcd1", settings=["gamma=0.5"])]
    assert of_task(records, "limit") == records[:1]
    assert with_setting(records, "gamma=0") == records[1:2], "gamma=0.5 is another setting"
    assert with_setting(records, "sure=0", "gamma=0") == records[1:2]
    assert with_setting(records, "gamma=0", "gamma=0.5") == []


def test_shares_are_percent_of_the_trials_that_have_the_set(run):
    assert shares([run("limit", right=0.5), run("mcd1", right=0.25)]) == [50.0, 25.0]
    assert shares([run("limit", right=0.5), run("mcd1", right=0.25)], "language") == [25.0]


def test_a_study_that_was_only_begun(tmp_path, run):
    (tmp_path / "tasks.jsonl").write_text(json.dumps(run("limit", seconds=12.5)) + "\n" + '{"task": "li')
    findings = Findings.read(tmp_path)
    assert (len(findings.tasks), findings.rates, findings.limit) == (1, (), {})
    assert findings.seconds == 12.5
