import re
from pathlib import Path

from lane.base.errors import LaneError
from lane.service.errors import STATUSES, RefusedError


def test_a_refusal_has_a_code_and_its_status():
    refused = RefusedError("too-many-commands", "send fewer")
    assert isinstance(refused, LaneError)
    assert (refused.code, refused.status, str(refused)) == ("too-many-commands", 413, "send fewer")


def test_every_code_is_an_error_of_the_client():
    assert {status // 100 for status in STATUSES.values()} == {4}


def test_the_page_has_every_code_with_its_status():
    page = (Path(__file__).parents[2] / "docs" / "embedding.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z-]+)` \| (\d{3}) \|", page, re.MULTILINE)
    assert {code: int(status) for code, status in listed} == {code: int(s) for code, s in STATUSES.items()}
