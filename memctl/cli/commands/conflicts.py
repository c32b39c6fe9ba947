"""`memctl conflicts`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command, option
from memctl.cli.options import AsOf, OnlyProject
from memctl.core.errors import UsageError
from memctl.results.conflicts import ConflictsReport


@command(
    "memctl conflicts",
    "memctl conflicts --project harbor-tides --json",
    "memctl conflicts --as-of 'last week'",
    "memctl conflicts --undecided --json",
    codes=(20,),
)
def run(
    call: Call,
    project: OnlyProject = None,
    as_of: AsOf = None,
    settled: Annotated[bool, option("--all", help="Also show resolved ones.")] = False,
    undecided: Annotated[
        bool,
        option(
            "--undecided", help="Also show records that a newer one may replace; only open ones."
        ),
    ] = False,
) -> ConflictsReport:
    """List records that contradict each other, and how to resolve that."""
    if undecided and (settled or as_of):
        raise UsageError("--undecided shows what is open now: without --all and --as-of")
    if undecided:
        return call.engine.conflicts.list_undecided(call.place(project) if project else None)
    return call.engine.conflicts.list(
        call.place(project) if project else None, settled=settled, as_of=as_of
    )
