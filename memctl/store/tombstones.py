"""What must not come back: rejected, forgotten and purged content, by fingerprint and by the words it rested on."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.db import Db, Row
from memctl.store.rows import array, digest


def add(db: Db, *, memory_id: str, fingerprint: str, verdict: str, quote: str | None, reason: str | None, actor: str, at: str) -> None:
    """Note that something must not come back; `verdict` is rejected, forgotten or purged."""
    values = {"memory_id": memory_id, "fingerprint": fingerprint, "verdict": verdict, "reason": reason, "actor": actor}
    db.run("tombstones.insert", quote_hash=None if quote is None else digest(quote), created_at=at, **values)


def find(db: Db, fingerprint: str, quotes: Iterable[str]) -> Row | None:
    """The verdict on this content or on these words, if there is one."""
    return db.one("tombstones.find", fingerprint=fingerprint, quote_hashes=array(digest(quote) for quote in quotes) or "[]")


def of_memory(db: Db, memory_id: str) -> Row | None:
    """The verdict on one record, if there is one."""
    return db.one("tombstones.of_memory", memory_id=memory_id)


def move(db: Db, memory_id: str, old: str, new: str) -> None:
    """Let a verdict follow its record to another place."""
    db.run("tombstones.move", memory_id=memory_id, old=old, new=new)


def lift_content(db: Db, fingerprint: str) -> int:
    """Let a content come back, whichever records were judged for it; how many verdicts there were."""
    return db.run("tombstones.lift_content", fingerprint=fingerprint)


def lift(db: Db, memory_id: str) -> int:
    """Let a record come back; how many verdicts there were."""
    return db.run("tombstones.lift", memory_id=memory_id)
