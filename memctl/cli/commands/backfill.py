"""`memctl backfill`."""

from __future__ import annotations

from typing import Annotated

import typer

from memctl.cli import output
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import DryRun, Since
from memctl.results.backfill import BackfillReport


@command(
    "memctl backfill --dry-run",
    "memctl backfill --since 30d",
    "memctl backfill --agent claude-code --agent codex --limit 50",
    codes=(1, 20, 130),
)
def run(
    call: Call,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent", metavar="NAME", help="Only this agent's sessions; may be repeated."
        ),
    ] = None,
    since: Since = None,
    project: Annotated[
        str | None,
        typer.Option(
            "--project", metavar="NAME|FOLDER", help="Only sessions held in this project's folders."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=1, metavar="N", help="At most so many files, the newest first."
        ),
    ] = None,
    dry_run: DryRun = False,
) -> BackfillReport:
    """Take in the past sessions of all agents on this machine.

    Finds what the agents left, newest first; takes in each session in a short write of its own, so that it can run beside everything; may
    be stopped and started again at any time: nothing is taken in twice. Nothing is extracted yet (see `memctl maintain`).
    """
    with output.show_progress("taking in", in_bytes=True) as progress:
        return call.engine.setup.backfill(
            agents=agent or (),
            since=since,
            project=project,
            limit=limit,
            dry_run=dry_run,
            progress=progress,
        )
