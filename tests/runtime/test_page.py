"""The page without a browser: what is inside. tests/js/test_page.py clicks through it."""

import base64
import json
import re
from html import unescape
from html.parser import HTMLParser

from lane.runtime import Program
from lane.runtime.page import as_page


class Model(HTMLParser):
    """The script with the model."""

    def __init__(self, page):
        super().__init__()
        self.found, self.inside = {}, False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.inside = tag == "script" and dict(attributes).get("id") == "model"
        if self.inside:
            self.found = dict(attributes)

    def handle_data(self, data):
        if self.inside:
            self.found["data"] = data
            self.inside = False


def test_the_model_comes_back_from_the_page(tiny):
    name, command = "a\"><script>'&.lane", 'say "<b>" & go'
    found = Model(as_page(tiny.dumps(), name, command)).found
    assert (found["data-name"], found["data-command"]) == (name, command)
    assert Program.loads(base64.b64decode(found["data"])) == tiny


def test_lists_come_back_from_the_page(tiny):
    lists = {"room": ('Ann\'s "<b>"&amp;', "東京\u2028x", "😀")}
    found = Model(as_page(tiny.dumps(), "tiny.lane", "", lists)).found
    assert json.loads(found["data-lists"]) == {"room": list(lists["room"])}
    assert "data-lists" not in Model(as_page(tiny.dumps(), "tiny.lane")).found


def test_everything_is_inside_and_the_network_is_forbidden(tiny):
    page = as_page(tiny.dumps(), "tiny.lane")
    assert "default-src 'none'" in unescape(page)
    assert not re.findall(r"""(?:src|href)=["']?[^"']""", page.partition("<script>")[0])
    assert "<!-- model -->" not in page
