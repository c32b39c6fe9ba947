"""Putting a damaged virtual table aside, whatever its state, and disposing of it in short writes.

SQLite cannot drop a virtual table that it cannot open, and dropping a large one keeps others from
writing for long. Taken out of the schema, its tables are ordinary ones.
"""

from __future__ import annotations

from collections.abc import Callable

from memctl.core.errors import StoreDamaged
from memctl.store.database import Database

_REPLACED = "replaced_"
# Rows deleted in one transaction; a row takes up to a page. Chosen by hand.
_BATCH = 200


def put_aside(db: Database, table: str) -> None:
    """Take a virtual table out of the schema inside `write()`; its content waits to be dropped."""
    db.run("derived_tables.unlock_schema")
    try:
        db.run("derived_tables.unlink", name=table)
    finally:
        db.run("derived_tables.reload_schema")
    first = 1 + len(list_replaced(db))
    for number, row in enumerate(db.all("derived_tables.parts", prefix=f"{table}_"), first):
        words = {"meta": row["name"], f"{_REPLACED}1": f"{_REPLACED}{number}_{row['name']}"}
        db.define("derived_tables.rename", words)


def list_replaced(db: Database) -> list[str]:
    """List the tables that were put aside and are not yet dropped."""
    return [row["name"] for row in db.all("derived_tables.parts", prefix=_REPLACED)]


def drop_replaced(db: Database, must_stop: Callable[[], bool] = lambda: False) -> int:
    """Drop what was put aside, in short transactions; return how many tables are gone.

    One that is itself unreadable stays: the check of the file's structure names it.
    """
    dropped = 0
    for name in list_replaced(db):
        try:
            if db.value("derived_tables.has_rowid", name=name):
                while not must_stop() and _drain(db, name):
                    pass
            if must_stop():
                break
            with db.write():
                db.define("derived_tables.drop", {f"{_REPLACED}1": name})
            dropped += 1
        except StoreDamaged:
            continue
    return dropped


def _drain(db: Database, name: str) -> int:
    with db.write():
        return db.define("derived_tables.drain", {"memories": name}, many=_BATCH)
