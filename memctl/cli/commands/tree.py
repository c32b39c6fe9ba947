"""`memctl tree`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import Level, Limit, Offset, ProjectName, parse_count
from memctl.results.browsing import BrowseReport


@command("memctl tree", "memctl tree / --depth 2", "memctl tree /inbox --level 1", codes=(20,))
def run(
    call: Call,
    path: Annotated[
        str, argument(metavar="PATH", help="A folder, or a pattern with * (default: the project).")
    ] = ".",
    level: Level = None,
    depth: Annotated[
        int, option("--depth", parser=parse_count, metavar="N", help="How many folders deep.")
    ] = 3,
    project: ProjectName = None,
    limit: Limit = 200,
    offset: Offset = 0,
) -> BrowseReport:
    """Show the folders of the store and what is in them; see `memctl ls`."""
    return call.engine.browsing.tree(
        path, place=call.place(project), level=level or 0, depth=depth, limit=limit, offset=offset
    )
