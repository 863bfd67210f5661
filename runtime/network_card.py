"""The card of a network file: vocabulary, limits, rules and provenance, checked before they are used."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lane.base.errors import LaneError
from lane.base.rule import SOURCE_NAMES, TARGET_NAMES, Rule
from lane.base.scheme import PLAIN, Schemes
from lane.runtime.bounds import MAX_OUTPUT_BYTES, MAX_TOKENS, MAX_USES, RANGES, most_output
from lane.runtime.errors import NOT_LEARNED
from lane.runtime.model_file import ModelFile
from lane.runtime.results import Info

VERSION = 2
READABLE_VERSIONS = (1, 2)  # version 1 has no schemes and no refusals
_MAX_FIGURE = 1e300  # JSON has whole numbers beyond any float
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # a terminal would obey them


@dataclass(frozen=True, slots=True)
class NetworkCard:
    """The description inside a network file; its rules are those that the training data used."""

    kind: str
    version: int
    sha256: str
    words: tuple[str, ...]
    actions: tuple[str, ...]
    statuses: tuple[str, ...]
    max_words: int
    max_actions: int
    margin: float | None
    agreement: float | None
    provenance: Mapping[str, Any]
    rules: tuple[Rule, ...]
    schemes: Schemes = PLAIN

    def info(self, path: str, file_sha256: str) -> Info:
        """The card in the form common to all backends; a network is always complete."""
        return Info(
            backend=self.kind,
            path=path,
            format_version=self.version,
            sha256=self.sha256,
            file_sha256=file_sha256,
            words=self.words,
            actions=self.actions,
            max_words=self.max_words,
            max_actions=self.max_actions,
            complete=True,
            nodes=0,
            rules=len(self.rules),
            margin=self.margin,
            agreement=self.agreement,
            refuses=NOT_LEARNED in self.statuses,
            provenance=self.provenance,
            schemes=self.schemes,
        )


def read_card(file: ModelFile, kind: str, content: dict[str, Any]) -> NetworkCard:
    """A card from its JSON; ModelError names the part that is wrong."""
    version = content.get("version")
    if version not in READABLE_VERSIONS:
        raise file.error(
            f"format version {_shown(version)}, but this runtime reads versions up to {VERSION}: "
            "use a matching version of the package, or export the model again"
        )
    if content.get("lane") != kind:
        raise file.error(f"its card is that of another kind of file: {_shown(content.get('lane'))}")
    part = ""
    try:
        for part, check in _PARTS.items():
            check(content[part])
    except (KeyError, TypeError, ValueError):
        raise file.error(f"its card has no {part!r} of the form that lane-export writes") from None
    schemes = PLAIN
    if version == VERSION:
        try:
            schemes = Schemes.checked(**content["schemes"])
        except (KeyError, TypeError, LaneError):
            raise file.error("its card states no schemes that this runtime knows") from None
    if schemes.unsafe(content["actions"]):
        raise file.error("its card has an action that stands for a control character or a line end")
    limits = content["limits"]
    rules = [Rule(tuple(span.split()), tuple(template.split()), n) for span, template, n in content["rules"]]
    words, actions = {*SOURCE_NAMES, *content["words"]}, {*TARGET_NAMES, *content["actions"]}
    if not all(words.issuperset(rule.span) and actions.issuperset(rule.template) for rule in rules):
        raise file.error("its card has a rule of words or actions that it does not list")
    if most_output(limits["max_actions"], content["actions"]) > MAX_OUTPUT_BYTES:
        raise file.error(f"its card allows outputs of more than {MAX_OUTPUT_BYTES} bytes")
    return NetworkCard(
        kind=kind,
        version=version,
        sha256=content["sha256"],
        words=tuple(content["words"]),
        actions=tuple(content["actions"]),
        statuses=tuple(content["statuses"]),
        max_words=limits["max_words"],
        max_actions=limits["max_actions"],
        margin=content["margin"],
        agreement=content["trust"],  # the key of the format
        provenance=content["provenance"],
        # In the order of a program, so that all files of a model list the same.
        rules=tuple(sorted(rules, key=lambda rule: (len(rule.span), rule.span))),
        schemes=schemes,
    )


def _need(holds: bool) -> None:
    if not holds:
        raise ValueError


def _shown(value: Any) -> str:
    """A part of a card in a message: it may be of any type and length."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _tokens(value: Any) -> None:
    """Distinct, each of them one word to `str.split`, and safe to print."""
    _need(type(value) is list and 0 < len(value) <= MAX_TOKENS)
    _need(all(type(token) is str and token.split() == [token] for token in value))
    _need(not any(_CONTROLS.search(token) for token in value))
    _need(len(set(value)) == len(value))


def _limits(value: Any) -> None:
    for name in ("max_words", "max_actions"):
        low, high = RANGES[name]
        _need(type(value[name]) is int and low <= value[name] <= high)


def _figure(value: Any) -> None:
    _need(value is None or (type(value) in (int, float) and 0 <= value <= _MAX_FIGURE))


def _rules(value: Any) -> None:
    _need(type(value) is list)
    for span, template, uses in value:
        _need(type(span) is str and type(template) is str and type(uses) is int)
        _need(bool(span.split()) and bool(template.split()) and 0 <= uses <= MAX_USES)


_PARTS = {
    "sha256": lambda value: _need(type(value) is str),
    "words": _tokens,
    "actions": _tokens,
    "statuses": _tokens,
    "limits": _limits,
    "margin": _figure,
    "trust": _figure,
    "provenance": lambda value: _need(type(value) is dict),
    "rules": _rules,
}
