"""The known word that a misspelt one probably means."""

from collections.abc import Iterable

_MAX_LENGTH = 40  # beyond it nobody has mistyped a word


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """What to add to the message about an unknown word; nothing where no known one is near."""
    nearest = nearest_word(word, known)
    return f"; did you mean {nearest!r}?" if nearest else ""


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """The closest known word: equal but for case, or at most 2 edits (1 in short words) away."""
    if len(word) > _MAX_LENGTH:
        return None
    folded = word.casefold()
    best, best_distance = None, 3 if len(word) > 3 else 2
    for candidate in known:
        if abs(len(candidate) - len(word)) < best_distance:
            distance = _edits(folded, candidate.casefold(), best_distance)
            if distance < best_distance and distance < len(candidate):
                best, best_distance = candidate, distance
                if distance == 0:
                    break
    return best


def _edits(left: str, right: str, enough: int) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours; `enough` if there are that many."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left):
        older, before, row = before, row, [i + 1]
        for j, other in enumerate(right):
            cost = min(before[j] + (letter != other), before[j + 1] + 1, row[j] + 1)
            if i and j and letter == right[j - 1] and left[i - 1] == other:
                cost = min(cost, older[j - 1] + 1)
            row.append(cost)
        if min(row) >= enough and (not before or min(before) >= enough):
            return enough
    return min(row[-1], enough)
