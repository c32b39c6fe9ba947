"""Embed with the built-in model: all-MiniLM-L6-v2 with int8 weights, by the C kernel or by numpy.

The vector of a text is the mean over the last states of its tokens, scaled to length one. Both
backends give the same vectors (cosine above 0.9999), so they share one fingerprint, and a store may
be written by one and read by the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memctl.core.errors import EmbeddingUnavailable
from memctl.embed import weights
from memctl.embed.wordpiece import CUT, WordPiece

NAME = "minilm"
DIMENSIONS = 384
FINGERPRINT = f"all-MiniLM-L6-v2-int8 {weights.SHA256[:16]} uncased mean {CUT}"

# Token numbers of several texts to one unit vector each.
Forward = Callable[[Sequence[Sequence[int]]], list[bytes]]


class MiniLM:
    """The model with one of its two backends."""

    dimensions = DIMENSIONS

    def __init__(
        self, name: str, fingerprint: str, backend: str, stamp: str, forward: Forward
    ) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self.backend = backend
        self.stamp = stamp
        self._forward = forward
        self._tokenizer = WordPiece()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector for each text, as little-endian float32."""
        return self._forward([self._tokenizer.encode(text) for text in texts])


def find_minilm(backend: str, given: str, known: str) -> MiniLM:
    """Find the model with the asked backend, or with the first that works for `auto`.

    Raises EmbeddingUnavailable.
    """
    return _find_model(NAME, FINGERPRINT, b"", backend, given, known)


def find_slots(backend: str, given: str, known: str) -> MiniLM:
    """Find the model that reads slots. Raises EmbeddingUnavailable."""
    from memctl.embed import slot_path

    beside = slot_path.read_slot_path()
    fingerprint = f"{FINGERPRINT} beside {slot_path.SHA256[:16]}"
    return _find_model(slot_path.NAME, fingerprint, beside, backend, given, known)


def _find_model(
    name: str, fingerprint: str, beside: bytes, backend: str, given: str, known: str
) -> MiniLM:
    path, stamp = weights.locate_weights(given, known)
    for kind, start in _BACKENDS.items():
        if backend in ("auto", kind):
            forward = start(path, beside)
            if forward is not None:
                return MiniLM(name, fingerprint, kind, stamp, forward)
    wanted = "neither its C kernel nor numpy" if backend == "auto" else f"no {backend}"
    raise EmbeddingUnavailable(
        "no_backend",
        f"minilm has {wanted} to run on",
        hint=_BACKEND_HINTS.get(backend, _BACKEND_HINTS["auto"]),
    )


def _start_kernel(path: str, beside: bytes) -> Forward | None:
    from memctl.embed import kernel

    return kernel.load_kernel(path, beside=beside)


def _start_numpy(path: str, beside: bytes) -> Forward | None:
    try:
        from memctl.embed.with_numpy import NumpyModel
    except ImportError:
        return None
    return NumpyModel(path, beside).forward


_BACKENDS: dict[str, Callable[[str, bytes], Forward | None]] = {
    "kernel": _start_kernel,
    "numpy": _start_numpy,
}
_BACKEND_HINTS = {
    "auto": "pip install numpy",
    "numpy": "pip install numpy",
    "kernel": (
        "install a C compiler, then: "
        "pip install --force-reinstall --no-deps --no-binary memctl memctl"
    ),
}
