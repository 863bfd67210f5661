"""Practical languages of orders in turn: arguments, home, ambiguous, synonyms, fillers, names."""

from collections.abc import Callable, Sequence

from lane.experiments.languages.drawing import Design, Shown
from lane.experiments.languages.frames import Frame, Grammar, Tree
from lane.experiments.languages.wording import PLACES, THINGS, Wording


def _in_turn(
    wording: Wording, names: Sequence[Frame], orders: Sequence[Frame], order: str = "order"
) -> Grammar:
    """An order, or several joined by a word."""
    word = wording.one("then", "next", "and then", "after that")
    joined = Frame.of("line", f"$line {word} ${order}", f"$0 {wording.end} $1")
    return Grammar("line", (*names, *orders, joined), {"line": order})


def arguments(wording: Wording) -> Design:
    """Orders with three arguments, used more than once: `move $x from $y to $z`.

    Decided by: every name alone, and each order on many names, one after the other in either place.
    """
    go, take, drop = wording.one("goto", "drive"), wording.one("take", "grab"), wording.one("drop", "release")
    three = [
        ("move $thing from $place to $place", f"{go} $1 {take} $0 {go} $2 {drop} $0"),
        ("swap $thing with $thing at $place", f"{go} $2 {drop} $0 {take} $1"),
        ("carry $thing over $place to $place", f"{take} $0 {go} $1 scan $0 {go} $2 {drop} $0"),
        ("check $thing between $place and $place", f"{go} $1 scan $0 {go} $2 scan $0"),
        ("replace $thing by $thing in $place", f"{go} $2 {take} $0 {drop} $1 scan $1"),
    ]
    two = [
        ("bring $thing to $place", f"{take} $0 {go} $1 {drop} $0"),
        ("fetch $thing from $place", f"{go} $1 {take} $0 {go} home"),
    ]
    one = [("visit $place", f"{go} $0"), ("weigh $thing", f"{take} $0 weigh $0 {drop} $0")]
    orders = []
    for source, steps in (*wording.some(2, 3, three), *wording.some(1, 2, two), *one):
        acts = iter(steps.split())
        target = " ".join(wording.call(act, argument) for act, argument in zip(acts, acts, strict=True))
        orders.append(Frame.of("order", source, target))
    things = wording.names("thing", wording.words(5, 9, THINGS))
    places = wording.names("place", wording.words(5, 9, PLACES))
    names = (*things, *places)
    held_out = (things[0], places[0])
    return Design(_in_turn(wording, names, orders), tuple(map(Tree, names)), held_out, words=14, longer=10)


def home(wording: Wording) -> Design:
    """A smart home: `turn on the lamp in the kitchen -> set ( kitchen , lamp , on )`, seven words at least.

    No name occurs alone. Decided by: many commands that differ in one word; the held-out names are in one or
    two commands, where every other word is known.
    """
    put, unit = wording.one("set", "put", "write"), wording.one("percent", "degrees")
    rules = [
        (f"{wording.one('turn', 'switch')} $state the $device in the $room", (put, "$2", "$1", "$0")),
        (f"set the $device in the $room to $level {unit}", (put, "$1", "$0", "$2")),
    ]
    more = [
        ("is the $device in the $room turned $state", ("ask", "$1", "$0", "$2")),
        ("raise the $device in the $room by $level", ("add", "$1", "$0", "$2")),
        ("do not forget the $device in the $room", ("note", "$1", "$0")),
    ]
    orders = [
        Frame.of("order", source, wording.call(*call)) for source, call in (*rules, *wording.some(1, 2, more))
    ]
    devices = "lamp heater fan radio television kettle camera speaker oven dishwasher curtain alarm"
    rooms = "kitchen bedroom bathroom hall garage attic cellar office nursery balcony pantry library"
    device = wording.names("device", wording.words(5, 9, devices))
    room = wording.names("room", wording.words(5, 8, rooms))
    names = (*device, *room, *wording.names("state", ("on", "off")), *wording.numbers("level", 4, 8))
    grammar = _in_turn(wording, names, orders)
    shown = Shown(frame=20, nesting=8, name=5, length=15)
    return Design(grammar, (), (device[0], room[0]), words=20, longer=12, shown=shown)


_BOTH = (
    *(("light", "ignite", "lamp"), ("water", "irrigate", "liquid"), ("watch", "observe", "clock")),
    *(("paint", "coat", "pigment"), ("book", "reserve", "novel"), ("plant", "sow", "shrub")),
    *(("dust", "wipe", "powder"), ("mail", "send", "letter"), ("oil", "lubricate", "grease")),
    *(("hammer", "pound", "mallet"), ("iron", "press", "flatiron"), ("brush", "sweep", "bristle")),
    *(("ship", "dispatch", "vessel"), ("fish", "catch", "trout"), ("record", "tape", "disc")),
)


def ambiguous(wording: Wording) -> Design:
    """Words that are an order in one place and a thing in another: `light the light -> ignite ( lamp )`.

    After `the` a word is a thing, else an order. Decided by: `the light` alone for all things but one, each
    word in both senses; half of them never in both in one order.
    """
    words = wording.some(5, 8, _BOTH)
    orders = {
        word: Frame.of("order", f"{word} the $thing", wording.call(act, "$0")) for word, act, _ in words
    }
    things = {word: Frame.of("thing", word, thing) for word, _, thing in words}
    plain = wording.words(4, 7, "table chair door candle window carpet bottle shelf mirror")
    names = (*things.values(), *wording.names("thing", plain))
    put, where = wording.one(("put", "on"), ("place", "near"), ("leave", "under"))
    grammar = _in_turn(
        wording,
        names,
        (
            *orders.values(),
            Frame.of("order", "clean the $thing", wording.call("clean", "$0")),
            Frame.of("order", f"{put} the $thing {where} the $thing", wording.call(put, "$0", "$1")),
        ),
    )
    # The ambiguous one is shown in a sentence: alone, `the dust` does not decide that `put the` comes first.
    held_out = (names[1], names[-1])
    mention = Frame.of("mention", "the $thing", "$0")
    alone = tuple(Tree(mention, (Tree(name),)) for name in names if name != held_out[0])
    apart = tuple((orders[word], 0, things[word]) for word, _, _ in words[::2])
    shown = Shown(name=4, length=30)
    return Design(grammar, alone, held_out, words=9, longer=8, shown=shown, apart=apart)


_VERBS = {
    "WALK": "walk stroll march hike amble",
    "JUMP": "jump hop leap bounce spring",
    "LOOK": "look gaze peek stare glance",
    "RUN": "run sprint dash race jog",
    "STOP": "stop halt pause rest wait",
    "GRAB": "grab take seize catch clutch",
}


def synonyms(wording: Wording) -> Design:
    """Three words or more for everything: verbs, directions, counts and joins.

    Decided by: every verb alone, and each other word in many commands, beside each possible neighbour.
    """
    sides = {"LEFT": "left leftwards port sinister", "RIGHT": "right rightwards starboard dexter"}
    times = {2: ("twice", "doubly", "two times", "again"), 3: ("thrice", "triply", "three times", "trebly")}
    joins = (("$0 $1", ("then", "next", "followed by", "and")), ("$1 $0", ("after", "once you", "upon")))
    joined, words = wording.one(*joins)
    side = wording.one("{} $0", "$0 {}")
    verbs = [
        Frame.of("verb", word, action)
        for action in wording.some(4, 5, list(_VERBS))
        for word in wording.words(3, 4, _VERBS[action])
    ]
    wording.rng.shuffle(verbs)
    frames = [
        *(
            Frame.of("turned", f"$verb {word}", side.format(action))
            for action, text in sides.items()
            for word in wording.words(3, 3, text)
        ),
        *(
            Frame.of("counted", f"$turned {word}", " ".join(["$0"] * count))
            for count, choices in times.items()
            for word in wording.some(3, 4, choices)
        ),
        *(Frame.of("line", f"$line {word} $counted", joined) for word in wording.some(3, 3, words)),
    ]
    wider = {"line": "counted", "counted": "turned", "turned": "verb"}
    grammar = Grammar("line", (*verbs, *frames), wider)
    shown = Shown(nesting=2, name=3)
    return Design(grammar, tuple(map(Tree, verbs)), tuple(verbs[:2]), words=8, longer=7, shown=shown)


def fillers(wording: Wording) -> Design:
    """Polite words that write nothing, before or after an order, a thing or a place: please, could you, the.

    Decided by: names alone, each order without fillers, each filler at each of its places.
    """
    things = wording.names("thing", wording.words(5, 8, THINGS))
    places = wording.names("place", wording.words(4, 7, PLACES))
    names = (*things, *places)
    rules = [
        ("bring $some to $where", (wording.one("bring", "carry"), "$0", "$1")),
        ("get $some from $where", (wording.one("get", "fetch"), "$1", "$0")),
        ("drop $some", (wording.one("drop", "release"), "$0")),
        ("go to $where", (wording.one("goto", "drive"), "$0")),
    ]
    first = wording.some(2, 3, ["could you", "would you", "i want you to", "can you now", "you should"])
    polite = wording.some(1, 2, ["please", "just", "maybe", "kindly"])
    last = wording.some(1, 2, ["thanks", "for me", "right away", "if you can"])
    article = wording.words(1, 2, "a my that your")
    # At most one of each sort at a place: `could you please ... please thanks`.
    fill = [
        *(("asked", f"{word} $told") for word in first),
        *(("told", f"{word} $ended") for word in polite),
        *(("ended", f"$said {word}") for word in last),
        *(("said", f"$order {word}") for word in polite),
        *((at, f"{word} ${of}") for at, of in (("some", "item"), ("where", "spot")) for word in polite),
        *((at, f"${of} {word}") for at, of in (("some", "item"), ("where", "spot")) for word in polite),
        *(("item", f"{word} $thing") for word in ("the", *article)),
        ("spot", "the $place"),
    ]
    orders = [Frame.of("order", source, wording.call(*call)) for source, call in wording.some(3, 4, rules)]
    frames = [*orders, *(Frame.of(sort, source, "$0") for sort, source in fill)]
    line = _in_turn(wording, names, frames, "asked")
    wider = {
        **line.wider,
        **{"asked": "told", "told": "ended", "ended": "said", "said": "order"},
        **{"some": "item", "item": "thing", "where": "spot", "spot": "place"},
    }
    grammar = Grammar("line", line.frames, wider)
    shown = Shown(frame=8, nesting=2, name=3)
    held_out = (things[0], places[0])
    return Design(grammar, tuple(map(Tree, names)), held_out, words=12, longer=8, shown=shown)


def names(count: int) -> Callable[[Wording], Design]:
    """The kind with `count` names."""

    def build(wording: Wording) -> Design:
        """Orders on many names; most are given alone, one in twelve never, but in one or two sentences only.

        Decided by: every other word there is known, so that the rest of the output is the name.
        """
        words: dict[str, None] = {}
        while len(words) < count:
            syllables = range(wording.one(2, 2, 3))
            words["".join(wording.one(*"bdfgklmnprstvz") + wording.one(*"aeiou") for _ in syllables)] = None
        names = wording.names("name", words)
        rules = [
            ("send $name to $name", wording.call("send", "$0", "$1")),
            ("remind $name about $name", wording.call("note", "$1", "$0")),
            ("introduce $name to $name", f"{wording.call('greet', '$0')} {wording.call('meet', '$0', '$1')}"),
            ("is $name here", wording.call("seen", "$0")),
            ("book $name for $name with $name", wording.call("book", "$0", "$2", "$1")),
        ]
        call = ("call $name", wording.call("dial", "$0"))
        orders = [Frame.of("order", *rule) for rule in (call, *wording.some(3, 4, rules))]
        held_out, given = names[: count // 12], names[count // 12 :]
        shown = Shown(frame=8, nesting=6, name=0, length=15)
        grammar = _in_turn(wording, names, orders)
        return Design(grammar, tuple(map(Tree, given)), held_out, words=12, longer=10, shown=shown)

    return build
