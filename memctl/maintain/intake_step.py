"""Take the spool into the store: captures, requested transcripts, writes by hand, log lines."""

from __future__ import annotations

from memctl.capture import spool_intake
from memctl.curate import take_in_writes
from memctl.maintain.run_state import MaintenanceRun
from memctl.store import spool


def take_in_spool(run: MaintenanceRun) -> None:
    """Take in the spool, file by file. Counts `spool_taken` and `logs_taken`."""
    spool_intake.take_in_spooled(
        run.db, run.config, run.work, with_requests=True, problems=run.problems
    )
    if not run.work.was_cut:
        take_in_writes.take_in_writes(run.db, run.config, run.work, run.problems)
    if not run.work.was_cut:
        run.count("logs_taken", spool.take_in_logs(run.db, run.config))
