"""`memctl purge`."""

from __future__ import annotations

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.confirm_erase import confirm_purge
from memctl.cli.declarations import Annotated, command, option
from memctl.cli.options import DryRun, Yes
from memctl.results.erasure import PurgeReport


@command(
    "memctl purge 01JV3KQX2M --dry-run",
    "memctl purge --project sea-charts --yes",
    'memctl purge --match "harbour office" --yes',
    codes=(1, 20, 21),
)
def run(
    call: Call,
    ids: Annotated[
        list[str] | None,
        declarations.argument(metavar="ID", help="Record ids, or unique prefixes."),
    ] = None,
    source: Annotated[
        str | None,
        option("--source", metavar="ID", help="A captured source and all that only it supports."),
    ] = None,
    session: Annotated[
        str | None, option("--session", metavar="ID", help="All captures of this session.")
    ] = None,
    project: Annotated[
        str | None,
        option("--project", metavar="NAME", help="A project with all its records and sources."),
    ] = None,
    match: Annotated[
        str | None,
        option("--match", metavar="TEXT", help="Everything that contains exactly this text."),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> PurgeReport:
    """Erase records for good, also from history, logs and the spool.

    A tombstone without content stays, so that they are not captured, imported or proposed again.
    Older backups are named, but not changed. This cannot be undone; `memctl forget` only stops
    records from being served.
    """
    with call.show_progress("looking", "what would be erased"):
        plan = call.engine.upkeep.purge(
            ids or (), source=source, session=session, project=project, match=match, dry_run=True
        )
    if dry_run or not confirm_purge(call, plan, yes=yes):
        return plan
    with call.show_progress("erasing", "records, history and logs"):
        return call.engine.upkeep.purge(
            ids or (), source=source, session=session, project=project, match=match
        )
