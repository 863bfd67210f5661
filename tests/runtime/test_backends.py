"""The three backends: the same answers and errors, whatever the file, the batch, the order, the threads."""

import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
import zipfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from random import Random

import pytest

from lane.runtime import ModelError, load

KINDS = ("program", "onnx", "torchscript")
NETWORKS = KINDS[1:]
SUFFIXES = {"program": "lane", "onnx": "onnx", "torchscript": "ts"}
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


def file_of(tmp_path, kind, data):
    path = tmp_path / f"other.{SUFFIXES[kind]}"
    path.write_bytes(data)
    return path


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
        run, sizes = backend._run, []

        def record(rows, run=run, sizes=sizes):
            sizes.append(len(rows) * len(rows[0]))
            return run(rows)

        monkeypatch.setattr(backend, "_run", record)
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
    assert (info.backend, info.path, info.format_version) == (kind, str(exported[kind]), 1)
    assert info.file_sha256 == hashlib.sha256(data).hexdigest()
    assert info.sha256.encode() in data
    assert sorted(info.words) == sorted(program.words)
    for name in ("max_words", "max_actions", "complete", "margin", "trust", "provenance"):
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
        translator._backend._run = fail
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
    path = file_of(tmp_path, kind, exported[kind].read_bytes())
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04 and no more", "truncated or damaged"),
        (b"\x08\x09", "perhaps an ONNX file"),
        (b"\x08", "neither an ONNX file nor any other"),
        (b"hello", "is not a LAnE program"),
        (b"", "the file is empty"),
    ],
)
def test_other_files_are_told_apart(tmp_path, content, message):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ModelError, match=rf"file: .*{message}"):
        load(tmp_path / "file")


def test_a_file_of_another_kind(exported, tmp_path):
    with pytest.raises(ModelError, match=r"a checkpoint, as lane-train writes.*lane-export"):
        load(exported["checkpoint"], trust=True)
    with pytest.raises(ModelError, match="not a TorchScript archive"):
        load(exported["onnx"], backend="torchscript", trust=True)
    with pytest.raises(ModelError, match="ONNX"):
        load(exported["torchscript"], backend="onnx")
    with pytest.raises(ModelError, match="is a zip archive"):
        load(exported["torchscript"], backend="program")
    for content, message in (
        ({"readme": "x"}, "a zip archive, but not"),
        ({"m/code/a": ""}, "not one of lane"),
    ):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            for name, text in content.items():
                archive.writestr(name, text)
        with pytest.raises(ModelError, match=message):
            load(tmp_path / "a.zip")


def with_records(exported, tmp_path, change):
    """The archive again with other records, and a checksum that is right for them."""
    with zipfile.ZipFile(exported["torchscript"]) as archive:
        records = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    card = json.loads(records.pop("extra/lane.json"))
    records, card = change(records, card)
    digest = hashlib.sha256()
    for name in sorted(records):
        if name != "version" and not name.startswith(".data/"):
            digest.update(f"{name}\n{len(records[name])}\n".encode() + records[name])
    path = tmp_path / "changed.ts"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in records.items():
            archive.writestr(f"archive/{name}", content)
        archive.writestr("archive/extra/lane.json", json.dumps(card | {"sha256": digest.hexdigest()}))
    return path


def test_an_archive_that_torch_refuses(exported, tmp_path):
    for gone in ("data.pkl", "constants.pkl"):
        path = with_records(
            exported, tmp_path, lambda r, c, gone=gone: ({k: v for k, v in r.items() if k != gone}, c)
        )
        with pytest.raises(ModelError, match="torch cannot load it: ") as refused:
            load(path, trust=True)
        assert "\n" not in str(refused.value)


def as_onnx(content):
    """An ONNX file with this card and no network."""

    def field(number, value):
        size = len(value)
        return bytes([number << 3 | 2]) + bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14]) + value

    card = json.dumps(content | {"sha256": "0" * 64}).encode()
    data = b"\x08\x08" + field(14, field(1, b"lane.json") + field(2, card))
    return data.replace(b"0" * 64, hashlib.sha256(data).hexdigest().encode())


CARD = {
    "lane": "onnx",
    "version": 1,
    "words": ["a"],
    "actions": ["A"],
    "statuses": ["ok"],
    "limits": {"max_words": 3, "max_actions": 3},
    "margin": None,
    "trust": 1,
    "provenance": {},
    "rules": [["a", "A", 1]],
}


def test_an_onnx_file_that_onnxruntime_refuses(tmp_path, capfd):
    path = file_of(tmp_path, "onnx", as_onnx(CARD))
    with pytest.raises(ModelError, match=r"other\.onnx: onnxruntime cannot load it: "):
        load(path)
    assert capfd.readouterr().err == ""


def signed_again(data, random):
    """An ONNX file with a changed bit and a checksum that is right for it, as no accident makes one."""
    stated = re.search(rb'"sha256":"([0-9a-f]{64})"', data)[1]
    changed = bytearray(data.replace(stated, b"0" * 64, 1))
    changed[random.randrange(len(changed) - 20_000)] ^= 1 << random.randrange(8)
    return changed.replace(b"0" * 64, hashlib.sha256(changed).hexdigest().encode(), 1)


def test_an_onnx_file_that_was_changed_on_purpose(exported, tmp_path, capfd):
    """Another model, or an error: with a right checksum it does reach onnxruntime."""
    reached = 0
    for seed in range(60):
        path = file_of(tmp_path, "onnx", signed_again(exported["onnx"].read_bytes(), Random(seed)))
        try:
            load(path).translate_batch(["jump twice", "hop"])
        except ModelError as error:
            reached += "onnxruntime cannot load it" in str(error)
    assert reached > 5
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "format version 2, but this runtime reads 1"),
        ({"lane": "torchscript"}, "another kind of file"),
        ({"words": "abc"}, "no 'words'"),
        ({"words": ["a", "a"]}, "no 'words'"),
        ({"words": ["a b"]}, "no 'words'"),
        ({"actions": [1]}, "no 'actions'"),
        ({"limits": {"max_words": 3}}, "no 'limits'"),
        ({"limits": {"max_words": True, "max_actions": 0}}, "no 'limits'"),
        ({"margin": "thin"}, "no 'margin'"),
        ({"margin": float("inf")}, "no 'margin'"),
        ({"provenance": []}, "no 'provenance'"),
        ({"rules": [["a", "A"]]}, "no 'rules'"),
        ({"rules": [["a", "", 1]]}, "no 'rules'"),
        ({"rules": None}, "no 'rules'"),
    ],
)
def test_a_card_with_a_wrong_part(tmp_path, change, message):
    with pytest.raises(ModelError, match=message):
        load(file_of(tmp_path, "onnx", as_onnx(CARD | change)))


def test_a_network_whose_numbers_mean_nothing(exported, tmp_path):
    path = with_records(exported, tmp_path, lambda r, c: (r, c | {"actions": c["actions"][:1], "rules": []}))
    translator = load(path, trust=True)
    assert translator.rules() == ()
    with pytest.raises(ModelError, match="numbers that its card gives no meaning"):
        translator.translate_batch(["jump", "walk", "run", "left", "and", "twice"])


def damaged(data, random):
    """Cut off somewhere, or with one to three bits changed."""
    if random.random() < 0.3:
        return data[: random.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(random.randint(1, 3)):
        # Half of them where the containers keep their own books: at the ends.
        near = min(len(data), 6000)
        place = random.choice(
            [random.randrange(len(data)), random.randrange(near), -1 - random.randrange(near)]
        )
        changed[place] ^= 1 << random.randrange(8)
    return bytes(changed)


def fuzz(exported, tmp_path, kind, count, seed):
    """How many damaged files were refused; one that is not must be as good as the whole one."""
    random, data = Random(seed), exported[kind].read_bytes()
    texts = ["jump twice", "walk and run", "hop"]
    expected = load(exported[kind], trust=True).translate_batch(texts)
    messages = []
    for _ in range(count):
        path = file_of(tmp_path, kind, damaged(data, random))
        try:
            translator = load(path, random.choice(["auto", kind]), trust=True)
        except ModelError as error:
            messages.append(str(error))
        else:
            assert translator.translate_batch(texts) == expected
    assert all(message.startswith(f"{path}: ") and "\n" not in message for message in messages)
    return len(messages)


@pytest.mark.parametrize("kind", NETWORKS)
def test_damaged_files_give_one_error(exported, tmp_path, kind):
    assert fuzz(exported, tmp_path, kind, 300, 1) > 250


@pytest.mark.slow
@pytest.mark.parametrize("kind", NETWORKS)
def test_many_damaged_files_give_one_error(exported, tmp_path, kind):
    assert fuzz(exported, tmp_path, kind, 10_000, 2) > 8_000


@pytest.mark.skipif(os.name != "posix", reason="the name of a directory")
@pytest.mark.parametrize("kind", KINDS)
def test_a_directory_is_no_model(tmp_path, kind):
    for backend in ("auto", kind):
        with pytest.raises(ModelError, match="Is a directory"):
            load(tmp_path, backend)
