"""A language as people write it: trained from plain text, exported, and translated back exactly."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from lane.base.scheme import Schemes
from lane.export import export
from lane.models import checkpoint
from lane.runtime import load
from lane.trainer import read_pairs, train

ROOMS = ["kitchen", "bedroom", "garage", "office", "hall"]
GENRES = ["jazz", "rock", "blues", "folk", "techno"]
NUMBERS = dict(zip(["one", "two", "three", "four", "five"], range(1, 6), strict=True))


def sentences(count: int, seed: int) -> dict[str, str]:
    """Commands to a music player, with the capitals and the punctuation that people use or leave out."""
    draw = random.Random(seed)
    found: dict[str, str] = {}
    while len(found) < count:
        genre, room, level = draw.choice(GENRES), draw.choice(ROOMS), draw.choice(list(NUMBERS))
        command, call = draw.choice(
            [
                (f"play {genre} in the {room}", f"play(genre={genre}, room={room})"),
                (f"stop the {room}", f"stop(room={room})"),
                (
                    f"play {genre} in the {room} at {level}",
                    f"play(genre={genre}, room={room}, volume={NUMBERS[level]})",
                ),
            ]
        )
        command = command.capitalize() if draw.random() < 0.5 else command
        found[command + draw.choice(["", "!"])] = call
    return found


@pytest.fixture(scope="module")
def language(tmp_path_factory):
    """The checkpoint, the files and the held-out sentences of a language."""
    folder = tmp_path_factory.mktemp("text")
    learned = sentences(80, 1)
    (folder / "train.tsv").write_text("".join(f"{side}\t{other}\n" for side, other in learned.items()))
    pairs = read_pairs(folder / "train.tsv")
    said: list[str] = []
    result = train(pairs, out=folder / "model.pt", on_report=lambda report: said.append(str(report)))
    assert result.converged, result.reason
    files = export(result.model, pairs=pairs, random=200, budget=2000)
    assert files.correct == files.pairs
    others = {side: call for side, call in sentences(100, 2).items() if side not in learned}
    return result, files, others, said


def test_the_choice_is_said_and_travels(language):
    result, files, _, said = language
    assert said[0].startswith("inputs are split by the scheme 'text'")
    assert said[1].startswith("outputs are split by the scheme 'code'")
    assert checkpoint.load(result.model).card.schemes == Schemes("text", "code")
    for file in files.files:
        assert load(file.path, trust=file.sha256).info.schemes == Schemes("text", "code")
    assert "play(genre=$X, room=$Y)" in str(result.rules)


def test_all_files_translate_byte_for_byte(language):
    _, files, others, _ = language
    for file in files.files:
        with load(file.path, trust=file.sha256) as translator:
            answers = translator.translate_batch(list(others))
            answered = [answer.text for answer in answers if answer.ok]
            known = [call for answer, call in zip(answers, others.values(), strict=True) if answer.ok]
            assert answered == known
            # A program of a small budget may refuse, by its own account.
            refused = {answer.error.code for answer in answers if answer.error}
            assert not refused or (file.kind == "program" and refused == {"beyond-model"})
            assert answers[0].actions != tuple(answers[0].text.split())
            error = translator.translate("Play Jaz in the hall!").error
            assert error.message == "unknown word 'Jaz' (word 2); did you mean 'jazz'?"


@pytest.mark.parametrize("arguments", [(), ("--workers", "2")])
def test_lane_run_prints_the_joined_text(language, arguments):
    _, files, others, _ = language
    command = [Path(sys.executable).with_name("lane-run"), "--model", files.onnx, *arguments]
    done = subprocess.run(command, input="\n".join(others), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == list(others.values())
