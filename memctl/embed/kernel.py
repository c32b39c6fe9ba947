"""Run the built-in model in C through ctypes: without numpy, and fast from the first text on.

The library is built when memctl is installed and lies beside this file; without a compiler it is
missing.
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
# Bytes: 384 numbers of four bytes.
_VECTOR_SIZE = 4 * 384
# What the kernel returns where it fails.
_NO_FILE = -1
_WRONG_SIZE = -2
_NO_MEMORY = -3
_BAD_ARGUMENT = -4


def load_kernel(
    path: str, chosen: str = "best", *, beside: bytes = b""
) -> Callable[[Sequence[Sequence[int]]], list[bytes]] | None:
    """Return the function that turns token numbers into vectors with the weights at `path`.

    `beside` is the low-rank path, if one is to run beside the matrices. Returns None if the kernel
    was not built, is older than that path or cannot be loaded.
    """
    try:
        library = ctypes.CDLL(LIBRARY)
        run = library.memctl_minilm_beside if beside else library.memctl_minilm
    except (OSError, AttributeError):
        return None
    low_rank = (beside, ctypes.c_int64(len(beside))) if beside else ()
    weights = os.fsencode(path)
    size = ctypes.c_int64(SIZE)
    offsets = (ctypes.c_int64 * len(OFFSETS))(*OFFSETS)
    instruction_set = INSTRUCTION_SETS[chosen]

    def forward(texts: Sequence[Sequence[int]]) -> list[bytes]:
        tokens = [token for text in texts for token in text]
        numbers = (ctypes.c_int32 * len(tokens))(*tokens)
        lengths = (ctypes.c_int32 * len(texts))(*map(len, texts))
        buffer = ctypes.create_string_buffer(_VECTOR_SIZE * len(texts))
        counted = (numbers, lengths, len(texts), buffer, instruction_set)
        result = run(weights, size, offsets, *low_rank, *counted)
        _check_result(result, path)
        vectors = buffer.raw
        starts = range(0, len(vectors), _VECTOR_SIZE)
        return [vectors[start : start + _VECTOR_SIZE] for start in starts]

    return forward


def _check_result(result: int, path: str) -> None:
    if result == _NO_FILE:
        raise EmbeddingUnavailable("no_weights", f"{path} cannot be opened any more")
    if result == _WRONG_SIZE:
        raise EmbeddingUnavailable("bad_weights", f"{path} was changed")
    if result == _NO_MEMORY:
        raise MemoryError("no memory for the embedding kernel")
    if result == _BAD_ARGUMENT:
        raise ValueError("the embedding kernel does not accept these arguments")
