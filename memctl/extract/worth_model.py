"""The learned model of what is worth keeping: a logistic regression over what `worth_features`
tells of a sentence, and the sentence's vector where the built-in embedding model is there.

The weights stand in `worth.json` with where they come from; `benchmarks/worth.py` made them, and
docs/benchmarks.md has its figures. A file that is missing or another one is as good as none:
then the rules decide alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import mul
from pathlib import Path

from memctl.core.errors import EmbeddingUnavailable
from memctl.core.frozen import dataclass
from memctl.embed import Embedder, find_embedder

FILE = Path(__file__).with_name("worth.json")
SHA256 = "63ec15759f80ebb75bf3b06eccc0ba79ebbb6b0c0c7ede61d2c23b3521796ed1"
# Turns texts into unit vectors, `4 * dimensions` bytes of little-endian float32 each.
Embed = Callable[[Sequence[str]], list[bytes]]


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the features, of the vector's numbers (empty: words alone), and of nothing; a
    slope and an offset make a logit the share of such sentences that are worth keeping.
    """

    features: Mapping[str, float]
    vector: array[float]
    bias: float
    slope: float
    offset: float

    def compute_logit(self, features: Mapping[str, float], vector: Sequence[float] = ()) -> float:
        """The logit of one sentence, before it is calibrated."""
        known = self.features
        said = sum(known.get(name, 0.0) * value for name, value in features.items())
        return self.bias + said + float(sum(map(mul, self.vector, vector)))

    def calibrate(self, logit: float) -> float:
        """The share of sentences with such a logit that are worth keeping, 0..1."""
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, self.slope * logit + self.offset))))


@dataclass(frozen=True, slots=True)
class WorthModel:
    """The weights by words alone, and those with vectors."""

    by_words: Weights
    with_vectors: Weights


@lru_cache(maxsize=1)
def load_model() -> WorthModel | None:
    """Load the weights; None where the file is missing or not the one that was tested."""
    try:
        data = FILE.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(data).hexdigest() != SHA256:
        return None
    parts = json.loads(data)
    return WorthModel(_read_weights(parts["by_words"]), _read_weights(parts["with_vectors"]))


def _read_weights(part: Mapping[str, object]) -> Weights:
    values = read_vector(base64.b64decode(str(part["vector"])))
    features = part["features"]
    assert isinstance(features, dict)
    numbers = (float(str(part[name])) for name in ("bias", "slope", "offset"))
    return Weights(features, values, *numbers)


@lru_cache(maxsize=1)
def find_vectors() -> Embedder | None:
    """Find the embedding model that the weights were made for; None where it cannot run."""
    try:
        return find_embedder()
    except EmbeddingUnavailable:
        return None


def read_vector(blob: bytes) -> array[float]:
    """Read a vector as an embedder gives it."""
    values = array("f")
    values.frombytes(blob)
    if sys.byteorder == "big":
        values.byteswap()
    return values
