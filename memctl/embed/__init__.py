"""Turn texts into vectors by the built-in model, or by any embedding model of the `llm` package.

Importing this costs next to nothing; what a model needs is imported when the model is found.
Vectors of two fingerprints are never compared.
"""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core.typing_lite import Protocol

BUILT_IN = "minilm"
# The reader of slots: the built-in model with the low-rank path beside its matrices. It tells which
# statements answer one question, whatever they answer.
SLOTS = "slots"


class Embedder(Protocol):
    """A model that is ready to embed.

    `fingerprint` identifies everything that shapes its vectors, `stamp` its weights file.
    """

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def backend(self) -> str: ...
    @property
    def stamp(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector for each text, `4 * dimensions` bytes of little-endian float32."""


def find_embedder(
    name: str = BUILT_IN, *, backend: str = "auto", known: str = "", weights: str = ""
) -> Embedder:
    """Find the model of that name: `minilm`, or a model of `llm`.

    `known` is the `stamp` of weights that were verified before; `weights` is a path to use instead
    of the installed package. Raises EmbeddingUnavailable, whose flag and hint say what is missing.
    """
    if name == BUILT_IN:
        from memctl.embed import minilm

        return minilm.find_minilm(backend, weights, known)
    from memctl.embed import llm_model

    return llm_model.find_llm_model(name)


def find_slot_reader(*, backend: str = "auto", known: str = "", weights: str = "") -> Embedder:
    """Find the model whose vectors tell which statements answer one question.

    The arguments are those of `find_embedder`. Raises EmbeddingUnavailable: where the low-rank path
    or the weights are missing, rules and the cosines of the other model are what there is.
    """
    from memctl.embed import minilm

    return minilm.find_slots(backend, weights, known)
