"""The event log: every change ever made to durable memory, in order, chained by a hash.

It covers records and what belongs to them (links, evidence, entities, votes): `topic` says which,
`item` identifies the row. Changes made together share an `operation`: that of their transaction,
unless `group_changes()` sets narrower bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from memctl.core import clock
from memctl.core.errors import StoreDamaged
from memctl.core.model import Event
from memctl.core.typing_lite import Any
from memctl.store import readable_rows
from memctl.store.database import Database, Row
from memctl.store.rows import (
    build_from_row,
    compute_changes,
    compute_sha256,
    parse_json_column,
    to_canonical_json,
)

GENESIS = "0" * 64


# What a change says only where it is not about the record itself: old chains know none of it.
_NEWER = ("topic", "item", "operation")


@contextmanager
def group_changes(
    db: Database,
    *,
    actor: str | None = None,
    cause: str | None = None,
    operation: str | None = None,
) -> Iterator[None]:
    """Make the changes inside one operation, undone as one.

    `actor` and `cause` apply to changes that name none. `operation` is the id of one that began in
    an earlier transaction.
    """
    outer = db.operation, db.acting
    db.operation, db.acting = (
        operation or clock.new_id(),
        (actor or db.acting[0], cause or db.acting[1]),
    )
    try:
        yield
    finally:
        db.operation, db.acting = outer


def append_related(
    db: Database,
    topic: str,
    about: str,
    item: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    *,
    verb: str,
) -> None:
    """Append a change to something that belongs to a record (or entity), by whoever acts now.

    A creation has no `before`, a deletion no `after`.
    """
    actor, cause = db.acting
    append_change(
        db,
        about,
        verb,
        before,
        after,
        actor=actor,
        cause=cause,
        at=clock.now(),
        topic=topic,
        item=item,
    )


def append_change(
    db: Database,
    memory_id: str,
    verb: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    *,
    actor: str,
    cause: str,
    at: str,
    topic: str = "record",
    item: str | None = None,
) -> None:
    """Append one change."""
    db.operation = db.operation or clock.new_id()
    db.acting = actor, cause
    row = {
        "memory_id": memory_id,
        "verb": verb,
        "before": None if before is None else to_canonical_json(before),
        "after": None if after is None else to_canonical_json(after),
        "actor": actor,
        "cause": cause,
        "at": at,
        "topic": topic,
        "item": item,
        "operation": db.operation,
    }
    db.has_new_events = True
    chain = compute_chain_hash(db.chain_head or read_head_hash(db), row)
    db.run("event_log.append", **row, chain=chain)
    if db.in_transaction:
        db.chain_head = chain


def keep_differences(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
    """Return the two states of a row with only the columns that differ.

    A creation or a deletion keeps the whole row.
    """
    return (before, after) if before is None or after is None else compute_changes(before, after)


def compute_chain_hash(previous: str, row: Mapping[str, Any]) -> str:
    """Compute the chain hash of a row that follows `previous`."""
    told = {
        key: row[key] for key in ("memory_id", "verb", "before", "after", "actor", "cause", "at")
    }
    if row["operation"]:
        told |= {key: row[key] for key in _NEWER}
    return compute_sha256(previous + to_canonical_json(told))


def list_of_memory(db: Database, memory_id: str, *, whole: bool = False) -> list[Event]:
    """List the history of one record, oldest first; `whole` adds its links, evidence and
    entities.
    """
    rows = db.all("event_log.of_memory", memory_id=memory_id, whole=whole)
    return list(_build_readable(db, rows))


def list_recent(db: Database, *, limit: int, since: str | None = None) -> list[Event]:
    """List the newest changes to records, newest first."""
    return list(_build_readable(db, db.all("event_log.recent", limit=limit, since=since)))


def read_item(db: Database, memory_id: str, topic: str, item: str) -> dict[str, Any] | None:
    """Return the state of a row that belongs to a record by its changes; None if it has ended."""
    state: dict[str, Any] | None = None
    for row in db.all("event_log.of_item", memory_id=memory_id, topic=topic, item=item):
        after = None if row["after"] is None else parse_json_column(row["after"])
        if after is None:
            state = None
        else:
            state = after if row["before"] is None else {**(state or {}), **after}
    return state


def was_ended(db: Database, memory_id: str, topic: str, item: str) -> bool:
    """Whether a row that belongs to a record was there and was removed."""
    rows = db.all("event_log.of_item", memory_id=memory_id, topic=topic, item=item)
    return bool(rows) and rows[-1]["after"] is None


def find_by_number(db: Database, seq: int) -> Event | None:
    """Return one change by its number, or None."""
    row = db.one("event_log.by_seq", seq=seq)
    return None if row is None else from_row(row)


def list_of_operation(db: Database, name: str) -> list[Event]:
    """List the changes made as one operation, oldest first."""
    return [from_row(row) for row in db.all("event_log.of_operation", operation=name)]


def list_about(db: Database, memory_id: str, after: int = 0) -> list[Event]:
    """List all changes to a record or entity, what belongs to it and the links to it, oldest first.

    Only those with a number above `after`.
    """
    found = [
        *db.all("event_log.about", memory_id=memory_id, seq=after),
        *db.all("event_log.of_links_to", memory_id=memory_id, seq=after),
    ]
    return sorted(_build_readable(db, found), key=lambda each: each.seq)


def list_matching(
    db: Database, *, since: str | None = None, actor: str | None = None
) -> list[Event]:
    """List the changes since a time, by an actor, or both, oldest first."""
    return list(_build_readable(db, db.all("event_log.chosen", since=since, actor=actor)))


def list_latest_of_actor(
    db: Database, actor: str, *, before: int | None = None, limit: int
) -> list[Event]:
    """List the changes of one actor before a change (else the last of all), newest first."""
    rows = db.all("event_log.latest_of_actor", actor=actor, before=before, limit=limit)
    return list(_build_readable(db, rows))


def iterate_since(db: Database, *, seq: int = 0, at: str | None = None) -> Iterator[Event]:
    """Yield the changes after a number, or since a time, oldest first."""
    read = readable_rows.read_each if db.may_read_on else Database.each
    yield from _build_readable(db, read(db, "event_log.since", seq=seq, at=at))


def list_between(db: Database, start: str, until: str) -> list[Event]:
    """List the changes from one moment until before another, oldest first."""
    return list(_build_readable(db, db.all("event_log.between", start=start, until=until)))


def find_first_time(db: Database) -> str | None:
    """Return when the oldest change was made; None where there is none."""
    found: str | None = db.value("event_log.first_at")
    return found


def read_all(db: Database) -> Iterator[Event]:
    """Yield every change, oldest first; skip rows that cannot be read (`doctor` names them)."""
    for row in db.each("event_log.everything"):
        with suppress(StoreDamaged):
            yield from_row(row)


def read_head_hash(db: Database) -> str:
    """Return the chain hash of the newest change, which the next one builds on."""
    return str(db.value("event_log.head") or GENESIS)


def get_last_number(db: Database) -> int:
    """Return the number of the newest change; 0 if there is none."""
    return int(db.value("event_log.last") or 0)


def count_operations_after(db: Database, seq: int) -> int:
    """Count the operations on records, proposals and rules after a change."""
    return int(db.value("event_log.told_after", seq=seq))


def list_creations_of_derived(db: Database, memory_id: str) -> list[Event]:
    """List the changes that created the records derived from a record."""
    rows = (
        db.one("event_log.creation", memory_id=row["from_id"])
        for row in db.all("event_log.children", memory_id=memory_id)
    )
    return [from_row(row) for row in rows if row is not None]


def replay_fields(db: Database, memory_id: str, at: str) -> dict[str, Any] | None:
    """Return the fields that a record had at a time; None if it did not exist yet."""
    state: dict[str, Any] = {}
    for row in db.all("event_log.status_at", memory_id=memory_id, at=at):
        if row["after"]:
            state.update(parse_json_column(row["after"]))
    return state or None


def find_broken_links(db: Database) -> list[int]:
    """Return the numbers of the rows whose chain hash does not follow from the row before."""
    broken, previous = [], GENESIS
    for row in db.each("event_log.everything"):
        if row["chain"] != compute_chain_hash(previous, row):
            broken.append(int(row["seq"]))
        previous = row["chain"]
    return broken


def _build_readable(db: Database, rows: Iterable[Row]) -> Iterator[Event]:
    """Build events; in an answer, one that cannot be read is left out and told of."""
    for row in rows:
        try:
            event = from_row(row)
        except StoreDamaged:
            if not db.may_read_on:
                raise
            readable_rows.tell_left_out(db, row)
        else:
            yield event


def from_row(row: Row) -> Event:
    """Build an event from a row."""
    read = {key: parse_json_column(row[key]) if row[key] else None for key in ("before", "after")}
    return build_from_row(Event, row, **read)
