"""Errors and codes, which users' programs depend on."""

import pickle

from lane.base.errors import LaneError
from lane.runtime import ModelError, ProgramError, errors


def test_codes_are_part_of_the_public_api():
    assert errors.CODES == (
        "unknown-word",
        "too-many-words",
        "too-many-actions",
        "beyond-model",
        "not-learned",
        "empty",
        "text-too-long",
    )


def test_an_error_of_a_program_says_where():
    error = ProgramError("nodes[3]", "is out of order")
    assert isinstance(error, ModelError)
    assert isinstance(error, LaneError)
    assert (error.place, error.problem, str(error)) == (
        "nodes[3]",
        "is out of order",
        "nodes[3]: is out of order",
    )
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (ProgramError, str(error))
