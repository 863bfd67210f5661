"""What the README shows is what happens."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

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


def test_there_are_commands_to_test():
    assert len(COMMANDS) >= 2


def test_the_python_runs(tmp_path):
    snippets = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert snippets
    for snippet in snippets:
        subprocess.run([sys.executable, "-c", snippet], check=True, cwd=tmp_path)


def test_the_python_of_the_training_guide_runs(tmp_path):
    guide = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert "minutes=5" in snippet
    program = snippet.replace("minutes=5", "minutes=0.05, workers=1")
    program = f"if __name__ == '__main__':\n{textwrap.indent(program, '    ')}"  # workers import the script
    (tmp_path / "guide.py").write_text(program, encoding="utf-8")
    (tmp_path / "train.tsv").write_bytes((ROOT / "examples" / "robot" / "train.tsv").read_bytes())
    done = subprocess.run(
        [sys.executable, "guide.py"], check=True, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.splitlines()[-1].startswith(("True", "False"))
    assert (tmp_path / "robot.pt").is_file()


def test_the_picture_is_what_the_command_draws():
    picture = (ROOT / "docs" / "explain.svg").read_text(encoding="utf-8")
    assert _shell('echo "jump around left twice and walk" | lane-run --explain svg') == picture


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(target):
    assert (ROOT / target).exists()
