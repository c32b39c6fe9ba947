"""`memctl timeline`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command
from memctl.cli.options import Limit
from memctl.core.errors import UsageError
from memctl.results.history import TimelineReport


@command("memctl timeline", "memctl timeline harbor-tides --limit 20", codes=(20,))
def run(
    call: Call,
    project: Annotated[
        str | None,
        argument(metavar="PROJECT", help="The project, by name or id; else the folder's."),
    ] = None,
    limit: Limit = 100,
) -> TimelineReport:
    """Show a project's history by day: what was decided, changed and replaced, newest first."""
    project = project or call.place().project_id
    if project is None:
        raise UsageError(
            "this folder belongs to no project",
            hint="name one: memctl timeline PROJECT; memctl project list shows them",
        )
    return call.engine.history.tell_timeline(project, limit=limit)
