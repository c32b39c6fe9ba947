"""`memctl backup`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from memctl.cli import output
from memctl.cli.call import Call
from memctl.cli.declarations import argument, command
from memctl.results.store import TransferReport


@command("memctl backup", "memctl backup /media/stick/memory.db")
def run(
    call: Call,
    file: Annotated[
        Path | None,
        argument(metavar="FILE", help="The new file (default: beside the store)."),
    ] = None,
) -> TransferReport:
    """Make a complete, verified, private copy of the store. Other commands can run meanwhile."""
    with output.show_progress("copying"):
        return call.engine.upkeep.backup(file)
