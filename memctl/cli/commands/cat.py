"""`memctl cat`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command
from memctl.cli.options import Level, Limit, ProjectName
from memctl.results.browsing import Reading


@command(
    "memctl cat /profile/*",
    "memctl cat '/projects/harbor-tides/decisions/*'",
    "memctl cat '/inbox/*' --level 1 --json",
    codes=(20, 21),
)
def run(
    call: Call,
    paths: Annotated[
        list[str],
        argument(metavar="PATH", help="What `memctl ls` lists, by path; patterns with * too."),
    ],
    level: Level = None,
    project: ProjectName = None,
    limit: Limit = 50,
) -> Reading:
    """Print what is at some paths: records, captured conversations, entities."""
    return call.engine.browsing.read(
        paths, place=call.place(project), level=2 if level is None else level, limit=limit
    )
