"""What hooks have left in the spool goes into the store: captures, transcripts that were asked for, log lines."""

from __future__ import annotations

from collections.abc import Mapping

from memctl import spool, unspool
from memctl.nightly.run import Run


def take_in(run: Run) -> Mapping[str, int]:
    """Take in the spool, file by file."""
    taken, troubles = unspool.take_in(run.db, run.config, requests=True, enough=run.enough)
    run.problems += troubles
    if run.enough():
        run.stop()
        return {"spool_taken": taken}
    return {"spool_taken": taken, "logs_taken": spool.take_in_logs(run.db, run.config)}
