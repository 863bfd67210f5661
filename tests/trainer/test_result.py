"""A result as text and as HTML."""

import json
import re
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lane.base.rule import Rule, Rules
from lane.models.card import Comparison, OpenReading
from lane.trainer.result import SHOWN_MISFITS, Misfit, Result

RESULT = Result(
    converged=True,
    stopped=False,
    reason="independent candidates agree on 100.00% of new commands",
    agreement=1.0,
    rules=Rules([Rule(("walk",), ("W",)), Rule(("$x", "<twice>"), ("$X", "$X"))]),
    misfits=(Misfit(("a",), ("A",), ("B",)), Misfit(("b",), ("B",), ())),
    accuracy={"train": 1.0, "test": 0.5},
    updates=10,
    trajectories=12345,
    candidates=2,
    seconds=1.25,
    peak_mb=512.4,
    model=Path("model.pt"),
    run_dir=Path("model.pt.run"),
)


def test_the_text_is_the_summary_of_the_command():
    assert str(RESULT).splitlines() == [
        "1 word and 1 rule:",
        "  walk       -> W",
        "  $x <twice> -> $X $X",
        "does not fit: a -> A",
        "   the rules say B",
        "does not fit: b -> B",
        "   the rules say (an output far too long)",
        "accuracy: train 100.00%, test 50.00%",
        "agreement: independent candidates agree on 100.00% of new commands",
        "1.2 s, 2 candidates, 12,345 derivations, 512 MB at most, model in model.pt",
    ]


def test_an_unconverged_result_says_so():
    assert "\nnot converged: none agrees\n" in str(replace(RESULT, converged=False, reason="none agrees"))


def test_long_lists_of_misfits_are_cut():
    many = replace(RESULT, misfits=RESULT.misfits * SHOWN_MISFITS)
    assert f"... and {SHOWN_MISFITS} more pairs, in model.pt.run/misfits.tsv" in str(many)
    assert f"... and {SHOWN_MISFITS} more pairs\n" in str(replace(many, run_dir=None))


def test_the_html_is_escaped_and_well_formed():
    html = RESULT._repr_html_()
    rows = ElementTree.fromstring(f"<div>{html}</div>").findall(".//tr")
    shown = ["|".join("".join(cell.itertext()) for cell in row) for row in rows]
    assert shown == [
        "accuracy|train 100.00%, test 50.00%",
        f"agreement|{RESULT.reason}",
        "work|1.2 s, 2 candidates, 12,345 derivations, 512 MB at most",
        "model|model.pt",
        "span|becomes|uses",
        "walk|W|0",
        "$x <twice>|$X $X|0",
        "input|output|the rules say",
        "a|A|B",
        "b|B|(an output far too long)",
    ]
    assert "color" not in html, "the notebook's theme decides"
    assert "$" not in re.sub("<code>.*?</code>", "", html), "elsewhere notebooks take it for mathematics"


def test_the_html_of_an_unconverged_result_says_so():
    spared = replace(RESULT, converged=False, reason="none agrees", spared=Path("old.pt"), misfits=())
    html = spared._repr_html_()
    assert "<b>not converged</b></td>" in html
    assert "old.pt, which holds a converged model" in html
    assert "the rules say" not in html


def test_the_run_directory_has_the_numbers_and_all_misfits(tmp_path):
    RESULT.write(tmp_path)
    numbers = json.loads((tmp_path / "result.json").read_text())
    assert (numbers["accuracy"], numbers["rules"], numbers["misfits"]) == (RESULT.accuracy, 2, 2)
    assert (numbers["seconds"], numbers["peak_mb"]) == (1.2, 512.4)
    assert (tmp_path / "misfits.tsv").read_text() == "a\tA\tB\nb\tB\t\n"


OPEN = OpenReading(
    word="<patrol>",
    reading="<patrol> $x -> $X $X",
    other="<patrol> $x -> $X",
    pairs=12,
    command="<patrol> hall",
    outputs=("H H", "H"),
)


def test_what_the_pairs_leave_open_is_told(tmp_path):
    young = replace(RESULT, open_readings=(OPEN,) * 5, label=Path("model.label.tsv"))
    told = "the pairs leave open: <patrol>: <patrol> $x -> $X $X or <patrol> $x -> $X (12 pairs fit both); "
    assert str(young).count(told + "is '<patrol> hall' H H or H?") == 3
    assert "... and 2 more, in the card of the model" in str(young)
    assert str(young).endswith("the pairs to add next are in model.label.tsv: fill in their outputs")
    html = young._repr_html_()
    assert html.count("<code>&lt;patrol&gt; hall</code>") == 5
    assert "$" not in re.sub("<code>.*?</code>", "", html)
    ElementTree.fromstring(f"<div>{html}</div>")
    young.write(tmp_path)
    numbers = json.loads((tmp_path / "result.json").read_text())
    assert numbers["open_readings"] == [OPEN.model_dump(mode="json")] * 5


def test_without_new_commands_no_share_is_told():
    none = replace(RESULT, agreement=None, comparison=Comparison(), reason=str(Comparison()))
    lines = [line for line in str(none).splitlines() if line.startswith(("agreement", "compared"))]
    assert lines == [
        "agreement: no new command could be made from the pairs, so that nothing was compared",
    ]


def test_it_is_frozen():
    with pytest.raises(FrozenInstanceError):
        RESULT.converged = False
