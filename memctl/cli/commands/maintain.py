"""`memctl maintain`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated

import typer

from memctl.cli import render
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import DryRun
from memctl.results import MaintainReport


@command("memctl maintain", "memctl maintain --quiet", "memctl maintain --retry", "memctl maintain --reindex --json", codes=(1,))
def run(
    call: Call,
    reindex: Annotated[bool, typer.Option("--reindex", help="Build the search indexes anew.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Also try again what has failed for good.")] = False,
    dry_run: DryRun = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing unless there is a problem.")] = False,
) -> MaintainReport:
    """Do all upkeep that waits: take in the spool, extract, consolidate, promote by rule, expire, decay, prune, embed.

    Short-lived, safe to run at any time and beside any other command; made for cron (see contrib/cron).
    """
    call.quiet = quiet
    with nullcontext() if quiet else render.working("maintaining", "embedding") as progress:
        return call.engine.maintain(reindex=reindex, retry=retry, dry_run=dry_run, progress=progress)
