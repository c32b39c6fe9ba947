"""The step that syncs with the places where this store meets others.

A place that cannot be reached is no fault: its time is noted and the next run tries again.
"""

from __future__ import annotations

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import (
    MissingExtra,
    PlaceUnreachable,
    RefusedByPolicy,
    StoreLocked,
    UsageError,
)
from memctl.maintain.run_state import MaintenanceRun

_BYTES_PER_MEGABYTE = 1_000_000


def sync_places(run: MaintenanceRun) -> None:
    """Counts `sync_sent`, `sync_received` and `sync_unreachable`."""
    from memctl.sync import founding
    from memctl.sync import run as sync

    until = clock.read_monotonic() + run.config["sync.seconds"]
    work = BoundedWork(lambda: run.must_stop() or clock.read_monotonic() > until)
    most = run.config["sync.most_megabytes"] * _BYTES_PER_MEGABYTE or float("inf")
    try:
        report = sync.sync_places(run.db, run.config, founding.WantedPlace(), work, most_bytes=most)
    except PlaceUnreachable:
        run.count("sync_unreachable")
        return
    except (MissingExtra, RefusedByPolicy, StoreLocked, UsageError) as error:
        run.stop(why=str(error))
        return
    run.count("sync_sent", sum(each.sent for each in report.places))
    run.count("sync_received", sum(each.received for each in report.places))
    run.count("sync_unreachable", sum(each.state == "unreachable" for each in report.places))
    if any(each.state == "unfinished" for each in report.places):
        run.stop(why="the rest travels at the next run")
