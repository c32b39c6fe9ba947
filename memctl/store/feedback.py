"""What those who were given a record say of it afterwards; each word stands in the stream, and the record's counters follow."""

from __future__ import annotations

from memctl.core.frozen import asdict, dataclass
from memctl.store import event_log
from memctl.store.database import Database
from memctl.store.rows import build, changed


@dataclass(frozen=True, slots=True)
class Outcome:
    """One actor's word on one record: `good` or `bad`, why, and the retrieval that it is about."""

    id: str
    memory_id: str
    verdict: str
    actor: str
    created_at: str
    retrieval_id: str | None = None
    reason: str | None = None


def insert(db: Database, said: Outcome) -> None:
    """Note what somebody says of a record."""
    db.run("outcomes.insert", **asdict(said))
    db.run("outcomes.count", memory_id=said.memory_id)
    event_log.note(db, "outcome", said.memory_id, said.id, None, asdict(said), verb=said.verdict)


def replace(db: Database, old: Outcome, said: Outcome) -> None:
    """Put another word in the place of what the same actor said before."""
    before, after = changed(asdict(old), asdict(said))
    db.run(
        "outcomes.update",
        **{
            name: value
            for name, value in asdict(said).items()
            if name not in ("memory_id", "actor")
        },
    )
    db.run("outcomes.count", memory_id=said.memory_id)
    event_log.note(db, "outcome", said.memory_id, said.id, before, after, verb=said.verdict)


def of_actor(db: Database, memory_id: str, actor: str) -> list[tuple[Outcome, str | None]]:
    """What one actor said of one record, oldest first, with the session that each word is about, as far as the log still knows it."""
    return [
        (build(Outcome, row), row["session_id"])
        for row in db.all("outcomes.of_actor", memory_id=memory_id, actor=actor)
    ]


def of_memory(db: Database, memory_id: str) -> list[Outcome]:
    """What was said of one record, newest first."""
    return [build(Outcome, row) for row in db.all("outcomes.of_memory", memory_id=memory_id)]
