"""`memctl consolidate`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import DryRun
from memctl.results.maintenance import ConsolidationReport


@command(
    "memctl consolidate --dry-run",
    "memctl consolidate --project harbor-tides",
    "memctl consolidate 01JV3KQX2M --dry-run",
    codes=(20,),
)
def run(
    call: Call,
    ids: Annotated[
        list[str] | None,
        argument(metavar="ID", help="Compare only these records, candidates too, with the others."),
    ] = None,
    dry_run: DryRun = False,
    project: Annotated[
        str | None,
        option("--project", metavar="NAME", help="Only this project, by name or id."),
    ] = None,
) -> ConsolidationReport:
    """Merge duplicates and mark contradictions: of all records, of a project, or of some."""
    place = call.place(project) if project else None
    with call.show_progress("consolidating", "comparing records"):
        return call.engine.consolidate(dry_run=dry_run, place=place, ids=ids or ())
