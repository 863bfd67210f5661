"""Refusals of the bundled model, and of a program written by hand."""

import pickle
import random

import pytest

from lane.data import scan_pairs
from lane.runtime import Limits, Program, ProgramError, Translator, load
from lane.runtime.kind import RuleKind
from lane.runtime.program_backend import ProgramBackend

KINDS = (
    RuleKind(True, (), (("dax",), ("lug",))),
    RuleKind(True, ((1,), (1, 2)), (("$x", "kiki", "$y"),)),
)


def program(kinds: tuple[RuleKind, ...] | None = KINDS) -> Program:
    """`kiki` swaps its neighbours; everything merges from the right."""
    leaves = ["$", "kiki"]
    return Program.build(
        words={"dax": True, "lug": True, "kiki": False},
        nodes=[
            *[
                (a, b, 1.0 if (a, b) == ("kiki", "$") else 0.0, (a, b) == ("$", "$"))
                for a in leaves
                for b in leaves
            ],
            ("$", ("kiki", "$"), 2.0, True),
        ],
        rules=[
            (("dax",), ("RED",), 2),
            (("lug",), ("BLUE",), 1),
            (("kiki",), ("RED",), 0),
            (("$x", "$y"), ("$X", "$Y"), 0),
            (("$x", "kiki"), ("$X",), 0),
            (("kiki", "$x"), ("$X",), 0),
            (("kiki", "kiki"), ("RED",), 0),
            (("$x", "kiki", "$y"), ("$Y", "$X"), 3),
        ],
        limits=Limits(max_words=9, max_actions=20),
        complete=False,
        kinds=kinds,
    )


def translator(**options) -> Translator:
    return Translator(ProgramBackend(program(), **options))


GOLDEN = {
    "dax lug": "not learned: 'dax lug' (words 1 to 2): no training pair needed a rule for '$x $y'; "
    "the nearest one: '$x kiki $y'",
    "kiki": "not learned: 'kiki' (word 1): no training pair needed a rule for 'kiki'; "
    "the nearest one: '$x kiki $y'",
    "kiki dax": "not learned: 'kiki dax' (words 1 to 2): no training pair needed a rule for 'kiki $x'; "
    "the nearest one: '$x kiki $y'",
}


@pytest.mark.parametrize("command", GOLDEN)
def test_a_refusal_names_the_words_and_the_nearest_that_was_learned(command):
    answer = translator().translate(command)
    assert (answer.text, answer.error.code) == ("", "not-learned")
    assert answer.error.message == GOLDEN[command]
    assert answer.error.nearest == "$x kiki $y"
    assert translator().explain(command).error == answer.error


def test_what_was_learned_is_translated():
    assert translator().translate("dax kiki lug").text == "BLUE RED"


def test_a_lenient_translator_gives_every_answer():
    lenient = translator(lenient=True)
    assert [lenient.translate(command).text for command in GOLDEN] == ["RED BLUE", "RED", "RED"]
    assert pickle.loads(pickle.dumps(lenient)).translate("dax lug").ok
    assert not lenient.explain("dax lug").steps[-1].learned, "the step is marked nevertheless"


def test_a_program_without_kinds_cannot_refuse_and_says_so():
    backend = ProgramBackend(program(None))
    assert backend.translate_batch(["dax lug"])[0].text == "RED BLUE"
    assert not backend.info.refuses
    assert translator().info.refuses


def test_a_file_of_version_1_loads_and_cannot_refuse(tmp_path):
    import hashlib

    body = program(None).dumps().split(b"\n", 1)[1].replace(b',\n"kinds": null', b"")
    body = body.partition(b"\n")[2]  # the schemes
    head = f'{{"lane-program": 1, "sha256": "{hashlib.sha256(body).hexdigest()}",\n'
    (tmp_path / "old.lane").write_bytes(head.encode() + body)
    old = load(tmp_path / "old.lane")
    assert (old.info.format_version, old.info.refuses) == (1, False)
    assert old.translate("dax lug").ok


def test_kinds_survive_the_file():
    assert Program.loads(program().dumps()) == program()


@pytest.mark.parametrize(
    "kinds",
    [
        (RuleKind(True, (), (("foo",),)),),
        (RuleKind(True, (), ()),),
        (RuleKind(True, ((1,),), (("dax",),)),),
        (RuleKind(True, (), (("lug",), ("dax",))),),
        (KINDS[0], RuleKind(True, (), (("dax",),))),
        (KINDS[0], RuleKind(True, ((1,), (3,)), (("$x", "kiki", "$y"),))),
        (KINDS[1], KINDS[0]),
    ],
)
def test_malformed_kinds_are_refused(kinds):
    with pytest.raises(ProgramError, match=r"kinds\["):
        program(kinds)


def test_explanations_mark_the_step():
    derivation = load().explain("turn jump")
    assert derivation.error.code == "not-learned"
    assert [step.learned for step in derivation.steps] == [False, True]
    assert "<- not learned" in derivation.as_text()
    assert "<- not learned" in derivation.as_tree()
    assert derivation.as_dict()["steps"][0]["learned"] is False


def test_the_bundled_model_refuses_nonsense_and_nothing_of_its_language():
    language = {" ".join(pair.source) for pair in scan_pairs()}
    model, lenient, draw = load(), load(lenient=True), random.Random(3)
    assert all(answer.ok for answer in model.translate_batch(sorted(language)))
    strings = {" ".join(draw.choices(model.info.words, k=draw.randint(1, 9))) for _ in range(5000)}
    nonsense = sorted(strings - language)
    refused = [answer.error is not None for answer in model.translate_batch(nonsense)]
    assert sum(refused) >= 0.99 * len(nonsense)
    assert all(answer.ok for answer in lenient.translate_batch(nonsense))


def test_python_and_the_compiled_core_refuse_the_same(monkeypatch):
    model, draw = load(), random.Random(4)
    commands = [" ".join(draw.choices(model.info.words, k=draw.randint(1, 6))) for _ in range(500)]
    commands += [" ".join(pair.source) for pair in scan_pairs()[:500]]
    compiled = model.translate_batch(commands)
    monkeypatch.setattr("lane.runtime.program_backend._core", None)
    assert load().translate_batch(commands) == compiled == model.translate_batch(commands)
