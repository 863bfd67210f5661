"""New commands made from a model's own derivations, with the outputs its rules give them.

Two sub-expressions with the same outermost rule can stand for each other: if `walk twice` was met under
`and`, so can `jump around left twice`. What was met under what is a small tree grammar; drawing from it
gives commands that nobody labelled, on which a model can be compared with itself and with others.

The arguments of a rule are drawn independently, unless they plainly are not: a model may use `$x $y` both
for `walk left` and for what is left of `jump after walk`, and never mean `walk jump`.

Rules of one shape that keep nearly the same company (`$x twice`, `$x thrice`) are taken for one kind: what
was met with one of them can be met with the other, unless a training pair speaks against it.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from torch import Tensor

from lane.base.vocabulary import Vocabulary
from lane.data.pair import Pair
from lane.models import symbols
from lane.models.model import Rollout
from lane.trainer.examples import Examples
from lane.trainer.learner import Learner

Span = tuple[int, ...]
Place = tuple[Span, int]  # an argument of a rule
Company = tuple[bool, ...]  # which arguments of a rule are phrases; () where that does not matter
Key = tuple[Place, Span, Company, int]  # an argument of a rule that itself stands in a place
Drawn = tuple[list[int], list[int]]  # a command and its output
ROOT: Place = ((), 0)
ALIKE = 0.6  # share of their company that rules of one kind have in common
TRIALS = 20  # draws by which a new combination is held against the training pairs


class TreeGrammar:
    """Which rule was met under which, and where that stood, over all derivations of some rollouts.

    What an argument takes depends on the rule and on the place the rule itself has: `twice` may have been
    met under `turn` with a direction only, and under `and` with whole phrases.
    """

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.template: dict[Span, list[int]] = {}
        # Dictionaries as ordered sets: drawing must not depend on hashes.
        self._taken: defaultdict[Key, dict[Span, None]] = defaultdict(dict)
        self._anywhere: defaultdict[tuple[Span, Company, int], dict[Span, None]] = defaultdict(dict)
        self._met: defaultdict[tuple[Place, Span], dict[Company, None]] = defaultdict(dict)
        self._met_anywhere: defaultdict[Span, dict[Company, None]] = defaultdict(dict)
        self._dependent: set[Span] = set()  # rules whose arguments depend on each other
        self._kind: dict[Span, Span] = {}  # a rule's kind, named by one rule of it

    def add(self, rollout: Rollout) -> None:
        """Take in the derivations of every row."""
        nodes, derivations = rollout.derivations.nodes, rollout.derivations
        leaves = [tuple(leaf for leaf in row if leaf != symbols.NONE) for row in nodes.leaves.tolist()]
        templates = rollout.translations.template.tolist()
        rows = zip(
            derivations.node.tolist(),
            derivations.arguments.tolist(),
            rollout.solution.tolist(),
            derivations.root.tolist(),
            strict=True,
        )
        for node, arguments, solution, root in rows:
            place: dict[int, Place] = {root: ROOT}
            self._take(ROOT, (), (), 0, leaves[node[root]])
            # From the last step to the first: where a step stands is known before what it takes.
            for step in range(root, -1, -1):
                if node[step] == symbols.NONE:
                    continue
                span = leaves[node[step]]
                self.template[span] = [t for t in templates[solution[step]] if t != symbols.END]
                taken = [argument for argument in arguments[step] if argument != symbols.NONE]
                children = [leaves[node[argument]] for argument in taken]
                company = tuple(len(child) > 1 for child in children)
                for number, (argument, child) in enumerate(zip(taken, children, strict=True)):
                    place[argument] = (span, number)
                    self._take(place[step], span, (), number, child)
                    self._take(place[step], span, company, number, child)

    def _take(self, place: Place, span: Span, company: Company, argument: int, child: Span) -> None:
        self._taken[place, span, company, argument][child] = None
        self._anywhere[span, company, argument][child] = None
        self._met[place, span][company] = self._met_anywhere[span][company] = None

    def close(self, known: Mapping[Span, Span], seed: int) -> None:
        """Let rules of one kind stand where any of them stood, and take what any of them took there.

        A combination is left out if it makes some known command mean something else.
        """
        rng = random.Random(seed)
        self._dependent = {span for span in self.template if self._is_dependent(span)}
        kinds = self._kinds()
        self._kind = {span: kind[0] for kind in kinds for span in kind}
        taken = dict(self._taken)
        for table in (self._taken, self._anywhere, self._met, self._met_anywhere):
            table.clear()
        for (place, span, company, argument), children in taken.items():
            if bool(company) == (span in self._dependent):
                for child in children:
                    self._take(self._place(*place), span, company, argument, child)
        for kind in kinds:
            for key, children in list(self._taken.items()):
                if any(child in children for child in kind):
                    self._add(key, kind, known, rng)
            met = list(dict.fromkeys((p, company) for p, span, company, _ in self._taken if span in kind))
            for place, company in met:
                for argument in range(kind[0].count(symbols.VARIABLE)):
                    # A rule that was never met in this company has nothing beside which to take more.
                    keys = [
                        (place, span, company, argument)
                        for span in kind
                        if company in self._met_anywhere[span]
                    ]
                    union = {child: None for key in keys for child in self._taken[key]}
                    for key in keys:
                        self._add(key, list(union), known, rng)

    def _is_dependent(self, span: Span) -> bool:
        """Whether some argument takes nothing beside a phrase that it takes beside a word."""
        beside: defaultdict[tuple[int, bool, bool], set[Span]] = defaultdict(set)
        for (rule, company, argument), children in self._anywhere.items():
            if rule == span and len(company) == 2:
                beside[argument, company[argument], company[1 - argument]].update(children)
        for argument, phrase in ((0, False), (0, True), (1, False), (1, True)):
            one, other = beside[argument, phrase, False], beside[argument, phrase, True]
            if min(len(one), len(other)) > 1 and not one & other:
                return True
        return False

    def _place(self, span: Span, number: int) -> Place:
        """An argument of a rule; rules of one kind have their places in common."""
        return self._kind.get(span, span), number

    def _add(
        self,
        key: Key,
        children: Sequence[Span],
        known: Mapping[Span, Span],
        rng: random.Random,
    ) -> None:
        for child in children:
            if child not in self._taken[key] and not self._contradicts(key, child, known, rng):
                self._take(*key, child)

    def _contradicts(self, key: Key, child: Span, known: Mapping[Span, Span], rng: random.Random) -> bool:
        """Whether `child` there gives a known command another meaning, in any of some small draws."""
        place, span, company, _ = key
        if not span:
            return False  # a root of another kind contradicts nothing by itself
        kept = self._taken[key]
        self._taken[key] = {child: None}
        draws = [self._expand(place, span, rng, [20], 1000, company) for _ in range(TRIALS)]
        self._taken[key] = kept
        return any(
            drawn is not None and known.get(tuple(drawn[0]), tuple(drawn[1])) != tuple(drawn[1])
            for drawn in draws
        )

    def _kinds(self) -> list[list[Span]]:
        """Rules with a word and variables, grouped by shape and company."""
        company: defaultdict[Span, set[object]] = defaultdict(set)
        for (parent, _, argument), children in self._anywhere.items():
            for child in children:
                company[child].add((parent, argument))
                # Nearly every rule takes nearly every single word: that says nothing about its kind.
                company[parent].add((argument, child if len(child) > 1 else "a word"))
        kinds: list[list[Span]] = []
        for span in self.template:
            if len(span) == 1 or symbols.VARIABLE not in span:
                continue
            for kind in kinds:
                if _shape(kind[0]) == _shape(span) and _alike(company[kind[0]], company[span]):
                    kind.append(span)
                    break
            else:
                kinds.append([span])
        return [kind for kind in kinds if len(kind) > 1]

    def draw(self, rng: random.Random, most_words: int, most_actions: int) -> Drawn | None:
        """A random command and its output, or None where there is none or it grew too long."""
        roots = list(self._taken[ROOT, (), (), 0])
        if not roots:
            return None  # no derivation was taken in
        drawn = self._expand(ROOT, rng.choice(roots), rng, [most_words], most_actions)
        return drawn if drawn is not None and len(drawn[0]) <= most_words else None

    def _expand(
        self,
        place: Place,
        span: Span,
        rng: random.Random,
        budget: list[int],
        most_actions: int,
        company: Company | None = None,
    ) -> Drawn | None:
        budget[0] -= len(span)
        if budget[0] < 0:
            return None
        words: list[int] = []
        values: list[list[int]] = []
        if company is None:
            company = rng.choice(self._companies(place, span))
        for leaf in span:
            if leaf != symbols.VARIABLE:
                words.append(leaf)
                continue
            budget[0] += 1  # the variable itself is no word
            number = len(values)
            # Where this rule was never met in this place, what it takes elsewhere must do.
            children = (
                self._taken.get((place, span, company, number)) or self._anywhere[span, company, number]
            )
            child = rng.choice(list(children))
            inner = self._expand(self._place(span, number), child, rng, budget, most_actions)
            if inner is None:
                return None
            words += inner[0]
            values.append(inner[1])
        output: list[int] = []
        for token in self.template[span]:
            output += values[token - 1] if token <= self.variables else [token - self.variables]
        return (words, output) if len(output) <= most_actions else None

    def _companies(self, place: Place, span: Span) -> list[Company]:
        """The companies in which a rule was met there; where it never was, those it has elsewhere."""
        if span not in self._dependent:
            return [()]
        return list(self._met.get((place, span)) or self._met_anywhere[span])


def _shape(span: Span) -> tuple[bool, ...]:
    return tuple(leaf == symbols.VARIABLE for leaf in span)


def _alike(one: set[object], other: set[object]) -> bool:
    return len(one & other) >= ALIKE * len(one | other)


def recombine(
    grammar: TreeGrammar,
    count: int,
    seed: int,
    most_words: int,
    most_actions: int,
    known: Sequence[Sequence[int]] = (),
) -> list[Drawn]:
    """Up to `count` distinct new commands with their outputs; fewer where the grammar has no more."""
    rng = random.Random(seed)
    seen = {tuple(words) for words in known}
    found: list[Drawn] = []
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
    for part in examples.chunks(index):
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
