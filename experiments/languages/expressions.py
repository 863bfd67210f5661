"""Practical languages of expressions in expressions: calls, prefix, counts, query, idioms."""

from itertools import pairwise

from lane.experiments.languages.drawing import Design, Shown
from lane.experiments.languages.frames import Frame, Grammar, Tree
from lane.experiments.languages.wording import NUMBERS, Wording


def calls(wording: Wording) -> Design:
    """Spoken arithmetic into calls: `three plus four times two -> add ( 3 , mul ( 4 , 2 ) )`.

    Every operator has its own level of precedence and is left-associative. Decided by: numbers alone,
    each operator on numbers, and each beside each other, on both sides, in commands of two operators.
    """
    signs = [("negative", "neg"), ("twice", "dbl"), ("half of", "half"), ("the root of", "sqrt")]
    power = wording.one(("to the power of", "pow"), ("raised to", "pow"), ("choose", "binom"))
    product = wording.one(("times", "mul"), ("multiplied by", "mul"), ("over", "div"), ("divided by", "div"))
    total = wording.one(("plus", "add"), ("minus", "sub"), ("added to", "add"))
    compare = wording.one(("is less than", "lt"), ("equals", "eq"), ("exceeds", "gt"))
    third = wording.one(("power", power, "signed"), ("test", compare, "sum"))
    infix = [("product", product, "power"), ("sum", total, "product"), third]
    left = {"test": "sum"}  # a comparison is not compared again
    names = wording.numbers("number", 9, 14)
    grammar = Grammar(
        "test",
        (
            *names,
            *(
                Frame.of("signed", f"{word} $signed", wording.call(name, "$0"))
                for word, name in wording.some(1, 2, signs)
            ),
            *(
                Frame.of(sort, f"${left.get(sort, sort)} {word} ${right}", wording.call(name, "$0", "$1"))
                for sort, (word, name), right in infix
            ),
        ),
        dict(pairwise(("test", "sum", "product", "power", "signed", "number"))),
    )
    return Design(grammar, tuple(map(Tree, names)), names[:2], words=9, longer=8)


def prefix(wording: Wording) -> Design:
    """Prefix notation into brackets: `sum of a and product of b and c -> ( a + ( b * c ) )`.

    Every operator has a fixed number of arguments, so a command has one parse. Decided by: names alone,
    each operator on names, and each in each argument of each other.
    """
    of, and_ = wording.one(("of", "and"), ("between", "and"), ("of", "with"))
    two = [("sum", "+"), ("product", "*"), ("difference", "-"), ("quotient", "/"), ("remainder", "%")]
    one = [("negation of $e", "- $0"), ("square of $e", "$0 ^ 2"), ("absolute $e", "| $0 |")]
    three = [
        ("if $e then $e else $e", "$0 ? $1 : $2"),
        ("clamp $e from $e to $e", "$1 <= $0 <= $2"),
        ("blend $e into $e by $e", "$0 + $2 * $1"),
    ]
    rules = [
        *((f"{word} {of} $e {and_} $e", f"$0 {sign} $1") for word, sign in wording.some(2, 4, two)),
        wording.one(*one),
        wording.one(*three),
    ]
    nouns = "alpha beta gamma delta price tax rate cost width height depth speed weight margin"
    names = wording.names("e", wording.words(7, 11, nouns))
    frames = [Frame.of("e", source, wording.bracketed(target)) for source, target in rules]
    return Design(Grammar("e", (*names, *frames)), tuple(map(Tree, names)), names[:2], words=13, longer=10)


def counts(wording: Wording) -> Design:
    """Counts to nine and brackets in the command: `open walk twice close three times`, 6 times WALK.

    A count applies to the word, count or bracket before it; the joining word binds loosest. Decided
    by: words alone, each count on words, on brackets, on each other count and on both sides of the join.
    """
    brackets = [("open", "close"), ("begin", "end"), ("left bracket", "right bracket"), ("group", "done")]
    left, right = wording.one(*brackets)
    join, joined = wording.one(("and", "$0 $1"), ("then", "$0 $1"), ("after", "$1 $0"), ("before", "$0 $1"))
    times = wording.one("times", "fold", "x")
    words = ["twice", *(f"{NUMBERS[count]} {times}" for count in range(3, 10))]
    verbs = wording.words(5, 8, "walk jump look run turn push pull wait spin climb")
    names = tuple(Frame.of("part", verb, verb.upper()) for verb in verbs)
    grammar = Grammar(
        "line",
        (
            *names,
            *(
                Frame.of("counted", f"$counted {word}", " ".join(["$0"] * count))
                for count, word in enumerate(words, start=2)
            ),
            Frame.of("part", f"{left} $line {right}", "$0"),
            Frame.of("line", f"$line {join} $counted", joined),
        ),
        {"line": "counted", "counted": "part"},
    )
    shown = Shown(nesting=2, name=3, length=30)
    return Design(grammar, tuple(map(Tree, names)), names[:2], words=9, longer=7, shown=shown)


def query(wording: Wording) -> Design:
    """A query language: show ... from ..., then where, sorted by and limit or not, into nested calls.

    Clauses have a fixed order; `and` binds tighter than `or`. Decided by: each clause after the shortest form
    of each that may precede it, each test in each condition; names occur in many short queries, never alone.
    """
    call, one = wording.call, wording.one
    field = wording.names(
        "field", wording.words(5, 8, "name age city salary title price stock colour weight rating status")
    )
    table = wording.names("table", wording.words(4, 6, "users orders products towns staff flights songs"))
    text = wording.names("text", wording.words(4, 6, "paris london red green open closed jazz rock"))
    number = wording.numbers("number", 4, 7)
    tests = [("above", ">"), ("below", "<"), ("at least", ">="), ("at most", "<=")]
    frames = [
        Frame.of(
            "base",
            f"{one('show', 'list', 'get', 'find')} $columns {one('from', 'of', 'in')} $table",
            call("select", "$1", "$0"),
        ),
        Frame.of("columns", f"$columns {one('comma', 'plus', 'also')} $field", f"$0 {wording.comma} $1"),
        Frame.of(
            "filtered",
            f"$base {one('where', 'with', 'having')} $either",
            call(one("filter", "where"), "$0", "$1"),
        ),
        Frame.of("either", "$either or $both", call("or", "$0", "$1")),
        Frame.of("both", "$both and $test", call("and", "$0", "$1")),
        Frame.of("test", "$field is $text", one("$0 == $1", call("eq", "$0", "$1"))),
        *(
            Frame.of("test", f"$field {word} $number", f"$0 {sign} $1")
            for word, sign in wording.some(1, 2, tests)
        ),
        Frame.of(
            "sorted",
            f"$filtered {one('sorted by', 'ordered by', 'by')} $field",
            call(one("sort", "order"), "$0", "$1"),
        ),
        Frame.of(
            "query", f"$sorted {one('limit', 'top', 'first')} $number", call(one("head", "limit"), "$0", "$1")
        ),
    ]
    wider = {
        **dict(pairwise(("query", "sorted", "filtered", "base"))),
        **dict(pairwise(("either", "both", "test"))),
        "columns": "field",
    }
    grammar = Grammar("query", (*field, *table, *text, *number, *frames), wider)
    held_out = (*field[:1], *table[:1])
    return Design(grammar, (), held_out, words=15, longer=9, shown=Shown(frame=8, nesting=4, name=4))


_IDIOMS = (
    *(("electron volt", "eV"), ("light year", "ly"), ("ampere hour", "Ah"), ("watt hour", "Wh")),
    *(("foot pound", "ftlb"), ("nautical mile", "nmi"), ("troy ounce", "ozt"), ("metric ton", "t")),
    *(("horse power", "hp"), ("gram force", "gf"), ("degree day", "dd"), ("british thermal unit", "BTU")),
)
_PARTS = {
    **{"electron": "e", "volt": "V", "light": "c", "year": "yr", "ampere": "A", "hour": "h", "watt": "W"},
    **{"foot": "ft", "pound": "lb", "mile": "mi", "ounce": "oz", "ton": "tn", "power": "P", "gram": "g"},
    **{"force": "F", "degree": "deg", "day": "d", "thermal": "Q", "unit": "U"},
}
_UNITS = (("metre", "m"), ("second", "s"), ("kelvin", "K"), ("newton", "N"), ("joule", "J"), ("tesla", "T"))


def idioms(wording: Wording) -> Design:
    """Units of measure, some with names whose parts are units too: `electron volt -> eV`, `volt -> V`.

    Two units always have a word between them, so two neighbouring words are one name. Decided by: units and
    idioms alone and in all places, each rule in each slot of each other.
    """
    special = wording.some(4, 7, _IDIOMS)
    parts = dict.fromkeys(part for idiom, _ in special for part in idiom.split() if part in _PARTS)
    units = tuple(Frame.of("unit", *unit) for unit in wording.some(3, 6, _UNITS))
    names = tuple(Frame.of("unit", *idiom) for idiom in special)
    scale, scaled = wording.one(("kilo", "k"), ("milli", "m_"), ("mega", "M"))
    power, exponent = wording.one(("square", "2"), ("cubic", "3"))
    grammar = Grammar(
        "ratio",
        (
            *units,
            *(Frame.of("unit", part, _PARTS[part]) for part in parts),
            *names,
            Frame.of("scaled", f"{scale} $unit", f"{scaled} $0"),
            Frame.of("power", f"{power} $scaled", f"$0 {wording.one('^', '**')} {exponent}"),
            Frame.of(
                "product", f"$product {wording.one('times', 'by')} $power", f"$0 {wording.one('*', '·')} $1"
            ),
            Frame.of("ratio", "$ratio per $product", f"$0 / {wording.bracketed('$1')}"),
        ),
        dict(pairwise(("ratio", "product", "power", "scaled", "unit"))),
    )
    alone = tuple(Tree(frame) for frame in grammar.frames if not frame.slots)
    held_out = (units[0], *names[:2])
    shown = Shown(frame=8, nesting=5, name=4, length=30)
    return Design(grammar, alone, held_out, words=8, longer=7, shown=shown)
