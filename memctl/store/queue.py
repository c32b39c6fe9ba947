"""Ingestion events: audit log and retry queue in one.

Jobs are leased, never deleted; each is harmless to repeat.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core import timestamps
from memctl.core.errors import NotFound
from memctl.core.frozen import asdict
from memctl.core.model import Job
from memctl.core.typing_lite import Any
from memctl.store.database import Database, Row
from memctl.store.rows import build_from_row, parse_json_column, resolve_id, to_canonical_json

FIRST_RETRY_SECONDS = 60


def add_job(db: Database, job: Job) -> None:
    """Add one ingestion event."""
    db.run("queue.insert", **{**asdict(job), "outcome": to_canonical_json(dict(job.outcome))})


def lease_job(db: Database, *, owner: str, now: str, seconds: int) -> Job | None:
    """Take the next due job for a while, or None.

    A job whose holder died is taken over when its lease ends.
    """
    row = db.one(
        "queue.lease", owner=owner, now=now, until=timestamps.add_seconds(now, seconds=seconds)
    )
    return None if row is None else from_row(row)


def is_leased_to(db: Database, job_id: str, owner: str) -> bool:
    """Whether a job is leased to `owner`, and was not taken over by another."""
    return bool(db.value("queue.holder", id=job_id) == owner)


def finish_job(
    db: Database,
    job: Job,
    *,
    owner: str | None,
    now: str,
    outcome: Mapping[str, Any],
    processor: str,
    version: str,
) -> bool:
    """Mark a job as done that is leased to `owner`, or to nobody; False if another holds it now."""
    values = {
        "processor": processor,
        "processor_version": version,
        "outcome": to_canonical_json(dict(outcome)),
        "error": None,
    }
    return (
        db.run(
            "queue.finish",
            id=job.id,
            owner=owner,
            state="done",
            not_before=job.not_before,
            now=now,
            **values,
        )
        > 0
    )


def find_requested_scope(db: Database, agent: str, session_id: str) -> tuple[str, str] | None:
    """Return the scope that was last asked for with a capture of a session, and who asked."""
    row = db.one("queue.requested_scope", agent=agent, session_id=session_id)
    return None if row is None else (row["requested_scope"], row["actor"])


def find_by_prefix(db: Database, text: str) -> Job | None:
    """Return the event of an id or a unique prefix, or None."""
    try:
        job_id = resolve_id(db, "queue.by_prefix", text, "capture")
    except NotFound:
        return None
    row = db.one("queue.get", id=job_id)
    return None if row is None else from_row(row)


def fail_job(db: Database, job: Job, *, owner: str, now: str, error: str, max_attempts: int) -> str:
    """Note a failure; due again after a growing pause, or dead after the last attempt.

    Returns the new state.
    """
    state = "dead" if job.attempts >= max_attempts else "failed"
    pause = FIRST_RETRY_SECONDS * 4 ** max(0, job.attempts - 1)
    values = {
        "processor": job.processor,
        "processor_version": job.processor_version,
        "outcome": to_canonical_json(dict(job.outcome)),
    }
    db.run(
        "queue.finish",
        id=job.id,
        owner=owner,
        state=state,
        not_before=timestamps.add_seconds(now, seconds=pause),
        now=now,
        error=error,
        **values,
    )
    return state


def find_waiting(db: Database, source_id: str) -> Job | None:
    """Return the queued job of a source that nobody has begun."""
    row = db.one("queue.waiting", source_id=source_id)
    return None if row is None else from_row(row)


def postpone_job(db: Database, job: Job, until: str, now: str) -> None:
    """Let a job that nobody has begun wait longer; it is never brought forward."""
    db.run("queue.postpone", id=job.id, until=until, now=now)


def list_recent(
    db: Database, *, limit: int, state: str | None = None, since: str | None = None
) -> list[Job]:
    """List the newest events first."""
    return [from_row(row) for row in db.all("queue.recent", limit=limit, state=state, since=since)]


def count_by_state(db: Database) -> dict[str, int]:
    """Count the events in each state."""
    return {row["state"]: row["count"] for row in db.all("queue.tally")}


def retry_all(db: Database, now: str) -> int:
    """Make failed and dead events due again; return how many."""
    return db.run("queue.retry", now=now)


def from_row(row: Row) -> Job:
    """Build a job from a row."""
    return build_from_row(Job, row, outcome=parse_json_column(row["outcome"]))
