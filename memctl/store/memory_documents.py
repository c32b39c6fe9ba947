"""Versions of MEMORY.md: what was proposed, approved and left behind, of each place.

A place is a project's id, or `''` for what holds everywhere. Each line and each entry of the diary
is an object whose `ids` name every record whose words it has, so that an erasure takes exactly
those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.core import clock
from memctl.core.errors import StoreDamaged
from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.store.database import Database, Row
from memctl.store.rows import parse_json_column, resolve_id, to_canonical_json

STATES = ("staged", "current", "past", "rejected", "withdrawn")


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """One version; `state` is one of `STATES`, `decided_at` when it left `staged`."""

    id: str
    place: str
    state: str
    lines: tuple[Mapping[str, Any], ...]
    diary: tuple[Mapping[str, Any], ...]
    actor: str
    created_at: str
    decided_at: str | None = None


def insert_document(db: Database, document: StoredDocument) -> None:
    """Store a new version."""
    db.run(
        "memory_documents.insert",
        id=document.id,
        place=document.place,
        state=document.state,
        lines=to_canonical_json([*document.lines]),
        diary=to_canonical_json([*document.diary]),
        actor=document.actor,
        created_at=document.created_at,
        decided_at=document.decided_at,
    )


def set_state(db: Database, document_id: str, state: str) -> None:
    """Set what became of a version, now."""
    db.run("memory_documents.set_state", id=document_id, state=state, decided_at=clock.now())


def set_content(
    db: Database,
    document_id: str,
    lines: Iterable[Mapping[str, Any]],
    diary: Iterable[Mapping[str, Any]],
) -> None:
    """Set the lines and the diary of a version."""
    db.run(
        "memory_documents.set_content",
        id=document_id,
        lines=to_canonical_json([*lines]),
        diary=to_canonical_json([*diary]),
    )


def resolve_document(db: Database, text: str) -> StoredDocument:
    """Return the version with an id or a unique prefix of it. Raises NotFound."""
    found = resolve_id(db, "memory_documents.by_prefix", text, "version of MEMORY.md")
    return get_document(db, found)


def get_document(db: Database, document_id: str) -> StoredDocument:
    """Return the version with a full id."""
    row = db.one("memory_documents.get", id=document_id)
    if row is None:
        raise StoreDamaged(f"{db.path}: a version of MEMORY.md is gone")
    return _from_row(row)


def find_document(db: Database, place: str, state: str) -> StoredDocument | None:
    """Return the newest version of a place in a state, if there is one."""
    row = db.one("memory_documents.newest", place=place, state=state)
    return None if row is None else _from_row(row)


def list_documents(
    db: Database, place: str | None = None, *, limit: int = -1
) -> list[StoredDocument]:
    """List the versions of one place or of all, newest first."""
    rows = db.all("memory_documents.of_place", place=place, limit=limit)
    return [_from_row(row) for row in rows]


def list_staged_places(db: Database) -> list[str]:
    """List the places of which a version is staged."""
    return [row["place"] for row in db.all("memory_documents.staged_places")]


def drop_oldest(db: Database, place: str, kept: int) -> int:
    """Drop all but the newest versions of a place that are neither staged nor current."""
    return db.run("memory_documents.drop_oldest", place=place, kept=kept)


def move_place(db: Database, old: str, new: str) -> None:
    """Let the versions of a project that became part of another be history of that one."""
    db.run("memory_documents.withdraw_moved", place=old, decided_at=clock.now())
    db.run("memory_documents.move", old=old, new=new)


def forget_record(db: Database, memory_id: str) -> None:
    """Let no version hold a word of one record; one that cannot be read goes whole."""
    for row in db.all("memory_documents.naming", memory_id=memory_id):
        try:
            lines, diary = (_drop_naming(row[name], memory_id) for name in ("lines", "diary"))
        except StoreDamaged:
            db.run("memory_documents.delete", id=row["id"])
        else:
            set_content(db, row["id"], lines, diary)


def forget_place(db: Database, place: str) -> None:
    """Drop all versions of a place."""
    db.run("memory_documents.delete_of_place", place=place)


def _drop_naming(text: str, memory_id: str) -> list[Mapping[str, Any]]:
    return [each for each in _parse_objects(text) if memory_id not in each.get("ids", ())]


def _parse_objects(text: str) -> Sequence[Mapping[str, Any]]:
    found = parse_json_column(text)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise StoreDamaged("a version of MEMORY.md cannot be read")
    return found


def _from_row(row: Row) -> StoredDocument:
    return StoredDocument(
        row["id"],
        row["place"],
        row["state"],
        tuple(_parse_objects(row["lines"])),
        tuple(_parse_objects(row["diary"])),
        row["actor"],
        row["created_at"],
        row["decided_at"],
    )
