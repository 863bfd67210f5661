"""Brackets among the actions: a rule that opens one and leaves its closing to another is rarely meant."""

from collections.abc import Iterable

from lane.base.scheme import shown

_OPENING, _CLOSING = "([{", ")]}"


class Brackets:
    """The actions that are brackets, by number; false where there are none."""

    def __init__(self, actions: Iterable[str] = ()) -> None:
        texts = {number: shown([action]) for number, action in enumerate(actions, start=1)}
        self._opens = {n: _OPENING.find(text) for n, text in texts.items() if text in tuple(_OPENING)}
        self._closes = {n: _CLOSING.find(text) for n, text in texts.items() if text in tuple(_CLOSING)}

    def __bool__(self) -> bool:
        return bool(self._opens and self._closes)

    def balanced(self, right: Iterable[int]) -> bool:
        """Whether a right side closes what it opens, and nothing else."""
        waiting: list[int] = []
        for token in right:
            if -token in self._opens:
                waiting.append(self._opens[-token])
            elif -token in self._closes and (not waiting or waiting.pop() != self._closes[-token]):
                return False
        return not waiting
