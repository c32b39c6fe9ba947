"""Embedding vectors of records. Derived: they may be dropped and made again at any time.

A vector is kept as `dimensions` signed bytes, the largest component at 127: a cosine needs only the
direction. Its model and the hash of its words are kept with it; vectors of two models are never
compared. A record has one vector for searches and, beside it, one that tells which question it
answers: that of the slot model.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from operator import mul

from memctl.core.errors import StoreDamaged
from memctl.core.frozen import dataclass
from memctl.core.model import Memory
from memctl.embed import SLOTS
from memctl.store import lexical, meta
from memctl.store.database import Database, Row
from memctl.store.rows import compute_sha256
from memctl.store.rows import to_json_array as json_array

# A model reads about 256 word pieces at once: a longer text is read in pieces of so many
# characters, and what stands behind the last one cannot count.
PIECE_CHARACTERS = 700
MAX_PIECES = 12
# Keys of notes about the store.
_SERVING = "embedding_model"
_SLOTS = "slot_model"
_STAMP = "embedding_weights"
_HASH_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Model:
    """A model that vectors were made with. Vectors of the same fingerprint may be compared."""

    id: int
    name: str
    dimensions: int
    fingerprint: str


def compose_text(memory: Memory) -> str:
    """Return what is embedded of a record: title, content and reason.

    The title is left out if the content begins with it.
    """
    title = "" if memory.content.startswith(memory.title.rstrip(" .…")) else memory.title
    text = "\n".join(filter(None, (title, memory.content, memory.rationale)))
    return (lexical.strip_episode_frame(text) if memory.type == "episode" else text)[
        : PIECE_CHARACTERS * MAX_PIECES
    ]


def split_pieces(text: str) -> list[str]:
    """Split a text into pieces that a model can read at once, at ends of sentences or lines."""
    pieces, rest = [], text
    while len(rest) > PIECE_CHARACTERS:
        cut = (
            max(rest.rfind(mark, PIECE_CHARACTERS // 2, PIECE_CHARACTERS) for mark in (". ", "\n"))
            + 1
            or PIECE_CHARACTERS
        )
        pieces.append(rest[:cut])
        rest = rest[cut:]
    return [*pieces, rest][:MAX_PIECES]


def compute_mean(vectors_: Sequence[bytes]) -> bytes:
    """Return the mean direction of several float32 unit vectors."""
    if len(vectors_) == 1:
        return vectors_[0]
    return array(
        "f", map(sum, zip(*(array("f", vector) for vector in vectors_), strict=True))
    ).tobytes()


def compute_text_hash(memory: Memory) -> str:
    """Return the hash by which a vector is known to belong to these words."""
    return compute_sha256(compose_text(memory))[:_HASH_LENGTH]


def pack_vector(vector: bytes) -> bytes:
    """Pack a float32 vector into signed bytes of the same direction."""
    numbers = array("f", vector)
    most = max(map(abs, numbers), default=0.0) or 1.0
    return array("b", [round(number / most * 127) for number in numbers]).tobytes()


class CosineCache:
    """Cosines of packed vectors; each vector is unpacked once.

    Vectors are unpacked to floats: Python adds those more than twice as fast as integers, and sums
    of 8-bit products are exact in them.
    """

    def __init__(self) -> None:
        self._read: dict[bytes, tuple[list[float], float]] = {}

    def between(self, a: bytes | None, b: bytes | None) -> float | None:
        """Return the cosine of two vectors, or None if one is missing."""
        if a is None or b is None:
            return None
        (x, long), (y, wide) = self._of(a), self._of(b)
        return sum(map(mul, x, y)) / (long * wide) if long and wide else 0.0

    def _of(self, vector: bytes) -> tuple[list[float], float]:
        found = self._read.get(vector)
        if found is None:
            numbers = [*map(float, array("b", vector))]
            found = self._read[vector] = (numbers, sum(map(mul, numbers, numbers)) ** 0.5)
        return found


# -- models --------------------------------------------------------------------


def ensure_model(db: Database, name: str, dimensions: int, fingerprint: str, now: str) -> int:
    """Return the number of a model, which is stored if it is new."""
    known = {"name": name, "dimensions": dimensions, "fingerprint": fingerprint}
    db.run("semantic.add_model", **known, created_at=now)
    return int(db.value("semantic.find_model", **known))


def find_serving_model(db: Database) -> Model | None:
    """Return the model whose vectors answer searches, if there is one.

    Where the table of models is damaged or gone there is none, until maintenance made it anew.
    """
    return _find_noted_model(db, _SERVING)


def find_slot_model(db: Database) -> Model | None:
    """Return the model whose vectors tell which records answer one question, if there is one."""
    return _find_noted_model(db, _SLOTS)


def _find_noted_model(db: Database, note: str) -> Model | None:
    number = meta.get_number(db, note)
    try:
        row = None if number is None else db.one("semantic.model", id=number)
    except StoreDamaged:
        db.damaged_indexes.add("vectors")
        return None
    return Model(row["id"], row["name"], row["dimensions"], row["fingerprint"]) if row else None


def set_serving_model(db: Database, number: int) -> None:
    """Let searches be answered by the vectors of this model."""
    meta.put_note(db, _SERVING, str(number))


def set_slot_model(db: Database, number: int) -> None:
    """Let pairs be read by the vectors of this model."""
    meta.put_note(db, _SLOTS, str(number))


def get_weights_stamp(db: Database) -> str:
    """Return the stamp of the weights that were last verified."""
    return meta.get_note(db, _STAMP) or ""


def put_weights_stamp(db: Database, text: str) -> None:
    """Remember weights as verified."""
    meta.put_note(db, _STAMP, text)


# -- the vectors themselves ----------------------------------------------------


def put_vector(db: Database, model: int, n: int, memory: Memory, vector: bytes) -> None:
    """Store the packed vector of a record."""
    db.run("semantic.put", model_id=model, n=n, text_hash=compute_text_hash(memory), vector=vector)


def drop_vector(db: Database, n: int) -> None:
    """Delete the vectors of a record whose words or scope changed."""
    db.run("semantic.forget", n=n)


def drop_replaced_models(db: Database, model: int) -> int:
    """Delete the vectors of the other models that do what a model does; return how many."""
    return db.run("semantic.forget_replaced_models", model_id=model, slots=SLOTS)


def list_without_vector(
    db: Database, model: int, after: int, limit: int, *, episodes: bool = True
) -> list[Row]:
    """List living records after an index number that a model has no vector for, by number."""
    return db.all("semantic.wanting", model_id=model, after=after, limit=limit, episodes=episodes)


def count_without_vector(db: Database, model: int, *, episodes: bool = True) -> int:
    """Count living records that a model has no vector for."""
    return int(db.value("semantic.wanting_count", model_id=model, episodes=episodes))


def count_vectors(db: Database, model: int) -> int:
    """Count the vectors of a model."""
    return int(db.value("semantic.count", model_id=model))


def read_vectors(db: Database, model: int, numbers: Iterable[int]) -> dict[int, bytes]:
    """Return the packed vectors of records by index number; records without one are left out.

    So are all of them where the vectors are damaged or gone.
    """
    try:
        rows = db.all("semantic.vectors", model_id=model, numbers=json_array(numbers) or "[]")
    except StoreDamaged:
        db.damaged_indexes.add("vectors")
        return {}
    return {row["n"]: row["vector"] for row in rows}
