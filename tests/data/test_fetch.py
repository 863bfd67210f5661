import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from lane.base.errors import LaneError
from lane.data.checksum import KNOWN, Known, checksum
from lane.data.fetch import fetch
from lane.data.formats import Format
from lane.data.official import MCD_TASKS, SIDES, read_official
from lane.data.pair import Pair
from lane.data.reader import read_pairs
from lane.data.scan import scan_pairs

Sets = Mapping[str, Sequence[Pair]]
FILES = sorted(f"{task}_{side}.txt" for task, side in product(("simple", *MCD_TASKS), SIDES))


def text(pairs: Sequence[Pair]) -> bytes:
    return "".join(f"IN: {' '.join(pair.source)} OUT: {' '.join(pair.target)}\n" for pair in pairs).encode()


def publish(sets: Sets) -> dict[str, bytes]:
    """The four files as the public sources have them."""
    lines = sets["scan"]
    number = {pair: at for at, pair in enumerate(lines)}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for task in MCD_TASKS:
            index = {f"{side}Idxs": [number[pair] for pair in sets[f"{task}_{side}"]] for side in SIDES}
            data = json.dumps(index).encode()
            member = tarfile.TarInfo(f"scan-splits/{task}.json")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return {
        "/simple_split/tasks_train_simple.txt": text(sets["simple_train"]),
        "/simple_split/tasks_test_simple.txt": text(sets["simple_test"]),
        "/tasks.txt": text(lines),
        "/scan-splits.tar.gz": packed.getvalue(),
    }


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> Sets:
    """Small, made-up sets under the official names: quick, and no official file is needed."""
    lines = scan_pairs()[:600]
    made: dict[str, Sequence[Pair]] = {"scan": lines, "simple_train": lines[99:], "simple_test": lines[:99]}
    for at, (name, side) in enumerate(product(MCD_TASKS, SIDES)):
        made[f"{name}_{side}"] = lines[at::10]
    for key, pairs in made.items():
        monkeypatch.setitem(KNOWN, key, Known(len(pairs), checksum(pairs)))
    return made


@pytest.fixture
def mirror(site: Any, sets: Sets) -> Any:
    site.files.update(publish(sets))
    return site


def test_the_eight_files_are_made_and_verified(mirror: Any, sets: Sets, tmp_path: Path) -> None:
    said: list[str] = []
    fetch(tmp_path / "new", mirror.url, said.append)
    for name in FILES:
        assert tuple(read_pairs(tmp_path / "new" / name, Format.SCAN)) == tuple(
            sets[name.removesuffix(".txt")]
        )
        assert any(name in line and "verified" in line for line in said)
    assert [path for path, _ in mirror.requests] == list(mirror.files)


def test_what_is_verified_is_not_fetched_again(mirror: Any, tmp_path: Path) -> None:
    fetch(tmp_path, mirror.url, lambda _: None)
    mirror.requests.clear()
    said: list[str] = []
    fetch(tmp_path, mirror.url, said.append)
    assert mirror.requests == []
    assert len(said) == 8
    assert all("verified, kept" in line for line in said)
    (tmp_path / "mcd2_test.txt").write_text("spoilt\n")
    (tmp_path / "simple_test.txt").unlink()
    fetch(tmp_path, f"{mirror.url}/", said.append)
    assert mirror.requests == [("/simple_split/tasks_test_simple.txt", None)]
    assert read_official("mcd2", "test", tmp_path)


def test_files_put_there_by_hand_are_taken(mirror: Any, sets: Sets, tmp_path: Path) -> None:
    for path, data in mirror.files.items():
        (tmp_path / Path(path).name).write_bytes(data)
    for name in ("simple", *MCD_TASKS):
        assert read_official(name, "train", tmp_path) == tuple(sets[f"{name}_train"])
    fetch(tmp_path, mirror.url, lambda _: None)
    assert mirror.requests == []
    assert (tmp_path / "mcd3_train.txt").is_file()


def test_a_break_is_resumed(mirror: Any, tmp_path: Path) -> None:
    mirror.dies_after = 10_000
    with pytest.raises(LaneError, match=r"ended after 10000 of .* run again to resume$"):
        fetch(tmp_path, mirror.url, lambda _: None)
    mirror.dies_after = None
    fetch(tmp_path, mirror.url, lambda _: None)
    assert mirror.requests[1] == ("/simple_split/tasks_train_simple.txt", "bytes=10000-")


@pytest.mark.parametrize(
    "spoilt", ["/simple_split/tasks_test_simple.txt", "/tasks.txt", "/scan-splits.tar.gz"]
)
def test_a_wrong_file_is_refused_with_the_remedy(spoilt: str, mirror: Any, tmp_path: Path) -> None:
    mirror.files[spoilt] = mirror.files[spoilt][: len(mirror.files[spoilt]) // 2]
    with pytest.raises(LaneError, match=rf"{spoilt}: not the file wanted: .* By hand: put http") as caught:
        fetch(tmp_path, mirror.url, lambda _: None)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("url", ["/tasks.txt", "/scan-splits.tar.gz"])
@pytest.mark.parametrize("ranges", [True, False])
def test_a_damaged_part_is_fetched_again(url: str, ranges: bool, mirror: Any, tmp_path: Path) -> None:
    """Cut short or whole, a flipped bit anywhere in the kept bytes does not stop the next call."""
    data = mirror.files[url]
    mirror.ranges = ranges
    for place in range(0, len(data), len(data) // 12):
        part = bytearray(data)
        part[place] ^= 0x10
        folder = tmp_path / str(place)
        folder.mkdir()
        (folder / f"{url[1:]}.part").write_bytes(part[: len(part) - place])
        fetch(folder, mirror.url, lambda _: None)
        assert sorted(path.name for path in folder.glob("*_*.txt")) == FILES
        assert not list(folder.glob("*.part"))


def test_an_archive_of_other_splits_is_refused(mirror: Any, sets: Sets, tmp_path: Path) -> None:
    swapped = {**sets, "mcd3_test": sets["mcd3_train"], "mcd3_train": sets["mcd3_test"]}
    mirror.files["/scan-splits.tar.gz"] = publish(swapped)["/scan-splits.tar.gz"]
    with pytest.raises(LaneError, match=r"not the file wanted: .*mcd3_train"):
        fetch(tmp_path, mirror.url, lambda _: None)
    assert not list(tmp_path.glob("mcd*"))


def test_the_command_gets_the_official_files(site: Any, official_dir: Path, tmp_path: Path) -> None:
    sets = {name.removesuffix(".txt"): read_pairs(official_dir / name) for name in FILES}
    site.files.update(publish({**sets, "scan": scan_pairs()}))
    command = [sys.executable, "-c", "from lane.cli.data import main; main()", "fetch", str(tmp_path)]
    done = subprocess.run(
        [*command, "--source", site.url], capture_output=True, text=True, check=False, env={**os.environ}
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("verified") == 10
    for name in FILES:
        assert read_pairs(tmp_path / name) == list(sets[name.removesuffix(".txt")])
