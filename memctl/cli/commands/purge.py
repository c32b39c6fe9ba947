"""`memctl purge`."""

from __future__ import annotations

from typing import Annotated

import typer

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.confirm_erase import confirm_purge
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
        declarations.argument(
            metavar="ID", help="Ids of records, or beginnings that fit no other."
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", metavar="ID", help="A captured source and all that rests on it alone."
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Every capture of that session.")
    ] = None,
    project: Annotated[
        str | None,
        typer.Option(
            "--project", metavar="NAME", help="A project with all its records and sources."
        ),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option("--match", metavar="TEXT", help="Whatever holds exactly this text."),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> PurgeReport:
    """Erase for good: from history, index, vectors, logs and spool too.

    A tombstone without content stays, so that it is not taken in, imported or proposed again. Older backups are named, not touched.
    Nothing brings it back; to have something only never shown again, use `memctl forget`.
    """
    plan = call.engine.upkeep.purge(
        ids or (), source=source, session=session, project=project, match=match, dry_run=True
    )
    if dry_run or not confirm_purge(call, plan, yes=yes):
        return plan
    return call.engine.upkeep.purge(
        ids or (), source=source, session=session, project=project, match=match
    )
