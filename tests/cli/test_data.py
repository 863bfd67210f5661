"""The real `lane-data` in a process of its own."""

import gzip
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from lane.data.checksum import verify
from lane.data.reader import read_pairs

LANE_DATA = Path(sys.executable).with_name("lane-data")


def lane_data(*arguments: object, data: bytes = b"") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [LANE_DATA, *map(str, arguments)],
        input=data,
        capture_output=True,
        check=False,
        env={**os.environ, "no_proxy": "127.0.0.1", "COLUMNS": "200"},
    )
    finished = subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )
    assert "Traceback" not in finished.stderr
    return finished


def failure(done: subprocess.CompletedProcess[str], code: int = 1) -> str:
    """The message of a command that failed: one line for a failure, more with the usage for wrong use."""
    assert done.returncode == code
    if code == 1:
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("command", [(), ("list",), ("write",), ("check",), ("fetch",)])
def test_help_has_an_example(command: tuple[str, ...]) -> None:
    done = lane_data(*command, "--help")
    assert done.returncode == 0
    assert "Example: lane-data" in done.stdout


def test_version() -> None:
    assert lane_data("--version").stdout.startswith("lane ")


def test_no_torch_and_no_numpy_are_loaded() -> None:
    code = "import sys, lane.cli.data, lane.data; print({'torch', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_list_is_a_table_of_the_nine_tasks() -> None:
    lines = lane_data("list").stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["simple", "16728", "4182"],
        ["addjump", "14670", "7706"],
        ["around_right", "15225", "4476"],
    ]
    assert sum(line[:1].isalpha() for line in lines) == 13


@pytest.mark.parametrize(("form", "suffix"), [("scan", "txt"), ("tsv", "tsv"), ("jsonl", "jsonl")])
def test_write_and_check(form: str, suffix: str, tmp_path: Path) -> None:
    done = lane_data("write", "length", tmp_path / "new", "--format", form)
    assert (done.returncode, done.stderr) == (0, "")
    path = tmp_path / "new" / f"length_test.{suffix}"
    assert f"{path}: 3920 pairs\n" in done.stdout
    verify("length_test", read_pairs(path), path)
    done = lane_data("check", path)
    assert done.returncode == 0
    assert f"({form})" in done.stdout
    assert "3920, 3920 distinct, 0 duplicates" in done.stdout


def test_write_says_that_simple_is_our_own_split(tmp_path: Path) -> None:
    done = lane_data("write", "simple", tmp_path, "--seed", 3)
    assert "note: a random split of our own (seed 3)" in done.stdout


def test_check_reads_standard_input_packed_or_not() -> None:
    data = b"\n".join([b"a\tA", b"", b"a b\tA B", b"a\tA"])
    for given in (data, gzip.compress(data), data.replace(b"\n", b"\r\n")):
        done = lane_data("check", "-", data=given)
        assert done.returncode == 0
        assert "<stdin> (tsv)" in done.stdout
        assert "3, 2 distinct, 1 duplicates" in done.stdout
        assert "1 skipped" in done.stdout
        assert "2 distinct; length 1 to 2, median 1" in done.stdout


def test_check_notes_slips_with_their_lines() -> None:
    done = lane_data("check", "-", data=b"command\taction\na\tA\nb\tB\na twice\tA A\nb twice\tB B\n")
    assert done.returncode == 0
    assert "note: line 1 looks like a header (command | action): remove it" in done.stdout


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (b"jump twice,JUMP JUMP\n", "a CSV file?"),
        (b"jump -> JUMP\n", "put a tab in place of '->'"),
        (b"jump   JUMP\n", "put a tab between the sides"),
    ],
)
def test_check_knows_other_separators(line: bytes, hint: str) -> None:
    assert hint in failure(lane_data("check", "-", data=line))


def test_check_fails_on_contradictions_and_shows_their_lines() -> None:
    done = lane_data("check", "-", data=b"a\tA\nb\tB\na\tC\n")
    assert "<stdin>: 1 inputs have more than one output" in failure(done)
    assert "    line 1: A\n    line 3: C\n" in done.stdout


def test_check_shows_ten_contradictions_at_most() -> None:
    data = "".join(f"w{number}\t{side}\n" for number in range(12) for side in "AB").encode()
    done = lane_data("check", "-", data=data)
    assert "12 inputs" in failure(done)
    assert done.stdout.count("    line ") == 20
    assert "... and 2 more" in done.stdout


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "<stdin>: holds no pairs"),
        (b"IN: a OUT: A\njump\n", "<stdin>, line 2: does not start with 'IN: '"),
        (b"IN: a\n", "<stdin>, line 1: has no 'OUT:'"),
        (b"IN: " + b"a" * 1_000_000, "<stdin>, line 1: is longer than 65536 bytes"),
        (b"IN: \xff OUT: A\n", "<stdin>, line 1: byte 5 (0xff) is not UTF-8"),
        (b"IN: $0 OUT: A\n", "reserved for variables"),
    ],
    ids=["empty", "broken line", "missing OUT", "1 MB line", "invalid UTF-8", "reserved word"],
)
def test_bad_input_is_one_line_with_its_place(data: bytes, message: str) -> None:
    assert message in failure(lane_data("check", "-", data=data))


def test_a_forced_format_is_obeyed() -> None:
    assert "line 1: is not JSON" in failure(lane_data("check", "-", "--format", "jsonl", data=b"a\tA\n"))
    assert "scan" in failure(lane_data("check", "-", "--format", "csv", data=b"a\tA\n"), 2)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "none.txt: cannot be read (No such file" in failure(lane_data("check", tmp_path / "none.txt"))


def test_an_unknown_task_is_wrong_use_and_the_nearest_is_suggested(tmp_path: Path) -> None:
    message = failure(lane_data("write", "adjump", tmp_path), 2)
    assert "no task 'adjump'; did you mean 'addjump'?" in message
    assert "mcd3" in message


def test_a_missing_command_or_argument_is_wrong_use() -> None:
    assert "Missing command" in failure(lane_data(), 2)
    assert "Missing argument" in failure(lane_data("check"), 2)


def test_mcd_without_files_names_the_remedy(tmp_path: Path) -> None:
    assert "lane-data fetch DIR" in failure(lane_data("write", "mcd1", tmp_path))
    message = failure(lane_data("write", "mcd1", tmp_path, "--data-dir", tmp_path / "missing"))
    assert "missing: no such directory; `lane-data fetch" in message


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "file: cannot make this directory" in failure(lane_data("write", "limit", tmp_path / "file"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_directory_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "limit_train.txt: cannot be written (Permission" in failure(lane_data("write", "limit", tmp_path))


def test_a_closed_pipe_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([LANE_DATA, "list"], stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert done.stderr == b""
    assert done.returncode in (0, 1)


def test_fetch_without_a_connection_names_the_remedy(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))  # bound but not listening: nobody else answers there
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        message = failure(lane_data("fetch", tmp_path, "--source", url))
    assert "no connection" in message
    assert f"By hand: put {url}/simple_split/tasks_train_simple.txt" in message


def test_fetch_takes_only_web_addresses(tmp_path: Path) -> None:
    assert "is not an http:// or https:// URL" in failure(
        lane_data("fetch", tmp_path, "--source", "file:///x"), 2
    )


def test_a_file_without_a_command_is_pointed_to_check(tmp_path: Path) -> None:
    for name in ("pairs.tsv", str(tmp_path)):
        message = failure(lane_data(name), 2)
        assert f"{name} is not a command; to check a file: lane-data check {name}" in message
    assert "No such command" in failure(lane_data("nothing"), 2)
