"""The Memory: numbered slots for the values of variables."""

from heapq import heappop, heappush


class Memory:
    """A value goes into the lowest empty slot; reading a variable empties its slot."""

    def __init__(self) -> None:
        self._empty: list[int] = []
        self._size = 0

    def store(self) -> int:
        """The slot for a new value."""
        if self._empty:
            return heappop(self._empty)
        self._size += 1
        return self._size - 1

    def free(self, slot: int) -> None:
        """Empty a slot after reading it."""
        heappush(self._empty, slot)
