"""The steps of maintenance that ran, who runs one now, and what waits for each."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.store.database import Database
from memctl.store.rows import build_from_row, parse_json_column, read_readable, to_canonical_json


@dataclass(frozen=True, slots=True)
class StepRun:
    """One run of a step. state: `running`, `done`, `failed`, `unfinished` or `skipped`."""

    run_id: str
    step: str
    state: str
    position: str | None
    outcome: Mapping[str, Any]
    error: str | None
    started_at: str
    ended_at: str | None


def begin_step(
    db: Database,
    run_id: str,
    step: str,
    *,
    holder: Mapping[str, Any],
    position: str | None,
    at: str,
) -> None:
    """Note that a step begins, at the position where it stopped last time."""
    db.run(
        "maintenance_steps.begin",
        run_id=run_id,
        step=step,
        outcome=to_canonical_json(dict(holder)),
        position=position,
        at=at,
    )


def renew_claim(
    db: Database, run_id: str, step: str, *, holder: Mapping[str, Any], position: str | None
) -> None:
    """Note that a running step is still being worked on, and how far it came."""
    db.run(
        "maintenance_steps.hold",
        run_id=run_id,
        step=step,
        outcome=to_canonical_json(dict(holder)),
        position=position,
    )


def end_step(
    db: Database,
    run_id: str,
    step: str,
    state: str,
    *,
    at: str,
    outcome: Mapping[str, Any] | None = None,
    position: str | None = None,
    error: str | None = None,
) -> bool:
    """Note how a running step ended; False if another process has already."""
    values = {
        "outcome": to_canonical_json(dict(outcome or {})),
        "position": position,
        "error": error,
    }
    return (
        db.run("maintenance_steps.end", run_id=run_id, step=step, state=state, at=at, **values) > 0
    )


def list_running(db: Database, step: str | None = None) -> list[StepRun]:
    """List the steps that were begun and not ended."""
    return [_from_row(row) for row in read_readable(db, "maintenance_steps.running", step=step)]


def list_latest(db: Database, step: str, limit: int = 1) -> list[StepRun]:
    """List the newest few runs of a step, newest first."""
    rows = read_readable(db, "maintenance_steps.latest", step=step, limit=limit)
    return [_from_row(row) for row in rows]


def find_last_done(db: Database, step: str) -> StepRun | None:
    """Return the last run of a step that was completed."""
    rows = read_readable(db, "maintenance_steps.done", step=step)
    return _from_row(rows[0]) if rows else None


def release_jobs(db: Database, owner: str, now: str) -> int:
    """Release the ingestions of a run that is gone; return how many."""
    return db.run("maintenance_steps.release", owner=owner, now=now)


def release_job(db: Database, job_id: str, owner: str, now: str) -> None:
    """Release one ingestion that was begun in vain."""
    db.run("maintenance_steps.give_back", id=job_id, owner=owner, now=now)


def list_job_holders(db: Database) -> set[str]:
    """List which runs hold ingestions."""
    return {row["owner"] for row in db.all("maintenance_steps.holders") if row["owner"]}


def _from_row(row: Any) -> StepRun:
    return build_from_row(StepRun, row, outcome=parse_json_column(row["outcome"]))


def count_due_jobs(db: Database, now: str) -> int:
    """Count the ingestions that are due, or whose lease has run out."""
    return int(db.value("maintenance_steps.due_jobs", now=now))


def count_changed(db: Database, at: str, memory_id: str) -> int:
    """Count the living records, episodes excepted, changed after a time and record id."""
    return int(db.value("maintenance_steps.changed_count", at=at, id=memory_id))


def list_changed(db: Database, at: str, memory_id: str) -> list[tuple[str, str]]:
    """List the records that `count_changed` counts, in order of change: time and id."""
    return [
        (row["updated_at"], row["id"])
        for row in db.all("maintenance_steps.changed", at=at, id=memory_id)
    ]


def list_numbers_after(db: Database, number: int, limit: int) -> list[tuple[int, str]]:
    """List the next few records after an index number: number and id."""
    return [
        (row["n"], row["id"])
        for row in db.all("maintenance_steps.numbers_after", after=number, limit=limit)
    ]


def count_inbox(db: Database) -> int:
    """Count the candidates in the inbox."""
    return int(db.value("maintenance_steps.inbox"))


def count_old_logs(db: Database, before: str) -> int:
    """Count the retrievals older than a time."""
    return int(db.value("maintenance_steps.old_logs", before=before))


def prune_logs(db: Database, before: str, limit: int) -> int:
    """Delete up to so many retrievals older than a time; return how many."""
    return db.run("maintenance_steps.prune_logs", before=before, most=limit)


def count_old_steps(db: Database, before: str) -> int:
    """Count the step runs that `prune_steps` would delete."""
    return int(db.value("maintenance_steps.old", before=before))


def prune_steps(db: Database, before: str) -> int:
    """Delete step runs older than a time, except the newest and the last completed of each step."""
    return db.run("maintenance_steps.prune", before=before)


def merge_index_pages(db: Database, pages: int) -> bool:
    """Merge about so many pages of the full-text index; False if nothing was left to merge."""
    before = int(db.value("maintenance_steps.changes"))
    with db.write():
        db.run("maintenance_steps.merge", pages=pages)
    # One of the rows that are counted is the order itself.
    return int(db.value("maintenance_steps.changes")) - before >= 2


def read_head(db: Database) -> str:
    """Return a mark that changes with every capture, record change or finished job."""
    return str(db.value("maintenance_steps.head"))
