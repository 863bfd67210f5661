"""Templates (DstExp) applied in plain Python, for the oracle, verification and recombined commands.

`memory.py` does the same for batches of tensors, and is tested against this.
"""

from collections.abc import Iterable, Sequence


def expand(template: Iterable[int], variables: int, values: Sequence[Sequence[int]]) -> list[int]:
    """The actions of a template: tokens up to `variables` are the values, the others are actions."""
    output: list[int] = []
    for token in template:
        output += values[token - 1] if token <= variables else [token - variables]
    return output
