"""The one exception that users of models, trainer and export may see."""


class LaneError(Exception):
    """A failure a user can act on: the message names the place and the remedy."""
