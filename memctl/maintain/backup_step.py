"""Automatic copies of the store: verified, every few days in which anything happened."""

from __future__ import annotations

import os
from pathlib import Path

from memctl.maintain.run_state import MaintenanceRun
from memctl.store import backup, maintenance_steps

# A copy cannot be stopped in the middle, so its time is estimated beforehand: a fixed part, and the
# slowest speed of copying and verifying that is expected. Both chosen by hand.
_FIXED_SECONDS = 0.5
_BYTES_PER_SECOND = 20e6


def back_up_store(run: MaintenanceRun) -> None:
    """Copy the store, unless the time that is left will not be enough. Counts `backups`.

    Where the store's path is no UTF-8, SQLite makes no copy; that stops this step and no other.
    """
    if not _is_text(run.config.backups):
        run.stop(why="SQLite copies only to a path in UTF-8; `memctl backup PATH` names another")
        return
    seconds_needed = _FIXED_SECONDS + run.db.path.stat().st_size / _BYTES_PER_SECOND
    seconds_left = run.compute_time_left()
    if seconds_left < seconds_needed:
        why = f"a copy takes about {seconds_needed:.0f} s, and {seconds_left:.0f} s were left"
        run.stop(why=why)
        return
    head = maintenance_steps.read_head(run.db)
    copy = backup.make_backup(run.db, run.config, None)
    run.count("backups")
    run.count("backups_removed", len(copy.removed))
    run.details.update(head=head, path=copy.path)


def _is_text(path: Path) -> bool:
    try:
        os.fsencode(path).decode("utf-8")
    except UnicodeError:
        return False
    return True
