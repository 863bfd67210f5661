"""The help for a training that did not converge."""

import pytest

from lane.data.pair import Pair
from lane.trainer.dataset import Dataset
from lane.trainer.diagnosis import SHOWN, Stall, diagnose
from lane.trainer.induction import Induced, induce

STALLED = Stall(lesson=3, lessons=4, longest=3, gaining=False)
VERBS = {"walk": "W", "run": "R", "jump": "J", "look": "L"}
ROBOT = [
    *VERBS.items(),
    *((f"{a} twice", f"{b} {b}") for a, b in VERBS.items()),
    *((f"{a} and {b}", f"{VERBS[a]} {VERBS[b]}") for a in VERBS for b in VERBS if a != b),
]


def diagnosed(texts, wrong, stall=STALLED, induced=induce):
    """The diagnosis if the model gets the commands `wrong` wrong."""
    dataset = Dataset.of([Pair(tuple(source.split()), tuple(target.split())) for source, target in texts])
    numbers = [n for n, pair in enumerate(dataset.pairs) if " ".join(pair.source) in wrong]
    assert {" ".join(dataset.pairs[n].source) for n in numbers} == set(wrong)
    return diagnose(dataset, induced(dataset), numbers, stall)


def test_the_lesson_and_the_kinds_of_wrong_pairs():
    diagnosis = diagnosed(ROBOT, {"walk and run", "jump and run", "walk twice"})
    assert [(kind.name, len(kind.pairs)) for kind in diagnosis.kinds] == [("$x twice", 1), ("$x and $y", 2)]
    assert str(diagnosis).splitlines() == [
        "the best attempt stalled in lesson 3 of 4 (commands of up to 3 words)",
        "wrong there: 3 pairs of 2 kinds, such as",
        "  walk twice -> W W",
        "  jump and run -> J R (2 pairs like it: $x and $y)",
        "try: another --seed",
    ]


def test_pairs_of_later_lessons_are_only_counted():
    diagnosis = diagnosed(ROBOT, {"walk and run", "walk twice"}, Stall(2, 4, 2, False))
    assert [kind.name for kind in diagnosis.kinds] == ["$x twice"]
    assert "wrong there: 1 pair of 1 kind (and 1 of later lessons), such as" in str(diagnosis)


def test_more_time_only_if_it_was_still_improving():
    gaining = Stall(lesson=1, lessons=1, longest=1, gaining=True)
    assert not [line for line in diagnosed(ROBOT, {"walk twice"}).advice if "--minutes" in line]
    improving = diagnosed(ROBOT, {"walk twice"}, gaining)
    assert "--minutes" in improving.advice[0]
    assert str(improving).startswith(
        "the best attempt was stopped in lesson 1 of 1 (commands of up to 1 word)"
    )


def test_candidates_that_only_disagree_need_other_help():
    diagnosis = diagnosed(ROBOT, set())
    assert "wrong" not in str(diagnosis)
    assert diagnosis.advice == ("another --seed, or pairs that combine the rules in new ways",)


def test_a_typing_error():
    texts = [*(pair for pair in ROBOT if pair[0] != "jump and look"), ("jump and look", "J LL")]
    diagnosis = diagnosed(texts, {"jump and look"})
    assert diagnosis.findings == (
        "`look` is L elsewhere, but not in: jump and look -> J LL",
        "in the outputs of wrong pairs only: `LL`",
    )
    assert [" ".join(pair.source) for pair in diagnosis.conflict] == ["look", "jump and look"]
    assert "no rules explain these pairs together" in str(diagnosis)
    assert "another --seed" not in str(diagnosis), "that would not help"


def test_a_conflict_says_which_values_are_guessed():
    """Arguments in two orders, of rooms that never stand alone."""
    rooms, texts = ("hall", "loft", "attic", "cellar"), []
    for room in rooms:
        texts += [
            (f"stop in {room}", f"stop ( {room} )"),
            (f"play jazz in {room}", f"play ( jazz , {room} )"),
        ]
        texts += [(f"play soul in {room}", f"play ( soul , {room} )")]
    texts[1] = ("play jazz in hall", "play ( hall , jazz )")
    gaining = Stall(lesson=1, lessons=1, longest=4, gaining=True)
    diagnosis = diagnosed(texts, {"play jazz in hall"}, gaining)
    given = [pair for pair in diagnosis.conflict if pair not in diagnosis.guessed]
    assert "play jazz in hall" in {" ".join(pair.source) for pair in given}
    assert {len(pair.source) for pair in diagnosis.guessed} == {1}
    assert "  hall -> hall (by the other pairs)" in str(diagnosis).splitlines()
    assert "--minutes" not in str(diagnosis), "more time does not resolve a conflict"


def test_a_value_that_nothing_names():
    diagnosis = diagnosed([*ROBOT, ("go on", "J J W")], {"go on"})
    assert "nothing in the command stands for `J` in: go on -> J J W" in diagnosis.findings
    assert "in a single pair only: `go`, `on`" in diagnosis.findings


def test_two_outputs_of_one_command():
    diagnosis = diagnosed([*ROBOT, ("walk", "R"), ("run twice", "R")], {"walk", "run twice"})
    assert diagnosis.findings[0] == "2 commands have more than one output, such as walk: R and W"
    assert "lane-data check" in diagnosis.advice[0]
    assert diagnosis.wanted == ()


@pytest.mark.parametrize(
    ("output", "glued"), [("play(genre=jazz, room=hall)", True), ("play a-b 1.5", False)]
)
def test_glued_punctuation(output, glued):
    diagnosis = diagnosed([*ROBOT, ("play jazz", output)], {"play jazz"})
    shown = [line for line in diagnosis.findings if line.startswith("punctuation is glued")]
    assert (
        shown == ["punctuation is glued to words, which hides them: `play(genre=jazz,`, `room=hall)`"] * glued
    )
    assert any("spaces around brackets" in line for line in diagnosis.advice) == glued


def test_a_command_too_long_for_a_rule_asks_for_its_parts():
    """Nine words, none of which stands in a shorter command."""
    long = "please could you bring it over here to walk"
    diagnosis = diagnosed([*ROBOT, (long, "A B C D E W F")], {long})
    assert (
        f"a rule has at most 8 words and 4 variables, and no shorter commands explain parts of: {long}"
        in (diagnosis.findings)
    )
    assert len(diagnosis.wanted) == SHOWN
    for command in diagnosis.wanted:
        assert f" {command} " in f" {long} "
        assert f"  {command} -> ?" in str(diagnosis).splitlines()


def test_without_rules_read_off_the_pairs_it_still_says_what_it_knows():
    diagnosis = diagnosed([*ROBOT, ("walk", "R")], {"walk", "walk twice"}, induced=lambda dataset: None)
    assert [kind.name for kind in diagnosis.kinds] == ["walk", "walk twice"]
    assert diagnosis.conflict == diagnosis.wanted == ()
    assert any("--preset fast" in line for line in diagnosis.advice)


def test_it_is_never_a_flood():
    texts = [*ROBOT, *((f"a{n} b{n} c{n}", f"f(x{n}, y{n}") for n in range(60))]
    nothing = Induced(lexicon={}, rules={}, lost=1, shapes=1)
    diagnosis = diagnosed(texts, {source for source, _ in texts}, induced=lambda dataset: nothing)
    lines = str(diagnosis).splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 120
