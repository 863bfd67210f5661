"""The base class of all exceptions for users."""


class LaneError(Exception):
    """A failure that a user can act on: the message names the place and the remedy."""
