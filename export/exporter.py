"""Exporting: a checkpoint becomes verified files, or nothing is written."""

import hashlib
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lane.base.errors import LaneError
from lane.base.files import write_atomically
from lane.export import closure as closures
from lane.export import compiler as programs
from lane.export import verify
from lane.export.batches import numbers, portions, table
from lane.export.guarded import Core
from lane.export.inspection import ONNX, PROGRAM, TORCHSCRIPT, refuse_exported
from lane.export.margins import THIN, Margin, smallest
from lane.export.metadata import describe
from lane.export.probe import Answer
from lane.models import checkpoint as checkpoints
from lane.models import symbols
from lane.models.checkpoint import Checkpoint
from lane.models.naming import named_rule
from lane.models.nodes import Nodes
from lane.runtime.bounds import MAX_PROVENANCE_BYTES

SUFFIXES = {TORCHSCRIPT: ".ts", ONNX: ".onnx", PROGRAM: ".lane"}
FORMATS = tuple(SUFFIXES)
DISTRIBUTION = "lane-expressions"
SHOWN = 5
_UNKNOWN_LONGEST = 10  # words of a command, where no data tells

Report = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What to export, and what to verify it with."""

    model: Path
    out: Path
    formats: tuple[str, ...] = FORMATS
    data: tuple[str, ...] = ()  # commands; empty: only random ones are compared
    budget: int = 200_000
    random: int = 2000


@dataclass(frozen=True)
class Written:
    """A file that passed verification."""

    path: Path
    kind: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Export:
    """The files, and what is to be known of them."""

    files: tuple[Written, ...]
    compared: int
    margin: float | None
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class _Study:
    """What the checkpoint does with the commands that the files are verified with."""

    commands: list[str]
    answers: list[Answer]
    uses: Counter[programs.Span]
    met: Nodes | None
    margin: Margin | None
    margin_command: str = ""


@dataclass
class _Made:
    """The bytes of the files by kind."""

    data: dict[str, bytes] = field(default_factory=dict)
    complete: bool = True
    warnings: list[str] = field(default_factory=list)


def export(request: Request, report: Report = lambda _: None) -> Export:
    """Make the files, verify each in a fresh process, and only then put them in place."""
    refuse_exported(request.model)
    checkpoint = checkpoints.load(request.model)
    if PROGRAM in request.formats:
        programs.refuse_limits(checkpoint)
    with torch.no_grad(), _one_thread():
        study = _study(request, checkpoint, report)
        made = _make(request, checkpoint, study, report)
    if not checkpoint.card.converged:
        made.warnings.append(
            f"the model has not converged ({checkpoint.card.reason}): expect wrong answers, or train longer"
        )
    if study.margin is not None and study.margin.size < THIN:
        made.warnings.append(
            f"a {study.margin.kind} was decided by {study.margin.size:.1e} only, in "
            f"{study.margin_command!r}: train longer for choices that do not hang on the last digits"
        )
    files = _verified(request, study, made, report)
    margin = None if study.margin is None else study.margin.size
    return Export(files, len(study.commands), margin, tuple(made.warnings))


@contextmanager
def _one_thread() -> Iterator[None]:
    """The tensors are small: a second thread costs more than it brings, and much more on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _study(request: Request, checkpoint: Checkpoint, report: Report) -> _Study:
    model, source = checkpoint.model().double(), checkpoint.source
    _refuse_foreign(request.data, checkpoint)
    longest = max((len(command.split()) for command in request.data), default=_UNKNOWN_LONGEST)
    longest = min(10 * longest, checkpoint.config.max_words)
    invented = verify.random_commands(source.words, request.data, request.random, longest)
    commands = [*request.data, *invented]
    report(f"checkpoint: {len(request.data)} commands of the data, {len(invented)} random ones")
    rows = [numbers(command, source) for command in commands]
    margin = smallest(model, rows)
    bad = verify.bad_commands(source.words, checkpoint.config.max_words)
    answers = verify.expected(model, checkpoint, [*commands, *bad])
    uses: Counter[programs.Span] = Counter()
    met: Nodes | None = None
    known = rows[: len(request.data)]
    for portion in portions([len(row) for row in known]):
        derivations = model.rollout(table([known[i] for i in portion]), None, 0).derivations
        uses += _count_spans(derivations.nodes.leaves, derivations.node)
    if known:
        met = _met(model.composer, known)
    where = commands[margin.row] if margin else ""
    return _Study([*commands, *bad], answers, uses, met, margin, where)


def _refuse_foreign(data: Sequence[str], checkpoint: Checkpoint) -> None:
    for line, command in enumerate(data, start=1):
        unknown = [word for word in command.split() if word not in checkpoint.source]
        if unknown or not command.split():
            problem = f"the model does not know {unknown[0]!r}" if unknown else "it has no words"
            raise LaneError(f"verification data, pair {line}: {problem}; give the data it was trained on")


def _met(composer: Any, rows: Sequence[Sequence[int]]) -> Nodes:
    """The nodes of the commands of average length and below a bound: they fit in one batch."""
    words = table([row for row in rows if len(row) <= 64] or [rows[0]])
    example, _ = composer.distinct_shapes(words)
    nodes: Nodes = composer.compose(words[example], None).nodes
    return nodes


def _count_spans(leaves: Tensor, node: Tensor) -> Counter[programs.Span]:
    """How often each span is translated in a batch."""
    used, count = torch.unique(node[node != symbols.NONE], return_counts=True)
    uses: Counter[programs.Span] = Counter()
    for span, n in zip(leaves[used].tolist(), count.tolist(), strict=True):
        uses[tuple(leaf for leaf in span if leaf != symbols.NONE)] += n
    return uses


def _make(request: Request, checkpoint: Checkpoint, study: _Study, report: Report) -> _Made:
    made, model = _Made(), checkpoint.model().double()
    margin = None if study.margin is None else study.margin.size
    provenance = _provenance(request, checkpoint, study)
    used = programs.solve(model.solver, sorted(study.uses), checkpoint.config.max_span)
    vocabularies, variables = (checkpoint.source, checkpoint.target), checkpoint.config.max_variables
    named = [
        named_rule(span, template, vocabularies, variables, study.uses[span])
        for span, template in used.items()
    ]
    table_of_rules = [
        [" ".join(rule.span), " ".join(rule.template), rule.uses]
        for rule in sorted(named, key=lambda rule: rule.order)
    ]
    for kind in request.formats:
        report(f"{kind}: making {_name(request, kind)}")
        if kind == PROGRAM:
            made.data[kind] = _program(request, checkpoint, study, made, provenance)
            continue
        core = Core(checkpoint.model(), len(checkpoint.source), checkpoint.config)
        metadata = describe(checkpoint, kind, margin, table_of_rules, provenance)
        if kind == TORCHSCRIPT:
            from lane.export.torchscript import archive

            made.data[kind] = archive(core, metadata)
        else:
            from lane.export.onnx_file import onnx_file

            made.data[kind] = onnx_file(core, metadata)
    return made


def _program(
    request: Request, checkpoint: Checkpoint, study: _Study, made: _Made, provenance: Mapping[str, Any]
) -> bytes:
    model = checkpoint.model().double()
    closure = closures.close(model.composer, request.budget, study.met)
    rules = programs.solve(model.solver, programs.spans_of(closure), checkpoint.config.max_span)
    margin = None if study.margin is None else study.margin.size
    program = programs.compile_program(checkpoint, closure, rules, study.uses, margin, provenance)
    if closure.left_out:
        made.complete = False
        missing = ", ".join(f"{count:,} of {size} leaves" for size, count in closure.left_out.items())
        made.warnings.append(
            f"the program is not complete: a budget of {request.budget:,} nodes has no room for those of "
            f"{min(closure.left_out)} leaves or more (at least {missing}); of these it holds what the "
            "commands of the data meet. Give a larger --budget, or use another format"
        )
    return program.dumps()


def _provenance(request: Request, checkpoint: Checkpoint, study: _Study) -> dict[str, Any]:
    """The checkpoint's card, and what the export did; nothing of when and where, so that bytes repeat."""
    weights = hashlib.sha256()
    for name, tensor in sorted(checkpoint.weights.items()):
        weights.update(name.encode())
        weights.update(tensor.contiguous().numpy().tobytes())
    facts = {
        "lane": version(DISTRIBUTION),
        "weights_sha256": weights.hexdigest(),
        "verified": {"data": len(request.data), "random": request.random, "seed": verify.SEED},
        "thinnest": None if study.margin is None else study.margin.kind,
    }
    card = checkpoint.card.model_dump(mode="json")
    if len(json.dumps(card, ensure_ascii=False).encode()) > MAX_PROVENANCE_BYTES // 2:
        card.pop("rules", None)  # the files hold them anyway
    return {"training": card, "export": facts}


def _name(request: Request, kind: str) -> str:
    return request.model.stem + SUFFIXES[kind]


def _verified(request: Request, study: _Study, made: _Made, report: Report) -> tuple[Written, ...]:
    """Write beside the target, compare, rename: a difference leaves what was there as it was."""
    try:
        request.out.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=".lane-export-", dir=request.out))
    except OSError as error:
        raise LaneError(f"{request.out}: cannot be written: {error.strerror or error}") from None
    try:
        for kind, data in made.data.items():
            _check_file(place / _name(request, kind), data, study, kind != PROGRAM or made.complete, report)
        written = []
        for kind, data in made.data.items():
            target = request.out / _name(request, kind)
            (place / target.name).replace(target)
            written.append(Written(target, kind, len(data), hashlib.sha256(data).hexdigest()))
        return tuple(written)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _check_file(path: Path, data: bytes, study: _Study, complete: bool, report: Report) -> None:
    begin = time.perf_counter()
    write_atomically(path, lambda stream: stream.write(data))
    found = verify.differences(path, study.commands, study.answers, complete)
    if found:
        shown = "\n".join(f"  {difference}" for difference in found[:SHOWN])
        raise LaneError(
            f"{path.name} answers {len(found)} of {len(study.commands)} commands otherwise than the "
            f"checkpoint; nothing was written:\n{shown}"
        )
    seconds = time.perf_counter() - begin
    report(f"{path.name}: {len(study.commands)} commands, no difference ({seconds:.1f} s)")
