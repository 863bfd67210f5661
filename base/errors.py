"""The base classes of all exceptions for users."""


class LaneError(Exception):
    """A failure that a user can act on: the message names the place and the remedy."""


class UnwrittenError(LaneError):
    """A file could not be written, on a full disk for example; what was there before is unchanged."""
