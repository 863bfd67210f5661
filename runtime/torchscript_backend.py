"""The TorchScript backend: an archive by torch. An archive is code, so it is opened only with trust."""

from io import BytesIO
from typing import Any

from lane.runtime.embedded_card import card_of_archive
from lane.runtime.model_file import ModelFile
from lane.runtime.network import Call, NetworkBackend, first_line, needs
from lane.runtime.network_card import read_card

KIND = "torchscript"
MAGIC = b"PK\x03\x04"


def load(file: ModelFile, threads: int, lenient: bool = False) -> NetworkBackend:
    """Open an archive: card and checksum first, then trust, and only then its code."""
    if not file.data.startswith(MAGIC):
        raise file.error("not a TorchScript archive, which begins like a zip file")
    card = read_card(file, KIND, card_of_archive(file))
    file.require_trust()
    torch = needs(file, "torch", "torch", _import)
    try:
        translate = _load(torch, file.data)
    except Exception as error:
        raise file.error(f"torch cannot load it: {first_line(error)}") from None
    # A setting of the whole process: torch has no other.
    torch.set_num_threads(threads)
    return NetworkBackend(file, card, threads, _call(torch, translate), lenient)


def _import() -> Any:
    import torch

    return torch


def _load(torch: Any, data: bytes) -> Any:
    """From the verified bytes: the file may have changed since."""
    import warnings

    with warnings.catch_warnings():
        # Deprecated upstream and still complete: users can do nothing about it.
        warnings.filterwarnings("ignore", message=r".torch\.jit\.")
        return torch.jit.load(BytesIO(data), map_location="cpu").translate_ids


def _call(torch: Any, translate: Any) -> Call:
    def call(rows: list[list[int]]) -> tuple[list[int], list[int], list[int]]:
        with torch.inference_mode():
            actions, length, status = translate(torch.tensor(rows, dtype=torch.int64))
        return actions.tolist(), length.tolist(), status.tolist()

    return call
