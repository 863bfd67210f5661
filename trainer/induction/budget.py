"""A budget in steps and not in seconds, so that every machine finds the same rules."""


class Budget:
    """Steps that are left."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        """So many steps were made."""
        self.left -= steps

    @property
    def is_over(self) -> bool:
        """Whether to stop."""
        return self.left <= 0
