"""Rows that belong to records and are in the event log, whatever their table.

Links, entities, their names, tombstones, votes, proposals, muted rules. Their own modules write
them with an event; here any of them can be read and set to an earlier state. Evidence and mentions
are sets: an event says what was added (`after`) and removed (`before`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.typing_lite import Any
from memctl.store import event_log, evidence, exchange, marks
from memctl.store.database import Database
from memctl.store.rows import copy_row

# Topic to the columns of its key; the item of a change is their values, joined.
KEYS: Mapping[str, tuple[str, ...]] = {
    "link": ("id",),
    "entity": ("id",),
    "alias": ("alias", "entity_id"),
    "tombstone": ("fingerprint", "memory_id"),
    "outcome": ("id",),
    "proposal": ("id",),
    "mute": ("rule",),
}
# Rows that others refer to come before them.
ORDER = ("entity", "alias", "link", "tombstone", "outcome", "proposal", "mute")
_ABOUT = {"link": "from_id", "alias": "entity_id", "tombstone": "memory_id", "outcome": "memory_id"}
# What changes to rules of extraction are about.
RULES = "RULES"


def compute_item(topic: str, row: Mapping[str, Any]) -> str:
    """Return how the event log names a row."""
    return "|".join(str(row[column]) for column in KEYS[topic])


def find_subject(topic: str, row: Mapping[str, Any]) -> str:
    """Return what a row is about: a record, an entity, or itself.

    Rules have names, no ids; a pair of entities has neither.
    """
    if topic == "proposal" and row["kind"] == "archive":
        return str(row["about"])
    return RULES if topic == "mute" else str(row[_ABOUT.get(topic, "id")])


def find_row(db: Database, topic: str, item: str) -> dict[str, Any] | None:
    """Return a row as it is; None also for an item that cannot be one's."""
    # Only the last of two can be an id, which has no such sign in it; a name may.
    keys = item.rsplit("|", len(KEYS[topic]) - 1)
    if len(keys) != len(KEYS[topic]):
        return None
    row = db.one(f"tracked_rows.get_{topic}", **dict(zip(KEYS[topic], keys, strict=True)))
    return None if row is None else copy_row(row)


def list_by_item(db: Database, topic: str) -> dict[str, dict[str, Any]]:
    """Return all rows of a topic by their items."""
    return {compute_item(topic, row): copy_row(row) for row in db.all(f"tracked_rows.read_{topic}")}


def put_row(db: Database, topic: str, row: Mapping[str, Any]) -> None:
    """Set a row to an earlier state, whether it exists or not; without an event."""
    db.run(f"tracked_rows.put_{topic}", **row)


def drop_row(db: Database, topic: str, row: Mapping[str, Any]) -> bool:
    """Delete a row; False if others still need it. Without an event."""
    return (
        db.run(f"tracked_rows.drop_{topic}", **{column: row[column] for column in KEYS[topic]}) > 0
    )


def change_row(
    db: Database,
    topic: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    *,
    verb: str,
) -> bool:
    """Set a row to another state, with an event; None is no row. False if impossible."""
    row = after or before
    assert row is not None
    if after is not None:
        put_row(db, topic, after)
    elif not drop_row(db, topic, row):
        return False
    told = event_log.keep_differences(before, after)
    event_log.append_related(
        db, topic, find_subject(topic, row), compute_item(topic, row), *told, verb=verb
    )
    if topic == "link":
        marks.request_marks(db, (row["from_id"], row["to_id"]))
    if topic == "outcome":
        db.run("tracked_rows.count_outcomes", memory_id=row["memory_id"])
    return True


def list_mentions(db: Database) -> set[tuple[str, str, str]]:
    """Return which record mentions which entity by which name."""
    return {
        (row["memory_id"], row["entity_id"], row["name"])
        for row in db.all("tracked_rows.read_mentions")
    }


def list_mentions_of(db: Database, memory_id: str) -> set[tuple[str, str]]:
    """Return which entities one record mentions by which names."""
    return {
        (row["entity_id"], row["name"])
        for row in db.all("tracked_rows.mentions_of", memory_id=memory_id)
    }


def set_mentions(
    db: Database,
    memory_id: str,
    *,
    gone: Iterable[tuple[str, str]] = (),
    come: Iterable[tuple[str, str]] = (),
    verb: str,
) -> None:
    """Let a record mention other entities by other names (entity and name each), with an event."""
    went = [
        list(pair)
        for pair in gone
        if db.run("tracked_rows.drop_mention", memory_id=memory_id, entity_id=pair[0], name=pair[1])
    ]
    came = [
        list(pair)
        for pair in come
        if db.run("tracked_rows.put_mention", memory_id=memory_id, entity_id=pair[0], name=pair[1])
    ]
    if went or came:
        told = {"mentions": went} if went else None, {"mentions": came} if came else None
        event_log.append_related(db, "mention", memory_id, memory_id, *told, verb=verb)


def set_mention(db: Database, memory_id: str, entity_id: str, name: str, *, present: bool) -> None:
    """Add or remove one mention, without an event."""
    statement = "tracked_rows.put_mention" if present else "tracked_rows.drop_mention"
    db.run(statement, memory_id=memory_id, entity_id=entity_id, name=name)


def recount_feedback(db: Database, memory_ids: Iterable[str]) -> None:
    """Count the votes on some records anew."""
    for memory_id in memory_ids:
        db.run("tracked_rows.count_outcomes", memory_id=memory_id)


def list_voted(db: Database) -> set[str]:
    """The records that there are votes on."""
    return {row["memory_id"] for row in db.all("tracked_rows.read_outcome")}


def list_records_of_entity(db: Database, entity_id: str) -> list[str]:
    """List the records that mention one entity."""
    return [
        row["memory_id"] for row in db.all("tracked_rows.records_of_entity", entity_id=entity_id)
    ]


def list_withdrawn(db: Database) -> dict[str, tuple[str, bool]]:
    """Return all evidence: its record, and whether it was withdrawn."""
    return {
        row["id"]: (row["memory_id"], row["withdrawn_at"] is not None)
        for row in db.all("tracked_rows.read_evidence")
    }


def set_evidence(
    db: Database, memory_id: str, *, gone: Iterable[str] = (), come: Iterable[str] = (), verb: str
) -> None:
    """Withdraw evidence of a record, or let it count again, with an event."""
    evidence.withdraw_evidence(db, memory_id, gone, verb=verb)
    evidence.restore_evidence(db, memory_id, come, verb=verb)


def reindex_memories(db: Database, ids: Iterable[str]) -> None:
    """Write the index entries of records anew, with the names of their entities."""
    exchange.reindex_memories(db, ids)
