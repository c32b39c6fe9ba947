"""Slot vectors: which question each record answers, whatever its answer. Made by maintenance alone.

They stand beside the vectors of searches, under a model of their own, and are made anew when the
reader's version changes. Without a reader there are none: what compares records then has rules and
the cosines of the other vectors. Episodes answer no question and get none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from memctl import embed
from memctl.core import clock
from memctl.core.errors import EmbeddingUnavailable
from memctl.core.model import Memory
from memctl.core.version import SLOTS_FINGERPRINT
from memctl.results.store import Check
from memctl.retrieve import query_embedding, vectors
from memctl.settings.config import Config
from memctl.store import semantic
from memctl.store.database import Database
from memctl.store.semantic import Model

# Says that pairs are read by rules and by the cosines of the other vectors alone.
NO_READER = "no_pair_reader"
# What the other vectors lack too, for which they have flags of their own.
_SAID_ALREADY = ("no_weights", "bad_weights")
_LONGEST = semantic.PIECE_CHARACTERS * semantic.MAX_PIECES


def make_waiting(
    db: Database,
    config: Config,
    progress: vectors.Progress = lambda done, total: None,
    enough: Callable[[], bool] = lambda: False,
) -> vectors.Embedded:
    """Give every living record but episodes its slot vector; `made` counts them.

    `enough` is asked after every batch whether to leave the rest.
    """
    if config["embedding.model"] == query_embedding.OFF:
        return vectors.Embedded()
    try:
        reader = find_reader(db, config)
    except EmbeddingUnavailable as missing:
        return vectors.Embedded(flags=() if missing.flag in _SAID_ALREADY else (NO_READER,))
    model = _note_model(db, reader)
    made = vectors.embed_batches(
        db, model, reader, progress, enough, compose=_compose_text, episodes=False
    )
    _serve_if_complete(db, model)
    return vectors.Embedded(made)


def count_waiting(db: Database, config: Config) -> int:
    """Count the living records that have no slot vector of the reader that is installed."""
    if config["embedding.model"] == query_embedding.OFF:
        return 0
    model = semantic.find_slot_model(db)
    if model is not None and model.fingerprint == SLOTS_FINGERPRINT:
        waiting = semantic.count_without_vector(db, model.id, episodes=False)
        if not waiting:
            return 0
    try:
        reader = find_reader(db, config)
    except EmbeddingUnavailable:
        return 0
    is_current = model is not None and model.fingerprint == reader.fingerprint
    number = model.id if model is not None and is_current else -1
    return semantic.count_without_vector(db, number, episodes=False)


def find_reader(db: Database, config: Config) -> embed.Embedder:
    """The reader of slots as the settings say how to run it. Raises EmbeddingUnavailable."""
    return _find_reader_once(
        config["embedding.backend"],
        semantic.get_weights_stamp(db),
        config["embedding.weights"],
    )


@lru_cache(maxsize=2)
def _find_reader_once(backend: str, known: str, weights: str) -> embed.Embedder:
    return embed.find_slot_reader(backend=backend, known=known, weights=weights)


def check_reader(db: Database, config: Config) -> Iterator[Check]:
    """What `doctor` says of the pair reader: whether it is there, and how many records it read."""
    if config["embedding.model"] == query_embedding.OFF:
        return
    try:
        find_reader(db, config)
    except EmbeddingUnavailable as missing:
        if missing.flag in _SAID_ALREADY:
            return
        told = f"{missing}; unlike words are compared by rules and the other vectors alone"
        yield Check("pair_reader", "note", told, missing.hint)
        return
    model, waiting = semantic.find_slot_model(db), count_waiting(db, config)
    have = semantic.count_vectors(db, model.id) if model is not None else 0
    rest = f"; {waiting} wait for maintenance" if waiting else ""
    yield Check("pair_reader", "ok", f"{have} records are read for what they answer{rest}")


def _compose_text(memory: Memory) -> str:
    """What is read of a record: what it states, without its title and reason."""
    return memory.content[:_LONGEST]


def _note_model(db: Database, reader: embed.Embedder) -> Model:
    """Note the reader in the store; the first one's vectors count at once, however few."""
    with db.write():
        number = semantic.ensure_model(
            db, reader.name, reader.dimensions, reader.fingerprint, clock.now()
        )
        if semantic.find_slot_model(db) is None:
            semantic.set_slot_model(db, number)
    return Model(number, reader.name, reader.dimensions, reader.fingerprint)


def _serve_if_complete(db: Database, model: Model) -> None:
    """Let a reader that read every record answer, and drop the vectors of the one before."""
    with db.write():
        if semantic.count_without_vector(db, model.id, episodes=False):
            return
        semantic.set_slot_model(db, model.id)
        semantic.drop_replaced_models(db, model.id)
