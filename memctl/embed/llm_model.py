"""Any embedding model of the `llm` package, by its name or alias, as an opt-in."""

from __future__ import annotations

from memctl.embed import Embedder
from memctl.errors import EmbeddingUnavailable


def find(name: str) -> Embedder:
    """The model of that name. Raises EmbeddingUnavailable."""
    raise EmbeddingUnavailable("no_model", f"no embedding model is called {name}", hint="llm embed-models")
