"""Every error that a user may see has one base class, and each room's errors derive from it."""

from lane.base.errors import LaneError
from lane.data.download import DownloadError
from lane.runtime import ModelError, ProgramError


def test_one_except_clause_catches_them_all():
    for kind in (DownloadError, ModelError, ProgramError):
        assert issubclass(kind, LaneError)


def test_the_message_is_the_text():
    assert str(LaneError("x.pt: no such file")) == "x.pt: no such file"
