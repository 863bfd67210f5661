"""The result of tests as text, JSON and JUnit's XML."""

import json
from xml.etree import ElementTree

import pytest

from lane.cli import verdict
from lane.cli.examination import Contrast, examine
from lane.data.pair import Pair
from lane.runtime.divergence import Divergence
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.results import Failure, Translation
from lane.runtime.translator import Translator


@pytest.fixture
def result(scan):
    translator = Translator(ProgramBackend(scan.scan_program(), "scan.lane"))
    pairs = [
        (1, Pair.of("jump", "I_JUMP")),
        (4, Pair.of("walk <b>", "X")),
        (5, Pair.of("jump twice", "I_JUMP")),
    ]
    made = examine(translator, "a&b.tsv", pairs, None, 0)
    refusal = Failure("unknown-word", "unknown word 'walk\x01'")
    found = Divergence("walk\x01", Translation("I_WALK"), Translation("", refusal))
    object.__setattr__(made, "comparison", Contrast("old.lane", (), 7, (found,)))
    return made


def test_text_has_derivations_sums_and_differences(result):
    lines = verdict.as_text(result).splitlines()
    start = lines.index("FAIL a&b.tsv, line 5")
    assert lines[start + 1 : start + 6] == [
        "jump twice",
        "  1. jump -> I_JUMP                $0 = I_JUMP",
        "  2. $x twice -> $X $X  ($x = $0)  $0 = I_JUMP I_JUMP",
        "  = I_JUMP I_JUMP",
        "  expected: I_JUMP",
    ]
    assert "differences from old.lane: 0 on the pairs, 1 on 7 new commands" in lines
    assert "  old.lane: unknown-word: unknown word 'walk\x01'" in lines
    assert lines[-1] == "pairs: 1 of 3 passed"
    assert lines[-2].startswith("words: 2 of 13 covered; not: after, and, around, ")


def test_json_has_everything(result):
    content = json.loads(verdict.as_json(result))
    assert (content["passed"], content["pairs"]) == (False, 3)
    assert [failure["line"] for failure in content["failures"]] == [4, 5]
    assert content["failures"][0]["error"]["code"] == "unknown-word"
    assert content["failures"][1]["steps"][1]["span"] == "$x twice"
    assert content["words"]["total"] == 13
    assert content["comparison"]["on_commands"][0]["ours"] == "I_WALK"


def test_junit_parses_and_counts(result):
    suite = ElementTree.fromstring(verdict.as_junit(result)).find("testsuite")
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("scan.lane", "4", "3")
    names = [case.get("name") for case in suite.findall("testcase")]
    assert names == ["line 1: jump", "line 4: walk <b>", "line 5: jump twice", "same answer: walk\ufffd"]
    assert suite.findall("testcase")[0].find("failure") is None
    assert "$x twice -> $X $X" in suite.findall("testcase")[2].find("failure").text
