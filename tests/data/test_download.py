import socket
from pathlib import Path
from typing import Any

import pytest

from lane.base.errors import LaneError
from lane.data import download as module
from lane.data.download import DownloadError, download

DATA = bytes(range(256)) * 1_000


def check(path: Path) -> None:
    if path.read_bytes() != DATA:
        raise LaneError("wrong bytes")


@pytest.fixture
def target(site: Any, tmp_path: Path) -> Path:
    site.files["/a"] = DATA
    return tmp_path / "a"


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_fetched(site: Any, target: Path) -> None:
    download(f"{site.url}/a", target, check)
    assert target.read_bytes() == DATA
    assert left(target.parent) == ["a"]
    assert site.requests == [("/a", None)]


def test_a_server_that_dies_in_the_middle_is_resumed(site: Any, target: Path) -> None:
    site.dies_after = 100_000
    with pytest.raises(LaneError, match="ended after 100000 of 256000 bytes; run again to resume"):
        download(f"{site.url}/a", target, check)
    assert left(target.parent) == ["a.part"]
    with pytest.raises(LaneError, match="ended after 200000 of 256000 bytes"):
        download(f"{site.url}/a", target, check)
    download(f"{site.url}/a", target, check)
    assert target.read_bytes() == DATA
    assert [asked for _, asked in site.requests] == [None, "bytes=100000-", "bytes=200000-"]
    assert left(target.parent) == ["a"]


def test_a_server_without_ranges_starts_over(site: Any, target: Path) -> None:
    site.ranges = False
    target.with_name("a.part").write_bytes(DATA[:1_000])
    download(f"{site.url}/a", target, check)
    assert target.read_bytes() == DATA
    assert site.requests == [("/a", "bytes=1000-")]


def test_a_whole_part_is_not_fetched_again(site: Any, target: Path) -> None:
    target.with_name("a.part").write_bytes(DATA)
    download(f"{site.url}/a", target, check)
    assert target.read_bytes() == DATA
    assert site.requests == [("/a", "bytes=256000-")]


@pytest.mark.parametrize("stale", [b"stale", b"stale" * 100_000], ids=["short", "too long"])
def test_a_part_of_another_file_is_replaced(stale: bytes, site: Any, target: Path) -> None:
    target.with_name("a.part").write_bytes(stale)
    download(f"{site.url}/a", target, check)
    assert target.read_bytes() == DATA
    assert [asked for _, asked in site.requests] == [f"bytes={len(stale)}-", None]


def test_a_wrong_file_is_refused_and_the_old_one_stays(site: Any, target: Path) -> None:
    target.write_bytes(b"old")
    site.files["/a"] = b"something else"
    with pytest.raises(DownloadError, match="/a: not the file wanted: wrong bytes"):
        download(f"{site.url}/a", target, check)
    assert target.read_bytes() == b"old"
    assert left(target.parent) == ["a"]


def test_a_wrong_range_is_not_appended_but_all_of_it_fetched(site: Any, target: Path) -> None:
    site.wrong_range = True
    target.with_name("a.part").write_bytes(DATA[:10])
    download(f"{site.url}/a", target, check)
    assert target.read_bytes() == DATA
    assert site.requests == [("/a", "bytes=10-"), ("/a", None)]


def test_what_the_server_has_not_is_named(site: Any, target: Path) -> None:
    with pytest.raises(DownloadError, match="/b: the server answered 404 Not Found"):
        download(f"{site.url}/b", target, check)
    assert left(target.parent) == []


def test_a_refused_connection_is_named(target: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))  # bound but not listening: nobody else answers there
        port = listener.getsockname()[1]
        with pytest.raises(DownloadError, match=r"no connection .*refused"):
            download(f"http://127.0.0.1:{port}/a", target, check)
    assert left(target.parent) == []


@pytest.mark.parametrize("url", ["http://", "http://[::1", "http://127.0.0.1:port/a"])
def test_a_broken_url_is_named(url: str, target: Path) -> None:
    with pytest.raises(DownloadError, match="no connection"):
        download(url, target, check)


def test_an_endless_file_is_cut_off(site: Any, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_DOWNLOAD_BYTES", 200_000)
    with pytest.raises(DownloadError, match="is longer than 200000 bytes, the bound"):
        download(f"{site.url}/a", target, check)
    assert left(target.parent) == []


def test_a_place_that_cannot_be_written_is_named(site: Any, target: Path) -> None:
    with pytest.raises(LaneError, match="a: cannot be written"):
        download(f"{site.url}/a", target.parent / "missing" / "a", check)
