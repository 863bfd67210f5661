"""Exporting: a checkpoint becomes verified files, or no file is written."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from lane.base.errors import LaneError, UnwrittenError
from lane.base.files import path_of_file, temporary_folder, write_atomically
from lane.export import closure as closures
from lane.export import compiler as programs
from lane.export import verify
from lane.export.guarded import GuardedModel
from lane.export.inspection import refuse_exported
from lane.export.kinds import (
    BUDGET,
    EXPORTED,
    ONNX,
    PROGRAM,
    RANDOM,
    SUFFIXES,
    TORCHSCRIPT,
    checked_formats,
)
from lane.export.margins import THIN
from lane.export.metadata import describe
from lane.export.probe import OK
from lane.export.reference import (
    Reference,
    Refusals,
    derive,
    given_pairs,
    learned_nodes,
    refuse_damage,
)
from lane.models import checkpoint as checkpoints
from lane.models.checkpoint import Checkpoint
from lane.models.naming import named_rule
from lane.runtime.bounds import MAX_PROVENANCE_BYTES

DISTRIBUTION = "lane-expressions"
SHOWN = 5  # differences quoted in an error: the first few usually show the pattern
SHOWN_MISFITS = 3  # pairs quoted in a warning, which is one line

Say = Callable[[str], object]


@dataclass(frozen=True)
class Written:
    """A file that passed verification."""

    path: Path
    kind: str
    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Export:
    """The files of a model, and the findings of their verification."""

    files: tuple[Written, ...]
    compared: int  # commands on which every file agrees with the checkpoint
    pairs: int  # given with their outputs
    correct: int  # of these, the pairs whose output the model gives
    margin: float | None  # the smallest distance between a best and a second-best choice
    warnings: tuple[str, ...]
    refusals: Refusals | None = None  # None: the checkpoint does not know what was learned

    @property
    def program(self) -> Path | None:
        """The `.lane` file, if it was asked for."""
        return self._path(PROGRAM)

    @property
    def onnx(self) -> Path | None:
        """The `.onnx` file, if it was asked for."""
        return self._path(ONNX)

    @property
    def torchscript(self) -> Path | None:
        """The `.ts` file, if it was asked for."""
        return self._path(TORCHSCRIPT)

    def _path(self, kind: str) -> Path | None:
        return next((file.path for file in self.files if file.kind == kind), None)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(str(file.path))}</td><td>{file.kind}</td><td>{file.size:,}</td>"
            f"<td><code>{file.sha256[:16]}</code></td></tr>"
            for file in self.files
        )
        warnings = "".join(f"<p>Warning: {escape(warning)}</p>" for warning in self.warnings)
        head = "<tr><th>file</th><th>kind</th><th>bytes</th><th>sha256</th></tr>"
        same = f"<p>{self.compared:,} commands, no difference from the checkpoint.</p>"
        return f"<table>{head}{rows}</table>{same}{warnings}"


@dataclass(frozen=True)
class _Request:
    """The arguments of an export, checked."""

    checkpoint: Checkpoint
    name: str
    out: Path
    formats: tuple[str, ...]
    budget: int
    say: Say

    def target(self, kind: str) -> Path:
        """Where a file goes."""
        return self.out / (self.name + SUFFIXES[kind])


@dataclass
class _Made:
    """The bytes of the files by kind."""

    data: dict[str, bytes] = field(default_factory=dict)
    complete: bool = True
    warnings: list[str] = field(default_factory=list)


def export(
    model: str | Path | Checkpoint,
    *,
    out: str | Path | None = None,
    formats: Iterable[str] = EXPORTED,
    pairs: Iterable[Any] | None = None,
    random: int = RANDOM,
    budget: int = BUDGET,
    on_step: Say | None = None,
) -> Export:
    """Write a trained model as files that need no training code, each verified in a fresh process.

    `model` is a checkpoint or its file, beside which the files go unless `out` names a folder. `pairs`
    (the training pairs) and `random` commands are compared with the checkpoint; if a reply differs, or the
    model gets fewer training pairs right than its card states, a LaneError says so and nothing is written.
    `budget` bounds the nodes of the program's table.
    """
    wanted = checked_formats([formats] if isinstance(formats, str) else formats)
    if min(random, budget) < 0:
        raise LaneError(f"random {random}, budget {budget}: neither can be below 0")
    request = _request(model, out, wanted, budget, on_step or (lambda _: None))
    checkpoint, given = request.checkpoint, given_pairs(pairs or (), request.checkpoint.card.schemes)
    if PROGRAM in wanted:
        programs.refuse_limits(checkpoint)
    for kind in wanted:
        path_of_file(request.target(kind))  # an error now, and not after the work
    with torch.no_grad(), _one_thread():
        request.say(f"checkpoint: {len(given)} commands of the data, {random} random ones")
        reference = derive(checkpoint, given, random)
        refuse_damage(checkpoint, given, reference)
        made = _make(request, reference, _provenance(checkpoint, reference, len(given), random))
    labelled = sum(pair.output is not None for pair in given)
    return Export(
        files=_verified(request, reference, made),
        compared=len(reference.commands),
        pairs=labelled,
        correct=labelled - len(reference.misfits),
        margin=reference.margin_size,
        warnings=(*made.warnings, *_warnings(checkpoint, reference, labelled)),
        refusals=reference.refusals,
    )


def _request(
    model: str | Path | Checkpoint, out: str | Path | None, formats: tuple[str, ...], budget: int, say: Say
) -> _Request:
    if isinstance(model, Checkpoint):
        if out is None:
            raise LaneError("a checkpoint in memory has no folder: name one with out=")
        checkpoint, name = model, "model"
    else:
        path = Path(model)
        refuse_exported(path)
        checkpoint, name, out = checkpoints.load(path), path.stem, out or path.parent
    if Path(out).exists() and not Path(out).is_dir():
        raise LaneError(f"{out}: is a file; name a folder for the exported files")
    return _Request(checkpoint=checkpoint, name=name, out=Path(out), formats=formats, budget=budget, say=say)


def _warnings(checkpoint: Checkpoint, reference: Reference, labelled: int) -> Iterator[str]:
    if not checkpoint.card.converged:
        yield f"the model has not converged ({checkpoint.card.reason}): expect wrong answers, or train longer"
    margin = reference.margin
    # What is refused hangs on nothing.
    if margin is not None and margin.size < THIN and reference.replies[margin.row][0] == OK:
        command = reference.commands[margin.row]
        yield (
            f"a {margin.kind} was decided by {margin.size:.1e} only, in {command!r}: "
            "train longer for choices that do not hang on the last digits"
        )
    refusals = reference.refusals
    if refusals is None:
        yield "the checkpoint is of an earlier release: its files cannot refuse what was never learned"
    if reference.misfits:
        shown = "; ".join(reference.misfits[:SHOWN_MISFITS])
        yield f"the model gets {len(reference.misfits):,} of {labelled:,} pairs wrong: {shown}"


@contextmanager
def _one_thread() -> Iterator[None]:
    """The tensors are small: a second thread costs more than it saves, above all on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _make(request: _Request, reference: Reference, provenance: Mapping[str, Any]) -> _Made:
    made, checkpoint = _Made(), request.checkpoint
    rules = _rules(checkpoint, reference)
    for kind in request.formats:
        request.say(f"{kind}: making {request.name}{SUFFIXES[kind]}")
        if kind == PROGRAM:
            made.data[kind] = _program(request, reference, made, provenance)
            continue
        guarded = GuardedModel(
            checkpoint.model(), len(checkpoint.source), checkpoint.config, checkpoint.learned
        )
        metadata = describe(checkpoint, kind, reference.margin_size, rules, provenance)
        if kind == TORCHSCRIPT:
            from lane.export.torchscript import archive

            made.data[kind] = archive(guarded, metadata)
        else:
            from lane.export.onnx_file import onnx_file  # onnx need not be installed for the others

            made.data[kind] = onnx_file(guarded, metadata)
    return made


def _rules(checkpoint: Checkpoint, reference: Reference) -> list[list[Any]]:
    """The rules in use, as the card of a network file lists them."""
    config, vocabularies = checkpoint.config, (checkpoint.source, checkpoint.target)
    used = programs.solve(checkpoint.model().double().solver, sorted(reference.uses), config.max_span)
    named = [
        named_rule(span, template, vocabularies, config.max_variables, reference.uses[span])
        for span, template in used.items()
    ]
    return [
        [" ".join(rule.span), " ".join(rule.template), rule.uses]
        for rule in sorted(named, key=lambda rule: rule.order)
    ]


def _program(request: _Request, reference: Reference, made: _Made, provenance: Mapping[str, Any]) -> bytes:
    checkpoint, model = request.checkpoint, request.checkpoint.model().double()
    closure = closures.close(model.composer, request.budget, reference.met)
    if closure.left_out is not None:
        met = [*reference.met, *learned_nodes(checkpoint, reference.met)]
        closure = closures.close(model.composer, request.budget, met)
    rules = programs.solve(model.solver, programs.spans_of(closure), checkpoint.config.max_span)
    program = programs.compile_program(
        checkpoint, closure, rules, reference.uses, reference.margin_size, provenance
    )
    if closure.left_out is not None:
        made.complete = False
        made.warnings.append(
            f"the program is not complete: a budget of {request.budget:,} nodes has no room for those of "
            f"{closure.left_out} leaves or more; of these it holds the ones that the commands of the data "
            "and those that combine what was learned meet. Give a larger --budget, or use another format"
        )
    return program.dumps()


def _provenance(checkpoint: Checkpoint, reference: Reference, data: int, random: int) -> dict[str, Any]:
    """The checkpoint's card and the export's settings; neither time nor place, so that bytes repeat."""
    weights = hashlib.sha256()
    for name, tensor in sorted(checkpoint.weights.items()):
        weights.update(name.encode())
        weights.update(tensor.contiguous().numpy().tobytes())
    facts = {
        "lane": version(DISTRIBUTION),
        "weights_sha256": weights.hexdigest(),
        "verified": {"data": data, "random": random, "seed": verify.SEED},
        "thinnest": None if reference.margin is None else reference.margin.kind,
    }
    card = checkpoint.card.model_dump(mode="json")
    # Half of the limit: the rest of the provenance must fit too, and every file lists the rules anyway.
    if len(json.dumps(card, ensure_ascii=False).encode()) > MAX_PROVENANCE_BYTES // 2:
        card.pop("rules", None)
    return {"training": card, "export": facts}


def _verified(request: _Request, reference: Reference, made: _Made) -> tuple[Written, ...]:
    """Write beside the targets and compare, then in place; after a difference the old files stay."""
    written = []
    with ExitStack() as stack:
        try:
            request.out.mkdir(parents=True, exist_ok=True)
            folder = stack.enter_context(temporary_folder(request.out, ".lane-export-"))
        except OSError as error:
            raise UnwrittenError(f"{request.out}: cannot be written: {error.strerror or error}") from None
        for kind, data in made.data.items():
            complete = kind != PROGRAM or made.complete
            _check_file(Path(folder, request.target(kind).name), data, reference, complete, request.say)
        for kind, data in made.data.items():
            target = request.target(kind)
            write_atomically(target, data)
            written.append(Written(target, kind, len(data), hashlib.sha256(data).hexdigest()))
    return tuple(written)


def _check_file(path: Path, data: bytes, reference: Reference, complete: bool, say: Say) -> None:
    begin = time.perf_counter()
    write_atomically(path, data)
    wrong = verify.differences(path, reference.commands, reference.replies, complete)
    if wrong:
        shown = "\n".join(f"  {difference}" for difference in wrong[:SHOWN])
        raise LaneError(
            f"{path.name} answers {len(wrong)} of {len(reference.commands)} commands differently from the "
            f"checkpoint; nothing was written:\n{shown}"
        )
    seconds = time.perf_counter() - begin
    say(f"{path.name}: {len(reference.commands)} commands, no difference ({seconds:.1f} s)")
