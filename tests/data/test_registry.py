from pathlib import Path

import pytest

from lane.base.errors import LaneError
from lane.data import registry
from lane.data.pair import Pair
from lane.data.registry import TASKS, check_name, is_scan, load_task, task_names

NEEDS_FILES = ("mcd1", "mcd2", "mcd3")


@pytest.mark.parametrize(
    "entry", [entry for entry in TASKS if entry.name not in NEEDS_FILES], ids=lambda e: e.name
)
def test_sizes_without_files(entry: tuple[str, int, int, str]) -> None:
    task = load_task(entry[0])
    assert (task.name, len(task.train), len(task.test)) == entry[:3]
    assert task.notes


@pytest.mark.parametrize("entry", TASKS, ids=lambda e: e.name)
def test_sizes_with_the_official_files(entry: tuple[str, int, int, str], official_dir: Path) -> None:
    task = load_task(entry[0], official_dir)
    assert (task.name, len(task.train), len(task.test)) == entry[:3]


@pytest.mark.parametrize("name", NEEDS_FILES)
def test_mcd_without_files_names_the_remedy(name: str) -> None:
    with pytest.raises(LaneError, match=f"'{name}' needs its official files: run `lane-data fetch DIR`"):
        load_task(name)


def test_an_unknown_task_lists_the_tasks_and_suggests_the_nearest() -> None:
    with pytest.raises(LaneError, match="no task 'adjump'; did you mean 'addjump'") as caught:
        load_task("adjump")
    assert all(name in str(caught.value) for name in task_names())
    with pytest.raises(LaneError, match=r"no task 'xyz' \(the tasks are simple, addjump"):
        load_task("xyz")
    with pytest.raises(LaneError, match="did you mean 'around_right'"):
        load_task("Around-Right")


def test_generated_languages_go_by_number() -> None:
    language = pytest.importorskip("lane.experiments.languages.language")
    assert load_task("random:3") == language.random_task(3)
    assert load_task("practical:calls:1").name == "calls1"
    with pytest.raises(LaneError, match="no kind 'cals' of practical languages; did you mean 'calls'"):
        check_name("practical:cals:1")
    for name in ("random:", "random:x", "random:-1", "random"):
        with pytest.raises(LaneError, match=f"no task '{name}'.*random:N"):
            load_task(name)


def test_generated_languages_name_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda **_: ())
    for name in ("random:3", "practical:calls:1"):
        with pytest.raises(LaneError, match=rf"'{name}' .* not installed: `pip install ./experiments`"):
            check_name(name)


def test_the_seed_matters_where_it_should() -> None:
    assert load_task("simple", seed=1) != load_task("simple", seed=2)
    assert load_task("length", seed=1) == load_task("length", seed=2)


def test_a_named_directory_is_not_silently_ignored(tmp_path: Path) -> None:
    with pytest.raises(LaneError, match=r"has no simple_train.txt; `lane-data fetch"):
        load_task("simple", tmp_path)
    with pytest.raises(LaneError, match="missing: no such directory"):
        load_task("simple", tmp_path / "missing")
    assert load_task("limit", tmp_path / "missing").train


def test_the_whole_language_is_known_of_splits_of_scan_only() -> None:
    splits = {"simple", "addjump", "around_right", "length", "mcd1", "mcd2", "mcd3"}
    assert {name for name in task_names() if is_scan(name)} == splits
    assert not any(is_scan(name) for name in ("random:5", "practical:coffee:1", "coffee.tsv"))


def test_a_folder_of_files_is_a_task(tmp_path: Path) -> None:
    (tmp_path / "units").mkdir()
    (tmp_path / "units" / "train.txt").write_text("IN: volt OUT: V\nIN: gram OUT: g\n", encoding="utf-8")
    (tmp_path / "units" / "test.txt").write_text("volt\tV\n", encoding="utf-8")
    task = load_task("files:units", tmp_path)
    assert task.train == (Pair.of("volt", "V"), Pair.of("gram", "g"))
    assert task.test == (Pair.of("volt", "V"),)
    with pytest.raises(LaneError, match="needs the directory of its folder"):
        load_task("files:units")
    for name in ("files:", "files:../units", "files:a/b"):
        with pytest.raises(LaneError, match="no task"):
            check_name(name)
