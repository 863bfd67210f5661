"""Models by name, and the reload of their files."""

import threading
from pathlib import Path

import pytest

from lane.base.errors import LaneError
from lane.runtime import ModelError, Program
from lane.runtime.extension import NewWord, grow
from lane.runtime.model_file import BUNDLED
from lane.service import ModelStore
from lane.service import store as module
from lane.service.errors import RefusedError
from lane.service.store import read_names


def said(model, word="hi"):
    return model.translator.translate(word).text


def test_names_are_given_or_those_of_the_files():
    assert read_names(["a/robot.v2.lane", "b=c/x.lane", "n=d/e=f.lane"]) == {
        "robot": Path("a/robot.v2.lane"),
        "b": Path("c/x.lane"),
        "n": Path("d/e=f.lane"),
    }
    assert read_names([]) == {"scan": BUNDLED}
    for wrong, problem in (
        (["=x.lane"], "name the model by"),
        (["a b.lane"], "name the model by"),
        (["d/e=f.lane"], "name the model by"),
        (["x.lane", "y/x.onnx"], "another model 'x'"),
    ):
        with pytest.raises(LaneError, match=problem):
            read_names(wrong)


def test_models_are_found_by_name(store):
    assert [said(store.find(name)) for name in ("model", "other", None)] == ["HI_a", "HI_b", "HI_a"]
    with pytest.raises(RefusedError, match="no model 'othar'; did you mean 'other'") as caught:
        store.find("othar")
    assert caught.value.code == "unknown-model"


def test_a_model_that_cannot_be_used_does_not_start(tmp_path):
    with pytest.raises(ModelError, match="No such file"):
        ModelStore({"none": tmp_path / "none"}, print)


def test_a_changed_file_is_loaded_and_no_other(store, save, told):
    store.refresh()
    assert told == []
    other = store.find("other").translator
    save("new")
    store.refresh()
    assert said(store.find("model")) == "HI_new"
    assert store.find("other").translator is other
    (line,) = told
    assert "SHA-256 " + store.find("model").translator.info.file_sha256 in line
    store.refresh()
    assert len(told) == 1


def test_a_file_that_is_written_over_is_loaded_too(store, save):
    path, other = store.find("model").path, save("2", "new.lane")
    before = path.stat().st_ino
    path.write_bytes(other.read_bytes())
    assert path.stat().st_ino == before
    store.refresh()
    assert said(store.find("model")) == "HI_2"


def test_a_broken_file_is_told_once_and_the_old_model_goes_on(store, save, told):
    model = store.find("model")
    whole = model.path.read_bytes()
    for data, problem in ((whole[:-40], ""), (b"", ""), (b"\x08\x00", ""), (None, "No such file")):
        told.clear()
        model.path.unlink() if data is None else model.path.write_bytes(data)
        store.refresh()
        store.refresh()
        (line,) = told
        assert line.startswith("model: the old model goes on answering")
        assert problem in line
        assert model.problem is not None
        assert model.problem in line
        assert said(model) == "HI_a"
    save("c")
    store.refresh()
    assert (model.problem, said(model)) == (None, "HI_c")


def test_a_pinned_model_is_not_replaced_by_another(save, told):
    path = save("a")
    pin = ModelStore({"m": path}, print).find("m").translator.info.file_sha256
    store = ModelStore({"m": path}, told.append, trust=pin)
    save("b")
    store.refresh()
    assert "SHA-256 is not the one given as trust" in told[0]
    assert said(store.find("m")) == "HI_a"


def test_lenient_stays_lenient(save):
    store = ModelStore({"m": save("a")}, print, lenient=True)
    before = store.find("m").translator._backend
    save("b")
    store.refresh()
    after = store.find("m").translator._backend
    assert after is not before
    assert said(store.find("m")) == "HI_b"


def test_nothing_that_a_file_does_ends_the_watch(store, save, told, monkeypatch):
    """One model fails in a way that nobody foresaw, while watched; the next one is loaded all the same."""
    monkeypatch.setattr(module, "INTERVAL", 0.01)
    load = module.load

    def fails(path, **options):
        if path.name == "model.lane":
            raise RecursionError
        return load(path, **options)

    monkeypatch.setattr(module, "load", fails)
    seen = threading.Event()
    monkeypatch.setattr(store, "_tell", lambda line: (told.append(line), "loaded" in line and seen.set()))
    with store:
        save("x")
        save("y", "other.lane")
        assert seen.wait(60)
    assert said(store.find("model")) == "HI_a"
    assert store.find("model").problem == "RecursionError"
    assert said(store.find("other")) == "HI_y"
    assert not store._watch.is_alive()


def spoken(path, *slots):
    """A program whose `hi` is like slots."""
    grow(Program.load(path), [NewWord(f"{{{name}}}", "hi") for name in slots]).save(path)
    return path


def test_lists_are_read_again_when_their_files_change(save, told, tmp_path):
    rooms = tmp_path / "rooms.txt"
    rooms.write_bytes("\ufeffBlue hall\r\n\nhi\n".encode())
    path, plain = spoken(save("a"), "room"), save("b", "plain.lane")
    store = ModelStore({"m": path, "plain": plain}, told.append, lists={"room": rooms})
    model = store.find("m")
    assert told.pop().startswith(f"warning: {rooms}: 'hi' will never be heard")
    assert said(model, "Blue hall") == "{room:Blue%20hall}"
    rooms.write_text("attic\n")
    store.refresh()
    assert told == [f"{{room}}: loaded {rooms}"]
    assert (said(model, "attic"), model.translator.translate("Blue hall").ok) == ("{room:attic}", False)
    # A model that is reloaded has the lists, and one that has the slot from now on gets them.
    spoken(save("c"), "room", "other")
    spoken(plain, "room")
    store.refresh()
    assert said(model, "attic") == said(store.find("plain"), "attic") == "{room:attic}"


def test_a_broken_list_is_told_once_and_the_old_one_goes_on(save, told, tmp_path):
    rooms = tmp_path / "rooms.txt"
    rooms.write_text("attic\n")
    store = ModelStore({"m": spoken(save("a"), "room")}, told.append, lists={"room": rooms})
    model = store.find("m")
    for data, problem in (
        (b"\xff", "is not UTF-8"),
        (b"a " * 17, "entry 1 of {room} has more than 16 words"),
        (b"a\x07", "entry 1 of {room} holds a control character"),
        (None, "No such file"),
    ):
        told.clear()
        rooms.unlink() if data is None else rooms.write_bytes(data)
        store.refresh()
        store.refresh()
        (line,) = told
        assert line.startswith("{room}: the old list goes on; its new file failed: ")
        assert problem in line
        assert problem in model.problem
        assert said(model, "attic") == "{room:attic}"
    rooms.write_text("")  # an empty list is a list
    store.refresh()
    assert (model.problem, model.translator.translate("attic").ok) == (None, False)


def test_a_list_that_no_model_takes_does_not_start(save, tmp_path):
    rooms = tmp_path / "rooms.txt"
    rooms.write_text("attic\n")
    path = spoken(save("a"), "room", "text")
    for name, file, problem in (
        ("rom", rooms, "no model has the slot {rom}; did you mean 'room'?"),
        ("text", rooms, "{text} takes no list"),
        ("room", tmp_path / "none", "none: No such file"),
    ):
        with pytest.raises(LaneError) as caught:
            ModelStore({"m": path}, print, lists={name: file})
        assert problem in str(caught.value)


def test_an_application_gives_lists_itself(save, store):
    model = store.find("model")
    spoken(save("a"), "room")
    store.refresh()
    assert model.set_list("room", iter(["attic", "hi"])) == ("hi",)
    with pytest.raises(TypeError, match="must hold texts"):
        model.set_list("room", "attic")
    spoken(save("z"), "room")
    store.refresh()
    assert said(model, "attic") == "{room:attic}"
    assert said(model) == "HI_z"
