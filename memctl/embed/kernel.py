"""The C kernel through ctypes: the built-in model without numpy, fast from the first text on.

The library is built when memctl is installed and lies beside this file; where there was no compiler it does not.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence

from memctl.core.errors import EmbeddingUnavailable
from memctl.embed.layout import OFFSETS
from memctl.embed.weights import SIZE

LIBRARY = os.path.join(os.path.dirname(__file__), "_kernel.so")
# The instruction sets, in the kernel's numbers; it chooses the best by itself.
INSTRUCTION_SETS = {"best": -1, "plain": 0, "sse2": 1, "avx2": 2, "vnni": 3}
_VECTOR = 4 * 384
_NO_FILE, _WRONG_SIZE, _NO_MEMORY, _BAD_ARGUMENT = -1, -2, -3, -4


def load_kernel(
    path: str, chosen: str = "best"
) -> Callable[[Sequence[Sequence[int]]], list[bytes]] | None:
    """What turns token numbers into vectors with the weights there; None where the kernel was not built or cannot be loaded."""
    try:
        run = ctypes.CDLL(LIBRARY).memctl_minilm
    except (OSError, AttributeError):
        return None
    weights, offsets, size, number = (
        os.fsencode(path),
        (ctypes.c_int64 * len(OFFSETS))(*OFFSETS),
        ctypes.c_int64(SIZE),
        INSTRUCTION_SETS[chosen],
    )

    def forward(texts: Sequence[Sequence[int]]) -> list[bytes]:
        tokens = [token for text in texts for token in text]
        numbers, lengths = (
            (ctypes.c_int32 * len(tokens))(*tokens),
            (ctypes.c_int32 * len(texts))(*map(len, texts)),
        )
        vectors = ctypes.create_string_buffer(_VECTOR * len(texts))
        _check_result(
            run(weights, size, offsets, numbers, lengths, len(texts), vectors, number), path
        )
        made = vectors.raw
        return [made[at : at + _VECTOR] for at in range(0, _VECTOR * len(texts), _VECTOR)]

    return forward


def _check_result(result: int, path: str) -> None:
    if result == _NO_FILE:
        raise EmbeddingUnavailable("no_weights", f"{path} cannot be opened any more")
    if result == _WRONG_SIZE:
        raise EmbeddingUnavailable("bad_weights", f"{path} was changed")
    if result == _NO_MEMORY:
        raise MemoryError("no memory for the embedding kernel")
    if result == _BAD_ARGUMENT:
        raise ValueError("the embedding kernel was asked for what it cannot do")
