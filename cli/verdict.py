"""The result of the tests of a language, as text, JSON and JUnit's XML."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from lane.cli.examination import Case, Contrast, Examination
from lane.runtime import derivation_text
from lane.runtime.divergence import Divergence
from lane.runtime.results import Translation

_MOST_SHOWN = 50  # failures, differences or names in the text; JSON has all
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def as_text(result: Examination) -> str:
    """For people: failures with their derivations first, the sums last."""
    return "\n".join(_text_lines(result)) + "\n"


def _text_lines(result: Examination) -> Iterator[str]:
    failures = result.failures
    for case in failures[:_MOST_SHOWN]:
        yield f"FAIL {result.pairs}, line {case.line}"
        yield from _explained(case)
    if len(failures) > _MOST_SHOWN:
        yield f"... and {len(failures) - _MOST_SHOWN:,} more failures"
    if result.comparison:
        yield from _compared(result.comparison)
    covered = result.coverage
    for noun, total, left in (
        ("rules", covered.rules, [str(rule) for rule in covered.rules_left]),
        ("words", covered.words, list(covered.words_left)),
    ):
        rest = f"; not: {_listed(left)}" if left else ""
        yield f"{noun}: {total - len(left):,} of {total:,} covered{rest}"
    yield f"pairs: {len(result.cases) - len(failures):,} of {len(result.cases):,} passed"


def _explained(case: Case) -> Iterator[str]:
    """The derivation, which ends with the answer or the error; and what was expected instead."""
    yield from derivation_text.text_lines(case.derivation)
    yield f"  expected: {case.expected}"


def _compared(comparison: Contrast) -> Iterator[str]:
    found = [*comparison.on_pairs, *comparison.on_commands]
    for difference in found[:_MOST_SHOWN]:
        yield f"DIFFERS {difference.command}"
        yield f"  this model: {_answer(difference.ours)}"
        yield f"  {comparison.other}: {_answer(difference.theirs)}"
    if len(found) > _MOST_SHOWN:
        yield f"... and {len(found) - _MOST_SHOWN:,} more differences"
    yield (
        f"differences from {comparison.other}: {len(comparison.on_pairs):,} on the pairs, "
        f"{len(comparison.on_commands):,} on {comparison.commands:,} new commands"
    )


def _listed(names: Sequence[str]) -> str:
    more = f", and {len(names) - _MOST_SHOWN:,} more" if len(names) > _MOST_SHOWN else ""
    return ", ".join(names[:_MOST_SHOWN]) + more


def _answer(answer: Translation) -> str:
    return answer.text if answer.error is None else f"{answer.error.code}: {answer.error.message}"


def as_json(result: Examination) -> str:
    """For programs: everything, with the keys of `lane-run --explain json` for derivations."""
    covered, comparison = result.coverage, result.comparison
    content: dict[str, Any] = {
        "passed": result.passed,
        "pairs": len(result.cases),
        "failures": [
            {"line": case.line, "expected": case.expected} | derivation_text.as_dict(case.derivation)
            for case in result.failures
        ],
        "rules": {"total": covered.rules, "left": [str(rule) for rule in covered.rules_left]},
        "words": {"total": covered.words, "left": list(covered.words_left)},
        "comparison": comparison
        and {
            "other": comparison.other,
            "on_pairs": [_difference(found) for found in comparison.on_pairs],
            "commands": comparison.commands,
            "on_commands": [_difference(found) for found in comparison.on_commands],
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _difference(found: Divergence) -> dict[str, str]:
    return {"command": found.command, "ours": _answer(found.ours), "theirs": _answer(found.theirs)}


def as_junit(result: Examination) -> str:
    """For CI servers: a test case a pair, and one a difference from the other model."""
    cases = [
        _junit_case(result.pairs, f"line {case.line}: {case.command}", None if case.passed else case)
        for case in result.cases
    ]
    failed = len(result.failures)
    if result.comparison:
        found = [*result.comparison.on_pairs, *result.comparison.on_commands]
        failed += len(found)
        cases += [_junit_difference(result.comparison.other, difference) for difference in found]
    counts = f'name={_quoted(result.model)} tests="{len(cases)}" failures="{failed}"'
    suite = [f"<testsuite {counts}>", *cases, "</testsuite>"]
    return (
        "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", *suite, "</testsuites>"]) + "\n"
    )


def _junit_case(group: str, name: str, failure: Case | None) -> str:
    start = f"<testcase classname={_quoted(group)} name={_quoted(name)}"
    if failure is None:
        return f"{start}/>"
    message = _quoted(f"expected {failure.expected}")
    return (
        f"{start}><failure message={message}>{_clean(chr(10).join(_explained(failure)))}</failure></testcase>"
    )


def _junit_difference(other: str, found: Divergence) -> str:
    start = f"<testcase classname={_quoted(other)} name={_quoted(f'same answer: {found.command}')}>"
    body = _clean(f"this model: {_answer(found.ours)}\n{other}: {_answer(found.theirs)}")
    return f'{start}<failure message="differs">{body}</failure></testcase>'


def _quoted(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _clean(text: str) -> str:
    return escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))
