"""What the README shows is what happens."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import lane.export

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (.+)\n((?:(?!\$ |```).*\n)*)", README, re.MULTILINE)
RUN = f'{sys.executable} -c "import sys; from lane.cli.run import main; sys.exit(main())"'


def _shell(command: str) -> str:
    assert "| lane-run" in command
    done = subprocess.run(
        command.replace("| lane-run", f"| {RUN}"), shell=True, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_a_command_prints_what_is_shown(command, output):
    assert output, "each command is shown with its output"
    assert _shell(command).strip() == output.strip()


def test_nonsense_is_refused_as_shown():
    done = subprocess.run(
        f'echo "and and and" | {RUN}', shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "<error:not-learned>\n")
    assert f"```text\n{done.stderr}```" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_there_are_commands_to_test():
    assert len(COMMANDS) >= 2


def snippets(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def run_script(folder, text, timeout):
    """Run a snippet as a script of its own, beside the robot's pairs, and return what it prints."""
    (folder / "script.py").write_text(text, encoding="utf-8")
    (folder / "train.tsv").write_bytes((ROOT / "examples" / "robot" / "train.tsv").read_bytes())
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout


def brief(snippet):
    assert "minutes=5" in snippet
    return snippet.replace("minutes=5", "minutes=0.05, workers=1")


def test_the_python_that_embeds_prints_what_its_comment_says(tmp_path):
    _, snippet = snippets("README.md")
    printed = run_script(tmp_path, snippet, timeout=60)
    assert f"# {printed}" in snippet


@pytest.mark.skipif(not hasattr(lane.export, "export"), reason="export from Python is not there yet")
def test_the_python_that_trains_runs_to_its_end(tmp_path):
    snippet = brief(snippets("README.md")[0])
    assert "export(result.model) " in snippet
    snippet = snippet.replace("export(result.model) ", 'export(result.model, formats=["program"]) ')
    run_script(tmp_path, snippet, timeout=300)  # a model of three seconds says nothing right
    assert {path.name for path in tmp_path.glob("robot.*")} == {"robot.pt", "robot.lane"}


@pytest.mark.slow
def test_the_python_that_trains_translates(tmp_path):
    printed = run_script(tmp_path, snippets("README.md")[0], timeout=900)
    assert printed.splitlines()[-1] == "TO_GARDEN MOP TO_GARDEN MOP"
    assert {path.name for path in tmp_path.glob("robot.*")} == {
        "robot.pt",
        "robot.lane",
        "robot.onnx",
        "robot.ts",
    }


def blocks():
    """The fenced blocks of the README in order: their language and their text."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the files that git knows, and an environment without any package, first on the path."""
    place = tmp_path_factory.mktemp("newcomer")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            target = place / "lane" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    venv.create(place / "env", with_pip=True)
    # The constraints name a version of torch, so that a CPU build is taken where one is offered.
    path = f"{place / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    hidden = {"PYTHONPATH", "VIRTUAL_ENV"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    return place / "lane", {**environment, "PATH": path, "PIP_CONSTRAINT": str(ROOT / "constraints.txt")}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the README's commands are for a POSIX shell")
def test_a_newcomer_runs_the_readme_from_top_to_bottom(checkout):
    """Command by command, with the extras that it names; what it shows after a command is what comes out."""
    folder, environment = checkout

    def run(command, place=folder):
        done = subprocess.run(
            command, shell=isinstance(command, str), cwd=place, env=environment,
            capture_output=True, text=True, check=False, timeout=1800,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout

    printed, ran, before = "", 0, ""
    for language, text in blocks():
        if language == "sh":
            printed = "".join(run(line) for line in text.splitlines())
            ran += len(text.splitlines())
        elif language == "console":
            for command, output in COMMANDS:
                assert run(command).strip() == output.strip()
            ran += len(COMMANDS)
        elif language == "text" and before == "sh":
            assert text in printed
        elif language == "python":
            (folder / "examples" / "robot" / "script.py").write_text(text, encoding="utf-8")
            last = run(["python", "script.py"], folder / "examples" / "robot").splitlines()[-1]
            assert last == "TO_GARDEN MOP TO_GARDEN MOP" if "train(" in text else f"# {last}\n" in text
            ran += 1
        before = language
    assert ran >= 10


def test_the_python_of_the_training_guide_runs(tmp_path):
    snippet, _ = snippets("docs/training.md")
    assert run_script(tmp_path, brief(snippet), timeout=120).splitlines()[-1].startswith(("True", "False"))
    assert (tmp_path / "robot.pt").is_file()


def test_the_python_for_tensorboard_writes_what_tensorboard_reads(tmp_path):
    pytest.importorskip("tensorboard", reason="tensorboard is not installed: pip install '.[tensorboard]'")
    _, snippet = snippets("docs/training.md")
    tiny = "workers=1, candidates=1, attempts=1, rounds=1, most_updates=50"
    run_script(tmp_path, snippet.replace("minutes=5", tiny), timeout=120)
    read = (
        "from tensorboard.backend.event_processing.event_accumulator import EventAccumulator as Events\n"
        "events = Events('robot.tensorboard').Reload()\n"
        "for tag in sorted(events.Tags()['scalars']):\n"
        "    print(tag, [event.step for event in events.Scalars(tag)])"
    )
    names = ("accuracy", "reward", "rules", "simplicity")
    expected = [f"{name}/candidate 1, attempt 1 [10, 20, 30, 40, 50, 50]" for name in names]
    assert run_script(tmp_path, read, timeout=120).splitlines() == expected


def test_the_picture_is_what_the_command_draws():
    picture = (ROOT / "docs" / "explain.svg").read_text(encoding="utf-8")
    assert _shell('echo "jump around left twice and walk" | lane-run --explain svg') == picture


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(target):
    assert (ROOT / target).exists()
