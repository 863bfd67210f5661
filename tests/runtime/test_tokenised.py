"""Commands and outputs as people write them, around the tokens of a model."""

import pickle

import pytest

from lane.base.scheme import Schemes
from lane.runtime import Limits, Program, ProgramError, codec, program_backend
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.translator import Translator


def program(**changes):
    parts = {
        "words": {"play": False, "jazz": True, "rock": True, "!": False},
        "nodes": [("play", "$", 1.0, True), ("$", "!", 0.0, True), ("$", "$", 0.0, True)],
        "rules": [
            (("!",), ("x",), 0),
            (("jazz",), ("jazz",), 1),
            (("rock",), ("rock",), 1),
            (("play",), ("play",), 0),
            (("play", "$x"), ("play", "￭(￭", "genre", "￭=￭", "$X", "￭)"), 1),
            (("$x", "!"), ("$X",), 1),
            (("$x", "$y"), ("$X", "￭,", "$Y"), 1),
        ],
        "limits": Limits(max_words=10, max_actions=50),
        "complete": False,
        "schemes": Schemes("text", "code"),
    }
    return Program.build(**(parts | changes))


@pytest.fixture(params=["compiled", "python"])
def translator(request, monkeypatch):
    if request.param == "python":
        monkeypatch.setattr(program_backend, "_core", None)
    return Translator(ProgramBackend(program()))


def test_an_output_is_joined_and_its_actions_stay_tokens(translator):
    for _ in range(3):  # by the loop, and by the plans in the cache
        answer = translator.translate("Play Jazz!")
        assert answer.text == "play(genre=jazz)"
        assert answer.actions == ("play", "￭(￭", "genre", "￭=￭", "jazz", "￭)")
    assert [answer.text for answer in translator.translate_iter(["jazz rock", "PLAY rock"])] == (
        ["jazz, rock", "play(genre=rock)"]
    )
    assert translator.explain("Play rock").text == "play(genre=rock)"
    assert translator.explain("Play rock").words == ("play", "rock")
    assert "play $x -> play(genre=$X)" in str(translator.rules()).replace("  ", "")


def test_failures_speak_of_what_was_typed(translator):
    for error in (
        translator.translate("play jazz!! Rok now").error,
        translator.explain("play jazz!! Rok").error,
    ):
        assert (error.word, error.position, error.nearest) == ("Rok", 3, "rock")
        assert error.message == "unknown word 'Rok' (word 3); did you mean 'rock'?"
    assert translator.translate("  ").error.code == "empty"
    assert translator.translate("jazz! " * 6).error.position == 6
    beyond = translator.translate("jazz! play!").error
    assert (beyond.code, beyond.position) == ("beyond-model", 1)


def test_a_translator_goes_to_other_processes(translator):
    again = pickle.loads(pickle.dumps(translator))
    assert again.translate("Play jazz").text == "play(genre=jazz)"
    assert again.info.schemes == Schemes("text", "code")


def test_the_file_has_version_2_and_comes_back():
    data = program().dumps()
    assert data.startswith(b'{"lane-program": 2,')
    assert b'"schemes": {"source": "text", "target": "code", "phrases": []},\n' in data
    assert Program.loads(data) == program()
    assert Translator(ProgramBackend(program())).info.format_version == 2
    plain = program(schemes=Schemes())
    assert codec.decode(plain.dumps()).schemes == Schemes()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"source": "text"', '"source": "words"'),
        ('"target": "code"', '"target": "text"'),
        ('{"source": "text", "target": "code", "phrases": []}', "[]"),
        ('"phrases": []', '"phrases": [["electron"]]'),
        ('"phrases": []', '"phrases": [["electron", "volt meter"]]'),
        ('"source": "text", ', ""),
    ],
)
def test_wrong_schemes_are_refused(old, new):
    import hashlib

    header, _, body = program().dumps().partition(b"\n")
    body = body.replace(old.encode(), new.encode())
    header = b'{"lane-program": 2, "sha256": "%s",' % hashlib.sha256(body).hexdigest().encode()
    with pytest.raises(ProgramError, match="schemes"):
        Program.loads(header + b"\n" + body)


def test_an_action_that_stands_for_a_control_is_refused():
    rules = [(("jazz",), ("￮1b",), 0)]
    with pytest.raises(ProgramError, match="control character"):
        program(words={"jazz": True}, nodes=[], rules=rules)
