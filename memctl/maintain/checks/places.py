"""What is odd about the places: how they were given, and what else writes there."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.maintain.checks.finding import Finding, find_faults, make_note, make_problem
from memctl.settings import synced_folders
from memctl.settings.config import Config


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
