"""The base class of every exception that a user of LAnE may see."""


class LaneError(Exception):
    """A failure a user can act on: the message names the place and the remedy."""
