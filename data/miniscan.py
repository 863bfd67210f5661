"""MiniSCAN: four words, three operators, fourteen examples (Lake, Linzen and Baroni, 2019)."""

from lane.data.pair import Pair
from lane.data.task import Task

_TRAIN = """
    dax -> RED
    lug -> BLUE
    wif -> GREEN
    zup -> YELLOW
    lug fep -> BLUE BLUE BLUE
    dax fep -> RED RED RED
    lug blicket wif -> BLUE GREEN BLUE
    wif blicket dax -> GREEN RED GREEN
    lug kiki wif -> GREEN BLUE
    dax kiki lug -> BLUE RED
    lug fep kiki wif -> GREEN BLUE BLUE BLUE
    wif kiki dax blicket lug -> RED BLUE RED GREEN
    lug kiki wif fep -> GREEN GREEN GREEN BLUE
    wif blicket dax kiki lug -> BLUE GREEN RED GREEN
"""
_TEST = """
    zup fep -> YELLOW YELLOW YELLOW
    zup blicket lug -> YELLOW BLUE YELLOW
    dax blicket zup -> RED YELLOW RED
    zup kiki dax -> RED YELLOW
    wif kiki zup -> YELLOW GREEN
    zup fep kiki lug -> BLUE YELLOW YELLOW YELLOW
    wif kiki zup fep -> YELLOW YELLOW YELLOW GREEN
    lug kiki wif blicket zup -> GREEN YELLOW GREEN BLUE
    zup blicket wif kiki dax fep -> RED RED RED YELLOW GREEN YELLOW
    zup blicket zup kiki zup fep -> YELLOW YELLOW YELLOW YELLOW YELLOW YELLOW
"""


def limit() -> Task:
    """The fourteen examples and ten tests; `zup` is trained only by itself."""
    note = "regenerated; the paper reports 8 of the 10 tests, without `dax blicket zup` and `wif kiki zup`"
    return Task("limit", _pairs(_TRAIN), _pairs(_TEST), (note,))


def _pairs(lines: str) -> tuple[Pair, ...]:
    return tuple(Pair.of(*line.split(" -> ")) for line in lines.strip().splitlines())
