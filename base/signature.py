"""The kind of a file by its first bytes, for messages about files given in the wrong place."""

_SIGNATURES = (
    (b'{"lane-program', "a program of lane-export"),
    (b"PK\x03\x04", "a zip archive, as checkpoints and TorchScript files are"),
    (b"\x1f\x8b", "compressed with gzip"),
)


def foreign(start: bytes) -> str | None:
    """What a file that begins so is, if it cannot be text of a user."""
    # ONNX has no signature: the first two fields of the message are its version and its producer.
    if start[:1] == b"\x08" and start[2:3] == b"\x12":
        return "an ONNX file"
    return next((kind for signature, kind in _SIGNATURES if start.startswith(signature)), None)
