"""Tables whose loss harms no record, made anew and empty where they are gone.

Vectors are computed again from the records; what steps, searches and model calls left behind are
logs. A table that holds records, or what was captured, is not made anew: a backup has it.
"""

from __future__ import annotations

import json

from memctl.core.errors import MemctlError
from memctl.store import derived_tables, marks, turn_index, upkeep
from memctl.store.database import Database

_MARKS = "newer_marks"
_TURN_SOURCES = "turn_sources"
_VECTORS = "embeddings"
_MODELS = "embedding_models"
_VECTOR_INDEX = "memories_vec"


def list_lost(db: Database) -> list[str]:
    """List the tables that are gone and can be made anew."""
    names = json.dumps(upkeep.REPLACEABLE_TABLES)
    return [row["name"] for row in db.all("lost_tables.missing", names=names)]


def make_anew(db: Database) -> list[str]:
    """Make the tables that are gone, with their indexes; return their names.

    Nothing is done where another table is gone as well: such a store is one for a backup.
    """
    lost = list_lost(db)
    if not lost:
        return []
    expected = upkeep.build_expected_objects(int(db.pragma("user_version")))
    names = json.dumps([row["name"] for row in expected if row["type"] == "table"])
    gone = {row["name"] for row in db.all("lost_tables.missing", names=names)}
    if not gone <= {*upkeep.REPLACEABLE_TABLES, "memories_fts", "turns_fts"}:
        return []
    with db.write():
        lost = list_lost(db)
        if _MODELS in lost and _VECTORS not in lost:
            # A new model could get the number of another, whose vectors would then be taken for
            # its own. Nothing can be deleted from a table whose parent is gone.
            db.run("lost_tables.drop_vectors")
            lost.append(_VECTORS)
        if {_VECTORS, _MODELS} & {*lost}:
            derived_tables.put_aside(db, _VECTOR_INDEX)
        for row in expected:
            if row["tbl_name"] in lost:
                upkeep.make_object(db, row)
        if _TURN_SOURCES in lost:
            # What the index holds has numbers that nobody knows any more.
            turn_index.replace_index(db)
        if _MARKS in lost:
            marks.forget_maker(db)
    return lost


def make_anew_and_tell(db: Database) -> None:
    """Make the tables that are gone, and let the person be told."""
    made = make_anew(db)
    if made:
        told = f"{db.path}: tables were gone and are made anew, empty: {', '.join(made)}"
        hint = "no record is harmed; something else changed this file"
        db.warnings["lost_tables"] = MemctlError(told, hint=hint)
