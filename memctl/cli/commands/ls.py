"""`memctl ls`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import Level, Limit, Offset, ProjectName
from memctl.results.browsing import BrowseReport, PathNames


@command(
    "memctl ls",
    "memctl ls /projects/harbor-tides/decisions --level 1",
    "memctl ls '/projects/*/conventions' --json",
    codes=(20,),
)
def run(
    call: Call,
    path: Annotated[
        str, argument(metavar="PATH", help="A folder, or a pattern with * (default: the project).")
    ] = ".",
    level: Level = None,
    project: ProjectName = None,
    limit: Limit = 200,
    offset: Offset = 0,
    complete: Annotated[
        bool,
        option("--complete", help="Print the paths that begin with PATH, as shells want them."),
    ] = False,
) -> BrowseReport | PathNames:
    """List a folder of the store.

    /profile, /global, /projects/NAME/KINDS, /agents/NAME, /sessions, /inbox, /archive, /entities
    and /sources. A relative path begins in the folder of the project.
    """
    place, browsing = call.place(project), call.engine.browsing
    if complete:
        return browsing.complete("" if path == "." else path, place=place)
    return browsing.list(path, place=place, level=level or 0, limit=limit, offset=offset)
