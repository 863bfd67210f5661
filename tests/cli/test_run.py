"""`lane-run` as a user meets it: the real command in a process of its own."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest


def test_lines_from_a_pipe(lane_run):
    output, errors = lane_run(text="jump twice\nwalk left\nturn around right")
    assert (
        output == "I_JUMP I_JUMP\nI_TURN_LEFT I_WALK\nI_TURN_RIGHT I_TURN_RIGHT I_TURN_RIGHT I_TURN_RIGHT\n"
    )
    assert errors == ""


def test_no_lines(lane_run):
    assert lane_run(text="") == ("", "")


def test_files_and_standard_input(lane_run, tmp_path):
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_bytes(b"\xef\xbb\xbfjump\r\nrun")  # a byte-order mark, CR LF, no newline at the end
    second.write_bytes(b"walk\nwlak\n")
    output, errors = lane_run(str(first), "-", str(second), text="look\n", code=1)
    assert output == "I_JUMP\nI_RUN\nI_LOOK\nI_WALK\n<error:unknown-word>\n"
    assert errors == f"{second}:2: unknown word 'wlak' (word 1); did you mean 'walk'?\n"


BAD = b"jump\n\nfly\n  \xff jump\nJump twice\nwalk" + b" twice" * 60 + b"\nlook\n"


def test_every_failure_has_its_mark_and_its_message(lane_run):
    output, errors = lane_run(text=BAD, code=1)
    assert output.split("\n") == [
        "I_JUMP",
        "",
        "<error:unknown-word>",
        "<error:invalid-utf8>",
        "<error:unknown-word>",
        "<error:too-many-actions>",
        "I_LOOK",
        "",
    ]
    assert errors.splitlines() == [
        "stdin:3: unknown word 'fly' (word 1)",
        "stdin:4: not UTF-8: byte 0xff at byte 3 of the line",
        "stdin:5: unknown word 'Jump' (word 1); did you mean 'jump'?",
        "stdin:6: the translation is longer than 1000000 actions (from word 1)",
    ]


def test_skip_and_stop(lane_run):
    assert lane_run("--on-error", "skip", text=BAD, code=1)[0] == "I_JUMP\n\nI_LOOK\n"
    output, errors = lane_run("--on-error", "stop", text=BAD, code=1)
    assert output == "I_JUMP\n\n"
    assert errors == "stdin:3: unknown word 'fly' (word 1)\n"
    assert (
        lane_run("--on-error", "stop", "--workers", "2", "--batch-size", "1", text=BAD, code=1)[0] == output
    )


def test_too_many_words(lane_run):
    output, errors = lane_run(text="walk " * 100_001 + "\n", code=1)
    assert output == "<error:too-many-words>\n"
    assert errors == "stdin:1: the command has 100001 words; the model takes at most 100000\n"


def test_a_line_without_end_is_not_kept(lane_run):
    output, errors = lane_run(text=b"walk\n" + b"walk " * 4_000_000 + b"\nrun\n", code=1)
    assert output == "I_WALK\n<error:line-too-long>\nI_RUN\n"
    assert errors == "stdin:2: the line is longer than 16777216 bytes\n"


def test_tsv(lane_run):
    output, _ = lane_run("--format", "tsv", text="jump \t twice\n\nfly\n", code=1)
    assert output == "jump twice\tI_JUMP I_JUMP\t\n\t\t\nfly\t\tunknown-word\n"


def test_jsonl(lane_run):
    output, _ = lane_run("-f", "jsonl", text="jump twice\r\n\nwlak é\n", code=1)
    first, second, third = map(json.loads, output.splitlines())
    assert first == {
        "file": "stdin",
        "line": 1,
        "input": "jump twice",
        "output": "I_JUMP I_JUMP",
        "error": None,
    }
    assert second == {"file": "stdin", "line": 2, "input": "", "output": "", "error": None}
    assert third["error"] == {
        "code": "unknown-word",
        "message": "unknown word 'wlak' (word 1); did you mean 'walk'?",
        "word": "wlak",
        "position": 1,
        "nearest": "walk",
    }


def test_all_of_scan_in_order_whatever_the_batches_and_workers(lane_run, scan):
    expected = scan.grammar()
    commands = list(expected)
    Random(5).shuffle(commands)
    text = "".join(f"{command}\n" for command in commands)
    wanted = "".join(f"{expected[command]}\n" for command in commands)
    for arguments in ((), ("--batch-size", "7"), ("--workers", "2", "--batch-size", "500")):
        assert lane_run(*arguments, text=text)[0] == wanted
    failing = text.replace("jump", "hop")
    alone = lane_run("--format", "jsonl", text=failing, code=1)
    assert (
        lane_run("--format", "jsonl", "--workers", "3", "--batch-size", "100", text=failing, code=1) == alone
    )


def test_stats(lane_run):
    _, errors = lane_run("--stats", text="jump\n\nfly\nfly\n", code=1)
    last = errors.splitlines()[-1]
    assert last.startswith("4 lines in ")
    assert last.endswith(" lines/s, 2 failed (unknown-word 2), 1 empty")


def test_progress(lane_run):
    assert lane_run("--progress", "off", text="jump\n")[1] == ""
    assert lane_run("--progress", "auto", text="jump\n")[1] == ""
    assert lane_run("--progress", "on", text="jump\n")[1] == "\r\x1b[K"


def test_explain_kinds(lane_run):
    text = "jump twice\n\nlook\nfly\n"
    output, _ = lane_run("--explain", text=text, code=1)
    assert "  2. $x twice -> $X $X  ($x = $0)  $0 = I_JUMP I_JUMP\n  = I_JUMP I_JUMP\n\n\nlook\n" in output
    assert output == lane_run("--explain", "text", text=text, code=1)[0]
    assert "└── jump -> I_JUMP" in lane_run("--explain", "tree", text=text, code=1)[0]
    rows = [json.loads(line) for line in lane_run("--explain", "json", text=text, code=1)[0].splitlines()]
    assert [row["text"] for row in rows] == ["I_JUMP I_JUMP", "", "I_LOOK", ""]
    assert [bool(row["error"]) for row in rows] == [False, False, False, True]
    picture, errors = lane_run("--explain", "svg", text=text, code=1)
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert errors == "stdin:4: unknown word 'fly' (word 1)\n"
    assert lane_run("--explain=html", text=text, code=1)[0].count("<section>") == 3
    assert "fly" not in lane_run("--explain", "svg", "--on-error", "skip", text=text, code=1)[0]
    stopped, _ = lane_run("--explain", "svg", "--on-error", "stop", text="run\nfly\nlook\n", code=1)
    assert "run → I_RUN" in stopped
    assert "look" not in stopped


def test_explain_does_not_swallow_a_file(lane_run, tmp_path):
    path = tmp_path / "commands.txt"
    path.write_text("run\n")
    assert lane_run("--explain", str(path))[0].startswith("run\n  1. run -> I_RUN")


def test_too_many_pictures(lane_run):
    _, errors = lane_run("--explain", "svg", text="jump\n" * 1001, code=2)
    assert "use --explain json" in errors


def test_rules(command):
    done = subprocess.run([*command[:3], "rules", *command[3:]], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "jump             -> I_JUMP"
    assert "$x around $y     -> $Y $X $Y $X $Y $X $Y $X" in lines
    assert len(lines) == 16
    assert "see --all" in done.stderr
    done = subprocess.run(
        [*command[:3], "rules", "--all", *command[3:]], capture_output=True, text=True, check=True
    )
    assert len(done.stdout.splitlines()) > 4000


@pytest.mark.parametrize("start", [[], ["rules"]])
def test_an_unconverged_model_says_so(command, scan, tmp_path, start):
    path = tmp_path / "early.lane"
    replace(scan.scan_program(), provenance={"training": {"converged": False}}).save(path)
    arguments = [*command[:3], *start, "--model", str(path)]
    done = subprocess.run(arguments, input="jump\n", capture_output=True, text=True, check=True)
    assert done.stdout.startswith("jump" if start else "I_JUMP\n")
    assert f"warning: the training of {path} has not converged: expect wrong answers\n" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nonsense"], "unknown argument --nonsense\n"),
        (["--modle", "x"], "unknown argument --modle; did you mean '--model'?"),
        (["--statz"], "unknown argument --statz; did you mean '--stats'?"),
        (["--bacth-size=3"], "unknown argument --bacth-size; did you mean '--batch-size'?"),
        (["--explain", "svgg"], "svgg: No such file or directory; did you mean 'svg'?"),
        (["jump twice"], "standard input: echo 'jump twice' | lane-run --model "),
        (["jump", "twice"], "standard input: echo 'jump twice' | lane-run --model "),
        (["rules"], "write `rules` first: lane-run rules --model "),
        (["serve"], "write `serve` first: lane-run serve --model "),
        (["ruels"], "ruels: No such file or directory; did you mean 'rules'?"),
        (["--", "--stats"], "error: --stats: No such file or directory"),
        (["--workers", "0"], "'0' is not a whole number"),
        (["--batch-size", "many"], "'many' is not a whole number"),
        (["--format", "xml"], "invalid choice: 'xml'"),
        (["--format", "tsv", "--explain"], "--format has no meaning with --explain"),
        (["--backend", "magic"], "invalid choice: 'magic'"),
        (["missing.txt"], "error: missing.txt: No such file or directory"),
        (["."], "error: .: Is a directory"),
        (["--model", "missing.lane"], "error: missing.lane: No such file or directory"),
        (["--model", __file__], "is not a LAnE program"),
    ],
)
def test_wrong_use(lane_run, arguments, message):
    output, errors = lane_run(*arguments, code=2)
    assert output == ""
    assert message in errors


def test_files_may_stand_between_options(lane_run, command, tmp_path):
    path = tmp_path / "-x"
    path.write_text("run\n")
    assert lane_run(str(path), "--format", "tsv", str(path))[0] == "run\tI_RUN\t\n" * 2
    done = subprocess.run([*command, "--", "-x"], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout == b"I_RUN\n"


def test_help_and_version(lane_run):
    assert "unknown-word" in lane_run("--help")[0]
    assert lane_run("--version")[0].startswith("lane ")


def start(command, *arguments):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*command, *arguments], start_new_session=True, **pipes)


@pytest.mark.parametrize("arguments", [(), ("--workers", "2")])
def test_every_line_is_answered_before_the_next_is_waited_for(command, arguments):
    with start(command, *arguments) as process:
        for line, answer in ((b"jump\n", b"I_JUMP\n"), (b"look twice\n", b"I_LOOK I_LOOK\n"), (b"\n", b"\n")):
            process.stdin.write(line)
            process.stdin.flush()
            assert process.stdout.readline() == answer
        process.stdin.close()
        assert process.wait(10) == 0


@pytest.mark.parametrize("arguments", [(), ("--workers", "2")])
def test_a_closed_pipe_ends_quietly(command, arguments, tmp_path):
    path = tmp_path / "many.txt"
    path.write_text("jump around left thrice and walk around right thrice\n" * 50_000)
    with start(command, *arguments, str(path)) as process:
        assert process.stdout.readline().startswith(b"I_TURN_LEFT I_JUMP")
        process.stdout.close()
        assert process.wait(30) == 0
        assert process.stderr.read() == b""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("arguments", [(), ("--workers", "2")])
def test_interrupt_ends_cleanly(command, arguments):
    with start(command, *arguments) as process:
        process.stdin.write(b"jump\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"I_JUMP\n"
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
        assert process.wait(10) == 130
        assert process.stderr.read() == b""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_an_interrupt_cuts_no_line(command, tmp_path):
    path = tmp_path / "many.txt"
    path.write_text("jump around left thrice and walk around right thrice\n" * 500_000)
    for number in range(3):
        with (tmp_path / "out.txt").open("wb") as out:
            process = subprocess.Popen(
                [*command, "--workers", "2", str(path)],
                start_new_session=True,
                stdout=out,
                stderr=subprocess.PIPE,
            )
            while not os.fstat(out.fileno()).st_size:
                time.sleep(0.001)
            os.killpg(process.pid, signal.SIGINT)
            assert process.wait(20) == 130
            assert process.communicate() == (None, b"")
        lines = (tmp_path / "out.txt").read_bytes()
        assert lines.endswith(b" I_TURN_RIGHT I_WALK\n"), f"in round {number}"
        assert len(set(lines.splitlines())) == 1


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize("which", [slice(0, 2), slice(0, 1), slice(1, 2)], ids=["both", "first", "second"])
def test_workers_that_die_are_reported(command, which):
    with start(command, "--workers", "2", "--batch-size", "1") as process:
        process.stdin.write(b"jump\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"I_JUMP\n"
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in children[which]:
            os.kill(int(child), signal.SIGKILL)
        # It may have noticed before it reads another line, or notice only then.
        with suppress(BrokenPipeError):
            process.stdin.write(b"walk\nwalk\n")
            process.stdin.close()
        assert process.wait(10) == 3
        assert process.stderr.read() == b"error: a worker process died; the output is cut short\n"


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
@pytest.mark.parametrize("arguments", [(), ("--workers", "2"), ("--explain", "json")])
def test_too_little_memory_is_one_line(command, arguments):
    """An answer of 12 MB where there are 40 for everything."""
    done = subprocess.run(
        [*command, *arguments],
        input=b"look\njump around left" + b" thrice" * 10 + b"\n",
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (50_000_000, 50_000_000)),
    )
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read")
@pytest.mark.parametrize("arguments", [(), ("--workers", "2"), ("--explain", "svg")])
def test_input_that_cannot_be_read(command, arguments):
    done = subprocess.run([*command, *arguments, "/proc/self/mem"], capture_output=True)
    assert done.returncode == 3
    assert done.stderr.startswith(b"error: /proc/self/mem: Input/output error; the output ends")
    assert done.stderr.count(b"\n") == 1


def test_a_long_stream_takes_constant_memory(command):
    """What is kept does not grow with what has passed."""
    line = b"jump around left thrice and walk around right thrice\n"
    with start(command) as process:
        sizes = []
        for _ in range(20):
            answers = 0
            process.stdin.write(line * 500)
            process.stdin.flush()
            while answers < 500:
                answers += process.stdout.read1(2**20).count(b"\n")
            sizes.append(resident(process.pid))
        process.stdin.close()
        assert process.wait(10) == 0
    assert sizes[-1] - sizes[4] < 4_000_000


def resident(pid):
    statm = Path(f"/proc/{pid}/statm")
    return int(statm.read_text().split()[1]) * 4096 if statm.exists() else 0


def test_nothing_heavy_is_imported(model):
    script = "import sys; from lane.cli.run import main; main(); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script, "--model", model], input=b"jump\n", capture_output=True, check=True
    )
    modules = {name.split(".")[0] for name in done.stderr.decode().split()}
    assert not {"typer", "pydantic", "numpy", "torch", "multiprocessing", "concurrent"} & modules


def test_as_a_module_it_ends_with_its_own_code(model):
    command = [sys.executable, "-m", "lane.cli.run", "--model", model]
    done = subprocess.run(command, input=b"jumb\n", capture_output=True, check=False)
    assert done.returncode == 1


def test_a_page_holds_a_program_only(command, tmp_path):
    *start, _, model = command
    done = subprocess.run([*start, "page", "-m", model], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("<!DOCTYPE html>")
    assert 'data-name="scan.lane"' in done.stdout
    archive = tmp_path / "model.ts"
    archive.write_bytes(b"PK\x03\x04")
    done = subprocess.run(
        [*start, "page", "--model", str(archive)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "is a zip archive" in done.stderr


def test_pairs_are_tested_with_exit_codes_for_ci(command, tmp_path):
    *start, _, model = command
    right, wrong, bad = (tmp_path / name for name in ("right.tsv", "wrong.tsv", "bad.tsv"))
    right.write_text("jump twice\tI_JUMP I_JUMP\nwalk\tI_WALK\n")
    wrong.write_text("walk\tI_RUN\n")
    bad.write_text("walk\n")

    def test(*arguments):
        return subprocess.run([*start, "test", *arguments], capture_output=True, text=True, check=False)

    passed = test(str(right), "-m", model, "--against", model)
    assert (passed.returncode, passed.stderr) == (0, "")
    assert passed.stdout.endswith("pairs: 2 of 2 passed\n")
    failed = test(str(wrong), "-m", model, "--format", "json")
    assert (failed.returncode, json.loads(failed.stdout)["passed"]) == (1, False)
    assert ElementTree.fromstring(test(str(wrong), "-m", model, "-f", "junit").stdout).tag == "testsuites"
    for done in (
        test(str(bad), "-m", model),
        test(str(tmp_path / "none.tsv")),
        test(str(right), "--against", str(bad)),
    ):
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_program_grows_by_slots_whose_lists_are_given(command, tmp_path):
    *start, _, model = command
    words, grown, rooms = tmp_path / "words.txt", tmp_path / "grown.lane", tmp_path / "rooms.txt"
    words.write_text("{number} like look\n{room} like jump\nskip please\nfold case\n")
    rooms.write_bytes("\ufeffBlue Hall\r\n\nattic\njump\n".encode())

    def run(*arguments, text=""):
        return subprocess.run([*start, *arguments], input=text, capture_output=True, text=True, check=False)

    assert run("grow", str(words), "-m", model, "--out", str(grown)).returncode == 0
    given = "-m", str(grown), "--list", f"room={rooms}"
    said = "please BLUE hall twice\n5 after attic\nJUMP\n"
    done = run(*given, text=said)
    expected = "{room:Blue%20Hall} {room:Blue%20Hall}\n{room:attic} {number:5}\nI_JUMP\n"
    assert (done.returncode, done.stdout) == (0, expected)
    assert done.stderr.startswith(f"warning: {rooms}: 'jump' will never be heard: known words keep")
    assert run(*given, "--workers", "2", text=said).stdout == expected
    row = json.loads(run(*given, "-f", "jsonl", text="walk and attic\n").stdout)
    assert row["slots"] == [{"name": "room", "text": "attic", "position": 3}]
    assert "slots" not in json.loads(run(*given, "-f", "jsonl", text="walk\n").stdout)
    lines, out = tmp_path / "lines.txt", tmp_path / "answers"
    lines.write_text(said)
    assert run(*given, "--out", str(out), str(lines)).returncode == 0
    assert (out / "part-00000.txt").read_text() == expected
    rooms.write_text("attic\n")
    changed = run(*given, "--out", str(out), str(lines))
    assert (changed.returncode, "parts of another job (lists differ)" in changed.stderr) == (2, True)
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("5 twice\t{number:5} {number:5}\n")
    tested = run("test", str(pairs), *given, "--against", str(grown), "--commands", "300")
    assert (tested.returncode, "pairs: 1 of 1 passed" in tested.stdout) == (0, True), tested.stdout
    assert "0 on the pairs, 0 on " in tested.stdout
    missing = run("-m", str(grown), text="attic\n")
    assert missing.stderr.endswith("unknown word 'attic' (word 1); no list is given for {room}\n")
    for wrong, problem in (
        ("room", "'room' is not of the form NAME=FILE"),
        (f"rom={rooms}", "no slot {rom}; those with lists: {room}; did you mean 'room'?"),
        ("room=" + str(tmp_path / "none"), "none: No such file"),
    ):
        done = run("-m", str(grown), "--list", wrong)
        assert (done.returncode, problem in done.stderr) == (2, True), done.stderr


def test_a_program_grows_by_a_file_of_words(command, tmp_path):
    *start, _, model = command
    words, grown = tmp_path / "words.txt", tmp_path / "grown.lane"
    words.write_text("hop like look = I_HOP\n")

    def run(*arguments, text=""):
        return subprocess.run([*start, *arguments], input=text, capture_output=True, text=True, check=False)

    done = run("grow", str(words), "-m", model, "--out", str(grown))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert run("-m", str(grown), text="hop twice\n").stdout == "I_HOP I_HOP\n"
    words.write_text("hop like lok\n")
    wrong = run("grow", str(words), "-m", model, "--out", str(grown))
    assert (wrong.returncode, "did you mean 'look'?" in wrong.stderr) == (2, True)
    assert f"error: {words}, line 1: 'hop' like 'lok'" in wrong.stderr
    assert run("grow", str(tmp_path / "none"), "-m", model, "--out", str(grown)).returncode == 2
    done = run("grow", "-", "-m", model, "--out", str(grown), text="skip so\n")
    assert (done.returncode, run("-m", str(grown), text="so jump\n").stdout) == (0, "I_JUMP\n")
    assert "-: holds no words" in run("grow", "-", "-m", model, "--out", str(grown)).stderr


def test_what_cannot_be_served_is_said(command, tmp_path):
    """In one line, and with the code of wrong use; the extra is named where it is missing."""
    *start, _, model = command

    def run(*arguments, script=None):
        first = [*start[:2], script] if script else start
        done = subprocess.run([*first, "serve", *arguments], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr.count("error: ")) == (2, "", 1)
        return done.stderr

    assert f"error: {tmp_path / 'none'}: No such file or directory\n" == run(str(tmp_path / "none"))
    assert "another model 'scan'" in run(model, model)
    for port in ("70000", "-1", "x"):
        assert "is not a whole number from 0 to 65535" in run(model, f"--port={port}")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "port" in run(model, "--port", str(taken.getsockname()[1]))
    script = f"import sys; sys.modules['httptools'] = None; {start[2]}"
    assert run(model, script=script) == (
        "error: lane-run serve needs httptools: pip install 'lane-expressions[serve]'\n"
    )


def test_a_page_with_names_that_are_not_text(command, tmp_path):
    *start, _, model = command
    odd = os.fsencode(tmp_path) + b"/\xff.lane"
    Path(os.fsdecode(odd)).write_bytes(Path(model).read_bytes())
    done = subprocess.run([*start, "page", "-m", odd, "--command", b"\xff"], capture_output=True, check=True)
    assert b'data-name="?.lane" data-command="?"' in done.stdout


def test_words_to_add_are_read_as_editors_write_them_and_to_a_bound(command, tmp_path):
    *start, _, model = command
    words, grown = tmp_path / "words.txt", tmp_path / "grown.lane"
    words.write_bytes(b"\xef\xbb\xbfhop like look = I_HOP\r\n\r\ngaze like look\r\n")

    def grow(source, out, code, **options):
        arguments = [*start, "grow", str(source), "-m", model, "--out", str(out)]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False, **options)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", int(code > 0))
        return done.stderr

    grow(words, grown, 0)
    done = subprocess.run(
        [*start, "-m", str(grown)], input=b"hop and gaze\n", capture_output=True, check=True
    )
    assert done.stdout == b"I_HOP I_LOOK\n"
    assert "/dev/zero: is larger than 67108864 bytes" in grow("/dev/zero", grown, 2)
    assert "a directory; name a file in it" in grow(words, ".", 2)
    before = grown.read_bytes()
    full = grow(words, grown, 3, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    assert "cannot be written: File too large" in full
    assert grown.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 2
