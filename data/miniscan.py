"""MiniSCAN: four words, three operators, fourteen examples (Lake, Linzen and Baroni, 2019)."""

from lane.data.pair import Pair
from lane.data.precedence import Fixity, Language, Operator
from lane.data.task import Task

MINISCAN = Language(
    primitives=(("dax", "RED"), ("lug", "BLUE"), ("wif", "GREEN"), ("zup", "YELLOW")),
    operators=(
        Operator("fep", Fixity.POSTFIX, 1, (0, 0, 0)),
        Operator("blicket", Fixity.INFIX, 2, (0, 1, 0)),
        Operator("kiki", Fixity.INFIX, 3, (1, 0)),
    ),
)

_TRAIN = (
    "dax",
    "lug",
    "wif",
    "zup",
    "lug fep",
    "dax fep",
    "lug blicket wif",
    "wif blicket dax",
    "lug kiki wif",
    "dax kiki lug",
    "lug fep kiki wif",
    "wif kiki dax blicket lug",
    "lug kiki wif fep",
    "wif blicket dax kiki lug",
)
_TEST = (
    "zup fep",
    "zup blicket lug",
    "dax blicket zup",
    "zup kiki dax",
    "wif kiki zup",
    "zup fep kiki lug",
    "wif kiki zup fep",
    "lug kiki wif blicket zup",
    "zup blicket wif kiki dax fep",
    "zup blicket zup kiki zup fep",
)


def limit() -> Task:
    """The fourteen examples and ten tests; `zup` is trained only by itself."""
    note = "regenerated; the paper reports 8 of the 10 tests, without `dax blicket zup` and `wif kiki zup`"
    return Task("limit", _pairs(_TRAIN), _pairs(_TEST), (note,))


def _pairs(commands: tuple[str, ...]) -> tuple[Pair, ...]:
    sources = [tuple(command.split()) for command in commands]
    return tuple(Pair(source, MINISCAN.evaluate(source)) for source in sources)
