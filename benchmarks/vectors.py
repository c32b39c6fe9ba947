"""Vectors for a generated store: real ones, or made ones that cost a search the same.

A made vector lies around a point of its record's topic: the real vector of that topic's word where
the model is there, else a random one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.inventing import FIRST_DAY, PARTS
from memctl.core import timestamps
from memctl.core.errors import EmbeddingUnavailable
from memctl.core.model import Memory
from memctl.embed import find_embedder
from memctl.store import records, semantic, vector_index
from memctl.store.database import Database

BATCH = 10_000
DIMENSIONS = 384
# How far the vectors of one topic lie from its point, whose length is 1.
_SPREAD = 1.2

Maker = Callable[[Sequence[Memory]], list[bytes]]


def add(db: Database, kind: str, seed: int = 7) -> int:
    """Give every living record a vector and build the nearest-neighbour table, where this SQLite
    can; how many vectors.
    """
    model, make = _model(db, kind, seed)
    after, made = 0, 0
    while rows := semantic.list_without_vector(db, model.id, after, BATCH):
        memories = [records.from_row(row) for row in rows]
        entries = zip(rows, memories, make(memories), strict=True)
        with db.write():
            db.run_many("semantic.put", [_entry(model.id, *entry) for entry in entries])
        after, made = rows[-1]["n"], made + len(rows)
    with db.write():
        semantic.set_serving_model(db, model.id)
    _index(db, model)
    return made


def _model(db: Database, kind: str, seed: int) -> tuple[semantic.Model, Maker]:
    """The model that the vectors are noted under, so that searches use them, and what makes them."""
    try:
        embedder = find_embedder()
    except EmbeddingUnavailable:
        if kind == "real":
            raise
        embedder = None
    name, fingerprint = (
        (embedder.name, embedder.fingerprint) if embedder else ("made", f"made {seed}")
    )
    with db.write():
        number = semantic.ensure_model(
            db, name, DIMENSIONS, fingerprint, timestamps.format_iso(FIRST_DAY)
        )
        semantic.put_weights_stamp(db, embedder.stamp if embedder else "")
    model = semantic.Model(number, name, DIMENSIONS, fingerprint)
    if embedder and kind == "real":
        return model, lambda memories: [
            semantic.pack_vector(vector)
            for vector in embedder.embed([semantic.compose_text(m) for m in memories])
        ]
    return model, around(
        dict(zip(PARTS, embedder.embed(PARTS), strict=True)) if embedder else {}, seed
    )


def around(points: dict[str, bytes], seed: int) -> Maker:
    """What makes vectors around the points of topics; a topic without one gets a random point."""
    import numpy

    dice = numpy.random.default_rng(seed)
    of = {part: number for number, part in enumerate(PARTS)}
    centres = numpy.stack(
        [_point(numpy, points.get(part), random.Random(f"{seed} {part}")) for part in PARTS]
    )

    def make(memories: Sequence[Memory]) -> list[bytes]:
        topics = [
            next((of[word] for word in memory.content.split() if word in of), 0)
            for memory in memories
        ]
        noise = dice.standard_normal((len(topics), DIMENSIONS), dtype=numpy.float32)
        vectors = centres[topics] + noise * (_SPREAD / DIMENSIONS**0.5)
        most = abs(vectors).max(axis=1, keepdims=True)
        return [row.tobytes() for row in (vectors / most * 127).round().astype(numpy.int8)]

    return make


def _point(numpy: Any, known: bytes | None, dice: random.Random) -> Any:
    point = (
        numpy.frombuffer(known or b"", dtype="<f4")
        if known
        else numpy.array([dice.gauss(0, 1) for _ in range(DIMENSIONS)])
    )
    return (point / numpy.linalg.norm(point)).astype(numpy.float32)


def _entry(model: int, row: Any, memory: Memory, vector: bytes) -> dict[str, Any]:
    return {
        "model_id": model,
        "n": row["n"],
        "text_hash": semantic.compute_text_hash(memory),
        "vector": vector,
    }


def _index(db: Database, model: semantic.Model) -> None:
    if not vector_index.load_extension(db):
        return
    with db.write():
        vector_index.make_table(db, model)
    more = True
    while more:
        with db.write():
            more = vector_index.index_some(db, model.id, BATCH) > 0
