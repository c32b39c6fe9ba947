"""The vector of a query, by the model whose vectors the store serves, or why there is none.

Everything works without vectors; what is off is said by flags, which every answer carries. The 23
MB of weights are not verified anew: what maintenance has verified is known by its stamp.
"""

from __future__ import annotations

from functools import lru_cache

from memctl import embed
from memctl.core.errors import EmbeddingUnavailable
from memctl.core.frozen import dataclass
from memctl.settings.config import Config, guard_children
from memctl.store import semantic, vector_index
from memctl.store.database import Database
from memctl.store.semantic import Model
from memctl.text import tokens

NO_VECTORS = "no_vectors"
OFF = "none"
# A query with fewer letters of the model's script than this share is left to its words.
_LEAST_READABLE = 0.5
# Characters of the beginning and of the end of a long query that are embedded; chosen by hand.
_ENDS = 300


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A query as a packed vector; `has_table` says whether its nearest neighbours can be asked
    for.
    """

    model: Model
    vector: bytes
    has_table: bool


def embed_query(
    db: Database, config: Config, text: str, *, in_haste: bool = False
) -> tuple[QueryVector | None, tuple[str, ...]]:
    """The vector of a query, and the flags that say what is off; `in_haste`, only a model of
    this machine is asked.
    """
    model = semantic.find_serving_model(db)
    if model is not None and not _is_in_model_language(text, model):
        return None, ()
    embedder, flags = find_ready_embedder(db, config, model, in_haste=in_haste)
    if model is None or embedder is None:
        return None, flags
    vector = semantic.pack_vector(embedder.embed([_shorten_query(text)])[0])
    return QueryVector(model, vector, "no_vector_index" not in flags), flags


def find_ready_embedder(
    db: Database, config: Config, model: Model | None, *, in_haste: bool = False
) -> tuple[embed.Embedder | None, tuple[str, ...]]:
    """What can embed a query as the store's vectors were, or None; and the flags that say what
    is off.
    """
    why_not = _find_obstacle(config, model, in_haste)
    if model is None or why_not:
        return None, (NO_VECTORS, why_not or "not_embedded")
    try:
        found = find_embedder(db, config, model.name)
    except EmbeddingUnavailable as missing:
        return None, (NO_VECTORS, missing.flag)
    if found.fingerprint != model.fingerprint:
        return None, (NO_VECTORS, "model_changing")
    has_table = (
        bool(config["embedding.extension"])
        and vector_index.has_table(db)
        and vector_index.load_extension(db)
    )
    off = {
        "no_vector_index": not has_table,
        "model_changing": config["embedding.model"] != model.name,
    }
    return found, tuple(flag for flag, is_so in off.items() if is_so)


def find_embedder(db: Database, config: Config, name: str) -> embed.Embedder:
    """A model as the settings say how to run it. Raises EmbeddingUnavailable."""
    return _find_embedder_once(
        name,
        config["embedding.backend"],
        semantic.get_weights_stamp(db),
        config["embedding.weights"],
    )


@lru_cache(maxsize=4)
def _find_embedder_once(name: str, backend: str, known: str, weights: str) -> embed.Embedder:
    """A model is started once in a process; a foreign one may well be, or call, an agent with
    our hooks in it.
    """
    if name != embed.BUILT_IN:
        guard_children()
    return embed.find_embedder(name, backend=backend, known=known, weights=weights)


def _shorten_query(text: str) -> str:
    """A query as it is embedded: of a long paste the beginning and the end, where people say
    what they want.
    """
    return text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"


def is_readable(text: str, model: Model) -> bool:
    """Whether a model can be expected to know the language of a text: the built-in one reads
    English, and what is spelled like it.
    """
    if text.isascii() or model.name != embed.BUILT_IN:
        return bool(text.strip())
    letters = [char for char in text if char.isalpha()]
    return sum(char < "\u0250" for char in letters) >= _LEAST_READABLE * len(letters) > 0


def _is_in_model_language(text: str, model: Model) -> bool:
    """Whether the meaning of a query can be compared: to a model of English, all that is German
    is alike.
    """
    return is_readable(text, model) and not (
        model.name == embed.BUILT_IN and tokens.is_foreign(text)
    )


def _find_obstacle(config: Config, model: Model | None, in_haste: bool) -> str | None:
    if config["embedding.model"] == OFF:
        return "vectors_off"
    return "slow_model" if model is not None and in_haste and model.name != embed.BUILT_IN else None
