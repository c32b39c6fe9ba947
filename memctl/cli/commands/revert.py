"""`memctl revert`."""

from __future__ import annotations

from typing import Annotated

import typer

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.confirm_revert import confirm_revert
from memctl.cli.options import DryRun, Since, Yes, parse_count
from memctl.results.history import RevertReport


@command(
    "memctl revert 01JV3KQX2M --dry-run",
    "memctl revert 41 --yes",
    "memctl revert --since 2h --actor agent:codex --dry-run",
    codes=(20, 21),
)
def run(
    call: Call,
    change: Annotated[
        str | None,
        declarations.argument(
            metavar="CHANGE|ID",
            help="A change by its number (`memctl log changes`), or a record: its last change.",
        ),
    ] = None,
    seq: Annotated[
        int | None,
        declarations.option(
            "--seq", parser=parse_count, metavar="N", help="Of the record, that change."
        ),
    ] = None,
    since: Since = None,
    actor: Annotated[
        str | None,
        typer.Option(
            "--actor", metavar="NAME", help="All by `operator`, `agent:NAME`, `maintain` ..."
        ),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> RevertReport:
    """Undo changes, with all that was built on them.

    What was made as one is undone as one; later changes that rest on it, and records derived from it, go with it. The plan is shown
    first. No record and no evidence is deleted, and undoing is a change that can itself be undone.
    """
    plan = call.engine.revert(change, seq=seq, since=since, actor=actor, dry_run=True)
    if dry_run or not confirm_revert(call, plan, yes=yes):
        return plan
    return call.engine.revert(change, seq=seq, since=since, actor=actor)
