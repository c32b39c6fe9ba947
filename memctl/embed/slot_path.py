"""The low-rank path that turns the built-in model into a reader of slots, and its verification.

A slot is a question that a fact answers. Beside each of the encoder's 36 matrices (query, key,
value, output, up, down, layer after layer) stand 16 signed bytes a row down and as many a column
up; 16 scales for each matrix come last, as little-endian float32. Trained by scripts/train on
invented text.
"""

from __future__ import annotations

import os

from memctl.core.errors import EmbeddingUnavailable

NAME = "slots"
PATH = os.path.join(os.path.dirname(__file__), "slot_path.bin")
# Of the file that the figures in docs/pair-reader.md were measured with.
SHA256 = "75155d7af66e0de94e1c13669a8cc44c290e0197ebe95db18c9250753745579c"
SIZE = 665_856
RANK = 16
_HINT = "pip install --force-reinstall --no-deps memctl"


def read_slot_path(path: str = PATH) -> bytes:
    """Return the low-rank path. Raises EmbeddingUnavailable if it is missing or another."""
    import hashlib

    try:
        with open(path, "rb") as file:
            content = file.read(SIZE + 1)
    except OSError as error:
        raise EmbeddingUnavailable(
            "no_slot_path", f"{path} cannot be read: {error.strerror}", hint=_HINT
        ) from error
    if len(content) != SIZE or hashlib.sha256(content).hexdigest() != SHA256:
        raise EmbeddingUnavailable(
            "bad_slot_path", f"{path} is damaged, or of another version", hint=_HINT
        )
    return content
