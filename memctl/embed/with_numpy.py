"""Run the built-in model in numpy, for machines without the kernel and to test the kernel against.

Texts are embedded one at a time, so that a vector does not depend on the other texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from memctl.core.typing_lite import Any
from memctl.embed.layout import OFFSETS
from memctl.embed.slot_path import RANK

Array = Any

# The shape of all-MiniLM-L6-v2, from its configuration.
WIDTH = 384
HIDDEN = 1536
HEADS = 12
LAYERS = 6
WORDS = 30_522
POSITIONS = 512
# Added to the variance in layer normalization, so that nothing is divided by zero.
EPSILON = 1e-12


class NumpyModel:
    """The weights, converted to floats once; a low-rank path is added to the matrices."""

    def __init__(self, path: str, beside: bytes = b"") -> None:
        self._file = np.memmap(path, dtype=np.uint8, mode="r")
        self._beside = _read_low_rank(beside) if beside else None
        # Tensors are read in the order of their offsets.
        self._offsets = iter(OFFSETS)
        self._words = self._read_integers(WORDS, WIDTH)
        self._word_scales = self._read_floats(WORDS)
        self._positions = self._read_integers(POSITIONS, WIDTH)
        self._position_scales = self._read_floats(POSITIONS)
        self._segment = self._read_floats(2 * WIDTH)[:WIDTH]
        self._norm = self._read_pair()
        self._layers = [self._read_layer() for _ in range(LAYERS)]

    def forward(self, texts: Sequence[Sequence[int]]) -> list[bytes]:
        """Return one unit vector (384 little-endian float32) for each text's token numbers."""
        return [self._embed_tokens(np.asarray(tokens)).astype("<f4").tobytes() for tokens in texts]

    def _embed_tokens(self, tokens: Array) -> Array:
        words = self._words[tokens] * self._word_scales[tokens, None]
        count = len(tokens)
        positions = self._positions[:count] * self._position_scales[:count, None]
        x = _normalize(words + self._segment + positions, self._norm)
        for query, key, value, output, norm, up, down, last in self._layers:
            attended = _attend(_apply_dense(x, query), _apply_dense(x, key), _apply_dense(x, value))
            x = _normalize(_apply_dense(attended, output) + x, norm)
            x = _normalize(_apply_dense(_apply_gelu(_apply_dense(x, up)), down) + x, last)
        mean = x.mean(axis=0)
        return mean / np.sqrt(mean @ mean)

    def _read_layer(self) -> tuple[Any, ...]:
        query, key, value, output = (self._read_matrix(WIDTH, WIDTH) for _ in range(4))
        return (
            query,
            key,
            value,
            output,
            self._read_pair(),
            self._read_matrix(WIDTH, HIDDEN),
            self._read_matrix(HIDDEN, WIDTH),
            self._read_pair(),
        )

    def _read_matrix(self, rows: int, columns: int) -> tuple[Array, Array]:
        whole = self._read_integers(rows, columns) * self._read_floats(columns)
        if self._beside is not None:
            whole = whole + next(self._beside)
        return whole, self._read_floats(columns)

    def _read_pair(self) -> tuple[Array, Array]:
        return self._read_floats(WIDTH), self._read_floats(WIDTH)

    def _read_integers(self, rows: int, columns: int) -> Array:
        return self._read_bytes(rows * columns).view(np.int8).reshape(rows, columns)

    def _read_floats(self, count: int) -> Array:
        return np.frombuffer(self._read_bytes(4 * count).tobytes(), dtype="<f4")

    def _read_bytes(self, count: int) -> Array:
        start = next(self._offsets)
        return self._file[start : start + count]


def _read_low_rank(beside: bytes) -> Iterator[Array]:
    """Yield what a low-rank path adds to each matrix, in the order of the matrices."""
    shapes = [*[(WIDTH, WIDTH)] * 4, (WIDTH, HIDDEN), (HIDDEN, WIDTH)] * LAYERS
    whole = np.frombuffer(beside, dtype=np.int8)
    scales = np.frombuffer(beside[-4 * RANK * len(shapes) :], dtype="<f4").reshape(-1, RANK)
    start = 0
    for (rows, columns), scale in zip(shapes, scales, strict=True):
        middle, end = start + rows * RANK, start + (rows + columns) * RANK
        down = whole[start:middle].reshape(rows, RANK) * scale
        yield down @ whole[middle:end].reshape(RANK, columns).astype(np.float32)
        start = end


def _apply_dense(x: Array, matrix: tuple[Array, Array]) -> Array:
    weights, bias = matrix
    return x @ weights + bias


def _attend(query: Array, key: Array, value: Array) -> Array:
    query, key, value = (
        part.reshape(len(part), HEADS, -1).transpose(1, 0, 2) for part in (query, key, value)
    )
    scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(WIDTH // HEADS))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (
        (weights / weights.sum(axis=-1, keepdims=True) @ value)
        .transpose(1, 0, 2)
        .reshape(-1, WIDTH)
    )


def _normalize(x: Array, norm: tuple[Array, Array]) -> Array:
    weight, bias = norm
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(EPSILON)) * weight + bias


def _apply_gelu(x: Array) -> Array:
    """Return x times the standard normal distribution function of x.

    erf by Abramowitz and Stegun 7.1.26, off by 1.5e-7 at most.
    """
    z = np.abs(x) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = (
        (((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592
    ) * t
    erf = 1 - series * np.exp(-z * z)
    return 0.5 * x * (1 + np.copysign(erf, x))
