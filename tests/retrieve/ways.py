"""By what a memory can be found on this machine: by words always, by words and sense where the built-in model is installed."""

from __future__ import annotations

import os

from invented import House

from memctl import embed, vectors
from memctl.errors import EmbeddingUnavailable


def _ways() -> list[str]:
    try:
        embed.find("minilm", weights=os.environ.get("MEMCTL_EMBEDDING_WEIGHTS", ""))
    except EmbeddingUnavailable:
        return ["words"]
    return ["words", "hybrid"]


WAYS = _ways()
HYBRID = [way for way in WAYS if way == "hybrid"]


def embed_all(house: House) -> None:
    """Give every record its vector by the built-in model."""
    assert vectors.embed_waiting(house.db, house.config).made
