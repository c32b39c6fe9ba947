"""Content that must not come back: rejected, forgotten and purged, by fingerprint and quote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.model import Memory
from memctl.core.typing_lite import Any
from memctl.store import event_log
from memctl.store.database import Database, Row
from memctl.store.rows import compute_sha256, copy_row, to_json_array


def add_tombstone(
    db: Database,
    *,
    memory_id: str,
    fingerprint: str,
    verdict: str,
    quote: str | None,
    reason: str | None,
    actor: str,
    at: str,
) -> None:
    """Note that content must not come back; `verdict` is rejected, forgotten or purged."""
    before = _find_row(db, fingerprint, memory_id)
    values = {
        "memory_id": memory_id,
        "fingerprint": fingerprint,
        "verdict": verdict,
        "reason": reason,
        "actor": actor,
    }
    db.run(
        "tombstones.insert",
        quote_hash=None if quote is None else compute_sha256(quote),
        created_at=at,
        **values,
    )
    _log_change(db, before, _find_row(db, fingerprint, memory_id), verdict)


def find_tombstone(db: Database, fingerprint: str, quotes: Iterable[str]) -> Row | None:
    """Return the tombstone of this content or of this quote, if there is one."""
    return db.one(
        "tombstones.find",
        fingerprint=fingerprint,
        quote_hashes=to_json_array(compute_sha256(quote) for quote in quotes) or "[]",
    )


def are_any(db: Database) -> bool:
    """Whether anything must not come back."""
    return bool(db.value("tombstones.any"))


def find_of_memory(db: Database, memory_id: str) -> Row | None:
    """Return the tombstone of one record, if there is one."""
    return db.one("tombstones.of_memory", memory_id=memory_id)


def find_purged(db: Database, prefix: str) -> Row | None:
    """Return the tombstone of a purged record or source whose id begins so, if there is one."""
    return db.one("tombstones.purged_by_prefix", prefix=prefix.upper())


def list_purged(db: Database) -> list[dict[str, Any]]:
    """The tombstones of everything that was purged."""
    return [copy_row(row) for row in db.all("tombstones.all_purged")]


def take_over(db: Database, tombstone: Mapping[str, Any]) -> None:
    """Add a tombstone of another store, unless it is here."""
    before = _find_row(db, tombstone["fingerprint"], tombstone["memory_id"])
    if before is None or before["verdict"] != tombstone["verdict"]:
        db.run("tombstones.insert", **tombstone)
        after = _find_row(db, tombstone["fingerprint"], tombstone["memory_id"])
        _log_change(db, before, after, tombstone["verdict"])


def list_dead(db: Database, fingerprints: Iterable[str]) -> set[str]:
    """Return those of the fingerprints whose content must not come back."""
    wanted = to_json_array(fingerprints) or "[]"
    return {row["fingerprint"] for row in db.all("tombstones.among", fingerprints=wanted)}


def list_fingerprints(db: Database, prefix: str) -> list[str]:
    """The fingerprints that begin with an ASCII prefix, in order."""
    after = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return [row["fingerprint"] for row in db.all("tombstones.between", low=prefix, high=after)]


def move_tombstone(db: Database, memory_id: str, old: str, new: str) -> None:
    """Let a tombstone follow its record to another scope."""
    before = _find_row(db, old, memory_id)
    if db.run("tombstones.move", memory_id=memory_id, old=old, new=new) and before:
        _log_change(db, before, None, "moved")
        _log_change(db, None, {**before, "fingerprint": new}, "moved")


def lift_content(db: Database, fingerprint: str) -> int:
    """Allow content again, whichever records it was rejected with; return how many tombstones."""
    return _end_tombstone(db, db.all("tombstones.of_content", fingerprint=fingerprint))


def lift_tombstone(db: Database, memory_id: str) -> int:
    """Allow a record again; return how many tombstones there were."""
    return _end_tombstone(db, db.all("tombstones.of_memory", memory_id=memory_id))


def lift_for(db: Database, memory: Memory, *, also_same_content: bool) -> None:
    """Allow a record again, and with `also_same_content` other records of the same words."""
    lift_tombstone(db, memory.id)
    if also_same_content:
        lift_content(db, memory.fingerprint)


def _end_tombstone(db: Database, rows: Iterable[Row]) -> int:
    ended = [copy_row(row) for row in rows]
    for row in ended:
        db.run("tombstones.lift", fingerprint=row["fingerprint"], memory_id=row["memory_id"])
        _log_change(db, row, None, "lifted")
    return len(ended)


def _find_row(db: Database, fingerprint: str, memory_id: str) -> dict[str, Any] | None:
    row = db.one("tombstones.get", fingerprint=fingerprint, memory_id=memory_id)
    return None if row is None else copy_row(row)


def _log_change(
    db: Database, before: dict[str, Any] | None, after: dict[str, Any] | None, verb: str
) -> None:
    row = after or before
    if row is not None and before != after:
        item = f"{row['fingerprint']}|{row['memory_id']}"
        event_log.append_related(
            db,
            "tombstone",
            row["memory_id"],
            item,
            *event_log.keep_differences(before, after),
            verb=verb,
        )
