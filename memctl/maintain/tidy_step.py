"""What has had its time: archived, record by record, each as an operation that can be undone; old logs are dropped in small pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from memctl.core import clock, timestamps
from memctl.core.model import Memory
from memctl.maintain import pending_work
from memctl.maintain.run_state import Run
from memctl.records import relations
from memctl.settings.config import Config
from memctl.store import event_log, records

_AGING = ("task_hint", "episode")
_ACTOR, _CAUSE = "maintain", "maintain"
_BATCH = 500
# What was begun and not finished so long ago never will be.
_DRAFT_SECONDS = 86400.0


def expire(run: Run) -> Mapping[str, int]:
    """Archive what was only true until now."""
    return {"expired": _archive(run, records.expired(run.db, clock.now()), "expired", "expired")}


def age(run: Run) -> Mapping[str, int]:
    """Archive task hints and episodes that nobody asked for in a long time; archiving is not forgetting, they may be promoted again."""
    days = run.config["decay.archive_after_days"]
    unused = records.unused(
        run.db, _AGING, timestamps.add_seconds(clock.now(), seconds=-86400 * days)
    )
    return {"archived": _archive(run, unused, f"unused for {days} days", "aged")}


def _archive(run: Run, memories: Iterable[Memory], reason: str, verb: str) -> int:
    archived = 0
    for memory in memories:
        if run.enough():
            run.stop()
            break
        with run.db.write(), event_log.operation(run.db, actor=_ACTOR, cause=_CAUSE):
            now = records.get(run.db, memory.id)
            if (now.status, now.updated_at) == (memory.status, memory.updated_at):
                relations.set_status(
                    run.db, now, "archived", reason=reason, verb=verb, actor=_ACTOR, cause=_CAUSE
                )
                relations.settle(run.db, memory.id, actor=_ACTOR, cause=_CAUSE)
                archived += 1
    return archived


def retention(run: Run) -> Mapping[str, int]:
    """Drop retrieval logs and accounts of maintenance that are older than they are kept, and files that were never finished."""
    pruned, before = 0, pending_work.logs_before(run.config)
    while before is not None and not run.enough():
        with run.db.write():
            dropped = run.db.run("steps.prune_logs", before=before, most=_BATCH)
        pruned += dropped
        if dropped < _BATCH:
            break
    with run.db.write():
        old = run.db.run("steps.prune", before=pending_work.steps_before())
    if run.enough():
        run.stop()
    return {
        "logs_pruned": pruned,
        "steps_pruned": old,
        "drafts_removed": sum(map(_remove, _drafts(run.config))),
    }


def _drafts(config: Config) -> list[Path]:
    """Files of the spool and the backups that a process left half-written when it was killed."""
    found = [*config.spool.glob("*.partial"), *config.backups.glob(".*.tmp*")]
    now = timestamps.parse_iso(clock.now())
    return [path for path in found if _changed_at(path) < now - _DRAFT_SECONDS]


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return float("inf")


def _remove(path: Path) -> bool:
    with suppress(OSError):
        path.unlink()
        return True
    return False
