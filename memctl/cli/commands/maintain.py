"""`memctl maintain`."""

from __future__ import annotations

from memctl.cli import run_log
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command, option
from memctl.cli.options import DryRun, parse_duration
from memctl.results.history import RebuildReport
from memctl.results.maintenance import MaintainReport, StepsReport


@command(
    "memctl maintain",
    "memctl maintain --quiet",
    "memctl maintain --log",
    "memctl maintain --budget 30s",
    "memctl maintain --step consolidate --step embed",
    "memctl maintain --steps",
    "memctl maintain --dry-run",
    "memctl maintain --rebuild-from-history --dry-run",
    "memctl maintain --retry",
    "memctl maintain --reindex --json",
    codes=(1,),
)
def run(
    call: Call,
    only: Annotated[
        list[str] | None,
        option(
            "--step",
            metavar="NAME",
            help="Run only this step, due or not (repeatable; see --steps).",
        ),
    ] = None,
    steps: Annotated[
        bool,
        option("--steps", help="List the steps: their purpose, last run and result."),
    ] = False,
    budget: Annotated[
        float | None,
        option(
            "--budget",
            parser=parse_duration,
            metavar="SPAN",
            help="The longest time to run (30s, 5m); the next run continues.",
        ),
    ] = None,
    reindex: Annotated[bool, option("--reindex", help="Rebuild the search indexes.")] = False,
    retry: Annotated[bool, option("--retry", help="Also retry what has failed for good.")] = False,
    rebuild: Annotated[
        bool,
        option(
            "--rebuild-from-history",
            help="Only set every record to what the event log says, after a backup.",
        ),
    ] = False,
    dry_run: DryRun = False,
    quiet: Annotated[
        bool, option("--quiet", "-q", help="Print nothing unless there is a problem.")
    ] = False,
    log: Annotated[
        bool,
        option("--log", help="Print into maintain.log beside the store, for timers (private)."),
    ] = False,
) -> MaintainReport | StepsReport | RebuildReport:
    """Run the maintenance steps that are due.

    They capture, extract, consolidate, promote by rule, archive, index and copy (see
    docs/maintenance.md). A run is short, safe at any time and beside any other command, and made
    for cron (see contrib/cron). The next run continues what one does not finish.
    """
    if log:
        run_log.print_into_log(call.engine.config.db, "maintain")
    if steps:
        return call.engine.upkeep.list_steps()
    if rebuild:
        with call.show_progress("rebuilding", "reading the event log"):
            return call.engine.history.rebuild(dry_run=dry_run)
    call.quiet = quiet
    with call.show_progress("maintaining", "looking for what waits") as progress:
        return call.engine.maintain(
            reindex=reindex,
            retry=retry,
            dry_run=dry_run,
            progress=progress,
            at_step=progress.begin,
            steps=only or (),
            budget=budget,
        )
