"""SCAN as a program written by hand, and SCAN as a grammar: the two know nothing of each other."""

from functools import cache
from itertools import product

from lane.runtime import Limits, Program

VERBS = {"walk": "I_WALK", "look": "I_LOOK", "run": "I_RUN", "jump": "I_JUMP"}
TURNS = {"left": "I_TURN_LEFT", "right": "I_TURN_RIGHT"}
PARTICLES = ("turn", "opposite", "around", "twice", "thrice", "and", "after")

RULES = {
    "turn $x": "$X",
    "turn opposite $x": "$X $X",
    "turn around $x": "$X $X $X $X",
    "$x $y": "$Y $X",
    "$x opposite $y": "$Y $Y $X",
    "$x around $y": "$Y $X $Y $X $Y $X $Y $X",
    "$x twice": "$X $X",
    "$x thrice": "$X $X $X",
    "$x and $y": "$X $Y",
    "$x after $y": "$Y $X",
}

# What merges first; every other pair comes after these.
ORDER = (
    ("turn", "around"),
    ("turn", "opposite"),
    (("turn", "around"), "$"),
    (("turn", "opposite"), "$"),
    ("turn", "$"),
    ("$", "around"),
    ("$", "opposite"),
    (("$", "around"), "$"),
    (("$", "opposite"), "$"),
    ("$", "$"),
    ("$", "twice"),
    ("$", "thrice"),
    (("$", "and"), "$"),
    (("$", "after"), "$"),
    ("$", "and"),
    ("$", "after"),
)
RECOGNIZED_PAIRS = {("$", "$"), ("turn", "$"), ("$", "twice"), ("$", "thrice")}


@cache
def scan_program() -> Program:
    """Closed over the vocabulary, as an exporter would leave it: nonsense has its entries too."""
    leaves = ("$", *PARTICLES)
    pairs = list(product(leaves, leaves))
    partial = [pair for pair in pairs if pair not in RECOGNIZED_PAIRS]
    larger = [*product(partial, leaves), *product(leaves, partial), *product(partial, partial)]
    score = {tree: float(-place) for place, tree in enumerate(ORDER)}
    nodes = [(a, b, score.get((a, b), -100.0), (a, b) in RECOGNIZED_PAIRS) for a, b in pairs]
    nodes += [(a, b, score.get((a, b), -100.0), True) for a, b in larger]
    spans = {_named(_leaves_of((a, b))) for a, b, _, _ in nodes}
    rules = [(span, _template(span), 1 if " ".join(span) in RULES else 0) for span in spans]
    rules += [((word,), (action,), 4) for word, action in (VERBS | TURNS).items()]
    rules += [((word,), ("I_LOOK",), 0) for word in PARTICLES]
    words = dict.fromkeys(VERBS | TURNS, True) | dict.fromkeys(PARTICLES, False)
    return Program.build(
        words=words,
        nodes=nodes,
        rules=rules,
        limits=Limits(max_words=100_000, max_actions=1_000_000),
        margin=1.0,
        agreement=1.0,
        provenance={"by": "hand"},
    )


def _leaves_of(tree):
    return (tree,) if isinstance(tree, str) else _leaves_of(tree[0]) + _leaves_of(tree[1])


def _named(leaves):
    names = iter(("$x", "$y"))
    return tuple(next(names) if leaf == "$" else leaf for leaf in leaves)


def _template(span):
    known = RULES.get(" ".join(span))
    if known:
        return tuple(known.split())
    return ("I_WALK", *(name.upper() for name in span if name in ("$x", "$y")))


def grammar():
    """All 20,910 commands of SCAN with their actions, by SCAN's own definition."""
    phrases = dict(VERBS)
    for direction, turn in TURNS.items():
        for verb, action in {**VERBS, "turn": ""}.items():
            step = f"{turn} {action}".strip()
            phrases[f"{verb} {direction}"] = step
            phrases[f"{verb} opposite {direction}"] = f"{turn} {step}"
            phrases[f"{verb} around {direction}"] = " ".join([step] * 4)
    repeated = dict(phrases)
    for phrase, actions in phrases.items():
        repeated[f"{phrase} twice"] = f"{actions} {actions}"
        repeated[f"{phrase} thrice"] = f"{actions} {actions} {actions}"
    commands = dict(repeated)
    for (left, first), (right, second) in product(repeated.items(), repeated.items()):
        commands[f"{left} and {right}"] = f"{first} {second}"
        commands[f"{left} after {right}"] = f"{second} {first}"
    return commands
