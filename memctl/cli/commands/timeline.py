"""`memctl timeline`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command
from memctl.cli.options import Limit
from memctl.results.history import TimelineReport


@command("memctl timeline harbor-tides", "memctl timeline harbor-tides --limit 20", codes=(20,))
def run(
    call: Call,
    project: Annotated[str, argument(metavar="PROJECT", help="The project, by name or id.")],
    limit: Limit = 100,
) -> TimelineReport:
    """Show a project's history by day: what was decided, changed and replaced, newest first."""
    return call.engine.history.tell_timeline(project, limit=limit)
