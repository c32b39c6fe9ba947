"""What hooks have left in the spool goes into the store: captures, transcripts that were asked for, log lines."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.capture import spool_intake
from memctl.maintain.run_state import Run
from memctl.store import spool


def take_in(run: Run) -> Mapping[str, int]:
    """Take in the spool, file by file."""
    taken, troubles = spool_intake.take_in(run.db, run.config, requests=True, enough=run.enough)
    run.problems += troubles
    if run.enough():
        run.stop()
        return {"spool_taken": taken}
    return {"spool_taken": taken, "logs_taken": spool.take_in_logs(run.db, run.config)}
