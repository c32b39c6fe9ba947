"""A purge that comes from another machine: final, whatever is known of the record here.

What its changes said is erased at once. The record itself, with all copies of its words elsewhere
in the store, goes the way of a purge made here, in transactions of its own; until that is done its
id stands in a note, so that a kill delays it only.
"""

from __future__ import annotations

import json

from memctl.core.errors import StoreLocked
from memctl.core.model import Actor
from memctl.erase import purge
from memctl.erase.purge_run import PurgePlan, PurgeRun
from memctl.settings.config import Config
from memctl.store import meta, records, sync_changes
from memctl.store.database import Database
from memctl.sync.change import Change, ChangeEvent, build_change
from memctl.sync.copies import NOBODY, derive_copies
from memctl.sync.merging import PURGED, ChangeGraph, is_purge
from memctl.sync.stored_graph import read_graph

_NOTE = "sync.purges"
_ACTOR = "operator elsewhere"


def bury(db: Database, subject: str) -> list[Change]:
    """Erase what the changes of a purged record said, and note that it has to go; return the
    purges of its copies that follow.
    """
    changes = read_graph(db, subject).changes
    purges = [change for change in changes if any(map(is_purge, change.events))]
    kept = {each.id for each in purges}
    told = [each.id for each in changes if each.events and each.id not in kept]
    graph = ChangeGraph(each for each in changes if each.id not in kept)
    roots = [each for each in derive_copies(graph, subject) if not each.parents]
    sync_changes.scrub_changes(db, told)
    if records.find_record(db, subject) is not None:
        _note(db, {*list_noted(db), subject})
    return [
        _derive_purge(root, purges[0])
        for root in roots
        if sync_changes.find_change(db, root.id) is not None
    ]


def _derive_purge(root: Change, purged: Change) -> Change:
    """The purge of a copy. It names no more of the purge than that there was one, so that it is
    the same whichever of several is known.
    """
    like = root.events[0]
    event = ChangeEvent("record", root.subject, PURGED, None, None, like.actor, "purge", like.at)
    return build_change(
        replica=NOBODY,
        member=purged.member,
        subject=root.subject,
        stamp=root.stamp + 1,
        parents=[root.id],
        operation=None,
        origin=0,
        events=[event],
    )


def list_noted(db: Database) -> set[str]:
    """The records that were purged elsewhere and have to go here."""
    return set(json.loads(meta.get_note(db, _NOTE) or "[]"))


def _note(db: Database, ids: set[str]) -> None:
    meta.put_note(db, _NOTE, json.dumps(sorted(ids)))


def carry_out(db: Database, config: Config) -> int:
    """Purge what was purged elsewhere; count the records. What another purge is in the way of is
    left for the next time.
    """
    noted = list_noted(db)
    if not noted:
        return 0
    found = records.list_by_ids(db, noted)
    if found:
        words = {word for memory in found.values() for word in purge.list_words(db, memory)}
        plan = PurgePlan(tuple(found.values()), (), None, tuple(sorted(words)))
        try:
            PurgeRun.begin(db, config, Actor(_ACTOR), plan).carry_out()
        except StoreLocked:
            return 0
    with db.write():
        _note(db, list_noted(db) - noted)
    return len(found)
