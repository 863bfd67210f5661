"""Answers of an exported file, in a separate process: `python -m lane.export.probe FILE THREADS`.

Standard input holds JSON, a list of batches of commands; standard output gets an answer for each command.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

Reply = tuple[str, str]  # the code of the status, and the actions, of a refused command too
Translate = Callable[[Sequence[str]], list[Reply]]

OK = "ok"
LONGEST = 400  # characters sent back verbatim; outputs may have millions, which go as a checksum


def open_file(path: Path, threads: int = 1) -> Translate:
    """A function that translates with the file, whatever its kind."""
    from lane.base.errors import LaneError
    from lane.export.inspection import inspect
    from lane.export.kinds import ONNX, PROGRAM, TORCHSCRIPT

    card = inspect(path)
    if card.kind == PROGRAM:
        return _program(path)
    if card.kind == TORCHSCRIPT:
        return _torchscript(path, card.notes["statuses"], threads)
    if card.kind == ONNX:
        return _onnx(path, card.words, card.actions, card.notes["statuses"], threads)
    raise LaneError(f"{path}: a {card.kind} is not an exported file")


def _program(path: Path) -> Translate:
    from lane.export.kinds import PROGRAM
    from lane.runtime.translator import open_backend

    # Without the schemes: every kind of file is asked in tokens.
    strict, lenient = (open_backend(path, PROGRAM, 1, False, lenient) for lenient in (False, True))

    def translate(commands: Sequence[str]) -> list[Reply]:
        # As a network replies: a command that was not learned has its actions too.
        both = zip(strict.translate_batch(commands), lenient.translate_batch(commands), strict=True)
        return [(one.error.code if one.error else OK, other.text) for one, other in both]

    return translate


def _torchscript(path: Path, statuses: Sequence[str], threads: int) -> Translate:
    import torch

    torch.set_num_threads(threads)
    module = torch.jit.load(str(path))  # type: ignore[no-untyped-call]

    def translate(commands: Sequence[str]) -> list[Reply]:
        with torch.inference_mode():
            texts, codes = module(list(commands))
        return [(statuses[code], text) for code, text in zip(codes, texts, strict=True)]

    return translate


def _onnx(
    path: Path, words: Sequence[str], actions: Sequence[str], statuses: Sequence[str], threads: int
) -> Translate:
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # as the runtime does
    import numpy as np
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    number = {word: i for i, word in enumerate(words, start=1)}

    def translate(commands: Sequence[str]) -> list[Reply]:
        split = [command.split() for command in commands]
        table = np.zeros((len(split), max(map(len, split), default=0)), dtype=np.int64)
        for row, line in enumerate(split):
            table[row, : len(line)] = [number.get(word, -1) for word in line]
        flat, length, status = session.run(None, {"words": table})
        texts, at = [], 0
        for size in length.tolist():
            texts.append(" ".join([actions[i - 1] for i in flat[at : at + size].tolist()]))
            at += size
        return [(statuses[code], text) for code, text in zip(status.tolist(), texts, strict=True)]

    return translate


def shortened(answer: Reply) -> Reply:
    """The answer, with the end of a long text replaced by its length and SHA-256."""
    code, text = answer
    if len(text) <= LONGEST:
        return answer
    return code, f"{text[:LONGEST]} ... {len(text)} characters, sha256 {sha256(text.encode()).hexdigest()}"


def main() -> None:
    """Answer the batches on standard input."""
    translate = open_file(Path(sys.argv[1]), threads=int(sys.argv[2]))
    batches = json.load(sys.stdin)
    answers = [[shortened(answer) for answer in translate(batch)] for batch in batches]
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
