"""Finish what a kill cut off: operations of several transactions that no living process works on.

Each kind is finished by the package that does such operations: it claims them, so that two runs do
nothing twice, and ends them. To add a kind, add its function to `FINISHERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memctl.maintain.run_state import MaintenanceRun
from memctl.store import unfinished


def _finish_purges(run: MaintenanceRun) -> None:
    from memctl.erase import purge, purge_run

    for report in purge.finish_purges(run.db, run.config, run.must_stop):
        run.problems += (purge_run.FINISHED_EARLIER, *report.notes)
        run.problems += [f"it left words in {path}" for path in report.remains]


def _finish_imports(run: MaintenanceRun) -> None:
    from memctl.exchange import import_

    import_.finish_imports(run.db, run.config, run.work)


def _finish_ingests(run: MaintenanceRun) -> None:
    from memctl.curate import take_in_writes

    take_in_writes.take_in_writes(run.db, run.config, run.work, run.problems)


def _finish_reverts(run: MaintenanceRun) -> None:
    from memctl.history import revert

    revert.finish_reverts(run.db, run.must_stop)


def _finish_adoptions(run: MaintenanceRun) -> None:
    from memctl.records import adoption
    from memctl.store import entity_moves

    adoption.finish_adoptions(run.db)
    entity_moves.finish_abandoned(run.db, run.must_stop)


# By kind, in the order in which they are finished: what is to be gone goes first.
FINISHERS: Mapping[str, Callable[[MaintenanceRun], None]] = {
    "purge": _finish_purges,
    "import": _finish_imports,
    "ingest": _finish_ingests,
    "revert": _finish_reverts,
    "adopt": _finish_adoptions,
}


def finish_abandoned(run: MaintenanceRun) -> None:
    """Finish every abandoned operation. Counts `finished`."""
    abandoned = {operation.kind for operation in unfinished.list_abandoned(run.db)}
    for kind, finish in FINISHERS.items():
        if kind not in abandoned:
            continue
        if run.must_stop():
            return
        before = len(unfinished.list_operations(run.db, kind))
        finish(run)
        run.count("finished", max(0, before - len(unfinished.list_operations(run.db, kind))))
