"""`memctl import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memctl.cli import output
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import DryRun
from memctl.results.store import TransferReport


@command("memctl import memories.jsonl --dry-run", "memctl import memories.jsonl", codes=(1, 30))
def run(
    call: Call,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file that `memctl export` wrote.")
    ],
    dry_run: DryRun = False,
) -> TransferReport:
    """Merge an export by id. Bad lines are reported and skipped; no record gains trust."""
    with output.show_progress("importing"):
        return call.engine.import_(file, dry_run=dry_run)
