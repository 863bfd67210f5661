"""The requests that are refused: a code for programs, a message for people, and the status of HTTP."""

from http import HTTPStatus
from typing import Final

from lane.base.errors import LaneError

# Public API: codes may be added, but never change their meaning.
STATUSES: Final = {
    "bad-request": HTTPStatus.BAD_REQUEST,
    "not-found": HTTPStatus.NOT_FOUND,
    "unknown-model": HTTPStatus.NOT_FOUND,
    "wrong-method": HTTPStatus.METHOD_NOT_ALLOWED,
    "length-required": HTTPStatus.LENGTH_REQUIRED,
    "request-too-large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "too-many-commands": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "answers-too-large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}


class RefusedError(LaneError):
    """A request that is refused."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.status = STATUSES[code]
