"""The label file: commands to be filled in, and what somebody filled in already."""

import pytest

from lane.base.errors import LaneError
from lane.data import read_pairs
from lane.trainer.label import write_label


def test_a_command_and_a_tab_on_each_line(tmp_path):
    path = write_label(tmp_path / "robot.pt", ["patrol hall", "mop"])
    assert path == tmp_path / "robot.label.tsv"
    assert path.read_text() == "patrol hall\t\nmop\t\n"
    with pytest.raises(LaneError, match="1"):
        list(read_pairs(path))


def test_filled_in_it_is_a_file_of_pairs(tmp_path):
    path = write_label(tmp_path / "robot.pt", ["mop"])
    path.write_text("mop\tMOP\n")
    assert [pair.target for pair in read_pairs(path)] == [("MOP",)]


def test_what_was_filled_in_is_kept(tmp_path):
    model = tmp_path / "robot.pt"
    write_label(model, ["mop", "dust"]).write_text("mop\tMOP\ndust\t\n")
    path = write_label(model, ["mop", "beep"])
    assert path.read_text() == "mop\tMOP\nbeep\t\n"


def test_no_file_without_commands(tmp_path):
    assert write_label(tmp_path / "robot.pt", []) is None
    assert not list(tmp_path.iterdir())
