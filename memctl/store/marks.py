"""Marks: which record in force a newer one may replace.

Derived from the records and their vectors: they may be dropped and made again at any time. A change
to either side takes the mark away in the same transaction and asks for a new one, which maintenance
makes; until then nobody is told anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core import clock
from memctl.core.errors import StoreDamaged
from memctl.core.frozen import dataclass
from memctl.store import meta, semantic
from memctl.store.database import Database, Row
from memctl.store.rows import to_json_array

# What is marked, and what it is marked with.
MARKED_STATUSES = ("active", "contradicted")
# The version of how pairs are read (consolidate/overtaken.py): another one makes all marks anew.
_READING = 4
# The note that says by what the marks were made.
_MADE_BY = "marks_made_by"
# Index numbers looked at in one transaction when all marks are made again. Chosen by hand.
_PIECE = 2000


@dataclass(frozen=True, slots=True)
class Mark:
    """One record and the newer one that may replace it; `nearness` is 0 to 1.

    One that is waiting has to be made (again): it names the record itself.
    """

    memory_id: str
    newer_id: str
    nearness: float
    created_at: str

    @property
    def is_waiting(self) -> bool:
        """Whether it has still to be made."""
        return self.newer_id == self.memory_id


def find_mark(db: Database, memory_id: str) -> Mark | None:
    """Return the mark of one record, made or waiting, if there is one."""
    row = db.one("marks.of", memory_id=memory_id)
    return None if row is None else _from_row(row)


def list_standing(db: Database, project_id: str | None) -> list[Mark]:
    """List the marks between records in force, of one project or of all, the newest first."""
    return [_from_row(row) for row in db.all("marks.standing", project_id=project_id)]


def list_naming(db: Database, newer_id: str, limit: int) -> list[Mark]:
    """List marks that name one record as the newer one, the first by the ids of those they mark."""
    return [_from_row(row) for row in db.all("marks.naming", newer_id=newer_id, limit=limit)]


def put_mark(db: Database, memory_id: str, newer_id: str, nearness: float) -> None:
    """Mark a record with a newer one that may replace it."""
    db.run(
        "marks.put",
        memory_id=memory_id,
        newer_id=newer_id,
        nearness=nearness,
        created_at=clock.now(),
    )


def drop_mark(db: Database, memory_id: str) -> None:
    """Drop the mark of a record, or the request for one."""
    _run(db, "marks.drop", memory_id=memory_id)


def request_marks(db: Database, ids: Iterable[str]) -> None:
    """Take the marks of some records away, and let them be made again."""
    wanted = to_json_array(ids)
    if wanted is not None:
        _run(db, "marks.request", ids=wanted, created_at=clock.now())


def request_mark(db: Database, memory_id: str) -> None:
    """Take the mark of a record away, and let it be made again."""
    request_marks(db, (memory_id,))


def renew_marks_of(db: Database, memory_id: str, status: str) -> None:
    """Take away the marks on both sides of a record that changed, and let them be made again."""
    if status in MARKED_STATUSES:
        request_mark(db, memory_id)
    else:
        drop_mark(db, memory_id)
    _run(db, "marks.request_newer_of", newer_id=memory_id)


def forget_record(db: Database, memory_id: str) -> None:
    """Let nothing of a record be left in marks."""
    drop_mark(db, memory_id)
    _run(db, "marks.request_newer_of", newer_id=memory_id)


def are_outdated(db: Database) -> bool:
    """Whether all marks have to be made again, because they are read from pairs in another way."""
    maker = _describe_maker(db)
    return maker is not None and meta.get_note(db, _MADE_BY) != maker


def request_piece(db: Database, after: int) -> int | None:
    """Let the marks of the next records in force be made again; return where to go on, if at all.

    Records are taken in the order of their index numbers, which are above 0. With the last piece
    the marks count as those of the present way.
    """
    newest = int(db.value("marks.newest_number"))
    last = min(newest, after + _PIECE)
    db.run("marks.request_next", after=after, last=last, created_at=clock.now())
    if last < newest:
        return last
    meta.put_note(db, _MADE_BY, _describe_maker(db) or "")
    return None


def list_waiting(db: Database, after: str, limit: int) -> list[str]:
    """List records whose mark has to be made, after an id, in order."""
    return [row["memory_id"] for row in db.all("marks.waiting", after=after, limit=limit)]


def count_waiting(db: Database) -> int:
    """Count the marks that have to be made."""
    return int(db.value("marks.waiting_count"))


def forget_maker(db: Database) -> None:
    """Let all marks be made again by maintenance: their table was lost."""
    meta.put_note(db, _MADE_BY, "")


def _run(db: Database, name: str, **values: object) -> None:
    """Run a statement that goes with a change to a record, which must not fail for its sake: a
    table that is gone is made anew by maintenance, with all marks.
    """
    try:
        db.run(name, **values)
    except StoreDamaged:
        if db.value("marks.is_there"):
            raise


def _describe_maker(db: Database) -> str | None:
    """Return by what marks are made now; None where there are no vectors to make them by."""
    model, slots = semantic.find_serving_model(db), semantic.find_slot_model(db)
    if model is None:
        return None
    return " ".join([str(_READING), model.fingerprint, slots.fingerprint if slots else "unread"])


def _from_row(row: Row) -> Mark:
    return Mark(row["memory_id"], row["newer_id"], row["nearness"], row["created_at"])
