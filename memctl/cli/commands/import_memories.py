"""`memctl import-memories`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import DryRun
from memctl.results.backfill import MemoriesReport


@command(
    "memctl import-memories --found --dry-run",
    "memctl import-memories CLAUDE.md AGENTS.md",
    "memctl import-memories --from claude-memory --found",
    codes=(1,),
)
def run(
    call: Call,
    path: Annotated[
        list[Path] | None,
        argument(metavar="[PATH]...", help="Files, or folders that hold such files."),
    ] = None,
    kind: Annotated[
        str | None,
        option(
            "--from",
            metavar="KIND",
            help="The kind of memories (default: detected; see docs/importing.md).",
        ),
    ] = None,
    found: Annotated[
        bool,
        option(
            "--found",
            help="Everything that agents, tools and this folder's project keep here.",
        ),
    ] = False,
    dry_run: DryRun = False,
) -> MemoriesReport:
    """Import what other tools remember: CLAUDE.md, AGENTS.md, rules, databases, exports.

    Each rule, fact or decision becomes a candidate in the inbox with its quote; nothing becomes
    active by itself. The same file adds nothing twice, and rejected or forgotten records do not
    come back.
    """
    with call.show_progress("importing", "looking for memories"):
        return call.engine.setup.import_memories(
            path or (), kind=kind, found=found, cwd=Path.cwd(), dry_run=dry_run
        )
