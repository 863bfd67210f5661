"""What models of real data answer: how much of their tests is right, refused, or has unknown words.

    lane-train sweep --tasks files:NAME,... --seeds 1 --minutes 10 --data-dir DIR --models build/real
    python benchmarks/answered.py --models build/real --data-dir DIR --json results/answered.json

Every file `test*.txt` of a folder is a test. Where a folder has a `categories.txt`, with a line for each of
test.txt, its categories are listed apart.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from lane.base.phrase import join_phrases
from lane.data import read_pairs
from lane.data.pair import Pair
from lane.models import symbols
from lane.models.checkpoint import Checkpoint, load
from lane.trainer.dataset import Dataset
from lane.trainer.learner import same_rows

UNKNOWN, REFUSED, RIGHT, WRONG = "unknown", "refused", "right", "wrong"
CATEGORIES = "categories.txt"


@torch.no_grad()
def verdicts(checkpoint: Checkpoint, pairs: Sequence[Pair]) -> list[str]:
    """One of the four for each pair, in double precision as in the exported files."""
    model, learned = checkpoint.model().double(), checkpoint.learned
    schemes, phrases = checkpoint.card.schemes, checkpoint.card.phrases
    split = [pair.by(schemes.trained) for pair in pairs]
    split = [Pair(tuple(join_phrases(pair.source, phrases)), pair.target) for pair in split]
    known = [all(word in checkpoint.source for word in pair.source) for pair in split]
    writable = [all(action in checkpoint.target for action in pair.target) for pair in split]
    # An output with a foreign action is wrong or refused, whatever stands for it.
    asked = {
        Pair(pair.source, pair.target if fits else (checkpoint.target.words[0],)): pair
        for pair, is_known, fits in zip(split, known, writable, strict=True)
        if is_known
    }
    dataset = Dataset(asked, checkpoint.source, checkpoint.target)
    found: dict[Pair, str] = {}
    for index in dataset.chunks():
        gold = dataset.gold_of(index)
        rollout = model.rollout(dataset.words_of(index), None, gold.size(1))
        right = ((rollout.values.status == symbols.OK) & same_rows(rollout.values.actions, gold)).tolist()
        refused = learned.refused(rollout.derivations) if learned else [False] * len(right)
        for number, is_right, is_refused in zip(index.tolist(), right, refused, strict=True):
            pair = dataset.pairs[number]
            fits = asked[pair].target == pair.target
            found[asked[pair]] = REFUSED if is_refused else RIGHT if is_right and fits else WRONG
    return [found[pair] if is_known else UNKNOWN for pair, is_known in zip(split, known, strict=True)]


def tests(folder: Path) -> Iterator[tuple[str, list[Pair]]]:
    """The tests of a folder by name, and the categories of one."""
    for path in sorted(folder.glob("test*.txt")):
        pairs = read_pairs(path)
        yield path.stem, pairs
        if path.name == "test.txt" and (folder / CATEGORIES).exists():
            by_category: defaultdict[str, list[Pair]] = defaultdict(list)
            names = (folder / CATEGORIES).read_text(encoding="utf-8").split()
            for name, pair in zip(names, pairs, strict=True):
                by_category[name].append(pair)
            yield from sorted(by_category.items())


def measured(models: Path, data_dir: Path) -> Iterator[dict[str, Any]]:
    """The counts of every test of every model."""
    for path in sorted(models.glob("files*-1.pt")):
        name = path.stem.removeprefix("files").removesuffix("-1")
        checkpoint = load(path)
        for test, pairs in tests(data_dir / name):
            counts = Counter(verdicts(checkpoint, pairs))
            yield {"data": name, "test": test, "converged": checkpoint.card.converged, **counts}


def table(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A row for each test."""
    yield "| data | test | pairs | right | refused | unknown words | right of the answered |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for record in records:
        right, wrong, refused, unknown = (record.get(key, 0) for key in (RIGHT, WRONG, REFUSED, UNKNOWN))
        pairs, answered = right + wrong + refused + unknown, right + wrong
        share = f"{right / answered:.1%}" if answered else ""
        cells = f"{right / pairs:.1%} | {refused / pairs:.1%} | {unknown / pairs:.1%} | {share}"
        yield f"| {record['data']} | {record['test']} | {pairs:,} | {cells} |"


def main() -> None:
    """Measure, and write the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=Path, required=True, metavar="DIR", help="those of the sweep")
    parser.add_argument("--data-dir", type=Path, required=True, metavar="DIR", help="the folders of the data")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts there")
    options = parser.parse_args()
    records = list(measured(options.models, options.data_dir))
    print("\n".join(table(records)))
    if options.json:
        options.json.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
