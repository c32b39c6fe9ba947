"""Rows that change because another machine changed them, each with the event that tells of it.

An event has the time and actor that it had there. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memctl.core.frozen import dataclass
from memctl.core.model import EntityKind, Memory
from memctl.core.typing_lite import Any
from memctl.store import (
    entities,
    erase,
    event_log,
    evidence,
    exchange,
    lexical,
    marks,
    records,
    semantic,
    tracked_rows,
)
from memctl.store.database import Database
from memctl.store.rows import compute_changes, copy_row, to_json_array


@dataclass(frozen=True, slots=True)
class Telling:
    """What the event log is told of a change: its verb, whose it was, why, and when."""

    verb: str
    actor: str
    cause: str
    at: str


def insert_record(db: Database, memory: Memory, told: Telling) -> None:
    """Store a record that is new here."""
    n = int(db.value("records.insert", **records.to_columns(memory)))
    lexical.put_entry(db, n, memory, (), is_new=True)
    if memory.status in marks.MARKED_STATUSES:
        marks.request_mark(db, memory.id)
    _append(db, told, "record", memory.id, memory.id, None, records.extract_history_fields(memory))


def change_record(db: Database, old: Memory, new: Memory, told: Telling) -> bool:
    """Set a record to another state; False if it is in that state."""
    before, after = compute_changes(
        records.extract_history_fields(old), records.extract_history_fields(new)
    )
    if not after:
        return False
    records.write_changes(db, old, new, after)
    if "created_at" in after:
        db.run("arrived_rows.set_created", id=new.id, created_at=new.created_at)
    _append(db, told, "record", new.id, new.id, before, after)
    return True


def change_row(
    db: Database,
    topic: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    told: Telling,
) -> bool:
    """Set a link, tombstone, vote, entity or alias to another state; None is no row."""
    row = after or before
    if row is None or before == after:
        return False
    if after is not None:
        tracked_rows.put_row(db, topic, after)
    elif not tracked_rows.drop_row(db, topic, row):
        return False
    about, item = tracked_rows.find_subject(topic, row), tracked_rows.compute_item(topic, row)
    _append(db, told, topic, about, item, *event_log.keep_differences(before, after))
    if topic == "link":
        marks.request_marks(db, (row["from_id"], row["to_id"]))
    if topic == "outcome":
        tracked_rows.recount_feedback(db, [row["memory_id"]])
    return True


def list_links_from(db: Database, memory_id: str) -> list[dict[str, Any]]:
    """The links that lead from a record."""
    return [copy_row(row) for row in db.all("arrived_rows.links_from", memory_id=memory_id)]


def list_links_of_relation_to(db: Database, memory_id: str, relation: str) -> list[dict[str, Any]]:
    """The links of one relation that lead to a record."""
    rows = db.all("arrived_rows.links_to", memory_id=memory_id, relation=relation)
    return [copy_row(row) for row in rows]


def list_outcomes(db: Database, memory_id: str) -> dict[str, dict[str, Any]]:
    """The votes on a record, by id."""
    rows = db.all("arrived_rows.outcomes", memory_id=memory_id)
    return {row["id"]: copy_row(row) for row in rows}


def list_tombstones(db: Database, memory_id: str) -> list[dict[str, Any]]:
    """The verdicts by which a record does not come back."""
    rows = db.all("tombstones.of_memory", memory_id=memory_id)
    return [copy_row(row) for row in rows]


def list_evidence(db: Database, memory_id: str) -> dict[str, dict[str, Any]]:
    """The evidence of a record, withdrawn evidence included, by id and column for column."""
    rows = db.all("arrived_rows.evidence", memory_id=memory_id)
    return {row["id"]: copy_row(row) for row in rows}


def change_evidence(
    db: Database,
    memory_id: str,
    new: Sequence[Mapping[str, Any]],
    withdrawn: Mapping[str, str | None],
    told: Telling,
) -> bool:
    """Add evidence of a record, and set when evidence was withdrawn (None: it counts). What cannot
    be added, such as evidence that another record has, is left out.
    """
    new = [
        row
        for row in new
        if exchange.insert_one(db, "evidence", exchange.to_parameters("evidence", row)) is None
    ]
    for evidence_id, at in withdrawn.items():
        evidence.set_withdrawn(db, evidence_id, at)
    gone = [each for each, at in withdrawn.items() if at is not None]
    gone += [row["id"] for row in new if row["withdrawn_at"] is not None]
    come = [row["id"] for row in new]
    come += [each for each, at in withdrawn.items() if at is None]
    if come:
        _append(db, told, "evidence", memory_id, memory_id, None, {"ids": come})
    if gone:
        _append(db, told, "evidence", memory_id, memory_id, {"ids": gone}, None)
    return bool(come or gone)


def rewrite_evidence(db: Database, row: Mapping[str, Any]) -> None:
    """Give a piece of evidence other words, because some were cut out of it for good. The event log
    holds no words of evidence.
    """
    names = ("id", "span_start", "span_end", "quote", "speaker")
    erase.set_evidence(db, {name: row[name] for name in names})


def restart_history(db: Database, memory_id: str, told: Telling) -> None:
    """Leave no words in the history of a record, and tell anew all that holds, because words were
    cut out of it for good. The chain of the event log must be computed anew then.
    """
    with erase.lift_guard(db):
        erase.empty_history(db, memory_id)
    here = records.get_record(db, memory_id)
    fields = records.extract_history_fields(here)
    _append(db, told, "record", memory_id, memory_id, None, fields)
    for topic, rows in (
        ("link", list_links_from(db, memory_id)),
        ("tombstone", list_tombstones(db, memory_id)),
        ("outcome", list_outcomes(db, memory_id).values()),
    ):
        for row in rows:
            item = tracked_rows.compute_item(topic, row)
            _append(db, told, topic, memory_id, item, None, row)
    proofs = list_evidence(db, memory_id)
    withdrawn = [each for each, row in proofs.items() if row["withdrawn_at"] is not None]
    pairs = [list(pair) for pair in tracked_rows.list_mentions_of(db, memory_id)]
    for topic, before, after in (
        ("evidence", None, {"ids": [*proofs]}),
        ("evidence", {"ids": withdrawn}, None),
        ("mention", None, {"mentions": sorted(pairs)}),
    ):
        told_of = next(iter((before or after or {}).values()))
        if told_of:
            _append(db, told, topic, memory_id, memory_id, before, after)


def list_named(db: Database, memory_id: str) -> dict[tuple[str, str, str], tuple[str, str]]:
    """By which names a record mentions which entities: kind, name of the entity and name used, to
    the entity's id here and the name used.
    """
    return {
        (row["kind"], row["entity"], row["name"]): (row["entity_id"], row["name"])
        for row in db.all("arrived_rows.mentions", memory_id=memory_id)
    }


def change_mentions(
    db: Database,
    memory_id: str,
    gone: Iterable[tuple[str, str]],
    come: Iterable[tuple[str, str]],
    told: Telling,
) -> bool:
    """Let a record mention other entities by other names (entity's id and name each)."""
    went, came = [list(each) for each in gone], [list(each) for each in come]
    for present, pairs in ((False, went), (True, came)):
        for entity_id, name in pairs:
            tracked_rows.set_mention(db, memory_id, entity_id, name, present=present)
    if not went and not came:
        return False
    before, after = {"mentions": went} if went else None, {"mentions": came} if came else None
    _append(db, told, "mention", memory_id, memory_id, before, after)
    entities.reindex_memories(db, [memory_id])
    return True


def ensure_entity(db: Database, kind: EntityKind, name: str, at: str) -> str:
    """Return the id of the entity with exactly that kind and name, created if there is none."""
    known = exchange.find_entity_named(db, kind, name)
    return known or entities.create_entity(db, kind, name, at)


def drop_vector(db: Database, memory_id: str) -> None:
    """Let the vector of a record be made anew."""
    semantic.drop_vector(db, records.find_number(db, memory_id))


def put_awaited(db: Database, awaited: str, subject: str) -> None:
    """Note that a subject has something that waits for a record or project to be here."""
    db.run("arrived_rows.put_awaited", awaited=awaited, subject=subject)


def list_awaiting(db: Database, awaited: str) -> list[str]:
    """List the subjects that wait for a record or project."""
    rows = db.all("arrived_rows.awaiting", awaited=awaited)
    return [row["subject"] for row in rows]


def drop_awaited(db: Database, awaited: str) -> None:
    """Note that nothing waits for a record or project any more."""
    db.run("arrived_rows.drop_awaited", awaited=awaited)


def _append(
    db: Database,
    told: Telling,
    topic: str,
    about: str,
    item: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> None:
    event_log.append_change(
        db,
        about,
        told.verb,
        before,
        after,
        actor=told.actor,
        cause=told.cause,
        at=told.at,
        topic=topic,
        item=None if topic == "record" else item,
    )


def iterate_subjects(db: Database, *, size: int) -> Iterator[str]:
    """Yield all subjects of which there are changes, in order."""
    after = ""
    while rows := db.all("arrived_rows.subjects", after=after, limit=size):
        yield from (row["subject"] for row in rows)
        after = rows[-1]["subject"]


def list_subjects_of(db: Database, makers: Iterable[str]) -> list[str]:
    """List the subjects with derived changes of some makers."""
    rows = db.all("arrived_rows.subjects_of", makers=to_json_array(makers) or "[]")
    return [row["subject"] for row in rows]
