"""The three backends: the same answers and errors, whatever the file, the batch, the order, the threads."""

import hashlib
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from random import Random

import pytest

from lane.runtime import ModelError, load

KINDS = ("program", "onnx", "torchscript")
NETWORKS = KINDS[1:]
ODD = [
    "",
    " \t",
    "jump\u00a0\u3000twice\x1c",
    "Jump",
    "größe walk GRÖßE",
    "jmp",
    "x" * 500,
    "walk\u200b",
    "$x",
]
TIES = ["tun", "lun", "wrn", "runt"]  # near to more than one word


@pytest.fixture(scope="module")
def translators(exported):
    return {kind: load(exported[kind], trust=True) for kind in KINDS}


@pytest.fixture(scope="module")
def commands(translators):
    random, words = Random(8), translators["program"].info.words
    some = [" ".join(random.choices(words, k=random.randint(1, 12))) for _ in range(1200)]
    some += [" ".join(random.choices(words, k=random.randint(40, 60))) for _ in range(100)]
    return [*some, *ODD, *TIES, "jump " * 61, "hop " * 61]


@pytest.fixture(scope="module")
def wanted(translators, commands):
    return [without_place(answer) for answer in translators["program"].translate_batch(commands)]


def without_place(answer):
    """A network cannot tell where a value grows too long: there, and only there, it says less."""
    if answer.error is None or answer.error.code != "too-many-actions":
        return answer
    message = answer.error.message.partition(" (from word ")[0]
    return replace(answer, error=replace(answer.error, message=message, word=None, position=None))


def test_the_commands_reach_every_outcome(wanted):
    codes = {answer.error.code if answer.error else "ok" for answer in wanted}
    assert codes == {"ok", "empty", "unknown-word", "too-many-words", "too-many-actions"}
    assert sum(answer.ok for answer in wanted) > 500
    assert {answer.error.nearest for answer in wanted if answer.error} > {None, "jump"}


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_all_backends_answer_alike(translators, commands, wanted, kind, size):
    order = Random(size).sample(range(len(commands)), len(commands))
    for start in range(0, len(order) if size > 1 else 150, size):
        places = order[start : start + size]
        answers = translators[kind].translate_batch([commands[i] for i in places])
        assert answers == [wanted[i] for i in places]
    assert translators[kind].translate_batch([]) == []
    assert list(translators[kind].translate_iter(commands[:50], 8)) == wanted[:50]


def test_long_commands_are_translated_in_portions(translators, monkeypatch):
    from lane.runtime import network

    texts = ["jump " * (1 + i % 40) for i in range(100)]
    expected = [without_place(answer) for answer in translators["program"].translate_batch(texts)]
    monkeypatch.setattr(network, "_CELLS", 50)
    for kind in NETWORKS:
        backend = translators[kind]._backend
        run, sizes = backend._call, []

        def record(rows, run=run, sizes=sizes):
            sizes.append(len(rows) * len(rows[0]))
            return run(rows)

        monkeypatch.setattr(backend, "_call", record)
        assert translators[kind].translate_batch(texts) == expected
        assert len(sizes) > 20
        assert max(sizes) <= 50


@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_calls_of_eight_threads(translators, commands, wanted, kind):
    def work(seed):
        random, wrong = Random(seed), 0
        for _ in range(125):
            places = random.sample(range(len(commands)), 3)
            answers = translators[kind].translate_batch([commands[i] for i in places])
            wrong += [without_place(answer) for answer in answers] != [wanted[i] for i in places]
        return wrong

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_two_threads_give_the_same(exported, commands, wanted, kind):
    import torch

    with load(exported[kind], kind, threads=2, trust=True) as translator:
        assert [without_place(a) for a in translator.translate_batch(commands)] == wanted
        if kind == "torchscript":
            assert torch.get_num_threads() == 2
    torch.set_num_threads(1)


@pytest.mark.parametrize("kind", NETWORKS)
def test_info_and_rules(translators, exported, kind):
    info, program = translators[kind].info, translators["program"].info
    data = exported[kind].read_bytes()
    assert (info.backend, info.path, info.format_version) == (kind, str(exported[kind]), 2)
    assert info.file_sha256 == hashlib.sha256(data).hexdigest()
    assert info.sha256.encode() in data
    assert sorted(info.words) == sorted(program.words)
    for name in ("max_words", "max_actions", "complete", "margin", "agreement", "provenance"):
        assert getattr(info, name) == getattr(program, name)
    used = tuple(rule for rule in translators["program"].rules() if rule.uses)
    assert translators[kind].rules() == used
    assert info.rules == len(used) > 0


@pytest.mark.parametrize("kind", NETWORKS)
def test_explaining_needs_a_program(translators, kind):
    with pytest.raises(ModelError, match=r"model\.\w+: .* cannot explain .*lane-export --formats program"):
        translators[kind].explain("jump")


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_closed_translator_says_so(exported, kind):
    with load(exported[kind], trust=True) as translator:
        pass
    assert not translator.translate("hop").ok
    with pytest.raises(ModelError, match="closed: load the model again"):
        translator.translate("jump")


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_network_that_fails_while_it_runs(exported, kind):
    def fail(rows):
        raise RuntimeError("out of something\nand a stack trace")

    with load(exported[kind], trust=True) as translator:
        translator._backend._call = fail
        with pytest.raises(ModelError, match=r"failed on a batch of commands: out of something$"):
            translator.translate("jump")


# Trust


def test_an_archive_is_opened_only_with_trust(exported, monkeypatch):
    path = exported["torchscript"]
    monkeypatch.setitem(sys.modules, "torch", None)  # the refusal comes before torch is so much as imported
    with pytest.raises(ModelError, match=r"model\.ts: .* is code.*ask them.*lane-export info") as refused:
        load(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert digest not in str(refused.value), "a checksum taken from the file itself vouches for nothing"
    monkeypatch.undo()
    for trust in (True, digest, digest.upper()):
        assert load(path, trust=trust).translate("jump").ok


@pytest.mark.parametrize("kind", KINDS)
def test_a_given_checksum_is_compared_for_every_kind(exported, kind):
    digest = hashlib.sha256(exported[kind].read_bytes()).hexdigest()
    translator = load(exported[kind], trust=digest)
    assert translator.translate("jump").ok
    assert translator.info.file_sha256 == digest
    with pytest.raises(ModelError, match="SHA-256 is not the one given") as refused:
        load(exported[kind], trust="0" * 64)
    assert digest not in str(refused.value)


@pytest.mark.parametrize("trust", ["", "yes", "0" * 63, "g" * 64, 1, None, b"0" * 64])
def test_other_trust_has_no_meaning(exported, trust):
    with pytest.raises(ValueError, match="SHA-256 of 64 hexadecimal digits"):
        load(exported["program"], trust=trust)


# Pickling


@pytest.mark.parametrize("kind", KINDS)
def test_a_translator_can_be_sent_to_another_process(translators, commands, wanted, kind):
    copy = pickle.loads(pickle.dumps(translators[kind]))
    assert copy.info == translators[kind].info
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        answers = pool.submit(translators[kind].translate_batch, commands[:100]).result()
    assert [without_place(answer) for answer in answers] == wanted[:100]


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_file_that_has_changed_is_not_opened_again(exported, tmp_path, kind, monkeypatch):
    path = tmp_path / f"other.{kind}"
    path.write_bytes(exported[kind].read_bytes())
    monkeypatch.chdir(tmp_path)
    sent = pickle.dumps(load(path.name, threads=2, trust=True))
    monkeypatch.chdir("/")
    copy = pickle.loads(sent)
    assert (copy.translate("jump").ok, copy._backend._threads) == (True, 2)
    path.write_bytes(exported[kind].read_bytes() + b"\0")
    with pytest.raises(ModelError, match=r"cannot be opened: .*it was changed"):
        pickle.loads(sent)
    path.unlink()
    with pytest.raises(ModelError, match="No such file"):
        pickle.loads(sent)


# Packages that are not there


@pytest.mark.parametrize(
    ("kind", "package", "extra"),
    [("onnx", "onnxruntime", "onnx"), ("onnx", "numpy", "onnx"), ("torchscript", "torch", "torch")],
)
def test_a_missing_package_is_named_with_its_extra(exported, kind, package, extra):
    script = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from lane.runtime import ModelError, load\n"
        f"try: load({str(exported[kind])!r}, trust=True)\n"
        "except ModelError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert f'pip install "lane-expressions[{extra}]"' in done.stdout


def test_onnx_needs_no_torch(exported):
    script = (
        "import sys; from lane.runtime import load\n"
        f"assert load({str(exported['onnx'])!r}).translate('jump').ok\n"
        "assert not {'torch', 'onnx', 'typer', 'pydantic'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_said_aside(exported, kind):
    """No warning, even where warnings are errors, and nothing on standard error."""
    script = f"from lane.runtime import load; load({str(exported[kind])!r}, trust=True).translate('jump')"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


# Files that are no models
