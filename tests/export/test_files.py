"""The three files give the checkpoint's tokens: whatever the batch, the order, the threads."""

import random
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from lane.experiments.oracle import Oracle
from lane.export import export
from lane.export.guarded import GuardedModel
from lane.export.kinds import SUFFIXES
from lane.export.metadata import describe
from lane.export.onnx_file import onnx_file
from lane.export.probe import open_file
from lane.export.torchscript import archive
from lane.export.verify import bad_commands
from lane.models.checkpoint import save

KINDS = tuple(SUFFIXES)


@pytest.fixture(scope="module")
def commands(commands_of, checkpoint) -> list[str]:
    bad = bad_commands(checkpoint.source.words, checkpoint.config.max_words)
    return [*commands_of(11, 2000, 12), *commands_of(12, 48, 50), *bad]


@pytest.fixture(scope="module")
def wanted(commands, checkpoint, expected) -> list[tuple[str, str]]:
    with torch.no_grad():
        return expected(checkpoint.model().double(), checkpoint, commands)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "threads"), [(1, 1), (7, 2), (256, 1), (2048, 1)])
def test_batches_in_any_order_give_the_checkpoints_tokens(files, commands, wanted, kind, size, threads):
    translate = open_file(files[kind], threads)
    order = random.Random(size).sample(range(len(commands)), len(commands))[: 20 * size]
    for start in range(0, len(order), size):
        places = order[start : start + size]
        assert translate([commands[i] for i in places]) == [wanted[i] for i in places]
    assert {wanted[i][0] for i in range(len(commands))} >= {"ok", "empty", "unknown-word", "too-many-words"}


@pytest.mark.parametrize("kind", KINDS)
def test_threads_may_share_a_file(files, commands, wanted, kind):
    translate = open_file(files[kind])

    def work(seed: int) -> bool:
        order = random.Random(seed).sample(range(len(commands)), 300)
        chunks = [order[i : i + 50] for i in range(0, 300, 50)]
        return all(translate([commands[i] for i in c]) == [wanted[i] for i in c] for c in chunks)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


@pytest.mark.parametrize("seed", range(3))
def test_other_models_and_limits(checkpoint_of, commands_of, expected, tmp_path, seed):
    limits = [{"constants": True}, {"span_limit": 2}, {"span_limit": 4, "variable_limit": 3}][seed]
    words = ("a", "b", "c", "d", "e")
    checkpoint = checkpoint_of(seed + 20, words=words, **limits)
    commands = commands_of(seed, 300, 14, words)
    model = checkpoint.model().double()
    wanted = expected(model, checkpoint, commands)
    made = {"ts": archive, "onnx": onnx_file}
    for suffix, make in made.items():
        kind = {"ts": "torchscript", "onnx": "onnx"}[suffix]
        core = GuardedModel(checkpoint.model(), len(words), checkpoint.config)
        (tmp_path / f"m.{suffix}").write_bytes(make(core, describe(checkpoint, kind, None, [], {})))
        assert open_file(tmp_path / f"m.{suffix}")(commands) == wanted


@pytest.mark.parametrize("deleting", [True, False])
@pytest.mark.parametrize("seed", [3, 5, 13])  # random models that delete such values where they may
def test_one_meaning_of_too_many_actions(checkpoint_of, commands_of, expected, tmp_path, seed, deleting):
    """All three files fail on the same commands: those with any value, deleted or not, beyond the limit."""
    words = ("a", "b", "c")
    limits = {"deleting": deleting, "template_limit": 4, "max_actions": 8, "constants": True}
    checkpoint = checkpoint_of(seed, words=words, **limits)
    commands, model = commands_of(seed, 250, 9, words), checkpoint.model().double()
    wanted, deleted = [], 0
    for command in commands:
        derivation = Oracle(model).derive([words.index(word) + 1 for word in command.split()])
        text = " ".join(checkpoint.target.word(action) for action in derivation.actions)
        wanted.append(("too-many-actions", "") if derivation.longest > 8 else ("ok", text))
        deleted += len(derivation.actions) <= 8 < derivation.longest
    assert (deleted > 0) == deleting
    assert expected(model, checkpoint, commands) == wanted
    save(checkpoint, tmp_path / "m.pt")
    for written in export(tmp_path / "m.pt", random=20).files:
        assert open_file(written.path)(commands) == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_tells_of_the_building_machine(files, kind):
    data = files[kind].read_bytes()
    for trace in (b"/models/", b"site-packages", b"/tmp/", b"debug_pkl", str(files[kind].parent).encode()):
        if kind == "torchscript" and trace == b"/models/":
            trace = b"/lane/models/composer.py"
        assert trace not in data
    if kind == "torchscript":
        with zipfile.ZipFile(files[kind]) as archive_file:
            assert all(entry.date_time[:1] == (1980,) for entry in archive_file.infolist())


def test_small_files(files):
    assert files["program"].stat().st_size < 2**20
    assert files["torchscript"].stat().st_size < 4 * 2**20
    assert files["onnx"].stat().st_size < 4 * 2**20
