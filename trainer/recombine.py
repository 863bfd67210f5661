"""New commands made from a model's own derivations, with the outputs its rules give them.

Two sub-expressions with the same outermost rule can stand for each other: if `walk twice` was met under
`and`, so can `jump around left twice`. What was met under what is a small tree grammar; drawing from it
gives commands that nobody labelled, on which a model can be compared with itself and with others.

Rules of one shape that keep nearly the same company (`$x twice`, `$x thrice`) are taken for one kind: what
was met with one of them can be met with the other, unless a training pair speaks against it.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from torch import Tensor

from lane.models import codes
from lane.models.model import Rollout
from lane.models.vocabulary import Vocabulary
from lane.trainer.data.pair import Pair
from lane.trainer.examples import Examples
from lane.trainer.learner import Learner

Span = tuple[int, ...]
Place = tuple[Span, int]  # an argument of a rule
CHUNK = 2048
ALIKE = 0.6  # share of their company that rules of one kind have in common
TRIALS = 20  # draws by which a new combination is held against the training pairs


class TreeGrammar:
    """Which rule was met under which, over all derivations of some rollouts."""

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.template: dict[Span, list[int]] = {}
        self._roots: dict[Span, None] = {}  # dictionaries as ordered sets: drawing must not depend on hashes
        self._under: defaultdict[Place, dict[Span, None]] = defaultdict(dict)

    def add(self, rollout: Rollout) -> None:
        """Take in the derivations of every row."""
        nodes, derivations = rollout.derivations.nodes, rollout.derivations
        leaves = [tuple(leaf for leaf in row if leaf != codes.NONE) for row in nodes.leaves.tolist()]
        templates = rollout.translations.template.tolist()
        rows = zip(
            derivations.node.tolist(),
            derivations.arguments.tolist(),
            rollout.solution.tolist(),
            derivations.root.tolist(),
            strict=True,
        )
        for node, arguments, solution, root in rows:
            self._roots[leaves[node[root]]] = None
            for step, number in enumerate(node):
                if number == codes.NONE:
                    continue
                span = leaves[number]
                self.template[span] = [t for t in templates[solution[step]] if t != codes.END]
                for place, argument in enumerate(arguments[step]):
                    if argument != codes.NONE:
                        self._under[span, place][leaves[node[argument]]] = None

    def close(self, known: Mapping[Span, Span], seed: int) -> None:
        """Let rules of one kind stand where any of them stood, and take what any of them took.

        A combination is left out if it makes some known command mean something else.
        """
        rng = random.Random(seed)
        for kind in self._kinds():
            for place, children in list(self._under.items()):
                if any(child in children for child in kind):
                    self._add_children(place, kind, known, rng)
            for argument in range(kind[0].count(codes.VARIABLE)):
                taken = {child: None for span in kind for child in self._under[span, argument]}
                for span in kind:
                    self._add_children((span, argument), list(taken), known, rng)
            if any(span in self._roots for span in kind):
                self._roots.update(dict.fromkeys(kind))

    def _add_children(
        self, place: Place, children: Sequence[Span], known: Mapping[Span, Span], rng: random.Random
    ) -> None:
        for child in children:
            if child not in self._under[place] and not self._contradicts(place, child, known, rng):
                self._under[place][child] = None

    def _contradicts(self, place: Place, child: Span, known: Mapping[Span, Span], rng: random.Random) -> bool:
        """Whether `child` at `place` gives a known command another meaning, in any of some small draws."""
        kept = self._under[place]
        self._under[place] = {child: None}
        draws = [self._expand(place[0], rng, [20], 1000) for _ in range(TRIALS)]
        self._under[place] = kept
        return any(
            drawn is not None and known.get(tuple(drawn[0]), tuple(drawn[1])) != tuple(drawn[1])
            for drawn in draws
        )

    def _kinds(self) -> list[list[Span]]:
        """Rules with a word and variables, grouped by shape and company."""
        company: defaultdict[Span, set[object]] = defaultdict(set)
        for (parent, argument), children in self._under.items():
            for child in children:
                company[child].add((parent, argument))
                company[parent].add((argument, child))
        for root in self._roots:
            company[root].add("root")
        kinds: list[list[Span]] = []
        for span in self.template:
            if len(span) == 1 or codes.VARIABLE not in span:
                continue
            for kind in kinds:
                if _shape(kind[0]) == _shape(span) and _alike(company[kind[0]], company[span]):
                    kind.append(span)
                    break
            else:
                kinds.append([span])
        return [kind for kind in kinds if len(kind) > 1]

    def draw(
        self, rng: random.Random, most_words: int, most_actions: int
    ) -> tuple[list[int], list[int]] | None:
        """A random command and its output, or None where the draw grew too long or nothing was met."""
        if not self._roots:
            return None
        budget = [most_words]
        drawn = self._expand(rng.choice(list(self._roots)), rng, budget, most_actions)
        return drawn if drawn is not None and len(drawn[0]) <= most_words else None

    def _expand(
        self, span: Span, rng: random.Random, budget: list[int], most_actions: int
    ) -> tuple[list[int], list[int]] | None:
        budget[0] -= len(span)
        if budget[0] < 0:
            return None
        words: list[int] = []
        values: list[list[int]] = []
        for leaf in span:
            if leaf != codes.VARIABLE:
                words.append(leaf)
                continue
            budget[0] += 1  # the variable itself is no word
            child = rng.choice(list(self._under[span, len(values)]))
            inner = self._expand(child, rng, budget, most_actions)
            if inner is None:
                return None
            words += inner[0]
            values.append(inner[1])
        output: list[int] = []
        for token in self.template[span]:
            output += values[token - 1] if token <= self.variables else [token - self.variables]
        return (words, output) if len(output) <= most_actions else None


def _shape(span: Span) -> tuple[bool, ...]:
    return tuple(leaf == codes.VARIABLE for leaf in span)


def _alike(one: set[object], other: set[object]) -> bool:
    return len(one & other) >= ALIKE * len(one | other)


def recombine(
    grammar: TreeGrammar,
    count: int,
    seed: int,
    most_words: int,
    most_actions: int,
    known: Sequence[Sequence[int]] = (),
) -> list[tuple[list[int], list[int]]]:
    """Up to `count` distinct new commands with their outputs; fewer where the grammar has no more."""
    rng = random.Random(seed)
    seen = {tuple(words) for words in known}
    found: list[tuple[list[int], list[int]]] = []
    for _ in range(20 * count):
        if len(found) == count:
            break
        drawn = grammar.draw(rng, most_words, most_actions)
        if drawn is not None and tuple(drawn[0]) not in seen:
            seen.add(tuple(drawn[0]))
            found.append(drawn)
    return found


def grammar_of(learner: Learner, examples: Examples, index: Tensor) -> TreeGrammar:
    """The closed tree grammar of the greedy derivations of some examples that are right."""
    grammar = TreeGrammar(learner.model.solver.variables)
    rows = [index[start : start + CHUNK] for start in range(0, len(index), CHUNK)]
    for part in rows:
        evaluation = learner.evaluate(examples, part)
        right = part[evaluation.right]
        if len(right) > 0:
            grammar.add(learner.evaluate(examples, right).rollout)
    grammar.close(examples.known(), seed=0)
    return grammar


def recombined_examples(
    grammar: TreeGrammar,
    examples: Examples,
    vocabularies: tuple[Vocabulary, Vocabulary],
    count: int,
    seed: int,
) -> Examples:
    """New commands up to twice as long as the longest example, as pairs."""
    source, target = vocabularies
    most_words, most_actions = 2 * examples.words.size(1), 4 * examples.gold.size(1)
    found = recombine(grammar, count, seed, most_words, most_actions)
    pairs = [
        Pair(tuple(source.word(w) for w in words), tuple(target.word(a) for a in actions))
        for words, actions in found
    ]
    return Examples(pairs, source, target)
