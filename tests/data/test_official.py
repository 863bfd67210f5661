import io
import json
import random
import shutil
import tarfile
from pathlib import Path

import pytest

from lane.base.errors import LaneError
from lane.data.checksum import KNOWN, Known, checksum, verify
from lane.data.official import MAX_INDEX_BYTES, OFFICIAL_TASKS, SIDES, read_archive, read_official
from lane.data.pair import Pair
from lane.data.scan import scan_pairs
from lane.data.writer import write_pairs


@pytest.mark.parametrize("task", OFFICIAL_TASKS)
def test_the_official_files_have_their_known_checksums(task: str, official_dir: Path) -> None:
    for side in SIDES:
        verify(f"{task}_{side}", read_official(task, side, official_dir), task)


def test_official_pairs_belong_to_the_language(official_dir: Path) -> None:
    language = set(scan_pairs())
    for task in OFFICIAL_TASKS:
        train, test = (set(read_official(task, side, official_dir)) for side in SIDES)
        assert train <= language
        assert test <= language
        assert not train & test


@pytest.mark.parametrize("name", ["tasks_train_simple.txt", "simple_split/tasks_train_simple.txt"])
def test_the_names_of_the_scan_repository_are_accepted(name: str, official_dir: Path, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    shutil.copy(official_dir / "simple_train.txt", tmp_path / name)
    assert len(read_official("simple", "train", tmp_path)) == 16_728


@pytest.fixture
def small_mcd(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """mcd1 as another, tiny set, so that no official file is needed."""
    index = {"trainIdxs": [5, 3, 20_909], "testIdxs": [0]}
    for side in SIDES:
        picked = [scan_pairs()[number] for number in index[f"{side}Idxs"]]
        monkeypatch.setitem(KNOWN, f"mcd1_{side}", Known(len(picked), checksum(picked)))
    return index


def archive(path: Path, name: str, data: bytes) -> None:
    with tarfile.open(path, "w:gz") as tar:
        member = tarfile.TarInfo(name)
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))


@pytest.mark.parametrize("place", ["mcd1.json", "scan-splits/mcd1.json", "scan-splits.tar.gz"])
def test_line_numbers_of_tasks_txt_will_do(
    place: str, small_mcd: dict[str, list[int]], tmp_path: Path
) -> None:
    write_pairs(tmp_path / "tasks.txt", scan_pairs())
    data = json.dumps(small_mcd).encode()
    if place.endswith(".tar.gz"):
        archive(tmp_path / place, "scan-splits/mcd1.json", data)
    else:
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_bytes(data)
    assert read_official("mcd1", "train", tmp_path) == tuple(scan_pairs()[at] for at in (5, 3, 20_909))


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (b"{", "an index is not JSON"),
        (b"[]", "an index is not a JSON object"),
        (b"{}", "has no list trainIdxs"),
        (b'{"trainIdxs": [1, -1, 2]}', "has no list trainIdxs"),
        (b'{"trainIdxs": [1, 20910, 2]}', "has no list trainIdxs"),
        (b'{"trainIdxs": [1, "2", 3]}', "has no list trainIdxs"),
        (b'{"trainIdxs": [1, 2]}', "holds 2 pairs, but mcd1_train has 3"),
        (b'{"trainIdxs": [1, 2, 4]}', "has checksum"),
        (b" " * (MAX_INDEX_BYTES + 1), "the bound"),
    ],
)
def test_a_bad_index_is_named(
    index: bytes, message: str, small_mcd: dict[str, list[int]], tmp_path: Path
) -> None:
    write_pairs(tmp_path / "tasks.txt", scan_pairs())
    (tmp_path / "mcd1.json").write_bytes(index)
    with pytest.raises(LaneError, match=message):
        read_official("mcd1", "train", tmp_path)


def test_a_bad_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    path.write_bytes(b"junk")
    with pytest.raises(LaneError, match=r"not a readable tar.gz"):
        read_archive("mcd1", path)
    archive(path, "other.json", b"{}")
    with pytest.raises(LaneError, match=r"holds no mcd1.json"):
        read_archive("mcd1", path)


def test_missing_files_name_the_remedy(tmp_path: Path) -> None:
    for task in OFFICIAL_TASKS:
        with pytest.raises(LaneError, match=f"has no {task}_train.txt; `lane-data fetch"):
            read_official(task, "train", tmp_path)


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    write_pairs(tmp_path / "mcd1_test.txt", scan_pairs()[:1_045])
    with pytest.raises(
        LaneError, match=r"mcd1_test.txt: has checksum \w+, but mcd1_test has 8fb88a6fb2ecd6eb"
    ):
        read_official("mcd1", "test", tmp_path)
    write_pairs(tmp_path / "mcd1_test.txt", [Pair.of("a", "A")])
    with pytest.raises(LaneError, match=r"mcd1_test.txt: holds 1 pairs, but mcd1_test has 1045"):
        read_official("mcd1", "test", tmp_path)


def test_a_damaged_archive_is_one_error(tmp_path: Path) -> None:
    """Whatever the library raises for it: a flipped bit deep inside is an error of zlib."""
    draw = random.Random(1)
    data = json.dumps({"trainIdxs": [draw.random() for _ in range(20_000)]}).encode()
    path = tmp_path / "scan-splits.tar.gz"
    archive(path, "scan-splits/mcd1.json", data)
    whole, kinds = path.read_bytes(), set[str]()
    for place in range(0, len(whole), 997):
        flipped = bytearray(whole)
        flipped[place] ^= 0x10
        path.write_bytes(flipped)
        try:
            read_archive("mcd1", path)
        except LaneError as error:
            kinds.add(type(error.__cause__).__name__)
    assert kinds & {"error", "ReadError"}  # zlib.error, which tarfile wraps from Python 3.14 on
