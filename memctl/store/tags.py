"""Reading and changing the tags of records (see `memctl/text/tags.py`)."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.model import TAG_MARK
from memctl.store import entities, tracked_rows
from memctl.store.database import Database
from memctl.store.rows import to_json_array
from memctl.text import tags


def list_holders(db: Database, wanted: Iterable[str]) -> set[str]:
    """Return the ids of the records that have all of some tags."""
    names = [TAG_MARK + tag for tag in wanted]
    rows = db.all("tags.holders", names=to_json_array(names) or "[]", count=len(names))
    return {row["memory_id"] for row in rows}


def list_numbers(db: Database, wanted: Iterable[str], limit: int) -> list[int]:
    """Return the index numbers of the records that have all of some tags, newest first."""
    names = [TAG_MARK + tag for tag in wanted]
    params = {"names": to_json_array(names) or "[]", "count": len(names), "limit": limit}
    return [row["n"] for row in db.all("tags.numbers", **params)]


def list_of_memory(db: Database, memory_id: str) -> tuple[str, ...]:
    """Return the tags of one record."""
    rows = db.all("tags.of_memory", memory_id=memory_id)
    return tuple(sorted({row["tag"][1:] for row in rows}))


def count_tags(
    db: Database, statuses: Iterable[str], *, project_id: str | None, agent: str | None
) -> dict[str, int]:
    """Count the records of each tag, the most used first; `agent` sees no other's private ones."""
    wanted = to_json_array(statuses) or "[]"
    rows = db.all("tags.counted", statuses=wanted, project_id=project_id, agent=agent)
    return {row["tag"]: row["records"] for row in rows}


def set_tags(db: Database, memory_id: str, wanted: Iterable[str], at: str) -> bool:
    """Let a record have these tags and no others, with an event; whether anything changed."""
    rows = db.all("tags.of_memory", memory_id=memory_id)
    kept = {*wanted}
    gone = [(row["entity_id"], row["name"]) for row in rows if row["tag"][1:] not in kept]
    new = kept - {row["tag"][1:] for row in rows}
    if gone:
        tracked_rows.set_mentions(db, memory_id, gone=gone, verb="untagged")
    if new:
        entities.attach_entities(db, memory_id, tags.build_refs(sorted(new)), at)
    if gone:
        tracked_rows.reindex_memories(db, [memory_id])
    return bool(gone or new)


def add_tags(db: Database, memory_id: str, added: Iterable[str], at: str) -> bool:
    """Let a record have some tags beside its own, with an event; whether anything changed."""
    return set_tags(db, memory_id, {*list_of_memory(db, memory_id), *added}, at)
