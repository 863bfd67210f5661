"""The wording of a practical language: each seed has its own brackets, spelling of names, and words."""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from lane.experiments.languages.frames import Frame

T = TypeVar("T")

NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    "twenty",
)
THINGS = "crate box bottle parcel cup pallet barrel plate tool book basket cable drum battery toolbox ladder"
PLACES = "dock shelf table station cellar lab gate garage yard office ramp hall store bay bench conveyor"


class Wording:
    """The choices of one seed."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.open, self.close = self.one(("(", ")"), ("(", ")"), ("[", "]"), ("{", "}"))
        self.comma = self.one(",", ",", ";", "|")
        self.end = self.one(".", "&&", ">>")
        manners: list[Callable[[str], str]] = [str, str.upper, "{}_1".format, "id:{}".format]
        self._name = rng.choice(manners)

    def call(self, name: str, *arguments: str) -> str:
        """`add ( $0 , $1 )`, in the brackets of the seed."""
        return f"{name} {self.bracketed(f' {self.comma} '.join(arguments))}"

    def bracketed(self, text: str) -> str:
        """The text in the brackets of the seed."""
        return f"{self.open} {text} {self.close}"

    def one(self, *choices: T) -> T:
        """One of the choices."""
        return self.rng.choice(choices)

    def some(self, least: int, most: int, choices: Sequence[T]) -> list[T]:
        """From `least` to `most` of the choices, in random order."""
        return self.rng.sample(choices, self.rng.randint(least, most))

    def words(self, least: int, most: int, text: str) -> list[str]:
        """From `least` to `most` words of the text, in random order."""
        return self.some(least, most, text.split())

    def names(self, sort: str, words: Iterable[str]) -> tuple[Frame, ...]:
        """A name for each word, spelt in the way of the seed."""
        return tuple(Frame.of(sort, word, self._name(word)) for word in words)

    def numbers(self, sort: str, least: int, most: int) -> tuple[Frame, ...]:
        """From `least` to `most` number words, written as digits."""
        words = self.some(least, most, NUMBERS)
        return tuple(Frame.of(sort, word, str(NUMBERS.index(word))) for word in words)
