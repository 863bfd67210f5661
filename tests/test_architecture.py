"""The house rules that no single module can keep: who imports whom, and what a start costs."""

import ast
import importlib.util
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def graph_tool() -> ModuleType:
    """docs/graph.py, which reads the allowed arrows and draws the real ones."""
    spec = importlib.util.spec_from_file_location("graph", ROOT / "docs" / "graph.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GRAPH = graph_tool()
PAGE: str = GRAPH.PAGE.read_text(encoding="utf-8")
ALLOWED: dict[str, set[str]] = GRAPH.allowed(PAGE)  # the page has the one list
PACKAGES = tuple(ALLOWED)
COMMANDS = ("data", "train", "export", "run")
HEAVY = {"torch", "onnxruntime", "onnx", "matplotlib", "numpy", "pyarrow", "ray"}


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def module_id(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


ALL_MODULES = [path for package in PACKAGES for path in modules(package)]


def imports(path: Path, everywhere: bool = True) -> set[str]:
    """The full names a module imports; or only those that its own import runs."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module_id(path)}:{node.lineno}: a relative import"
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        lazy = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        typing_only = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        if everywhere or not (lazy or typing_only):
            for child in ast.iter_child_nodes(node):
                visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return found


def is_of(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


@pytest.mark.parametrize("path", ALL_MODULES, ids=module_id)
def test_no_import_goes_against_the_arrows(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    allowed = tuple(f"lane.{room}" for room in (package, *ALLOWED[package]))
    wrong = {name for name in imports(path) if is_of(name, ("lane",)) and not is_of(name, allowed)}
    assert not wrong


def test_the_page_has_the_present_graph() -> None:
    assert GRAPH.filled(PAGE) == PAGE, "rewrite it by `python docs/graph.py`"


@pytest.mark.parametrize(
    "page",
    [path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")) if path.name != "CHANGELOG.md"],
    ids=module_id,
)
def test_modules_named_by_a_page_exist(page: Path) -> None:
    """`room/name.py`, or `name.py` where only one room has it."""
    known = [
        module_id(path)
        for folder in (*PACKAGES, "tests", "docs", "benchmarks", "campaign", "examples")
        for path in (ROOT / folder).rglob("*.[pc]*")
    ]
    for name in re.findall(r"`(?:python )?([\w/]+\.(?:py|c))\b", page.read_text(encoding="utf-8")):
        places = [path for path in known if path == name or ("/" not in name and path.endswith(f"/{name}"))]
        assert len(places) == 1, f"`{name}` is {places or 'missing'}"


def test_the_rooms_of_the_page_are_those_of_the_repository() -> None:
    assert set(PACKAGES) == {path.parent.name for path in ROOT.glob("*/__init__.py")}


def test_the_allowed_arrows_have_no_cycle() -> None:
    left = dict(ALLOWED)
    while left:
        free = {room for room, others in left.items() if not others & left.keys()}
        assert free, f"a cycle among {sorted(left)}"
        left = {room: others for room, others in left.items() if room not in free}


@pytest.mark.parametrize(
    "path", [path for path in ALL_MODULES if path.parts[len(ROOT.parts)] != "cli"], ids=module_id
)
def test_no_room_starts_a_command(path: Path) -> None:
    strings = {
        node.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    # A bare name is an argument of a process only where processes are started; messages name commands too.
    named = any(is_of(name, ("subprocess",)) for name in imports(path))
    starts = any("lane.cli" in text for text in strings) or (
        named and any(f"lane-{command}" in strings for command in COMMANDS)
    )
    assert not starts


@pytest.mark.parametrize("path", [path for path in ALL_MODULES if path.name != "__init__.py"], ids=module_id)
def test_tests_mirror_modules(path: Path) -> None:
    mirror = Path("tests", path.relative_to(ROOT)).with_name(f"test_{path.name}")
    assert (ROOT / mirror).is_file(), f"put its tests into {mirror}"


@pytest.mark.parametrize("path", modules("tests"), ids=module_id)
def test_no_test_is_content_with_a_share(path: Path) -> None:
    """`assert 0 <= x <= 1` holds for nearly every mistake."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            ends = node.test.left, node.test.comparators[-1]
            values = [end.value for end in ends if isinstance(end, ast.Constant)]
            assert values != [0, 1], f"{module_id(path)}:{node.lineno}: compare with a value"


# Names of modules or classes in two places, and the one idea that they stand for in both.
SHARED_NAMES = {
    "composer": "the Composer: in tensors, and from the tables of a program",
    "config": "settings: of the networks, and of their training",
    "errors": "the errors of all rooms, and the codes of the runtime",
    "Derivation": "how one command is translated, step by step",
    "Step": "one step of it",
    "Values": "what the variables of derivations stand for",
    "Worker": "another process that does a part of the work",
}


def test_a_name_that_two_modules_use_has_one_meaning() -> None:
    rooms: dict[str, list[str]] = {}
    for path in ALL_MODULES:
        classes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)]
        for name in (path.stem, *(node.name.lstrip("_") for node in classes)):
            rooms.setdefault(name, []).append(module_id(path))
    shared = {name for name, places in rooms.items() if len(places) > 1 and name != "__init__"}
    assert shared == set(SHARED_NAMES)


@pytest.mark.parametrize("path", modules("runtime"), ids=module_id)
def test_the_runtime_starts_without_what_only_some_backends_need(path: Path) -> None:
    at_once = {name.partition(".")[0] for name in imports(path, everywhere=False)}
    assert not at_once & {*HEAVY, "typer", "pydantic"}


@pytest.mark.parametrize("path", [*modules("base"), *modules("data")], ids=module_id)
def test_base_and_data_need_the_standard_library_only(path: Path) -> None:
    foreign = {name.partition(".")[0] for name in imports(path)} - sys.stdlib_module_names - {"lane"}
    assert not foreign


@pytest.mark.parametrize("path", modules("cli"), ids=module_id)
def test_commands_import_heavy_things_only_where_they_are_used(path: Path) -> None:
    assert not {name.partition(".")[0] for name in imports(path, everywhere=False)} & HEAVY


def loaded_by(code: str) -> tuple[set[str], str]:
    """The modules that a fresh interpreter has loaded after `code`, and what the code printed."""
    mark = "-- loaded --"
    program = (
        f"import sys\ntry:\n    {code}\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"print({mark!r}, *sys.modules, sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    printed, _, names = done.stdout.partition(mark + "\n")
    return set(names.split()), printed


def test_importing_the_runtime_loads_nothing_heavy() -> None:
    loaded, _ = loaded_by("import lane.runtime")
    assert "lane.runtime" in loaded
    assert not loaded & {
        *HEAVY,
        "typer",
        "pydantic",
        "lane.models",
        "lane.trainer",
        "lane.export",
        "lane.cli",
    }


@cache
def asked(command: str, option: str) -> tuple[set[str], str]:
    return loaded_by(
        f"sys.argv = ['lane-{command}', {option!r}]; import lane.cli.{command} as c; sys.exit(c.main())"
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_nothing_heavy(command: str, option: str) -> None:
    assert not asked(command, option)[0] & HEAVY


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(command: str) -> None:
    assert re.search(rf"Example:\s+.*lane-{command}", asked(command, "--help")[1])


@pytest.mark.parametrize("command", COMMANDS)
def test_version_is_that_of_the_distribution(command: str) -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert asked(command, "--version")[1] == f"lane {version[1]}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_is_installed(command: str) -> None:
    assert Path(sys.executable).with_name(f"lane-{command}").is_file()


def test_lane_is_a_namespace_of_typed_packages() -> None:
    assert not (ROOT / "lane").exists()
    assert not (ROOT / "__init__.py").exists()
    for package in PACKAGES:
        assert (ROOT / package / "__init__.py").is_file()
        assert (ROOT / package / "py.typed").is_file()


def repository_files() -> list[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    # Spelt in parts, so that this file does not find itself.
    places = [rf"(?<![\w.])/{name}/" for name in ("work", "root", "home", "Users")]
    registries = ["pypi" + r"\.org", "files\\.python" + "hosted", r"registry\.npm" + "js", "index" + "-url"]
    pattern = re.compile("|".join([*places, *registries]).encode())
    found = [
        f"{module_id(path)}: {match[0].decode()}"
        for path in repository_files()
        for match in pattern.finditer(path.read_bytes())
    ]
    assert not found
