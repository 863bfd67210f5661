"""The public API."""

import gzip
import os
import pickle
import subprocess
import sys
import threading
from random import Random

import pytest

import lane.runtime
from lane.runtime import ModelError, Translation, Translator, load, model_file, plan_cache
from lane.runtime.program_backend import ProgramBackend


@pytest.fixture
def translator(scan_file):
    return load(scan_file)


def test_translation(translator):
    answer = translator.translate("jump twice")
    assert answer == Translation("I_JUMP I_JUMP")
    assert answer.actions == ("I_JUMP", "I_JUMP")
    assert answer.ok
    with pytest.raises(AttributeError):
        answer.text = ""


@pytest.mark.parametrize("text", ["  jump\ttwice ", "jump twice\r\n", "jump\u00a0\u3000twice"])
def test_any_white_space_separates_words(translator, text):
    assert translator.translate(text).text == "I_JUMP I_JUMP"


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_command_is_an_error_of_its_own(translator, text):
    answer = translator.translate(text)
    assert answer.text == ""
    assert answer.actions == ()
    assert answer.error.code == "empty"


def test_unknown_word(translator):
    error = translator.translate("walk Jump twice").error
    assert (error.code, error.word, error.position, error.nearest) == ("unknown-word", "Jump", 2, "jump")
    assert error.message == "unknown word 'Jump' (word 2); did you mean 'jump'?"
    assert translator.translate("xyzzy").error.nearest is None
    assert len(translator.translate("x" * 10_000).error.message) < 100


def test_too_many_words(tiny):
    error = Translator(ProgramBackend(tiny)).translate("dax " * 51).error
    assert (error.code, error.word, error.position) == ("too-many-words", "dax", 51)


def test_too_many_actions(tiny):
    error = Translator(ProgramBackend(tiny)).translate("dax " * 20).error
    assert (error.code, error.position) == ("too-many-actions", 1)


def test_beyond_the_model(tiny):
    translator = Translator(ProgramBackend(tiny))
    error = translator.translate("kiki dax lug").error
    assert (error.code, error.word, error.position) == ("beyond-model", "kiki", 1)
    assert "no rule for 'kiki $x'" in error.message
    assert "'kiki kiki' before 'kiki'" in translator.translate("kiki kiki kiki").error.message


def test_the_stream_is_lazy_and_in_order(translator):
    read = 0

    def lines():
        nonlocal read
        for number in range(10**9):
            read += 1
            yield "jump" if number % 2 else "walk"

    answers = translator.translate_iter(lines(), batch_size=8)
    assert [next(answers).text for _ in range(20)] == ["I_WALK", "I_JUMP"] * 10
    assert read == 24
    with pytest.raises(ValueError, match="at least 1"):
        translator.translate_iter([], batch_size=0)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.translate(None), "text is of type NoneType"),
        (lambda t: t.translate(b""), "text is of type bytes"),
        (lambda t: t.translate_batch("jump"), "texts is of type str, .* translate takes a single command"),
        (lambda t: t.translate_batch(iter(["jump"])), r"texts is of type list_iterator, .* translate_iter"),
        (lambda t: t.translate_batch(["jump", b"jump"]), r"texts\[1\] is of type bytes"),
        (lambda t: t.translate_iter("jump"), "lines is of type str"),
        (lambda t: t.translate_iter(3), "lines is of type int"),
        (lambda t: list(t.translate_iter(["jump", 3])), r"texts\[1\] is of type int"),
        (lambda t: t.explain(["jump"]), "text is of type list"),
        (lambda t: t.translate_iter(["jump"], "3"), "batch_size is of type str, but must be an int"),
        (lambda t: t.translate_iter(["jump"], True), "batch_size is of type bool"),
        (lambda t: load(threads=2.0), "threads is of type float"),
    ],
)
def test_a_wrong_type_names_the_argument(translator, call, message, compiled):
    if not compiled:
        translator._backend._core = None
    with pytest.raises(TypeError, match=message):
        call(translator)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("budget", [-1, 0, 5, 6, 14, 30, 10**9])
def test_a_budget_ends_a_batch_and_loses_nothing(scan_file, budget, compiled):
    translator = load(scan_file)
    if not compiled:
        translator._backend._core = None
    texts = ["jump", "fly", "walk twice", "", "jump " + "and jump " * 70, "run thrice", "look"] * 3
    wanted, left = translator.translate_batch(texts), list(texts)
    answers = []
    while left:
        some = translator.translate_some(left, budget)
        sizes = [len(answer.text) for answer in some]
        assert len(some) == len(left) or sum(sizes) > budget
        assert sum(sizes) <= 2 * max(budget, 0) + 2 * max(sizes)
        answers += some
        del left[: len(some)]
    assert answers == wanted


def test_a_stream_keeps_within_its_budget(translator, monkeypatch):
    from lane.runtime import translator as module

    monkeypatch.setattr(module, "BUDGET", 10)
    texts = ["jump", "walk twice", "fly", "run"] * 5
    assert list(translator.translate_iter(texts, 7)) == translator.translate_batch(texts)


def test_a_batch_may_be_any_sized_collection(translator):
    assert translator.translate_batch({"walk": 1, "run": 2}) == translator.translate_batch(("walk", "run"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_model_may_come_from_a_pipe(scan_file, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(scan_file.read_bytes()))
    writer.start()
    assert load(tmp_path / "pipe").translate("run").text == "I_RUN"
    writer.join()


def test_pickle_and_context_manager(translator):
    with pickle.loads(pickle.dumps(translator)) as copy:
        assert copy.translate("look thrice").text == "I_LOOK I_LOOK I_LOOK"
        assert copy.info == translator.info


def test_info_and_rules(translator, scan, scan_file):
    info = translator.info
    assert (info.backend, info.path, info.format_version) == ("program", str(scan_file), 2)
    assert info.sha256.encode() in scan_file.read_bytes()[:200]
    assert "jump" in info.words
    assert "I_JUMP" in info.actions
    assert info.provenance == {"by": "hand"}
    assert translator.rules() == scan.scan_program().rules
    assert 0 < len(translator.rules().used) < len(translator.rules())
    assert (
        str(next(rule for rule in translator.rules() if rule.span == ("$x", "twice"))) == "$x twice -> $X $X"
    )


def test_load_errors(tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "BUNDLED", tmp_path / "none.lane.gz")
    with pytest.raises(ModelError, match="bundles no model"):
        load()
    with pytest.raises(ModelError, match="No such file"):
        load(tmp_path / "none.lane")
    with pytest.raises(ValueError, match="backend 'magic' is not one of auto, program"):
        load(tmp_path, backend="magic")
    with pytest.raises(ValueError, match="threads"):
        load(tmp_path, threads=0)


def test_the_bundled_model_is_loaded_by_default(scan_file, tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "BUNDLED", tmp_path / "scan.lane.gz")
    model_file.BUNDLED.write_bytes(gzip.compress(scan_file.read_bytes()))
    assert load().translate("run").text == "I_RUN"


def test_threads_share_a_translator_even_while_plans_are_evicted(scan, monkeypatch):
    monkeypatch.setattr(plan_cache, "MAX_CACHED", 2000)
    translator = Translator(ProgramBackend(scan.scan_program()))
    expected = scan.grammar()
    wrong = []

    def work(seed):
        commands = Random(seed).sample(list(expected), 3000)
        for start in range(0, len(commands), 50):
            batch = commands[start : start + 50]
            for command, answer in zip(batch, translator.translate_batch(batch), strict=True):
                if answer.text != expected[command]:
                    wrong.append(command)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    cache = translator._backend._plans
    for generation in (cache.young, cache.old):
        assert sum(plan.weight for plan in generation.values()) <= 2000


PIECES = ["jump", "twice", "and", "walk", "$", "$x", "<error:x>", "\x00", "\ud800", "é"]
SPACES = ["\t", "\n", "\u2028", " "]


def fuzz(translator, count, seed):
    random = Random(seed)
    texts = ["".join(random.choices(PIECES + SPACES, k=random.randrange(12))) for _ in range(count)]
    answers = translator.translate_batch(texts)
    assert {answer.error.code for answer in answers if answer.error} == {"empty", "unknown-word"}
    assert all(answer.ok == bool(answer.text) for answer in answers)


def test_fuzzed_commands_never_raise(translator):
    fuzz(translator, 20_000, 4)


@pytest.mark.slow
def test_many_fuzzed_commands_never_raise(translator):
    fuzz(translator, 100_000, 5)


def test_public_names():
    assert set(lane.runtime.__all__) <= set(dir(lane.runtime))


def test_importing_the_runtime_imports_nothing_of_others():
    """The standard library and the package itself: the base install has no dependencies."""
    script = "import sys; before = set(sys.modules); import lane.runtime; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names == {"lane"}
    assert {name.split(".")[1] for name in loaded if name.startswith("lane.")} == {"base", "runtime"}
    assert "multiprocessing" not in loaded, "slow to import"
