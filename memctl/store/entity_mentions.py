"""Which records mention which entities, and how far records and names were looked through."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.typing_lite import Any
from memctl.store import entities, event_log, meta
from memctl.store.database import Database, Row
from memctl.store.rows import to_json_array


def list_entities_of_kind(db: Database, kind: str) -> list[Row]:
    """List the entities of one kind that were not merged into another."""
    return db.all("entities.of_kind", kind=kind)


def list_mentioned(db: Database, kind: str) -> list[Row]:
    """List the entities of one kind that some record mentions."""
    return db.all("entities.spoken_of", kind=kind)


def list_unread_records(db: Database, limit: int) -> list[Row]:
    """List the next records not yet read for known names, oldest first."""
    return db.all(
        "entities.to_read", n=meta.get_number(db, entities.RECORDS_READ_TO) or 0, limit=limit
    )


def mark_records_read(db: Database, last: Row) -> None:
    """Note that the records up to this one were read."""
    meta.put_note(db, entities.RECORDS_READ_TO, str(last["n"]))


def list_new_names(db: Database, limit: int) -> list[Row]:
    """List the next events that give an entity a name, oldest first."""
    return db.all(
        "entities.newly_named",
        seq=meta.get_number(db, entities.NAMES_FOUND_TO) or 0,
        limit=limit,
    )


def mark_names_looked_for(db: Database, last: Row | None) -> None:
    """Note that names were looked for up to this event; None means the newest."""
    seq = last["seq"] if last else int(db.value("entities.newest_change"))
    if meta.get_note(db, entities.NAMES_FOUND_TO) != str(seq):
        meta.put_note(db, entities.NAMES_FOUND_TO, str(seq))


def has_mentions(db: Database, memory_id: str) -> bool:
    """Whether a record mentions any entity."""
    return bool(db.all("entities.mentions_of", memory_id=memory_id))


def list_known_names(db: Database, spellings: Iterable[str]) -> list[Row]:
    """List the entities that some names stand for, each with the name; case does not count."""
    spelled = list(spellings)
    names = list(dict.fromkeys(name.casefold() for name in spelled))
    return db.all(
        "entities.known_names",
        names=to_json_array(names) or "[]",
        spelled=to_json_array(spelled) or "[]",
    )


def list_records_matching(db: Database, match: str, limit: int) -> list[Row]:
    """List records that an FTS5 expression finds, with their texts."""
    return db.all("entities.holding", match=match, limit=limit)


def list_records_mentioning(db: Database, entity_id: str) -> set[str]:
    """Return the ids of the records that mention an entity."""
    return {row["memory_id"] for row in db.all("entities.mentions", entity_id=entity_id)}


def attach_new(db: Database, memory_id: str, mentions: Iterable[tuple[str, str]]) -> int:
    """Let a record mention entities (id, name) that it does not mention by any name; return how
    many.
    """
    spoken = {row["id"] for row in db.all("entities.of_memories", ids=to_json_array([memory_id]))}
    new: list[list[Any]] = [
        [entity, name]
        for entity, name in mentions
        if entity not in spoken
        and db.run("entities.attach", memory_id=memory_id, entity_id=entity, name=name)
    ]
    if new:
        event_log.append_related(
            db, "mention", memory_id, memory_id, None, {"mentions": new}, verb="mentions"
        )
        entities.reindex_memories(db, [memory_id])
    return len(new)
