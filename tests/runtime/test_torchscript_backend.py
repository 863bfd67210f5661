"""TorchScript archives by torch."""

import pytest

from lane.runtime import ModelError, load, torchscript_backend
from lane.runtime.model_file import ModelFile


def test_only_archives_are_looked_at():
    with pytest.raises(ModelError, match="m: not a TorchScript archive"):
        torchscript_backend.load(ModelFile("m", b"\x08", True), 1)


def test_the_order_of_checks(exported, monkeypatch):
    """The checksum, then trust, then torch: nothing of a file is run before."""
    order = []
    monkeypatch.setattr(torchscript_backend, "card_of_archive", lambda file: order.append("checksum"))
    monkeypatch.setattr(torchscript_backend, "read_card", lambda *_: order.append("card"))
    monkeypatch.setattr(torchscript_backend, "_import", lambda: pytest.fail("torch was imported"))
    with pytest.raises(ModelError, match="is code"):
        load(exported["torchscript"])
    assert order == ["checksum", "card"]


def test_a_failure_of_torch_is_one_line(exported, monkeypatch):
    def fail(*_):
        raise RuntimeError("PytorchStreamReader failed\nstack")

    monkeypatch.setattr(torchscript_backend, "_load", fail)
    with pytest.raises(ModelError, match=r"torch cannot load it: PytorchStreamReader failed$"):
        load(exported["torchscript"], trust=True)


def test_the_bytes_that_were_checked_are_those_that_are_used(exported, tmp_path, monkeypatch):
    """The file may be another one by then."""
    path = tmp_path / "model.ts"
    path.write_bytes(exported["torchscript"].read_bytes())
    real = torchscript_backend._load

    def replace(torch, data):
        path.write_bytes(b"other")
        return real(torch, data)

    monkeypatch.setattr(torchscript_backend, "_load", replace)
    assert load(path, trust=True).translate("jump").ok
