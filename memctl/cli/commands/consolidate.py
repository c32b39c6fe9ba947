"""`memctl consolidate`."""

from __future__ import annotations

from typing import Annotated

from memctl.cli import output
from memctl.cli.call import Call
from memctl.cli.declarations import command, option
from memctl.cli.options import DryRun
from memctl.results.maintenance import ConsolidationReport


@command("memctl consolidate --dry-run", "memctl consolidate --project harbor-tides")
def run(
    call: Call,
    dry_run: DryRun = False,
    project: Annotated[
        str | None,
        option("--project", metavar="NAME", help="Only this project, by name or id."),
    ] = None,
) -> ConsolidationReport:
    """Merge duplicates and mark contradictions."""
    place = call.place(project) if project else None
    with output.show_progress("consolidating"):
        return call.engine.consolidate(dry_run=dry_run, place=place)
