"""Vectors from the Python runtime, for another runtime to be compared with.

    python tests/js/vectors.py OUT.json [--lines 100000] [--files 20000]

Models with their cards, rules, answers and derivations, and files that are no programs with their errors.
"""

import argparse
import base64
import hashlib
import importlib.util
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

from lane.base.lettercase import fold
from lane.base.placeholder import parsed
from lane.base.scheme import Schemes
from lane.data.scan import scan_pairs
from lane.runtime import Limits, Program, ProgramError, Translator, codec, derivation_text, load
from lane.runtime.extension import Growth, NewWord, grow
from lane.runtime.kind import RuleKind
from lane.runtime.program_backend import ProgramBackend

TESTS = Path(__file__).parents[1]
EXPLAINED = 40  # derivations of a model
SPACES = [
    "\t",
    "\n",
    "\r",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1f",
    "\x85",
    "\xa0",
    "\u1680",
    "\u2009",
    "\u2028",
    "\u3000",
]
# White space of JavaScript or of older Unicode that Python does not split at, and other traps.
ODD = [
    "\ufeff",
    "\u180e",
    "\u200b",
    "\x00",
    "\x7f",
    "\ud800",
    "\udfff",
    "a\ud83d",
    "😀",
    "İ",
    "ẞ",
    "ς",
    "ꭰ",
    "e\u0301",
]
TOKENS = [b"null", b"true", b"-1", b"0", b"1.0", b"1e400", b"9007199254740993", b'"$x"', b'"$"', b"[]", b"{}",
          b'""', b'"\\ud800"', b'"<error:"', b"[", b"]", b"}", b",", b":", b'"', b"\\", b"\xff", b"\xe2\x82",
          b"NaN", b"-Infinity", b'"\xf0\x9f\x98\x80"', b'"a\\u0000"', b"01", b"1.", b"\x01"]  # fmt: skip
# Worded differently by newer releases of Python.
VOLATILE = re.compile("Illegal trailing comma|Out of range float")


def helper(path: str) -> Any:
    """A module of the tests, which are no package."""
    spec = importlib.util.spec_from_file_location(f"vectors_{Path(path).stem}", TESTS / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def programs() -> Iterator[tuple[str, Program, list[str]]]:
    """Named programs, and commands that each must be asked."""
    bundled = load()._backend
    assert isinstance(bundled, ProgramBackend)
    yield "bundled", bundled.program, [" ".join(pair.source) for pair in scan_pairs()]
    naive = helper("runtime/naive.py")
    yield "tiny", naive.tiny_program(), ["dax kiki lug", "kiki", "", "dax " * 60]
    for seed in range(30):
        program = naive.random_program(seed)
        yield f"random {seed}", program, []
        yield f"learned {seed}", replace(program, kinds=kinds(program, Random(seed))), []
    tokenised = helper("runtime/test_tokenised.py")
    lines = ["Play JAZZ!", "play “rock”", "rock $ 1,000.5", "Jaz don't stop", "jazz  jazz\u2028rock!"]
    yield "text", tokenised.program(), lines
    for source, target in (("code", "whitespace"), ("whitespace", "code"), ("text", "whitespace")):
        yield f"{source} {target}", tokenised.program(schemes=Schemes(source, target)), lines
    yield "phrases", phrases(), ["Play smooth jazz!", "smooth jazz smooth jazz rok", "smooth rock"]
    asked = [
        "go 5 meters",
        "GO twelve meters",
        "say hello  world and say May",
        "go {number} meters",
        "please",
        "",
    ]
    asked += [
        "go \u3000" * 600,
        "please " * 530 + "go",
        "play the ATTIC please",
        "say go and may",
        "play Blue\u3000Moon",
        "play blue moon in the hall",
        "say " + "a " * 40,
    ]
    yield "slots", helper("runtime/slot_program.py").program(), asked
    asked = ["Say 'hi', you!", "play blue moon, please", "say go 1,000.5", "Smooth jazz blue moon"]
    as_text = Schemes("text", "code", (("smooth", "jazz"),))
    yield "slots as text", helper("runtime/slot_program.py").program(as_text), asked
    asked = [
        "go -3.5 meters",
        "go 1,000.50 meters and say go 5-3",
        "go - 5 meters",
        "play 5-3",
        "go +1,2,3 meters",
    ]
    asked += [
        "play 1,000",
        "go " + "1," * 16 + "1 meters",
        "go " + "1," * 15 + "11 meters",
        "go--5 meters",
        "go-5 meters",
    ]
    for scheme in ("text", "code"):
        program = helper("runtime/slot_program.py").program(Schemes(scheme, "whitespace"))
        yield f"numbers as {scheme}", program, asked
    grown = Growth(GROWN, ("please", "the"), True)
    yield "grown", grow(bundled.program, grown), ["Hop blue moon AND walk to me please", "jump 3 twice"]
    every_letter = [f"a{chr(code)}" for code in range(0x41, 0x560)]
    yield "any case", any_case(), [*every_letter, "ÖL Straße", "STRASSE", "ΣΊΣΥΦΟΣ", "İx", "mitund mitUND ﬀ"]
    yield "letters", letters(), ["ÖL straße", "STRASSE", "o\u0308l", "Öll", "\U0001d4b3", "ﬀ"]


def kinds(program: Program, random: Random) -> tuple[RuleKind, ...]:
    """Any valid kinds: most rules are learned, and most kinds may stand in most places."""
    groups: dict[tuple[int, int], list[tuple[str, ...]]] = {}
    for rule in program.rules:
        if random.random() < 0.9:
            variables = sum(token.startswith("$") for token in rule.span)
            groups.setdefault((variables, random.randrange(3)), []).append(rule.span)
    numbers = range(1, len(groups) + 1)
    return tuple(
        RuleKind(
            random.random() < 0.9,
            tuple(tuple(n for n in numbers if random.random() < 0.9) for _ in range(variables)),
            tuple(spans),
        )
        for (variables, _), spans in groups.items()
    )


def phrases() -> Program:
    """`smooth jazz` is read as one word, and `very smooth jazz` too."""
    return Program.build(
        words={"smooth␣jazz": True, "very␣smooth␣jazz": True, "rock": True, "play": False},
        nodes=[("play", "$", 1.0, True), ("$", "$", 0.0, True)],
        rules=[
            (("rock",), ("rock",), 1),
            (("smooth␣jazz",), ("jazz", "￭+"), 1),
            (("very␣smooth␣jazz",), ("￮24",), 1),
            (("play", "$x"), ("play", "$X"), 1),
            (("$x", "$y"), ("$Y", "$X"), 2),
        ],
        limits=Limits(max_words=9, max_actions=12),
        complete=False,
        agreement=0.5,
        provenance={"big": 2**60, "small": 1e-7, "large": 1e16, "1": [1.0, -0.0], "text": "größe\n\x1f"},
        schemes=Schemes("text", "code", (("smooth", "jazz"), ("very", "smooth␣jazz"))),
    )


GROWN = (
    NewWord("hop", "look", "I_HOP"),
    NewWord("{number}", "look"),
    NewWord("{room}", "jump"),
    NewWord("{artist}", "look"),
    NewWord("{text}", "walk"),
)
LISTS = {
    "room": ["Blue Hall", "the attic", "moon", "5", "jump", "hall  five", "blue hall", "go to may"],
    "artist": [
        "blue moon",
        "moon",
        "İx",
        "O\u2019Neill",
        "the the",
        "May day",
        "a b c d e f g h i j k l m n o p",
    ],
}
# Refused, with what each needs of a model: a list of another slot, or entries of no use.
WRONG_LISTS: list[tuple[str, list[str]]] = [
    *((name, ["a"]) for name in ("number", "text", "rom", "Room", "", "hall", "\ud800", "x" * 50)),
    ("room", [""]),
    ("room", ["a", " \u3000 "]),
    ("room", ["x" * 257]),
    ("room", ["😀" * 257]),
    ("room", ["a " * 17]),
    ("room", ["a", "b\x07"]),
    ("room", ["b\u2028c", "\ud800"]),
    ("room", ["a"] * 100_001),
]
ACTIONS = [
    "{room:a}",
    "{room:%41%e2}",
    "{room:%FF}",
    "{room:%E2%82}",
    "{room:%ED%A0%80x}",
    "{room:%EF%BB%BFa}",
    "I_JUMP",
]
ACTIONS += [
    "{room:}",
    "{Room:a}",
    "{room:a",
    "{room:a b}",
    "{room:%2}",
    "{room:%F0%9F%98%80-_.~}",
    "{text:a%0Ab}",
    "",
]
SAID = [
    *(
        "5",
        "-7.5",
        "1,000",
        "+3",
        "blue",
        "hall",
        "moon",
        "the",
        "attic",
        "please",
        "May",
        "may",
        "İx",
        "ß",
        "x",
    ),
    *("{text}", "{number}", "{text:a}", "<error:x>", "$x", "I_JUMP", "a" * 300, "!", "'(*)~", "%20"),
    *("O\u2019Neill", "word", "word", "word"),
]


def any_case() -> Program:
    """Words in any case, of all letters that have one, and of others."""
    words = sorted({fold(f"a{chr(code)}") for code in range(0xA1, 0x560)} | {"straße", "σίσυφος"})
    return Program.build(
        words=dict.fromkeys(words, True),
        nodes=[("$", "$", 0.0, True)],
        rules=[*(((word,), (f"<{word}>",), 1) for word in words), (("$x", "$y"), ("$X", "$Y"), 1)],
        limits=Limits(max_words=9, max_actions=12),
        complete=False,
        schemes=Schemes(folds=True),
    )


def letters() -> Program:
    """Words beyond ASCII: code points order otherwise than UTF-16 units."""
    words = {"straße": True, "öl": True, "ꭰ": True, "\uffdc": True, "😀": True, "İx": True, "mitund": False}
    return Program.build(
        words=words,
        nodes=[("$", "$", 0.0, True)],
        rules=[*(((word,), (f"<{word}>",), 1) for word in words), (("$x", "$y"), ("$X", "$Y"), 1)],
        limits=Limits(max_words=9, max_actions=12),
        complete=False,
    )


def lines_for(program: Program, count: int, random: Random) -> list[str]:
    """Commands over the vocabulary, with odd spacing, typing errors and stray characters in some of them."""
    words = [word for word, _ in program.words]
    lines = []
    for _ in range(count):
        tokens = random.choices(
            words, k=min(random.choice((1, 2, 3, 5, 8, 13)), program.limits.max_words + 1)
        )
        if program.schemes.slots:
            tokens = [random.choice((word, word.upper(), *SAID)) for word in tokens]
        fault = random.random()
        if fault < 0.1:
            place = random.randrange(len(tokens))
            tokens[place] = misspelt(tokens[place], random)
        space = random.choice([*SPACES, "  ", " \t "]) if fault > 0.9 else " "
        lines.append(space.join(tokens) + (random.choice(SPACES) if fault > 0.97 else ""))
    return lines


def misspelt(word: str, random: Random) -> str:
    at = random.randrange(len(word) + 1)
    piece = random.choice(
        [*ODD, "x", "", word[at - 1 : at + 1][::-1], word.upper(), "ab'\"c" * random.choice((1, 20))]
    )
    return word[:at] + piece + word[at + random.randrange(2) :]


def model(
    name: str, program: Program, lines: list[str], random: Random, lenient: bool = False
) -> dict[str, Any]:
    """What the runtime says to the lines."""
    data = program.dumps()
    translator = Translator(ProgramBackend(program, "", codec.digest(data), lenient=lenient))
    lists = {slot: LISTS[slot] for slot in program.schemes.slots if slot in LISTS and not lenient}
    idle = {slot: translator.set_list(slot, entries) for slot, entries in lists.items()}
    refused = [
        [
            slot,
            entries if len(entries) < 99 else [entries[0], len(entries)],
            list_error(translator, slot, entries),
        ]
        for slot, entries in (WRONG_LISTS if program.schemes.slots else WRONG_LISTS[:3])
    ]
    answers = translator.translate_batch(lines)
    explained = sorted(random.sample(range(len(lines)), min(EXPLAINED, len(lines))))
    info = asdict(translator.info)
    for unknown in ("backend", "path", "file_sha256"):  # of files, and other backends
        del info[unknown]
    return {
        "name": name,
        "data": base64.b64encode(data).decode(),
        "lenient": lenient,
        "info": info | {"schemes": translator.info.schemes._asdict()},
        "rules": [[" ".join(rule.span), " ".join(rule.template), rule.uses] for rule in translator.rules()],
        "table": str(translator.rules()),
        "lines": lines,
        "answers": [answer(item) for item in answers],
        "lists": lists,
        "idle": idle,
        "refused": refused,
        "slots": [[asdict(slot) for slot in item.slots] for item in answers] if lists else [],
        "explained": [derivation(translator, place, lines[place]) for place in explained],
    }


def list_error(translator: Translator, slot: str, entries: list[str]) -> str | None:
    """Why a list is refused; None if it is taken, and an older one is given again."""
    before = dict(translator.lists)
    try:
        translator.set_list(slot, entries)
    except ValueError as error:
        assert dict(translator.lists) == before
        return str(error)
    return None


def answer(translation: Any) -> list[Any]:
    """As short as it can be: there are very many."""
    if translation.error is None:
        return [
            translation.text,
            *([] if translation.text.split(" ") == [*translation.actions] else translation.actions),
        ]
    return ["", asdict(translation.error)]


def derivation(translator: Translator, place: int, line: str) -> dict[str, Any]:
    found = translator.explain(line)
    return {
        "line": place,
        "data": derivation_text.as_dict(found),
        "text": found.as_text(),
        "tree": found.as_tree(),
    }


def files(count: int, random: Random) -> Iterator[dict[str, Any]]:
    """Files of every kind of error, and damaged ones; some are programs still."""
    for path in sorted((TESTS / "runtime" / "attacks").glob("*.lane")):
        yield loaded(path.stem, path.read_bytes())
    bodies = [program.dumps().split(b"\n", 1) for name, program, _ in programs() if name != "bundled"]
    for number in range(count):
        header, body = random.choice(bodies)
        for _ in range(random.randint(1, 2)):
            body = damaged(body, random)
        yield loaded(
            f"damaged {number}", header[:30] + hashlib.sha256(body).hexdigest().encode() + b'",\n' + body
        )


def damaged(body: bytes, random: Random) -> bytes:
    """A value replaced by another, or bytes changed."""
    if random.random() < 0.6:
        values = list(re.finditer(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.e-]*|true|false|null', body))
        if values:
            chosen = random.choice(values)
            return body[: chosen.start()] + random.choice(TOKENS) + body[chosen.end() :]
    at = random.randrange(len(body) + 1)
    piece = random.choice([b"", random.choice(TOKENS), body[at // 2 : at // 2 + 20]])
    return body[:at] + piece + body[at + random.choice((0, 1, 2, 30)) :]


def loaded(name: str, data: bytes) -> dict[str, Any]:
    error = None
    try:
        Program.loads(data)
    except ProgramError as problem:
        error = str(problem)
    return {"name": name, "data": base64.b64encode(data).decode(), "error": error}


def make(lines: int, damages: int) -> dict[str, Any]:
    """All vectors; the same for the same counts."""
    random = Random(19)
    every = list(programs())
    shares = {
        name: lines // 2 if name == "bundled" else lines // 2 // (len(every) - 1) for name, _, _ in every
    }
    models = [
        model(name, program, [*asked, *lines_for(program, shares[name], random)], random)
        for name, program, asked in every
    ]
    name, program, _ = next(found for found in every if found[0] == "learned 1")
    models.append(model(f"{name}, lenient", program, lines_for(program, 500, random), random, lenient=True))
    # Without lists, which a failure names.
    program = helper("runtime/slot_program.py").program()
    models.append(model("slots, lenient", program, lines_for(program, 500, random), random, lenient=True))
    read = [file for file in files(damages, random) if not VOLATILE.search(file["error"] or "")]
    tokens = [[action, parsed(action)] for action in ACTIONS]
    return {"models": models, "files": read, "tokens": tokens}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--lines", type=int, default=4000)
    parser.add_argument("--files", type=int, default=1500)
    options = parser.parse_args()
    options.out.write_text(json.dumps(make(options.lines, options.files)), encoding="utf-8")


if __name__ == "__main__":
    main()
