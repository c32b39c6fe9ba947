"""The nearest-neighbour table (sqlite-vec) over the packed vectors of `semantic`.

It is derived from those vectors and exists only where the extension could be loaded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from memctl.core.errors import StoreDamaged
from memctl.store import derived_tables, lexical
from memctl.store.database import Database
from memctl.store.semantic import Model

_TABLE = "memories_vec"
_LIBRARY = {"darwin": "vec0.dylib", "win32": "vec0.dll"}.get(sys.platform, "vec0.so")
# What the definition of the table says in place of the width of its vectors.
_WIDTH = "[384]"
# The most neighbours that sqlite-vec looks for at once.
MOST_NEIGHBOURS = 4096


def load_extension(db: Database) -> bool:
    """Load the extension from the installed package without importing it; False if impossible."""
    return any(db.load_extension(path) for path in list_extension_paths()[:1])


def list_extension_paths() -> list[str]:
    """List where the library of the extension is installed."""
    places = (os.path.join(folder or ".", "sqlite_vec", _LIBRARY) for folder in sys.path)
    return [place for place in places if os.path.exists(place)]


def has_table(db: Database) -> bool:
    """Whether the nearest-neighbour table exists."""
    return bool(db.value("vector_index.exists"))


def make_table(db: Database, model: Model) -> None:
    """Create the nearest-neighbour table empty, for a model; the extension must be loaded."""
    derived_tables.put_aside(db, _TABLE)
    db.define("vector_index.create", {_WIDTH: f"[{model.dimensions}]"})
    db.run("semantic.mark_all_unindexed", model_id=model.id)


def list_parts(db: Database) -> list[str]:
    """List the tables that hold, or held, the content of the nearest-neighbour table."""
    return [row["name"] for row in db.all("derived_tables.parts", prefix=f"{_TABLE}_")]


def put_aside(db: Database) -> None:
    """Take the table out of use, whatever its state; its content waits to be dropped."""
    with db.write():
        derived_tables.put_aside(db, _TABLE)


def list_indexed(db: Database, model: int) -> list[int]:
    """List the index numbers of the vectors that count as indexed."""
    return [row["n"] for row in db.all("semantic.indexed", model_id=model)]


def mark_unindexed(db: Database, model: int, n: int) -> None:
    """Note that the table lacks one vector."""
    db.run("semantic.mark_unindexed", model_id=model, n=n)


def find_damage(db: Database, model: int) -> str | None:
    """Return what is wrong with the table, as far as numbers tell; None if nothing is."""
    return None if not has_table(db) or is_sound(db, model) else "it lacks vectors or parts"


def drop_table(db: Database) -> None:
    """Drop the nearest-neighbour table; the extension must be loaded."""
    try:
        if has_table(db):
            db.run("vector_index.drop")
    except StoreDamaged:
        derived_tables.put_aside(db, _TABLE)


def is_sound(db: Database, model: int) -> bool:
    """Whether the table has as many vectors as it should, and the chunks that hold them."""
    try:
        return not db.value("vector_index.differs", model_id=model)
    except StoreDamaged:
        return False


def index_some(db: Database, model: int, limit: int) -> int:
    """Index up to so many vectors that the table lacks; return how many there were."""
    rows = db.all("semantic.unindexed", model_id=model, limit=limit)
    entries = [
        {
            "n": row["n"],
            "place": lexical.compute_scope_key_of_row(row),
            "vector": row["vector"],
            "model_id": model,
        }
        for row in rows
    ]
    db.run_many("vector_index.delete", [{"n": entry["n"]} for entry in entries])
    db.run_many(
        "vector_index.insert",
        [{name: entry[name] for name in ("n", "place", "vector")} for entry in entries],
    )
    db.run_many(
        "semantic.mark_indexed", [{"n": entry["n"], "model_id": model} for entry in entries]
    )
    return len(rows)


def holds_only_entries(db: Database) -> bool:
    """Whether every vector in the table is that of an entry, so that it can be found and deleted.

    Raises StoreDamaged.
    """
    numbers = db.one("vector_index.numbers")
    assert numbers is not None
    taken = sum(int.from_bytes(row["validity"]).bit_count() for row in db.all("vector_index.taken"))
    return bool(numbers["chunks"] == numbers["held"] and numbers["entries"] == taken)


def list_stale(db: Database) -> list[int]:
    """List the index numbers in the table that have no vector any more."""
    return [row["n"] for row in db.all("vector_index.stale")]


def delete_entry(db: Database, n: int) -> None:
    """Delete one entry, and overwrite its vector; the extension must be loaded."""
    db.run("vector_index.delete", n=n)


def count_unindexed(db: Database, model: int) -> int:
    """Count the vectors of a model that the table lacks."""
    return int(db.value("semantic.unindexed_count", model_id=model))


def find_nearest(
    db: Database, vector: bytes, places: Sequence[str] | None, limit: int
) -> dict[int, float]:
    """Return the cosines of the nearest vectors by index number; the extension must be loaded.

    `places` are scope keys; None means anywhere. At most `MOST_NEIGHBOURS` are found for each.
    """
    limit = min(limit, MOST_NEIGHBOURS)
    if places is None:
        rows = db.all("vector_index.nearest_anywhere", vector=vector, limit=limit)
    else:
        rows = [
            row
            for place in places
            for row in db.all("vector_index.nearest", vector=vector, place=place, limit=limit)
        ]
    return {row["n"]: 1.0 - row["distance"] for row in rows}
