"""Evidence: the exact words that a record rests on, with the hash that proves them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memctl.core import clock
from memctl.core.frozen import fields
from memctl.core.model import Evidence
from memctl.store import event_log
from memctl.store.database import Database, Row
from memctl.store.rows import build_from_row, compute_sha256, to_json_array

_FIELDS = tuple(each.name for each in fields(Evidence))


def insert_evidence(db: Database, items: Iterable[Evidence]) -> None:
    """Add evidence."""
    new = list(items)
    db.run_many(
        "evidence.insert",
        [
            {
                **{name: getattr(item, name) for name in _FIELDS},
                "quote_hash": compute_sha256(item.quote),
            }
            for item in new
        ],
    )
    for memory_id in dict.fromkeys(item.memory_id for item in new):
        _log_change(
            db,
            memory_id,
            None,
            [item.id for item in new if item.memory_id == memory_id],
            "evidence",
        )


def list_by_memory(db: Database, ids: Iterable[str]) -> dict[str, list[Evidence]]:
    """Return the evidence of each record, strongest first."""
    found: dict[str, list[Evidence]] = defaultdict(list)
    for row in db.all("evidence.of_memories", ids=to_json_array(ids) or "[]"):
        found[row["memory_id"]].append(build_from_row(Evidence, row))
    return dict(found)


def list_in_files(db: Database, ids: Iterable[str], kinds: Iterable[str]) -> list[Row]:
    """List the quotes of records from imported files of some kinds, with `path` and `format`.

    A record whose words changed since it was quoted is left out.
    """
    known = [*kinds]
    if db.one("evidence.has_files", kinds=to_json_array(known)) is None:
        return []
    formats = to_json_array(f"memory:{kind}" for kind in known)
    return db.all("evidence.in_files", ids=to_json_array(ids) or "[]", formats=formats)


def list_with_withdrawn(db: Database, memory_id: str) -> list[Evidence]:
    """List the evidence of one record, withdrawn evidence included."""
    return [build_from_row(Evidence, row) for row in db.all("evidence.every", memory_id=memory_id)]


def list_of_memory(db: Database, memory_id: str) -> list[Evidence]:
    """List the evidence of one record, strongest first."""
    return list_by_memory(db, [memory_id]).get(memory_id, [])


def list_locations(db: Database, ids: Iterable[str]) -> list[tuple[str, str, int]]:
    """List where records were said: record, source and turn, for each located quote."""
    return [
        (row["memory_id"], row["source_id"], row["turn"])
        for row in db.all("evidence.places", ids=to_json_array(ids) or "[]")
    ]


def list_of_sources(db: Database, ids: Iterable[str]) -> list[Evidence]:
    """List the evidence from some sources, in the order of its turns."""
    return [
        build_from_row(Evidence, row)
        for row in db.all("evidence.of_sources", ids=to_json_array(ids) or "[]")
    ]


def list_memories_quoting(db: Database, quote: str, source_id: str | None) -> list[str]:
    """List the records with exactly this quote from one source."""
    return [
        row["memory_id"]
        for row in db.all(
            "evidence.by_quote", quote_hash=compute_sha256(quote), source_id=source_id
        )
    ]


def list_memories_quoting_at(
    db: Database, quote: str, at: str, *, agent: str, beside: str
) -> list[str]:
    """List the records with exactly this quote from other sessions of an agent at one moment."""
    return [
        row["memory_id"]
        for row in db.all(
            "evidence.by_moment",
            quote_hash=compute_sha256(quote),
            at=at,
            agent=agent,
            beside=beside,
        )
    ]


def withdraw_evidence(
    db: Database, memory_id: str, ids: Iterable[str], *, verb: str = "withdrawn"
) -> None:
    """Withdraw evidence of a record: it stays but no longer counts."""
    gone = list(ids)
    for each in gone:
        db.run("evidence.set_withdrawn", id=each, withdrawn_at=clock.now())
    if gone:
        _log_change(db, memory_id, gone, None, verb)


def restore_evidence(
    db: Database, memory_id: str, ids: Iterable[str], *, verb: str = "restored"
) -> None:
    """Let withdrawn evidence of a record count again."""
    come = list(ids)
    for each in come:
        db.run("evidence.set_withdrawn", id=each, withdrawn_at=None)
    if come:
        _log_change(db, memory_id, None, come, verb)


def set_withdrawn(db: Database, evidence_id: str, at: str | None) -> None:
    """Set when one piece of evidence was withdrawn (None: never), without an event."""
    db.run("evidence.set_withdrawn", id=evidence_id, withdrawn_at=at)


def _log_change(
    db: Database, memory_id: str, gone: list[str] | None, come: list[str] | None, verb: str
) -> None:
    """Append the change of one piece of evidence to the event log."""
    told = [None if ids is None else {"ids": ids} for ids in (gone, come)]
    event_log.append_related(db, "evidence", memory_id, memory_id, *told, verb=verb)
