"""`memctl vault`: a folder of Markdown notes that follows the records."""

from __future__ import annotations

from pathlib import Path

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command
from memctl.cli.options import DryRun
from memctl.results.backfill import MemoriesReport
from memctl.results.vault import VaultReport

HELP = "Keep your records and a folder of Markdown notes in step."
Folder = Annotated[
    Path | None, argument(metavar="DIR", help="The folder (default: the setting vault.dir).")
]


@command("memctl vault init ~/notes/memory", codes=(21,))
def init(call: Call, folder: Folder = None) -> VaultReport:
    """Set up a folder for notes, and write a note for each record.

    What is already in it stays. Private records of agents and sessions get no notes.
    """
    return call.engine.vault.init(folder)


@command("memctl vault sync ~/notes/memory", codes=(1, 11, 20, 21))
def sync(call: Call, folder: Folder = None) -> VaultReport:
    """Read your changes from the notes, and write changed records to them.

    Content, kind, status, tags and always_load (pinned) may be changed in a note. Moving it out of
    _inbox, or `status: active`, approves it. A change on both sides is a conflict; both versions
    are kept. Run by an agent or from cron, it only writes notes; your changes wait for you.
    """
    return call.engine.vault.sync(folder)


@command("memctl vault status ~/notes/memory", "memctl vault status --json", codes=(1, 20))
def status(call: Call, folder: Folder = None) -> VaultReport:
    """Show what `memctl vault sync` would do, and which links lead nowhere. Writes nothing."""
    return call.engine.vault.status(folder)


@command("memctl vault import ~/notes/old --dry-run", codes=(1, 20, 31))
def import_(
    call: Call,
    folder: Annotated[Path, argument(metavar="DIR", help="A folder of notes, or one note.")],
    dry_run: DryRun = False,
) -> MemoriesReport:
    """Import other notes: each becomes one or more candidates in the inbox, with its tags.

    A note whose front matter gives a type or kind becomes one candidate; in any other, each
    statement becomes one. The same note adds nothing twice; nothing becomes active by itself.
    """
    with call.show_progress("importing", "reading the notes"):
        return call.engine.vault.import_notes(folder, dry_run=dry_run)


COMMANDS = {"init": init, "sync": sync, "status": status, "import": import_}
