"""The semantics of a program once more, slow and plain: lists, nested tuples, copied values."""

from itertools import product
from random import Random

from lane.runtime import Limits, Program

NAMES = ("$x", "$y", "$z", "$w")


def translate(program, text):
    """(code, actions or position from 1): the code is "ok" or that of the failure."""
    words = text.split()
    recognized = dict(program.words)
    nodes = {(node.left, node.right): node for node in program.nodes}
    rules = {rule.span: rule.template for rule in program.rules}
    limits = program.limits
    if not words:
        return "empty", None
    if len(words) > limits.max_words:
        return "too-many-words", limits.max_words + 1
    for place, word in enumerate(words, start=1):
        if word not in recognized:
            return "unknown-word", place

    # An item is (tree, values of its variables, place of its first word).
    items = []
    for place, word in enumerate(words, start=1):
        if recognized[word]:
            items.append(("$", [rules[word,]], place))
        else:
            items.append((word, [], place))
    if len(items) == 1 and items[0][0] != "$":
        if (words[0],) not in rules:
            return "beyond-model", 1
        return "ok", rules[words[0],]

    while len(items) > 1:
        best = None
        for i in range(len(items) - 1):
            node = nodes.get((items[i][0], items[i + 1][0]))
            if node is None:
                return "beyond-model", items[i][2]
            if best is None or node.rank > best[0].rank:
                best = (node, i)
        node, i = best
        values = items[i][1] + items[i + 1][1]
        place = items[i][2]
        items[i : i + 2] = [((node.left, node.right), values, place)]
        if node.recognized or len(items) == 1:
            span = name_variables(leaves_of((node.left, node.right)))
            if span not in rules:
                return "beyond-model", place
            value = []
            for token in rules[span]:
                value += values[NAMES.index(token.lower())] if token[0] == "$" else [token]
                if len(value) > 10 * limits.max_actions:
                    break
            if len(value) > limits.max_actions:
                return "too-many-actions", place
            items[i] = ("$", [tuple(value)], place)
    return "ok", items[0][1][0]


def leaves_of(tree):
    return (tree,) if isinstance(tree, str) else leaves_of(tree[0]) + leaves_of(tree[1])


def name_variables(leaves):
    names = iter(NAMES)
    return tuple(next(names) if leaf == "$" else leaf for leaf in leaves)


def random_program(seed):
    """Any valid program: gaps in the tables, ties, deleted and doubled variables, tight limits."""
    random = Random(seed)
    words = {f"w{i}": random.random() < 0.5 for i in range(random.randint(1, 6))}
    actions = [f"A{i}" for i in range(random.randint(1, 4))]
    limits = Limits(
        max_words=random.choice((6, 12, 40)),
        max_actions=random.choice((6, 20, 500)),
        max_span=random.randint(2, 5),
        max_variables=random.randint(1, 3),
        max_template=6,
    )
    density = random.choice((1.0, 1.0, 0.9, 0.6))
    ranks = random.choice((2, 10, 1000))
    often = random.choice((0.3, 0.7))
    open_items = ["$", *(word for word, known in words.items() if not known)]
    nodes, done = [], set()
    for _ in range(limits.max_span):
        pairs = [pair for pair in product(open_items, open_items) if pair not in done]
        for pair in random.sample(pairs, min(len(pairs), 400)):
            done.add(pair)
            leaves = leaves_of(pair)
            fits = len(leaves) <= limits.max_span and leaves.count("$") <= limits.max_variables
            if not fits or random.random() > density:
                continue
            known = random.random() < often
            nodes.append((*pair, random.randrange(ranks), known))
            if not known:
                open_items.append(pair)
    spans = {name_variables(leaves_of((left, right))): known for left, right, _, known in nodes}
    for left, right, _, known in nodes:
        spans[name_variables(leaves_of((left, right)))] |= known
    needed = spans | {(word,): known for word, known in words.items()}
    rules = []
    for span, known in needed.items():
        if known or random.random() < 0.8:
            tokens = actions + [token.upper() for token in span if token[0] == "$"] * 3
            template = tuple(random.choices(tokens, k=random.randint(1, limits.max_template)))
            rules.append((span, template, random.randrange(3)))
    random.shuffle(nodes)
    random.shuffle(rules)
    return Program.build(
        words=words, nodes=nodes, rules=rules, limits=limits, actions=actions, complete=False, margin=0.5
    )


def random_command(program, random):
    words = [word for word, _ in program.words]
    count = min(random.choice((1, 2, 3, 5, 8, 13, 30)), program.limits.max_words + 1)
    command = random.choices(words, k=count)
    if random.random() < 0.02:
        command[random.randrange(count)] = "unknown"
    return " ".join(command)


def tiny_program():
    """A language of three words that fits on a page."""
    return Program.build(
        words={"dax": True, "lug": True, "kiki": False},
        nodes=[
            ("$", "$", 1.5, True),
            ("$", "kiki", 0.5, False),
            ("kiki", "$", -2.0, False),
            ("kiki", "kiki", -2.0, False),
            (("$", "kiki"), "$", 3.0, True),
        ],
        rules=[
            (("dax",), ("RED",), 3),
            (("lug",), ("BLUE",), 2),
            (("kiki",), ("RED",), 0),
            (("$x", "$y"), ("$X", "$Y", "$X"), 0),
            (("$x", "kiki"), ("$X",), 0),
            (("$x", "kiki", "$y"), ("$Y", "$X"), 4),
        ],
        limits=Limits(max_words=50, max_actions=400, max_span=4, max_variables=2, max_template=10),
        complete=False,
        margin=0.125,
        provenance={"seed": 1, "data": {"name": "größe", "pairs": [1, 2]}},
    )
