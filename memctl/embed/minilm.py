"""The built-in model: all-MiniLM-L6-v2 with int8 weights, run by the C kernel or by numpy.

A text's vector is the mean over its tokens' last states, brought to length one. Both ways give the same vectors (cosine above 0.9999), so
they share one fingerprint and a store may be written by one and read by the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memctl.core.errors import EmbeddingUnavailable
from memctl.embed import weights
from memctl.embed.wordpiece import CUT, WordPiece

NAME, DIMENSIONS = "minilm", 384
FINGERPRINT = f"all-MiniLM-L6-v2-int8 {weights.SHA256[:16]} uncased mean {CUT}"

# Token numbers of several texts to one unit vector each.
Forward = Callable[[Sequence[Sequence[int]]], list[bytes]]


class MiniLM:
    """The model with one of its two ways to run."""

    name, dimensions, fingerprint = NAME, DIMENSIONS, FINGERPRINT

    def __init__(self, backend: str, stamp: str, forward: Forward) -> None:
        self.backend, self.stamp = backend, stamp
        self._forward, self._tokens = forward, WordPiece()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One unit vector for each text, as little-endian float32."""
        return self._forward([self._tokens.encode(text) for text in texts])


def find_minilm(backend: str, given: str, known: str) -> MiniLM:
    """The model, by the kernel if it is there, else by numpy, or as asked for. Raises EmbeddingUnavailable."""
    path, stamp = weights.locate_weights(given, known)
    for name, start in _BACKENDS.items():
        if backend in ("auto", name):
            forward = start(path)
            if forward is not None:
                return MiniLM(name, stamp, forward)
    wanted = "neither its C kernel nor numpy" if backend == "auto" else f"no {backend}"
    raise EmbeddingUnavailable(
        "no_backend",
        f"minilm has {wanted} to run on",
        hint=_BACKEND_HINTS.get(backend, _BACKEND_HINTS["auto"]),
    )


def _start_kernel(path: str) -> Forward | None:
    from memctl.embed import kernel

    return kernel.load_kernel(path)


def _start_numpy(path: str) -> Forward | None:
    try:
        from memctl.embed.with_numpy import NumpyModel
    except ImportError:
        return None
    return NumpyModel(path).forward


_BACKENDS: dict[str, Callable[[str], Forward | None]] = {
    "kernel": _start_kernel,
    "numpy": _start_numpy,
}
_BACKEND_HINTS = {
    "auto": "pip install numpy",
    "numpy": "pip install numpy",
    "kernel": "install a C compiler, then: pip install --force-reinstall --no-deps --no-binary memctl memctl",
}
