"""`memctl conflicts`."""

from __future__ import annotations

from typing import Annotated

import typer

from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import OnlyProject
from memctl.reports import ConflictsReport


@command("memctl conflicts", "memctl conflicts --project harbor-tides --json", codes=(20,))
def run(
    call: Call,
    project: OnlyProject = None,
    settled: Annotated[bool, typer.Option("--all", help="Also those that were settled.")] = False,
) -> ConflictsReport:
    """Records that cannot both hold, with both sides and the commands that would settle it."""
    return call.engine.conflicts(call.place(project) if project else None, settled=settled)
