"""Languages made of frames: pieces of commands, each with its output.

A frame without slots is a name. One tree of frames gives both the command and its actions, so pairs are right
by construction.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from lane.data.pair import Pair


@dataclass(frozen=True)
class Frame:
    """`go to $place -> goto ( $0 )`: a slot for any tree of the sort `place`, whose value is `$0`."""

    sort: str
    source: tuple[str, ...]
    target: tuple[str, ...]

    @classmethod
    def of(cls, sort: str, source: str, target: str) -> "Frame":
        """The frame of two texts, split at white space."""
        return cls(sort, tuple(source.split()), tuple(target.split()))

    def __str__(self) -> str:
        """The rule in the usual notation."""
        return f"{' '.join(self.source)} -> {' '.join(self.target)}"

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The sorts of its slots, in the order of the command."""
        return tuple(item[1:] for item in self.source if item.startswith("$"))


@dataclass(frozen=True)
class Tree:
    """A frame and the trees in its slots: one parse of a command."""

    frame: Frame
    arguments: tuple["Tree", ...] = ()

    def words(self) -> tuple[str, ...]:
        """The command."""
        sides = iter(self.arguments)
        parts = (next(sides).words() if item.startswith("$") else (item,) for item in self.frame.source)
        return tuple(word for part in parts for word in part)

    def meaning(self) -> tuple[str, ...]:
        """Its actions."""
        values = [argument.meaning() for argument in self.arguments]
        parts = (values[int(item[1:])] if item.startswith("$") else (item,) for item in self.frame.target)
        return tuple(action for part in parts for action in part)

    def size(self) -> int:
        """The number of actions, without writing them: they can be exponentially many."""
        sizes = [argument.size() for argument in self.arguments]
        return sum(sizes[int(item[1:])] if item.startswith("$") else 1 for item in self.frame.target)

    def nestings(self) -> Iterator["Nesting"]:
        """All pairs of a frame and a frame in one of its slots, depth first."""
        for slot, argument in enumerate(self.arguments):
            yield self.frame, slot, argument.frame
            yield from argument.nestings()

    def pair(self) -> Pair:
        """The command with its actions."""
        return Pair(self.words(), self.meaning())


Place = tuple[Frame, int]
"""A slot of a frame, by number."""
Nesting = tuple[Frame, int, Frame]
"""(outer, slot, inner): the frame `inner` in a slot of `outer`."""


@dataclass(frozen=True)
class Grammar:
    """Frames, and the sort of whole commands; `wider["sum"] = "product"`: every product is a sum too."""

    root: str
    frames: tuple[Frame, ...]
    wider: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def by_sort(self) -> dict[str, tuple[Frame, ...]]:
        """The frames allowed for each sort."""
        sorts = dict.fromkeys((*self.wider, *(frame.sort for frame in self.frames)))
        return {sort: tuple(self._of(sort)) for sort in sorts}

    def _of(self, sort: str) -> Iterator[Frame]:
        yield from (frame for frame in self.frames if frame.sort == sort)
        if sort in self.wider:
            yield from self._of(self.wider[sort])

    @cached_property
    def nestings(self) -> tuple[Nesting, ...]:
        """All nestings that the sorts allow."""
        return tuple(
            (outer, slot, inner)
            for outer in self.frames
            for slot, sort in enumerate(outer.slots)
            for inner in self.by_sort[sort]
        )

    @cached_property
    def places(self) -> dict[Frame, list[Place]]:
        """The places allowed for each frame."""
        places: dict[Frame, list[Place]] = {frame: [] for frame in self.frames}
        for outer, slot, inner in self.nestings:
            places[inner].append((outer, slot))
        return places

    @cached_property
    def depths(self) -> dict[Frame, int]:
        """The number of frames needed around each to make a command."""
        depths = dict.fromkeys(self.by_sort[self.root], 0)
        queue = list(depths)
        for outer in queue:
            for inner in (inner for sort in outer.slots for inner in self.by_sort[sort]):
                if inner not in depths:
                    depths[inner] = depths[outer] + 1
                    queue.append(inner)
        return depths
