"""What is odd about the places: how they were given, and what else writes there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memctl.core.errors import MemctlError
from memctl.core.model import Actor
from memctl.maintain.checks.finding import (
    Finding,
    find_faults,
    join_listed,
    make_note,
    make_ok,
    make_problem,
)
from memctl.settings import synced_folders
from memctl.settings.config import Config
from memctl.store import context_records, upkeep
from memctl.store.database import Database

_OK = "every record says where it holds"


def find_odd_places(config: Config) -> Iterator[Finding]:
    """Yield a note for each place that was not given as a whole path."""
    for place in config.odd_places:
        yield make_note("places", place, "name a whole path")


def find_synced_store(config: Config) -> Iterator[Finding]:
    """Yield what a service does that copies the store to other machines."""
    sync = synced_folders.describe_sync(config.db)
    if sync:
        cure = "move it to a folder of this machine alone; `memctl export` carries memories over"
        yield make_problem("sync", sync, cure)
    copies = synced_folders.list_conflict_copies(config.db)
    if copies:
        yield find_faults(
            "conflict_copies",
            copies,
            ok="",
            label="copies that a service made beside the store",
            cure="each may hold what another machine wrote: `memctl --db COPY export FILE`, then "
            "`memctl import FILE`, then delete it",
        )


def check_unplaced(db: Database, _config: Config) -> Iterator[Finding]:
    """Yield a note on records of which nobody knows the project, and on those that hold everywhere
    only because an earlier version did not know it.
    """
    waiting = upkeep.list_unplaced(db)
    if waiting:
        shorts = context_records.shorten_ids(db, waiting)
        yield make_note(
            "unplaced",
            f"the project of {len(waiting)} candidates is unknown: "
            f"{join_listed([*shorts.values()])}",
            "`memctl inbox --approve ID --project NAME` says it, or `memctl inbox --review`",
        )
    assumed = upkeep.list_assumed_global(db)
    if assumed:
        shorts = context_records.shorten_ids(db, assumed)
        yield make_note(
            "unplaced",
            f"{len(assumed)} records hold everywhere, though they come from sessions without a "
            f"project: {join_listed([*shorts.values()])}",
            "`memctl edit ID --project NAME` moves one, `memctl forget ID` archives it",
        )
    if not waiting and not assumed:
        yield make_ok("unplaced", _OK)


def check_notes(db: Database, config: Config) -> Iterator[Finding]:
    """Yield what is wrong with the folder of notes of `vault.dir`, and its broken links."""
    from memctl.vault import folder  # hardly anybody has one

    if not config["vault.dir"]:
        return
    root = Path(config["vault.dir"])
    try:
        report = folder.sync_vault(db, config, Actor("maintain"), root, dry_run=True)
    except MemctlError as error:
        yield make_note("notes", str(error), error.hint or "")
        return
    links = [f"{path}: [[{target}]]" for path, target in report.broken]
    if links:
        yield make_note("notes", f"links that lead nowhere: {join_listed(links)}", "mend them")
    if report.problems:
        cure = f"`memctl vault status {root}` names all"
        yield make_note("notes", f"needs a look: {join_listed([*report.problems])}", cure)
    if not links and not report.problems:
        yield make_ok("notes", f"{report.notes} notes in {root} are in order")
