"""`memctl revert`."""

from __future__ import annotations

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.confirm_revert import confirm_revert
from memctl.cli.declarations import Annotated, command, option
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
            help="The number of a change (`memctl log changes`), or a record: its last change.",
        ),
    ] = None,
    seq: Annotated[
        int | None,
        declarations.option(
            "--seq", parser=parse_count, metavar="N", help="With a record: this change of it."
        ),
    ] = None,
    since: Since = None,
    actor: Annotated[
        str | None,
        option(
            "--actor",
            metavar="NAME",
            help="All changes by `operator`, `agent:NAME`, `maintain` ...",
        ),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> RevertReport:
    """Undo changes and everything that was built on them.

    An operation is undone as a whole, with later changes that depend on it and records derived from
    it. The plan is shown first. No record and no evidence is deleted, and the undoing is a change
    that can itself be undone.
    """
    with call.show_progress("looking", "what was built on it"):
        plan = call.engine.revert(change, seq=seq, since=since, actor=actor, dry_run=True)
    if dry_run or not confirm_revert(plan, yes=yes):
        return plan
    with call.show_progress("undoing", "changes"):
        return call.engine.revert(change, seq=seq, since=since, actor=actor)
