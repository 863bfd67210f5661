"""A reading of a data set: how rules derive its commands, and others of the same shapes."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from lane.trainer.dataset import Dataset
from lane.trainer.induction.budget import Budget
from lane.trainer.induction.chart import Chart, Part, explains, parse, written
from lane.trainer.induction.ruleset import Left, Right, RuleSet
from lane.trainer.induction.shape import Command, Shape, shape_of, shapes_of
from lane.trainer.induction.text import actions_of, text_of
from lane.trainer.induction.tiling import Values
from lane.trainer.induction.wordclass import EDGE


class Reading:
    """Derivations by shape, each found when it is first asked for."""

    def __init__(
        self, dataset: Dataset, lexicon: Mapping[int, str], rules: Mapping[Left, Right], noisy: bool = False
    ) -> None:
        """`noisy`: a few commands of a shape may have wrong outputs."""
        self.dataset, self.lexicon, self.grammar = dataset, lexicon, RuleSet(rules)
        self.noisy = noisy
        self._charts: dict[Left, Chart | None] = {}

    @cached_property
    def commands(self) -> list[Command]:
        """The commands of the data set, as numbers."""
        rows = zip(self.dataset.words.tolist(), self.dataset.length.tolist(), strict=True)
        return [tuple(row[:length]) for row, length in rows]

    @cached_property
    def shapes(self) -> dict[Left, Shape]:
        """The shapes of its commands of several words."""
        outputs = [text_of(row) for row in self.dataset.gold.tolist()]
        return {shape.tokens: shape for shape in shapes_of(self.commands, outputs, self.lexicon, self.noisy)}

    @cached_property
    def company(self) -> dict[int, set[tuple[int, int]]]:
        """What stands before and behind each word in the shapes; EDGE at the ends of a command."""
        found: dict[int, set[tuple[int, int]]] = defaultdict(set)
        for shape in self.shapes:
            for before, word, after in zip((EDGE, *shape), shape, (*shape[1:], EDGE), strict=False):
                found[word].add((before, after))
        return found

    def chart(self, tokens: Left) -> Chart | None:
        """The chart of a shape of the data set, None where the rules do not explain the shape."""
        if tokens not in self._charts:
            shape = self.shapes[tokens]
            chart = parse(shape, self.grammar, Budget(0))  # parsing counts steps, but never stops
            self._charts[tokens] = chart if explains(chart, shape) else None
        return self._charts[tokens]

    def output(self, command: Command) -> tuple[int, ...] | None:
        """What a command of a known and explained shape means, None for any other."""
        tokens = shape_of(command, self.lexicon)
        if tokens not in self.shapes:
            return None
        chart = self.chart(tokens)
        if chart is None:
            return None
        outputs = self.shapes[tokens].outputs
        return actions_of(self._written(command, Part(0, len(tokens), outputs), chart))

    def _written(self, command: Command, part: Part, chart: Chart) -> str:
        ways = chart[part.start, part.end][part.value]
        if not ways:
            return self.lexicon[command[part.start]]
        arguments: list[Values] = [(self._written(command, each, chart),) for each in ways[0].arguments]
        return written(self.grammar.pieces[ways[0].left], arguments, 0)

    def parts(self, tokens: Left) -> list[tuple[Part, Left, tuple[Part, ...]]] | None:
        """All expressions of all derivations of a shape: part, rule and arguments; None if unexplained."""
        chart = self.chart(tokens)
        if chart is None:
            return None
        waiting = [Part(0, len(tokens), self.shapes[tokens].outputs)]
        seen, found = set(waiting), []
        while waiting:
            part = waiting.pop()
            for way in chart[part.start, part.end][part.value]:
                found.append((part, way.left, way.arguments))
                for argument in way.arguments:
                    if argument not in seen:
                        seen.add(argument)
                        waiting.append(argument)
        return found
