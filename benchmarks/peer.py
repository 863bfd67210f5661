"""A peer for comparison: a CTranslate2 transformer of about a million parameters.

Its weights are random, since speed does not depend on them. Decoding is forced to the length of the gold
output, so that it writes as many tokens as a trained model would.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from ctranslate2 import Translator  # type: ignore[import-untyped]
from ctranslate2.specs import TransformerSpec  # type: ignore[import-untyped]
from ctranslate2.specs.attention_spec import MultiHeadAttentionSpec  # type: ignore[import-untyped]

LAYERS, HEADS, WIDTH, INNER = 3, 4, 112, 448
_draw = np.random.default_rng(0)


def save_peer(words: Sequence[str], actions: Sequence[str], folder: Path) -> int:
    """Write a model with these vocabularies; return the number of its parameters."""
    spec = TransformerSpec.from_config((LAYERS, LAYERS), HEADS)
    source, target = ["<unk>", "<s>", "</s>", *words], ["<unk>", "<s>", "</s>", *actions]
    spec.encoder.embeddings[0].weight = _weights(len(source), WIDTH)
    spec.encoder.position_encodings.encodings = _weights(512, WIDTH)
    spec.decoder.embeddings.weight = _weights(len(target), WIDTH)
    spec.decoder.position_encodings.encodings = _weights(512, WIDTH)
    _linear(spec.decoder.projection, len(target), WIDTH)
    for coder in (spec.encoder, spec.decoder):
        _norm(coder.layer_norm)
        for layer in coder.layer:
            _attention(layer.self_attention, same=True)
            if coder is spec.decoder:
                _attention(layer.attention, same=False)
            _norm(layer.ffn.layer_norm)
            _linear(layer.ffn.linear_0, INNER, WIDTH)
            _linear(layer.ffn.linear_1, WIDTH, INNER)
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    spec.validate()
    count = sum(value.numpy().size for name, value in spec.variables().items() if "position" not in name)
    spec.save(str(folder))
    return count


def open_peer(folder: Path) -> Translator:
    """Load it with one thread, as the runtime has, and 32-bit floats."""
    return Translator(str(folder), device="cpu", inter_threads=1, intra_threads=1, compute_type="float32")


def translate(peer: Translator, commands: Sequence[Sequence[str]], lengths: Sequence[int]) -> int:
    """Translate greedily, in batches of equal output length; return the number of tokens written."""
    # The limits hold for a whole batch, so commands are grouped by the length of their outputs.
    written = 0
    for length in sorted(set(lengths)):
        same = [words for words, size in zip(commands, lengths, strict=True) if size == length]
        found = peer.translate_batch(
            same,
            max_batch_size=2048,
            beam_size=1,
            min_decoding_length=length,
            max_decoding_length=length,
        )
        written += sum(len(one.hypotheses[0]) for one in found)
    return written


def _weights(*shape: int) -> np.ndarray:
    return (_draw.standard_normal(shape) / shape[-1] ** 0.5).astype(np.float32)


def _norm(spec: object) -> None:
    spec.gamma, spec.beta = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)  # type: ignore[attr-defined]


def _linear(spec: object, rows: int, columns: int) -> None:
    spec.weight, spec.bias = _weights(rows, columns), np.zeros(rows, np.float32)  # type: ignore[attr-defined]


def _attention(spec: MultiHeadAttentionSpec, same: bool) -> None:
    _norm(spec.layer_norm)
    sizes = (3 * WIDTH, WIDTH) if same else (WIDTH, 2 * WIDTH, WIDTH)
    for linear, rows in zip(spec.linear, sizes, strict=True):
        _linear(linear, rows, WIDTH)
