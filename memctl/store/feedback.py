"""Votes on records by those who were given them.

Each vote is in the event log, and the counters of the record follow.
"""

from __future__ import annotations

from memctl.core.frozen import asdict, dataclass
from memctl.store import event_log
from memctl.store.database import Database
from memctl.store.rows import build_from_row, compute_changes


@dataclass(frozen=True, slots=True)
class Outcome:
    """One actor's vote on one record: `good` or `bad`, why, and the retrieval that it is about."""

    id: str
    memory_id: str
    verdict: str
    actor: str
    created_at: str
    retrieval_id: str | None = None
    reason: str | None = None


def insert_vote(db: Database, said: Outcome) -> None:
    """Add a vote."""
    db.run("feedback.insert", **asdict(said))
    db.run("feedback.count", memory_id=said.memory_id)
    event_log.append_related(
        db, "outcome", said.memory_id, said.id, None, asdict(said), verb=said.verdict
    )


def replace_vote(db: Database, old: Outcome, said: Outcome) -> None:
    """Replace an earlier vote of the same actor."""
    before, after = compute_changes(asdict(old), asdict(said))
    db.run(
        "feedback.update",
        **{
            name: value
            for name, value in asdict(said).items()
            if name not in ("memory_id", "actor")
        },
    )
    db.run("feedback.count", memory_id=said.memory_id)
    event_log.append_related(
        db, "outcome", said.memory_id, said.id, before, after, verb=said.verdict
    )


def list_of_actor(db: Database, memory_id: str, actor: str) -> list[tuple[Outcome, str | None]]:
    """List the votes of one actor on one record, oldest first.

    Each has the session it is about, as far as the retrieval log still tells.
    """
    return [
        (build_from_row(Outcome, row), row["session_id"])
        for row in db.all("feedback.of_actor", memory_id=memory_id, actor=actor)
    ]


def list_of_memory(db: Database, memory_id: str) -> list[Outcome]:
    """List the votes on one record, newest first."""
    return [
        build_from_row(Outcome, row) for row in db.all("feedback.of_memory", memory_id=memory_id)
    ]


def list_miscounted(db: Database) -> list[str]:
    """List the first records whose counts of votes are not those of the votes."""
    return [row["id"] for row in db.all("feedback.miscounted")]
