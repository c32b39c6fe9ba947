"""The full-text index made anew where it is damaged: an empty one takes its place at once.

Records are never harmed by a damaged index. A write that meets one replaces it and goes on; a
search answers from the records (`lexical.scan_words`); maintenance fills the new one in chunks.
"""

from __future__ import annotations

from collections.abc import Callable

from memctl.core.errors import MemctlError, StoreDamaged
from memctl.store import derived_tables, meta
from memctl.store.database import Database

_TABLE = "memories_fts"
# The note that the index lacks entries, from its replacement until maintenance filled it.
INCOMPLETE = "index_incomplete"


class IndexGuard:
    """Keeps a damaged index from taking a write transaction with it."""

    def __init__(self, db: Database) -> None:
        self._db = db
        # Whether a change of this transaction went well.
        self.has_changed = False
        if not is_usable(db):
            replace_index(db)

    def change(self, action: Callable[[], None]) -> None:
        """Change the index; one that is found damaged is replaced first."""
        try:
            action()
        except StoreDamaged:
            replace_index(self._db)
            action()
        self.has_changed = True

    def settle(self) -> None:
        """Write out what the index still holds in memory, before the commit does."""
        try:
            self._db.run("lexical_repair.begin_flush")
            self._db.run("lexical_repair.end_flush")
        except StoreDamaged:
            replace_index(self._db)

    def mend(self) -> bool:
        """Replace the index after a transaction was lost to it; False if it was not the cause."""
        try:
            if is_sound(self._db):
                return False
            with self._db.write():
                replace_index(self._db)
        except MemctlError:
            return False
        return True


def is_usable(db: Database) -> bool:
    """Whether the index can be written to, as far as a glance tells."""
    try:
        return bool(db.value("lexical_repair.is_usable"))
    except StoreDamaged:
        return False


def is_whole(db: Database) -> bool:
    """Whether the index has as many entries as there are records, and all its pages."""
    try:
        return is_usable(db) and bool(db.value("lexical_repair.is_whole"))
    except StoreDamaged:
        return False


def is_sound(db: Database) -> bool:
    """Whether the index agrees with the texts it holds, by SQLite's own check. Reads only."""
    try:
        found = db.pragma(f"integrity_check({_TABLE})")
    except StoreDamaged:
        return False
    return bool(found == "ok" and is_usable(db))


def is_incomplete(db: Database) -> bool:
    """Whether the index was replaced and is not filled yet."""
    return bool(meta.get_note(db, INCOMPLETE))


def count_records(db: Database) -> int:
    """Count the records, each of which has its entry in a whole index."""
    return int(db.value("lexical_repair.records_count"))


def list_missing(db: Database, after: int, limit: int) -> list[tuple[int, str]]:
    """List some records after an index number that the index lacks, by number and id."""
    rows = db.all("lexical_repair.missing", after=after, limit=limit)
    return [(row["n"], row["id"]) for row in rows]


def replace_index(db: Database) -> None:
    """Put the index aside, whatever its state, and make an empty one; inside `write()`."""
    derived_tables.put_aside(db, _TABLE)
    db.run("lexical_repair.create")
    meta.put_note(db, INCOMPLETE, "1")


def note_incomplete(db: Database) -> None:
    """Note that the index lacks entries; inside `write()`."""
    meta.put_note(db, INCOMPLETE, "1")


def note_complete(db: Database) -> None:
    """Note that the index has an entry for every record; inside `write()`."""
    if is_incomplete(db):
        meta.put_note(db, INCOMPLETE, "")
