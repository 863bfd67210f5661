"""Practical languages, by kind and seed: small ones of the kinds that engineers use.

A seed draws the vocabulary, the sizes and the constants of a kind. A command has one meaning. Training shows
every rule, and every rule in every slot of every other, which decides their precedence; the docstring of a
kind says what else decides it. Tests have held-out names everywhere, names in slots held out of training, and
commands longer than any in training.
"""

import random
import re
from collections.abc import Callable
from functools import partial

from lane.base.errors import LaneError
from lane.base.suggestion import did_you_mean
from lane.data.task import Task
from lane.experiments.languages import expressions, orders
from lane.experiments.languages.drawing import Design, draw_task
from lane.experiments.languages.wording import Wording

_BUILDERS: dict[str, Callable[[Wording], Design]] = {
    "calls": expressions.calls,
    "prefix": expressions.prefix,
    "counts": expressions.counts,
    "arguments": orders.arguments,
    "home": orders.home,
    "query": expressions.query,
    "ambiguous": orders.ambiguous,
    "idioms": expressions.idioms,
    "synonyms": orders.synonyms,
    "fillers": orders.fillers,
}
_NAMES = re.compile("names([0-9]{1,5})")  # of any number
FEWEST_NAMES = 4  # an order takes up to three

KINDS = (*_BUILDERS, "names50", "names200", "names1000")


def practical_language(kind: str, seed: int) -> Design:
    """The rules of a kind and seed, and what is held out; LaneError for an unknown kind."""
    return _builder(kind)(Wording(random.Random(f"practical/{kind}/{seed}")))


def practical_task(kind: str, seed: int) -> Task:
    """The pairs of a kind and seed, with the rules in the notes."""
    design = practical_language(kind, seed)
    about = " ".join((_builder(kind).__doc__ or "").split())
    rng = random.Random(f"practical task/{kind}/{seed}")
    return draw_task(f"{kind}{seed}", design, rng, (f"practical language {kind}, seed {seed}: {about}",))


def named(name: str) -> Callable[[], Task] | None:
    """The task `practical:KIND:N`; None for another name, LaneError for an unknown kind."""
    match = re.fullmatch("practical:([^:]+):([0-9]{1,9})", name)
    return partial(practical_task, check_kind(match[1]), int(match[2])) if match else None


def _builder(kind: str) -> Callable[[Wording], Design]:
    if match := _NAMES.fullmatch(check_kind(kind)):
        return orders.names(int(match[1]))
    return _BUILDERS[kind]


def check_kind(kind: str) -> str:
    """The kind, or a LaneError that lists the kinds and suggests the nearest."""
    count = _NAMES.fullmatch(kind)
    if kind in KINDS or (count and int(count[1]) >= FEWEST_NAMES):
        return kind
    hint = did_you_mean(kind, KINDS)
    known = f"{', '.join(KINDS)} and other numbers of names"
    raise LaneError(f"no kind {kind!r} of practical languages{hint} (the kinds are {known})")
