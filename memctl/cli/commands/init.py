"""`memctl init`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli import review_projects
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command, option
from memctl.results.store import StatusReport


@command("memctl init", "memctl init --project .", "memctl --db /tmp/try.db init")
def run(
    call: Call,
    project: Annotated[
        Path | None,
        option("--project", metavar="DIR", help="Also register the project of this folder."),
    ] = None,
) -> StatusReport:
    """Create the store, private to you; harmless where it exists."""
    status = call.engine.init(project=project)
    waiting = call.engine.projects.find_waiting_place(project) if project is not None else None
    if project is None or waiting is None:
        return status
    review_projects.review_waiting_place(call.engine, project, waiting, again=True)
    return call.engine.init()
