"""`memctl backfill`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command, option
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
        option("--agent", metavar="NAME", help="Only sessions of this agent (repeatable)."),
    ] = None,
    since: Since = None,
    project: Annotated[
        str | None,
        option("--project", metavar="NAME|FOLDER", help="Only sessions in this project's folders."),
    ] = None,
    limit: Annotated[
        int | None,
        option(
            "--limit",
            min=1,
            max=1_000_000_000,
            metavar="N",
            help="The maximum number of files, newest first.",
        ),
    ] = None,
    dry_run: DryRun = False,
) -> BackfillReport:
    """Capture past sessions of all agents on this machine, newest first.

    Each session is captured in a short write of its own, so other commands can run meanwhile. It
    can be stopped and started again at any time; nothing is captured twice. `memctl maintain`
    extracts memories later.
    """
    with call.show_progress("capturing", "looking for sessions", in_bytes=True) as progress:
        return call.engine.setup.backfill(
            agents=agent or (),
            since=since,
            project=project,
            limit=limit,
            dry_run=dry_run,
            progress=progress,
        )
