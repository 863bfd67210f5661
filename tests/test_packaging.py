"""The distribution: the wheel alone is small, needs nothing else and translates; workflows parse."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONTENT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TRAINER = tomllib.loads((ROOT / "trainer" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROJECT, EXTRAS = CONTENT["project"], CONTENT["tool"]["lane"]["extras"]
MAX_INSTALLED_BYTES = 2_000_000
WORKFLOWS = sorted(str(path) for path in (ROOT / ".github" / "workflows").glob("*.yml"))
# No user needs these, or another distribution brings them.
OF_TRAINER = ("lane/models", "lane/trainer", "lane/export")
NOT_INSIDE = (
    "lane/experiments",
    *OF_TRAINER,
    "tests/",
    "benchmarks/",
    "campaign/",
    "results/",
    "docs/",
    "examples/",
)


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files that git knows, so that no leftover goes in."""
    copy = tmp_path_factory.mktemp("checkout")
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    return copy


@pytest.fixture(scope="session")
def source(checkout: Path) -> Path:
    """The source distribution."""
    return build(checkout, "--sdist")


@pytest.fixture(scope="session")
def unpacked(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution alone: it holds all that a build needs."""
    place = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(source) as archive:
        archive.extractall(place, filter="data")
    (unpacked,) = place.iterdir()
    return unpacked


@pytest.fixture(scope="session")
def wheel(unpacked: Path) -> Path:
    """The wheel that everyone installs."""
    return build(unpacked, "--wheel")


@pytest.fixture(scope="session")
def trainer(unpacked: Path) -> Path:
    """The wheel that the extra `train` adds."""
    return build(unpacked / "trainer", "--wheel")


def build(folder: Path, kind: str, place: Path | None = None) -> Path:
    """Build without an environment of its own, which would need a network."""
    place = place or folder / "made"
    command = [sys.executable, "-m", "build", "--no-isolation", kind, "--outdir", place, "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (made,) = place.iterdir()
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an empty environment after a plain `pip install` of the wheel, which compiles it."""
    place = tmp_path_factory.mktemp("empty")
    venv.create(place, with_pip=True, symlinks=os.name != "nt")
    folder = place / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run(
        [folder / "python", "-m", "pip", "install", "--quiet", "--no-index", wheel],
        check=True,
    )
    return folder


def run(command: Path, *arguments: str, data: str = "") -> subprocess.CompletedProcess[str]:
    # Elsewhere, so that nothing of the checkout is imported.
    return subprocess.run(
        [command, *arguments], input=data, capture_output=True, text=True, check=False, cwd=command.parent
    )


def distribution(installed: Path) -> Distribution:
    (place,) = installed.parent.rglob("lane_expressions-*.dist-info")
    return PathDistribution(place)


def test_the_wheel_alone_translates(installed: Path) -> None:
    done = run(installed / "lane-run", data="jump twice\nwolk\n")
    assert done.stdout == "I_JUMP I_JUMP\n<error:unknown-word>\n"
    assert (done.returncode, "did you mean 'walk'" in done.stderr) == (1, True)
    assert run(installed / "lane-run", "--version").stdout == f"lane {PROJECT['version']}\n"


def test_the_wheel_alone_brings_nothing_else(installed: Path) -> None:
    done = run(installed / "python", "-m", "pip", "list", "--format", "freeze")
    names = {line.partition("==")[0] for line in done.stdout.split()}
    assert names - {"pip", "setuptools"} == {"lane-expressions"}
    requirements = distribution(installed).requires or []
    assert all("extra ==" in requirement for requirement in requirements)


def test_what_is_installed_is_small(installed: Path) -> None:
    files = [Path(file.locate()) for file in distribution(installed).files or ()]
    assert {".py", ".pyc"} <= {file.suffix for file in files}
    assert sum(file.stat().st_size for file in files) < MAX_INSTALLED_BYTES


@pytest.mark.parametrize("command", ["lane-data", "lane-train", "lane-export"])
def test_a_command_without_its_extra_says_which_in_one_line(installed: Path, command: str) -> None:
    done = run(installed / command, "--help")
    expected = f"error: {command} needs typer: pip install 'lane-expressions[train]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


@pytest.mark.parametrize(("kind", "extra"), [("onnx", "onnx"), ("torchscript", "torch")])
def test_a_file_whose_backend_is_not_installed_says_which_extra(
    installed: Path, exported: dict[str, Path], kind: str, extra: str
) -> None:
    done = run(installed / "lane-run", "--model", str(exported[kind]), "--trust", "yes", data="jump\n")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"lane-expressions[{extra}]" in done.stderr


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_a_user_gets_every_module_once(wheel: Path, trainer: Path) -> None:
    """A package in a package has to be listed too."""
    rooms = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "experiments"]
    modules = {f"lane/{path.relative_to(ROOT).as_posix()}" for room in rooms for path in room.rglob("*.py")}
    of_trainer = {name for name in modules if name.startswith(OF_TRAINER)}
    assert of_trainer
    assert of_trainer == {name for name in names_in(trainer) if name.endswith(".py")}
    assert modules - of_trainer == {name for name in names_in(wheel) if name.endswith(".py")}


def test_the_trainer_is_typed_and_brings_nothing_else(trainer: Path) -> None:
    others = {name for name in names_in(trainer) if not name.endswith(".py") and ".dist-info/" not in name}
    assert others == {f"{room}/py.typed" for room in OF_TRAINER}


def required_trainer(wheel: Path) -> str:
    """What the extra `train` of a wheel asks for."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = archive.read(name).decode()
    (line,) = re.findall(r"^Requires-Dist: (.*); extra == .train.$", metadata, re.MULTILINE)
    return str(line).strip()


def test_a_published_wheel_asks_for_the_trainer_of_its_version(wheel: Path) -> None:
    assert required_trainer(wheel) == f"lane-expressions-train=={PROJECT['version']}"


def test_a_checkout_takes_the_trainer_from_its_folder(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No index has it yet, and `pip install '.[train]'` must find it; a release says so by LANE_RELEASE."""
    monkeypatch.delenv("LANE_RELEASE", raising=False)
    made = build(checkout, "--wheel", tmp_path / "here")
    assert required_trainer(made) == f"lane-expressions-train @ {(checkout / 'trainer').as_uri()}"
    monkeypatch.setenv("LANE_RELEASE", "1")
    made = build(checkout, "--wheel", tmp_path / "release")
    assert required_trainer(made) == f"lane-expressions-train=={PROJECT['version']}"
    assert CONTENT["tool"]["cibuildwheel"]["environment"] == {"LANE_RELEASE": "1"}


def test_a_user_gets_no_file_that_only_developers_need(wheel: Path) -> None:
    names = names_in(wheel)
    assert not [name for name in names if name.startswith(NOT_INSIDE) or name.endswith(".c")]
    assert "lane/__init__.py" not in names  # a namespace: other distributions add the rest
    assert {"lane/runtime/bundled/scan.lane.gz", "lane/runtime/py.typed", "lane/cli/entry.py"} <= names


def test_the_source_has_what_a_build_needs_and_little_else(source: Path) -> None:
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "setup.py",
        "trainer/pyproject.toml",
        "README.md",
        "LICENSE",
        "runtime/_core.c",
        "runtime/bundled/scan.lane.gz",
    } <= names
    assert not [name for name in names if name.endswith((".so", ".pyc", ".pt"))]


def test_the_extras_are_the_documented_ones() -> None:
    assert PROJECT["dependencies"] == []
    assert set(EXTRAS) == {
        "train",
        "onnx",
        "torch",
        "tensorboard",
        "ray",
        "serve",
        "bench",
        "dev",
    }


def test_the_constraints_lie_within_the_range_that_is_allowed() -> None:
    packaging = pytest.importorskip("packaging.requirements")
    pins = re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert pins
    lines = [*TRAINER["dependencies"], *(line for group in EXTRAS.values() for line in group)]
    extras = [packaging.Requirement(line) for line in lines]
    for name, version in pins:
        allowed = [requirement for requirement in extras if requirement.name == name]
        assert allowed
        assert all(requirement.specifier.contains(version) for requirement in allowed)


def test_the_versions_agree() -> None:
    experiments = tomllib.loads((ROOT / "experiments" / "pyproject.toml").read_text(encoding="utf-8"))
    assert experiments["project"]["version"] == TRAINER["version"] == PROJECT["version"]
    assert f"lane-expressions[onnx,torch]=={PROJECT['version']}" in TRAINER["dependencies"]
    assert f"\nversion: {PROJECT['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_a_workflow_parses_and_gives_no_more_permission_than_it_needs(path: Path) -> None:
    yaml = pytest.importorskip("ruamel.yaml")
    content = yaml.YAML(typ="safe").load(path)
    if path.parent.name != "workflows":
        return
    assert content["permissions"] == {}
    for job in content["jobs"].values():
        assert set(job["permissions"].items()) <= {("contents", "read"), ("id-token", "write")}
        for step in job["steps"]:
            assert re.fullmatch(r"[\w/-]+@v\d[\d.]*", step.get("uses", "a/b@v1"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("zizmor", "--offline", "--quiet", ".github"),
        ("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS),
        ("check-jsonschema", "--builtin-schema", "vendor.citation-file-format", "CITATION.cff"),
    ],
    ids=["security", "workflows", "citation"],
)
def test_linters_accept_the_workflows_and_the_citation(arguments: tuple[str, ...]) -> None:
    command = Path(sys.executable).with_name(arguments[0])
    if not command.exists():
        pytest.skip(f"{arguments[0]} is not installed")
    done = subprocess.run([command, *arguments[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_citation_names_the_paper() -> None:
    yaml = pytest.importorskip("ruamel.yaml")
    citation = yaml.YAML(typ="safe").load(ROOT / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert all(citation[key] for key in ("message", "title", "authors", "license"))
    (paper,) = citation["references"]
    assert paper["title"] == "Compositional Generalization by Learning Analytical Expressions"
    assert (paper["authors"][0]["family-names"], paper["year"]) == ("Liu", 2020)


def test_the_lowest_versions_are_the_lower_bounds():
    """`make test-lowest` installs what the package allows, no later."""
    lines = [*TRAINER["dependencies"], *EXTRAS["onnx"], *EXTRAS["torch"], *EXTRAS["serve"]]
    bounds = dict(re.match(r"([\w-]+)>=([\d.]+)", each).groups() for each in lines if ">=" in each)
    lines = (ROOT / "constraints-lowest.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert set(pinned) == set(bounds)
    for name, lowest in bounds.items():
        assert re.sub(r"(\.0)+$", "", pinned[name]) == re.sub(r"(\.0)+$", "", lowest), name
