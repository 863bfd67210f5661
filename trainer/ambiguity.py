"""Ambiguity: what the pairs leave open. Rules and words of a model that another reading could replace.

All candidates share the bias of the recipe, so that their agreement cannot show it. Four kinds of other
readings are looked for, each of which writes the output of every example:

1. Another right side for the expressions of a rule, or of a word beside a variable (`$x $y`), of at most the
   same length: `around $x -> LEFT $X` for `$X $X` where `around` stands beside `left` only.
2. A value of its own for the word of a rule of one argument: `opposite -> LEFT`, by a rule `$x $y`.
3. Other right sides for two rules that occur only together: `patrol $x -> $X` and `$x and $y -> $X $Y $X $Y`.
4. Two rules for one whose words occur only together: `patrol $x -> $X $X` and `$x and $y -> $X $Y` for
   `patrol $x and $y -> $X $Y $X $Y`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product

from lane.base.phrase import BLANK
from lane.base.scheme import shown
from lane.models import symbols
from lane.models.card import OpenReading
from lane.models.naming import named_rule
from lane.models.template import expand
from lane.trainer.alternative import joined, right_sides, splits, word_value
from lane.trainer.dataset import Dataset
from lane.trainer.forest import Forest, Instance, Joint, Output, Template
from lane.trainer.learner import Learner
from lane.trainer.slot import Place, Span

MOST = 20  # open readings of a model: a young language has a few, and nobody reads more
# Distinct occurrences of an expression: what writes this many hardly leaves anything open.
MOST_OCCURRENCES = 1000
TRIED = 5  # alternatives of one expression that the examples are retranslated with
MOST_COMMANDS = 400  # tried in search of the one that decides

JUXTAPOSED: Span = (symbols.VARIABLE, symbols.VARIABLE)  # `$x $y`
Rewritten = Mapping[Span, Template]


def open_readings(learner: Learner, dataset: Dataset) -> tuple[OpenReading, ...]:
    """The open readings of a model, the shortest deciding command first; only right examples count."""
    forest = Forest(learner.model.solver.variables)
    for part in dataset.chunks():
        evaluation = learner.evaluate(dataset, part)
        forest.add(evaluation.rollout, evaluation.right.tolist())
    found = {(one.word, one.other): one for one in _Inquiry(forest, dataset).readings()}
    ordered = sorted(found.values(), key=lambda one: (len(one.command.split()), one.command, one.other))
    return tuple(ordered[:MOST])


class _Inquiry:
    def __init__(self, forest: Forest, dataset: Dataset) -> None:
        self.forest, self.dataset = forest, dataset
        self.values = forest.values()
        self.examples = forest.examples()
        self.places = forest.places()
        self.known = dataset.known()
        self.variables = forest.variables

    def readings(self) -> Iterator[OpenReading]:
        for rule in self.forest.template:
            if symbols.VARIABLE in rule:
                yield from self._other_right_sides(rule)
                yield from self._word_instead(rule)
                yield from self._two_rules_instead(rule)
            else:
                yield from self._operator_instead(rule)
        yield from self._only_together()

    def _other_right_sides(self, rule: Span) -> Iterator[OpenReading]:
        seen = self._occurrences(
            (self.forest.arguments[number], number)
            for number, other in enumerate(self.forest.rules)
            if other == rule
        )
        template = self.forest.template[rule]
        for other in islice(self._alternatives(seen, template), TRIED):
            if self.forest.fits(self.values, {rule: other}):
                reading = self._decided({rule: template}, {rule: other}, self._filling(rule))
                if reading:
                    yield reading
                    return

    def _operator_instead(self, word: Span) -> Iterator[OpenReading]:
        """Of a word that stands in one place only, beside a variable."""
        places = self.places.get(word, set())
        if len(word) > 1 or len(places) != 1:
            return
        (place,) = places
        alone = any(self.forest.rules[root] == word for root in self.forest.roots)
        if place.rule != JUXTAPOSED or alone:
            return
        joint = Joint(place, word)
        templates = self.forest.template
        left, right = joined(joint, templates[JUXTAPOSED], templates[word], self.variables)
        numbers = [n for n, rule in enumerate(self.forest.rules) if rule == JUXTAPOSED]
        seen = self._occurrences(
            (self.forest.joined(n, joint), n) for n in numbers if self.forest.is_joint(n, joint)
        )
        for other in islice(self._alternatives(seen, right), TRIED):
            if self.forest.fits(self.values, joints={joint: other}):
                filling = [self._filling(JUXTAPOSED)[1 - place.argument]]
                reading = self._decided({left: right}, {left: other}, filling, {word: templates[word]})
                if reading:
                    yield reading
                    return

    def _word_instead(self, rule: Span) -> Iterator[OpenReading]:
        by = self.forest.template.get(JUXTAPOSED)
        if by is None or len(rule) != 2 or rule == JUXTAPOSED:
            return
        number = self.forest.rules.index(rule)
        (argument,) = self.forest.arguments[number]
        occurrence = Instance((self.values[argument],), self.values[number])
        value = word_value(rule, by, occurrence, self.variables)
        word: Span = tuple(leaf for leaf in rule if leaf != symbols.VARIABLE)
        if value is None or word in self.forest.template:
            return
        constants = tuple(self.variables + action for action in value)
        place = Place(JUXTAPOSED, 0 if rule[0] == word[0] else 1)
        other = joined(Joint(place, word), by, constants, self.variables)[1]
        if other != self.forest.template[rule] and self.forest.fits(self.values, {rule: other}):
            reading = self._decided(
                {rule: self.forest.template[rule]}, {rule: other}, self._filling(rule), {word: constants}
            )
            if reading:
                yield reading

    def _two_rules_instead(self, rule: Span) -> Iterator[OpenReading]:
        """Where both do something: constants could go to either, and any word may do nothing."""
        template = self.forest.template[rule]
        if any(token > self.variables for token in template):
            return
        for start, end in combinations(range(len(rule) + 1), 2):
            inner, outer = rule[start:end], (*rule[:start], symbols.VARIABLE, *rule[end:])
            if any(not any(part) or symbols.VARIABLE not in part for part in (inner, outer)):
                continue
            if inner in self.forest.template or outer in self.forest.template:
                continue  # their meaning is known
            for split in splits(rule, template, (inner, outer), self.variables):
                if split.inner == inner and min(len(split.inner_template), len(split.outer_template)) > 1:
                    other = {outer: split.outer_template, inner: split.inner_template}
                    words = [self._filling(rule)[0]] * outer.count(symbols.VARIABLE)
                    reading = self._decided({rule: template}, other, words, about=outer)
                    if reading:
                        yield reading
                        return

    def _only_together(self) -> Iterator[OpenReading]:
        pairs = {
            Joint(place, inner)
            for inner, places in self.places.items()
            for place in places
            if place.rule != inner and self.examples[place.rule] == self.examples[inner]
        }
        for joint in sorted(pairs):
            yield from self._other_split(joint)

    def _other_split(self, joint: Joint) -> Iterator[OpenReading]:
        rule, inner = joint.place.rule, joint.inner
        chosen = {rule: self.forest.template[rule], inner: self.forest.template[inner]}
        left, right = joined(joint, chosen[rule], chosen[inner], self.variables)
        always = all(
            self.forest.is_joint(number, joint)
            for number, other in enumerate(self.forest.rules)
            if other == rule
        )
        found = []
        for split in islice(splits(left, right, (inner, rule), self.variables), MOST_COMMANDS):
            other = {split.outer: split.outer_template, split.inner: split.inner_template}
            same_nesting = split.inner == inner
            fits = self.forest.fits(self.values, other) if same_nesting else always
            if other != chosen and fits:
                found.append(other)
        filling = self._filling(inner) or [[]]
        for other in sorted(found, key=lambda one: (sum(map(len, one.values())), sorted(one.items()))):
            for which in sorted((rule, inner), key=len):
                words = [filling[0]] * which.count(symbols.VARIABLE)
                reading = self._decided(chosen, other, words, about=which)
                if reading:
                    yield reading
                    return

    def _occurrences(self, nodes: Iterable[tuple[tuple[int, ...], int]]) -> list[Instance]:
        """The distinct occurrences of an expression; none where there are too many."""
        found: set[Instance] = set()
        for arguments, number in nodes:
            values = tuple(self.values[argument] for argument in arguments)
            found.add(Instance(values, self.values[number]))
            if len(found) > MOST_OCCURRENCES:
                return []
        return sorted(found)

    def _alternatives(self, seen: Sequence[Instance], template: Template) -> Iterator[Template]:
        if seen:
            yield from right_sides(seen, self.variables, len(template), template)

    def _filling(self, rule: Span) -> list[list[Span]]:
        """Words for each variable of a rule: first those observed there, then those in most like places."""
        found: list[list[Span]] = []
        for argument in range(rule.count(symbols.VARIABLE)):
            numbers = [
                self.forest.arguments[n][argument] for n, r in enumerate(self.forest.rules) if r == rule
            ]
            below = {self._first_word(number) for number in numbers}
            near = set[Place]().union(*(self.places.get(word, set()) for word in below))
            words: list[Span] = [word for word in self.forest.template if len(word) == 1 and any(word)]
            found.append(sorted(words, key=lambda word: self._distance(word, below, near))[:MOST])
        return found

    def _distance(self, word: Span, observed: set[Span], near: set[Place]) -> tuple[bool, float, Span]:
        own = self.places.get(word, set())
        return word not in observed, -len(own & near) / max(1, len(own | near)), word

    def _first_word(self, number: int) -> Span:
        """The word of a node, or of its first argument; an expression without words stands for itself."""
        while self.forest.arguments[number]:
            number = self.forest.arguments[number][0]
        return self.forest.rules[number]

    def _decided(
        self,
        chosen: Rewritten,
        other: Rewritten,
        filling: Sequence[Sequence[Span]],
        shown_as: Rewritten | None = None,
        about: Span | None = None,
    ) -> OpenReading | None:
        """The reading with a command on which it differs; None if there is none, or a pair has its output.

        `shown_as` replaces the other reading in the text, or the chosen one of a word.
        """
        left = about if about is not None else next(iter(chosen))
        for words in islice(product(*filling), MOST_COMMANDS):
            command, outputs = self._outputs(left, words, chosen.get(left), other[left])
            if outputs[0] != outputs[1] and command not in self.known:
                break
        else:
            return None
        before, after = chosen, other
        if shown_as is not None:
            is_word_now = next(iter(shown_as)) in self.forest.template
            before, after = (shown_as, other) if is_word_now else (chosen, shown_as)
        leaves = {leaf for rule in chosen for leaf in rule if leaf != symbols.VARIABLE}
        source, target = self.dataset.source, self.dataset.target
        texts = [
            "(not learned)" if output is None else shown([target.word(action) for action in output])
            for output in outputs
        ]
        return OpenReading(
            word=", ".join(source.word(leaf) for leaf in sorted(leaves)) or "$x $y",
            reading=self._text(before),
            other=self._text(after),
            pairs=max(len(self.examples.get(rule, ())) for rule in before),
            command=" ".join(source.word(leaf) for leaf in command).replace(BLANK, " "),
            outputs=(texts[0], texts[1]),
        )

    def _outputs(
        self, left: Span, words: Sequence[Span], one: Template | None, other: Template
    ) -> tuple[Span, list[Output | None]]:
        """A command of an expression, and what two right sides say to it; None for one that is missing."""
        fill = iter(words)
        command = tuple(leaf if leaf != symbols.VARIABLE else next(fill)[0] for leaf in left)
        values = [expand(self.forest.template[word], self.variables, []) for word in words]
        both = [template and tuple(expand(template, self.variables, values)) for template in (one, other)]
        return command, both

    def _text(self, rules: Rewritten) -> str:
        vocabularies = self.dataset.source, self.dataset.target
        return "; ".join(
            str(named_rule(left, right, vocabularies, self.variables)) for left, right in rules.items()
        )
