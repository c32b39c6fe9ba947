"""`memctl doctor`."""

from __future__ import annotations

from memctl.cli import run_log
from memctl.cli.call import Call
from memctl.cli.confirm_repair import confirm_repair
from memctl.cli.declarations import Annotated, command, option
from memctl.cli.options import Yes
from memctl.results.store import DoctorReport


@command(
    "memctl doctor",
    "memctl doctor --repair",
    "memctl doctor --log",
    "memctl doctor --json",
    codes=(1, 21),
)
def run(
    call: Call,
    repair: Annotated[
        bool,
        option("--repair", help="Repair derived data, after a backup; the plan is shown first."),
    ] = False,
    yes: Yes = False,
    log: Annotated[
        bool,
        option("--log", help="Print into maintain.log beside the store, for timers (private)."),
    ] = False,
) -> DoctorReport:
    """Check the store and its environment. Nothing is changed without --repair."""
    call.is_tolerant = True
    if log:
        run_log.print_into_log(call.engine.config.db, "doctor")
    with call.show_progress("checking", "opening the store", "checks") as progress:
        found = call.engine.upkeep.doctor(progress=progress)
    if not repair or not confirm_repair(call, found, yes=yes):
        return found
    with call.show_progress("repairing", "making a copy", "checks") as progress:
        return call.engine.upkeep.doctor(repair=True, progress=progress)
