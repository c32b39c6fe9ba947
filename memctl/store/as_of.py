"""Links, evidence and entities as they were at a time, according to the event log.

The present rows are taken and later changes undone, so that a recent time costs little.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.model import EntityRef, Evidence, Link
from memctl.core.typing_lite import Any
from memctl.store import evidence, links
from memctl.store.database import Database
from memctl.store.rows import build_from_row, parse_json_column, to_json_array


def list_changed_since(db: Database, at: str) -> set[str]:
    """Return the ids of the records changed or created after a time."""
    return {row["memory_id"] for row in db.all("as_of.changed_since", at=at)}


def list_links(db: Database, ids: Iterable[str], at: str) -> list[Link]:
    """List the links of records at a time, as they were."""
    wanted = set(ids)
    return [
        link
        for link in _undo_link_changes(db, links.list_of_memories(db, wanted), at)
        if wanted & {link.from_id, link.to_id}
    ]


def list_all_links(db: Database, at: str) -> list[Link]:
    """List all links at a time, as they were."""
    return _undo_link_changes(db, [build_from_row(Link, row) for row in db.all("as_of.links")], at)


def _undo_link_changes(db: Database, now: Iterable[Link], at: str) -> list[Link]:
    """Undo later changes to links: drop new ones, restore deleted ones, reopen settled ones."""
    found: dict[str, dict[str, Any]] = {
        link.id: {name: getattr(link, name) for name in Link.__slots__} for link in now
    }
    for row in db.all("as_of.rows", topic="link", at=at):
        before, after = (
            parse_json_column(row[side]) if row[side] else None for side in ("before", "after")
        )
        if before is None:
            found.pop(row["item"], None)
        elif after is None:
            found[row["item"]] = before
        elif row["item"] in found:
            found[row["item"]].update(before)
    known = (
        values for values in found.values() if "from_id" in values and values["created_at"] <= at
    )
    return sorted(
        (Link(**{name: values[name] for name in Link.__slots__}) for values in known),
        key=lambda link: link.id,
    )


def list_evidence(db: Database, memory_id: str, at: str) -> list[Evidence]:
    """List the evidence that counted for a record at a time, strongest first."""
    living = {item.id for item in evidence.list_of_memory(db, memory_id)}
    for row in db.all("as_of.sets_of", topic="evidence", memory_id=memory_id, at=at):
        living -= set((parse_json_column(row["after"]) if row["after"] else {}).get("ids", ()))
        living |= set((parse_json_column(row["before"]) if row["before"] else {}).get("ids", ()))
    return sorted(
        (item for item in evidence.list_with_withdrawn(db, memory_id) if item.id in living),
        key=lambda item: (-item.trust, item.id),
    )


def list_entities(db: Database, memory_id: str, at: str) -> list[EntityRef]:
    """List the entities that a record mentioned at a time."""
    now = {
        (row["entity_id"], row["name"])
        for row in db.all("entities.mentions_of", memory_id=memory_id)
    }
    ids = {
        entity
        for entity, _ in _undo_changes(
            now, db.all("as_of.sets_of", topic="mention", memory_id=memory_id, at=at)
        )
    }
    rows = db.all("entities.by_ids", ids=to_json_array(sorted(ids)) or "[]")
    return sorted(
        (EntityRef(row["kind"], row["name"]) for row in rows), key=lambda ref: (ref.kind, ref.name)
    )


def list_records_of_entity(db: Database, entity_id: str, at: str) -> set[str]:
    """Return the ids of the records that mentioned an entity at a time."""
    now = {
        (row["memory_id"], row["name"]) for row in db.all("entities.mentions", entity_id=entity_id)
    }
    for row in db.all("as_of.sets", topic="mention", at=at):
        for side, put in (("after", False), ("before", True)):
            told = parse_json_column(row[side])["mentions"] if row[side] else ()
            pairs = {(row["memory_id"], name) for entity, name in told if entity == entity_id}
            now = now | pairs if put else now - pairs
    return {memory_id for memory_id, _ in now}


def _undo_changes(now: set[tuple[str, str]], changes: Iterable[Any]) -> set[tuple[str, str]]:
    """Undo changes to a set; they come newest first."""
    for row in changes:
        now = now - {
            (entity, name)
            for entity, name in (
                parse_json_column(row["after"])["mentions"] if row["after"] else ()
            )
        }
        now |= {
            (entity, name)
            for entity, name in (
                parse_json_column(row["before"])["mentions"] if row["before"] else ()
            )
        }
    return now
