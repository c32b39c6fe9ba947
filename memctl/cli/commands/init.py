"""`memctl init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.results.store import StatusReport


@command("memctl init", "memctl init --project .", "memctl --db /tmp/try.db init")
def run(
    call: Call,
    project: Annotated[
        Path | None,
        typer.Option("--project", metavar="DIR", help="Also register the project of this folder."),
    ] = None,
) -> StatusReport:
    """Create the store, private to you; harmless where it exists."""
    return call.engine.init(project=project)
