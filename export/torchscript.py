"""The TorchScript archive: lines in, lines out, with the whole derivation loop and the Memory inside."""

import io
import json
import warnings
from typing import Any

import torch
from torch import Tensor, nn

from lane.export.guarded import GuardedModel
from lane.models import symbols
from lane.runtime.embedded_card import CARD, checksum_of_records

# White space of Python's str.split, but for CR.
SPACES = [
    *"\t\n\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680",
    *map(chr, range(0x2000, 0x200B)),
    *"\u2028\u2029\u202f\u205f\u3000",
]


class Lines(nn.Module):
    """Translates lines of text; ids in and out are the method `translate_ids`."""

    numbers: dict[str, int]
    actions: list[str]
    spaces: list[str]

    def __init__(self, core: GuardedModel, words: list[str], actions: list[str]) -> None:
        super().__init__()
        self.core = core
        self.numbers = {word: number for number, word in enumerate(words, start=1)}
        self.actions = actions
        self.spaces = SPACES

    def forward(self, lines: list[str]) -> tuple[list[str], list[int]]:
        """The actions of each line, joined by spaces, and its status; no actions where that is not 0."""
        numbers, counts = self._encode(lines)
        if -1 in numbers:
            numbers, counts = self._encode_exactly(lines)
        # Number 0 is the padding behind the last word of a line.
        number = torch.tensor([0] + numbers, dtype=torch.int64)  # noqa: RUF005 - scripted
        count = torch.tensor(counts, dtype=torch.int64)
        start = 1 + count.cumsum(dim=0) - count
        # By length, so that a long line pads no short one and the memory of a batch is bounded.
        order = torch.argsort(count, stable=True)
        start, count = start[order], count[order]
        texts: list[str] = []
        status: list[int] = []
        while len(texts) < len(lines):
            begin, end = len(texts), self._end_of_portion(count, len(texts))
            position = torch.arange(max(1, counts[int(order[end - 1])])).unsqueeze(0)
            there = position < count[begin:end].unsqueeze(1)
            place = torch.where(there, start[begin:end].unsqueeze(1) + position, torch.zeros_like(position))
            actions, length, code = self.core(number[place])
            texts.extend(self._decode(actions, length))
            numbers_of_rows: list[int] = code.tolist()
            status.extend(numbers_of_rows)
        back: list[int] = torch.argsort(order).tolist()
        return [texts[i] for i in back], [status[i] for i in back]

    @torch.jit.export
    def translate_ids(self, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Word numbers to action numbers.  # [B, L] -> actions [total], length [B], status [B]"""
        actions, length, status = self.core(words)
        return actions, length, status

    # Scripted comprehensions are several times faster than loops that append.

    def _encode(self, lines: list[str]) -> tuple[list[int], list[int]]:
        """The numbers of all words, -1 for unknown ones, and the number of words of each line."""
        numbers = [self.numbers.get(word, -1) for word in "\n".join(lines).split()]
        return numbers, [len(line.split()) for line in lines]

    def _encode_exactly(self, lines: list[str]) -> tuple[list[int], list[int]]:
        """The same, split as by Python.

        Scripted `split()` misses some white space, and splits within characters such as the euro sign, which
        makes unknown words of known ones.
        """
        numbers: list[int] = []
        counts: list[int] = []
        for line in lines:
            before = len(numbers)
            for word in self._with_blanks(line).split(" "):
                if word != "":
                    numbers.append(self.numbers.get(word, -1))
            counts.append(len(numbers) - before)
        return numbers, counts

    def _with_blanks(self, line: str) -> str:
        """The line with blanks for all kinds of white space."""
        if not line.isprintable():
            for space in self.spaces:
                line = line.replace(space, " ")
            # Not as a constant, which the source of an archive cannot hold.
            line = line.replace(chr(13 + 0 * len(line)), " ")
        return line

    def _end_of_portion(self, count: Tensor, begin: int) -> int:
        """The end of the batch that starts at `begin`; lines are sorted by length."""
        rows = torch.arange(1, 1 + count.size(0) - begin)
        return begin + max(1, int((rows * count[begin:] <= symbols.CELLS).sum()))

    def _decode(self, actions: Tensor, length: Tensor) -> list[str]:
        ids: list[int] = actions.tolist()
        names = [self.actions[i - 1] for i in ids]
        end: list[int] = length.cumsum(dim=0).tolist()
        begin: list[int] = (length.cumsum(dim=0) - length).tolist()
        return [" ".join(names[begin[i] : end[i]]) for i in range(len(end))]


def archive(core: GuardedModel, metadata: dict[str, Any]) -> bytes:
    """The bytes of the file: scripted, frozen, with `metadata`, and without paths of this machine."""
    lines = Lines(core, metadata["words"], metadata["actions"]).eval()
    with warnings.catch_warnings():
        # TorchScript is deprecated upstream, but complete.
        warnings.filterwarnings("ignore", message=r".torch\.jit\.")
        scripted = torch.jit.freeze(torch.jit.script(lines), preserved_attrs=["translate_ids"])
        saved = io.BytesIO()
        torch.jit.save(scripted, saved)
    saved.seek(0)
    reader = torch._C.PyTorchFileReader(saved)
    # debug_pkl holds paths of the sources; the writer adds the dotted records itself.
    names = [
        n for n in reader.get_all_records() if not n.endswith(".debug_pkl") and not n.startswith(".data/")
    ]
    records = {name: reader.get_record(name) for name in sorted(names) if name != "version"}
    metadata = metadata | {"sha256": checksum_of_records(records)}
    records[f"extra/{CARD}"] = json.dumps(metadata, ensure_ascii=False, indent=1).encode()
    return _zip(records)


def _zip(records: dict[str, bytes]) -> bytes:
    """An archive as torch writes it: aligned, uncompressed, without times."""
    target = io.BytesIO()
    writer = torch._C.PyTorchFileWriter(target)
    for name, content in records.items():
        writer.write_record(name, content, len(content))
    writer.write_end_of_file()
    return target.getvalue()
