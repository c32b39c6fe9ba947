"""Rows as they are read for changes that travel."""

from __future__ import annotations

from memctl.core.frozen import fields
from memctl.core.model import Event, Evidence, Memory
from memctl.core.typing_lite import Any
from memctl.store import event_log
from memctl.store.database import Database, Row
from memctl.store.rows import build_from_row, copy_row

_COUNTED = ("last_accessed_at", "access_count", "good", "bad")
# The fields of a record that the event log tells of.
RECORD_FIELDS = tuple(each.name for each in fields(Memory) if each.name not in _COUNTED)
_EVIDENCE_FIELDS = tuple(each.name for each in fields(Evidence))


def find_evidence(db: Database, evidence_id: str) -> Evidence | None:
    """Return one piece of evidence, withdrawn or not; None if it is gone."""
    row = db.one("portable_rows.evidence", id=evidence_id)
    return None if row is None else build_from_row(Evidence, row)


def tell_evidence(proof: Evidence) -> dict[str, Any]:
    """Return a piece of evidence by its columns, without the hash that follows from it."""
    return {name: getattr(proof, name) for name in _EVIDENCE_FIELDS}


def list_votes(db: Database, memory_id: str) -> list[dict[str, Any]]:
    """List the votes on a record."""
    return [copy_row(row) for row in db.all("portable_rows.votes", memory_id=memory_id)]


def find_repo(db: Database, repo_id: str) -> Row | None:
    """Return one repository, or None."""
    return db.one("portable_rows.repo", id=repo_id)


def list_of_item(db: Database, memory_id: str, topic: str, item: str) -> list[Event]:
    """List the changes of one row that belongs to a record or entity, oldest first."""
    rows = db.all("portable_rows.history_of_item", memory_id=memory_id, topic=topic, item=item)
    return [event_log.from_row(row) for row in rows]


def list_next_records(db: Database, n: int, limit: int) -> list[tuple[int, str]]:
    """List the next records after an index number: index number and id."""
    rows = db.all("portable_rows.next_records", n=n, limit=limit)
    return [(int(row["n"]), str(row["id"])) for row in rows]


def list_next_events(db: Database, seq: int, limit: int) -> list[Event]:
    """List the next changes after one of them, oldest first."""
    return [
        event_log.from_row(row) for row in db.all("portable_rows.next_events", seq=seq, limit=limit)
    ]


def list_entity_history(db: Database, entity_id: str, until: int) -> list[Event]:
    """List the changes of an entity and its names up to one change, oldest first."""
    rows = db.all("portable_rows.entity_history", memory_id=entity_id, until=until)
    return [event_log.from_row(row) for row in rows]


def list_next_entities(db: Database, after: str, limit: int) -> list[Row]:
    """List the next entities after an id."""
    return db.all("portable_rows.next_entities", after=after, limit=limit)


def list_sources(db: Database, after: str) -> list[Row]:
    """List the captured conversations after an id: id, project, hash of the turns, last change."""
    return db.all("portable_rows.sources", after=after)


def list_parts(db: Database, source_id: str) -> list[Row]:
    """List the turns of a captured conversation as they are stored, part by part."""
    return db.all("portable_rows.parts", source_id=source_id)
