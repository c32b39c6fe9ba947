"""Archive what has had its time, each record as an operation that can be undone; drop old logs."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core import clock
from memctl.core.model import Memory
from memctl.maintain import pending_work
from memctl.maintain.run_state import MaintenanceRun
from memctl.records import relations
from memctl.store import event_log, file_register, maintenance_steps, records

_ACTOR = "maintain"
_CAUSE = "maintain"
# Log lines dropped in one transaction. Chosen by hand.
_BATCH = 500


def archive_expired(run: MaintenanceRun) -> None:
    """Archive records whose validity has ended. Counts `expired`."""
    expired = records.list_expired(run.db, clock.now())
    _archive(run, expired, reason="expired", verb="expired", count_name="expired")


def archive_unused(run: MaintenanceRun) -> None:
    """Archive task hints and episodes that nobody used for a long time. Counts `archived`.

    Archived is not forgotten: they can be promoted again.
    """
    days = run.config["decay.archive_after_days"]
    unused = pending_work.list_unused(run.db, run.config)
    _archive(run, unused, reason=f"unused for {days} days", verb="aged", count_name="archived")


def _archive(
    run: MaintenanceRun, memories: Iterable[Memory], *, reason: str, verb: str, count_name: str
) -> None:
    for memory in memories:
        if run.must_stop():
            return
        run.count(count_name, _archive_unless_changed(run, memory, reason, verb))


def _archive_unless_changed(run: MaintenanceRun, memory: Memory, reason: str, verb: str) -> bool:
    """Archive a record; False if somebody changed it meanwhile."""
    with run.db.write(), event_log.group_changes(run.db, actor=_ACTOR, cause=_CAUSE):
        present = records.get_record(run.db, memory.id)
        if (present.status, present.updated_at) != (memory.status, memory.updated_at):
            return False
        relations.set_status(
            run.db, present, "archived", reason=reason, verb=verb, actor=_ACTOR, cause=_CAUSE
        )
        relations.resolve_contradictions(run.db, memory.id, actor=_ACTOR, cause=_CAUSE)
        return True


def drop_old_logs(run: MaintenanceRun) -> None:
    """Drop old retrieval logs and accounts of steps, and what killed processes left half-written.

    Counts `logs_pruned`, `steps_pruned` and `drafts_removed`.
    """
    before = pending_work.compute_logs_before(run.config)
    while before is not None:
        if run.must_stop():
            return
        with run.db.write():
            dropped = maintenance_steps.prune_logs(run.db, before, _BATCH)
        run.count("logs_pruned", dropped)
        if dropped < _BATCH:
            break
    with run.db.write():
        pruned = maintenance_steps.prune_steps(run.db, pending_work.compute_steps_before())
    run.count("steps_pruned", pruned)
    run.count("drafts_removed", len(file_register.tidy_files(run.config)))
