"""Generalisation of a tree grammar: rules and words of one kind stand for each other."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable

from lane.models import symbols
from lane.models.template import expand
from lane.trainer.grammar import Room, TreeGrammar
from lane.trainer.likeness import Neighbours, alike, find_dependent, find_rule_kinds, find_word_kinds
from lane.trainer.slot import ANYWHERE, ROOTS, Place, Slot, Span

Known = Callable[[Span], Span | None]  # the output of a command, if the pairs tell it

# Samples that test a new combination: one that contradicts a training pair in a fifth of its samples
# escapes with a probability of 0.8 ** 20, about 1%.
TRIALS = 20


def generalise(
    grammar: TreeGrammar, known: Known, seed: int, neighbours: Neighbours | None = None, places: bool = True
) -> None:
    """Generalise over kinds, as far as no known command gets another output.

    Most rules have independent arguments, which are sampled apart. A rule is *dependent* if an argument takes
    disjoint sets of children beside words and beside phrases (`$x $y` for `walk left` and for the rest of
    `jump after walk`, but never for `walk jump`): its arguments are sampled for one company. Rules of one
    kind (`$x twice`, `$x thrice`) may stand where any of them stood, and take what any of them took there,
    unless sampling that combination contradicts a training pair. With `places`, so may words of one kind,
    and what was observed under itself may stand there again, and what has words at both ends, such as
    brackets, wherever its rule takes the same words. A rule between two like things whose order of
    application makes no difference (`$x and $y`) stands under itself.

    `neighbours` are those of words, where a reading of the pairs knows them.
    """
    _Generalisation(grammar, known, random.Random(seed), places).run(neighbours or {})


class _Generalisation:
    def __init__(self, grammar: TreeGrammar, known: Known, rng: random.Random, places: bool) -> None:
        self.grammar, self.known, self.rng, self.places = grammar, known, rng, places

    def run(self, neighbours: Neighbours) -> None:
        grammar = self.grammar
        grammar.dependent = find_dependent(grammar.children_anywhere)
        kinds = find_rule_kinds(grammar.template, grammar.children_anywhere, neighbours)
        grammar.kind = {rule: kind[0] for kind in kinds for rule in kind}
        self._merge_places()
        if self.places:
            self._exchange_words()
        for kind in kinds:
            self._exchange_rules(kind)
        if self.places:
            self._deepen()
            self._enclose()
            self._chain()

    def _merge_places(self) -> None:
        """Record everything anew: kinds share their places, and companies count for dependent rules only."""
        grammar = self.grammar
        recorded = dict(grammar.children)
        for table in (grammar.children, grammar.children_anywhere, grammar.companies):
            table.clear()
        for slot, children in recorded.items():
            if bool(slot.company) == (slot.rule in grammar.dependent):
                for child in children:
                    grammar.record(slot._replace(place=grammar.place(*slot.place)), child)

    def _exchange_words(self) -> None:
        for kind in find_word_kinds(self.grammar.children_anywhere):
            for slot, children in list(self.grammar.children.items()):
                # A word that was never a command need not be one.
                if slot != ROOTS and any(word in children for word in kind.members):
                    self._extend_words(slot, [*kind.members, *kind.joining])

    def _exchange_rules(self, kind: list[Span]) -> None:
        grammar = self.grammar
        for slot, children in list(grammar.children.items()):
            if any(rule in children for rule in kind):
                self._extend(slot, kind)
        seen = dict.fromkeys((slot.place, slot.company) for slot in grammar.children if slot.rule in kind)
        for place, company in seen:
            # A rule that never occurred in this company cannot take more in it.
            members = [rule for rule in kind if company in grammar.companies[ANYWHERE, rule]]
            for argument in range(kind[0].count(symbols.VARIABLE)):
                slots = [Slot(place, rule, company, argument) for rule in members]
                union = {child: None for slot in slots for child in grammar.children[slot]}
                for slot in slots:
                    self._extend(slot, union)

    def _deepen(self) -> None:
        """What was observed under itself may stand there again: no pair is as long as the language."""
        grammar = self.grammar
        for slot in list(grammar.children):
            if slot.place == grammar.place(slot.rule, slot.argument):
                for other, children in list(grammar.children.items()):
                    if other._replace(place=slot.place) == slot and other.place != slot.place:
                        self._extend(slot, list(children))

    def _enclose(self) -> None:
        """A rule between words of its own stands wherever the rule above it takes the same words.

        Nothing can be torn out of it, so that precedence does not matter: `( $x )` under `and`, observed in
        whole commands, stands under an `and` in brackets too.
        """
        by_argument: defaultdict[Slot, list[Slot]] = defaultdict(list)
        for slot in self.grammar.children:
            by_argument[slot._replace(place=ANYWHERE)].append(slot)
        for slots in by_argument.values():
            words = {
                slot: {child for child in self.grammar.children[slot] if len(child) == 1} for slot in slots
            }
            for slot in slots:
                likely = [
                    child
                    for other in slots
                    if 2 * len(words[slot] & words[other]) > len(words[slot])
                    for child in list(self.grammar.children[other])
                    if len(child) > 1 and symbols.VARIABLE not in (child[0], child[-1])
                ]
                self._extend(slot, dict.fromkeys(likely))

    def _chain(self) -> None:
        """A rule that joins two of what it is itself joins three, if it writes the same in either order.

        `$x and $y -> $X $Y` stands where `walk` does: `walk and run and jump` has one meaning. Of
        `$x minus $y` under itself nobody knows, unless it was observed.
        """
        grammar = self.grammar
        for rule, template in grammar.template.items():
            is_infix = len(rule) > 2 and rule[0] == rule[-1] == symbols.VARIABLE
            if is_infix and _is_associative(template, grammar.variables) and self._joins_its_like(rule):
                for slot in [slot for slot in grammar.children if slot.rule == rule and slot.argument == 0]:
                    if rule not in grammar.children[slot] and not self._contradicts(slot, rule):
                        grammar.record_new(slot, rule)

    def _joins_its_like(self, rule: Span) -> bool:
        """Whether both arguments take mostly the same, and that stands where the rule stands."""
        first, second, around = set[Span](), set[Span](), set[Span]()
        for slot, children in self.grammar.children.items():
            if rule in children:
                around.update(children)
            if slot.rule == rule:
                (first if slot.argument == 0 else second).update(children)
        return alike(first, second) and 2 * len(around & (first | second)) > len(first | second)

    def _extend_words(self, slot: Slot, words: list[Span]) -> None:
        """As `_extend`; the first words speak for the others, since a kind may have a thousand."""
        children = self.grammar.children[slot]
        missing = [word for word in words if word not in children]
        self._extend(slot, missing[:TRIALS])
        if all(word in children for word in missing[:TRIALS]):
            for word in missing[TRIALS:]:
                self.grammar.record_new(slot, word)

    def _extend(self, slot: Slot, children: Iterable[Span]) -> None:
        for child in children:
            fits = child not in self.grammar.children[slot] and self._may_nest(slot, child)
            if fits and not self._contradicts(slot, child):
                if self.places:
                    self.grammar.record_new(slot, child)
                else:
                    self.grammar.record(slot, child)

    def _may_nest(self, slot: Slot, child: Span) -> bool:
        """Whether a rule may stand under one of its own kind: only if it was observed there.

        Kinds say nothing of precedence: where `or` takes `and`, `and` need not take `or`.
        """
        grammar = self.grammar
        of_one_kind = grammar.kind.get(slot.rule, slot.rule) == grammar.kind.get(child, child)
        observed = (Place(slot.rule, slot.argument), child) in grammar.observed
        return not self.places or not of_one_kind or observed

    def _contradicts(self, slot: Slot, child: Span) -> bool:
        """Whether some sample with `child` in the slot is a known command with another output."""
        if slot == ROOTS:
            return False  # every rule's own expressions are checked in the slots below it
        grammar = self.grammar
        kept, new = grammar.children[slot], grammar.new.pop(slot, {})
        grammar.children[slot] = {child: None}
        # Short ones, since long commands are rarely known; their outputs fit easily into 1000 actions.
        drawn = [
            grammar.expand(slot.place, slot.rule, self.rng, Room(words=20, actions=1000), slot.company)
            for _ in range(TRIALS)
        ]
        grammar.children[slot], grammar.new[slot] = kept, new
        return any(self.known(tuple(one.words)) not in (None, tuple(one.output)) for one in drawn if one)


def _is_associative(template: list[int], variables: int) -> bool:
    """Whether a right side of two variables writes the same of three values in either order."""
    if {token for token in template if token <= variables} != {1, 2}:
        return False
    one, two, three = [-1], [-2], [-3]
    left = expand(template, variables, [expand(template, variables, [one, two]), three])
    return left == expand(template, variables, [one, expand(template, variables, [two, three])])
