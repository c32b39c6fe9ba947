"""Any embedding model of the `llm` package, by its name or alias, as an opt-in. Whether it uses the network is its own affair."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, cast

from memctl.core.errors import EmbeddingUnavailable

_HINT = "llm embed-models"


class LlmModel:
    """A model of `llm`, its vectors brought to length one."""

    backend, stamp = "llm", ""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.name = str(model.model_id)
        self.fingerprint = f"llm {self.name}"
        self.dimensions = len(_embed_raw(model, ["dimensions"])[0])

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One unit vector for each text, as little-endian float32. Raises EmbeddingUnavailable where the model fails."""
        vectors = _embed_raw(self._model, [_clean_text(text) for text in texts])
        if len(vectors) != len(texts) or any(len(vector) != self.dimensions for vector in vectors):
            raise EmbeddingUnavailable(
                "no_model",
                f"{self.name} gave vectors of another number or length than before",
                hint=_HINT,
            )
        return [struct.pack(f"<{self.dimensions}f", *_scale_to_unit(vector)) for vector in vectors]


def find_llm_model(name: str) -> LlmModel:
    """The model of that name. Raises EmbeddingUnavailable."""
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
    """The model's own vectors. What a plugin raises when its key or its host is missing is its own; all of it means no vectors now."""
    try:
        return [list(map(float, vector)) for vector in model.embed_multi(texts)] if texts else []
    except Exception as error:
        raise EmbeddingUnavailable(
            "no_model", f"{model.model_id} gave no vectors: {error}", hint=_HINT
        ) from error


def _clean_text(text: str) -> str:
    """The text as UTF-8 can hold it, and something where there is nothing, which services refuse."""
    return text.encode("utf-8", "replace").decode() or " "


def _scale_to_unit(vector: list[float]) -> list[float]:
    """The vector at length one; one of no length, or of no numbers, points along the first axis."""
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0:
        return [1.0, *[0.0] * (len(vector) - 1)]
    return [number / length for number in vector]
