"""How often a rule would have been met in a place, had it stood there as freely as elsewhere."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from lane.models.learned import variables_of
from lane.trainer.slot import Place, Span

Edges = frozenset[tuple[Span, Place]]  # of a derivation: which rule stands where
# From so many times on, never is no chance. Pairs are not drawn at random, so that ten would be too few: one
# language in four refused held-out commands.
TELLING = 30.0


class Expectation:
    """Whether the pairs leave open that a rule may stand in a place where it was not met.

    `derivations` are counted over the pairs, `met` has the places of each rule, and `possible` those that it
    might have: rules with the same object there are of one class. A word is judged with all words that were
    met wherever it was: `jump`, met only alone, may do what they do and, by itself, would tell nothing.
    """

    def __init__(
        self,
        derivations: Mapping[Edges, int],
        met: Mapping[Span, set[Place]],
        possible: Mapping[Span, set[Place]],
    ) -> None:
        self._class = {rule: id(places) for rule, places in possible.items()}
        self._of_rule: Counter[Span] = Counter()
        self._of_place: Counter[Place] = Counter()
        self._of_class: Counter[int] = Counter()
        for edges, count in derivations.items():
            for rule, place in edges:
                self._of_rule[rule] += count
                self._of_place[place] += count
                self._of_class[self._class[rule]] += count
        groups: defaultdict[tuple[int, frozenset[Place]], list[Span]] = defaultdict(list)
        for rule, of_class in self._class.items():
            # Rules with variables are told apart by what they take, and each is judged alone.
            if not variables_of(rule):
                groups[of_class, frozenset(met[rule])].append(rule)
        self._own = {word: group for group, words in groups.items() for word in words}
        self._mates = {
            group: [other for other in groups if other[0] == group[0] and group[1] <= other[1]]
            for group in groups
        }
        self._of_group = {
            group: sum(self._of_rule[word] for word in words) for group, words in groups.items()
        }

    def leaves_open(self, rule: Span, place: Place) -> bool:
        """Whether a rule may stand in a place of its class where it was not met."""
        if rule not in self._own:
            return self._times(self._of_rule[rule], self._class[rule], place) < TELLING
        mates = self._mates[self._own[rule]]
        if any(place in places for _, places in mates):
            return True
        return self._times(sum(self._of_group[mate] for mate in mates), self._class[rule], place) < TELLING

    def _times(self, met: int, of_class: int, place: Place) -> float:
        """How often it would have been met there: by its share of what its class has elsewhere."""
        elsewhere = self._of_class[of_class] - self._of_place[place]
        return self._of_place[place] * met / max(1, elsewhere)
