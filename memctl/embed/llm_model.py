"""Embed with any model of the `llm` package, by name or alias, as an opt-in.

Whether the model uses the network is up to its plugin.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from memctl.core.errors import EmbeddingUnavailable
from memctl.core.typing_lite import Any, cast

_HINT = "llm embed-models"


class LlmModel:
    """A model of `llm` whose vectors are scaled to length one."""

    backend, stamp = "llm", ""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.name = str(model.model_id)
        self.fingerprint = f"llm {self.name}"
        self.dimensions = len(_embed_raw(model, ["dimensions"])[0])

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector for each text, as little-endian float32.

        Raises EmbeddingUnavailable if the model fails.
        """
        vectors = _embed_raw(self._model, [_clean_text(text) for text in texts])
        if len(vectors) != len(texts) or any(len(vector) != self.dimensions for vector in vectors):
            raise EmbeddingUnavailable(
                "no_model",
                f"{self.name} gave vectors of another number or length than before",
                hint=_HINT,
            )
        return [struct.pack(f"<{self.dimensions}f", *_scale_to_unit(vector)) for vector in vectors]


def find_llm_model(name: str) -> LlmModel:
    """Find the model of that name. Raises EmbeddingUnavailable."""
    try:
        import llm
    except ImportError as error:
        raise EmbeddingUnavailable(
            "no_model", f"{name} needs the `llm` package: {error}", hint="pip install llm"
        ) from error
    try:
        model = cast(Any, llm).get_embedding_model(name)
    except llm.UnknownModelError as error:
        raise EmbeddingUnavailable(
            "no_model", f"no embedding model of `llm` is called {name}", hint=_HINT
        ) from error
    return LlmModel(model)


def _embed_raw(model: Any, texts: list[str]) -> list[list[float]]:
    """Return the model's own vectors.

    Plugins raise errors of their own when a key or a host is missing; each of them means that there
    are no vectors now.
    """
    try:
        return [list(map(float, vector)) for vector in model.embed_multi(texts)] if texts else []
    except Exception as error:
        raise EmbeddingUnavailable(
            "no_model", f"{model.model_id} gave no vectors: {error}", hint=_HINT
        ) from error


def _clean_text(text: str) -> str:
    """Return text that UTF-8 can hold, and a blank for an empty one, which services refuse."""
    return text.encode("utf-8", "replace").decode() or " "


def _scale_to_unit(vector: list[float]) -> list[float]:
    """Scale a vector to length one; the first axis replaces one without a finite length."""
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0:
        return [1.0, *[0.0] * (len(vector) - 1)]
    return [number / length for number in vector]
