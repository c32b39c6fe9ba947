"""A purge that comes from another machine: final, whatever is known of the record here.

What its changes said is erased at once. The record itself, with all copies of its words elsewhere
in the store, goes the way of a purge made here, in transactions of its own; until that is done its
id stands in a note, so that a kill delays it only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from memctl.core.errors import StoreLocked
from memctl.core.model import Actor
from memctl.erase import purge
from memctl.erase.purge_run import PurgePlan, PurgeRun
from memctl.settings.config import Config
from memctl.store import (
    arrived_rows,
    erase,
    meta,
    records,
    sources,
    sync_changes,
    sync_group,
    witness,
)
from memctl.store.database import Database
from memctl.sync import project_cards
from memctl.sync.change import Change, ChangeEvent
from memctl.sync.copies import derive_copies, derive_next, name_maker
from memctl.sync.merging import PURGED, ChangeGraph, is_purge
from memctl.sync.stored_graph import build_change as build_change_of
from memctl.sync.stored_graph import read_graph

_NOTE = "sync.purges"
# That words were taken out of the event log, whose chain is to be computed anew.
_CHAIN_NOTE = "sync.rewritten"
# The projects that were erased elsewhere, until nothing here belongs to them any more.
_PROJECTS_NOTE = "sync.ended_projects"
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
        derive_purge(root) for root in roots if sync_changes.find_change(db, root.id) is not None
    ]


def list_orphans(db: Database, scrubbed: Iterable[str]) -> list[Change]:
    """The purges of those copies of a record that keep words of scrubbed changes."""
    makers = {name_maker(each) for each in scrubbed}
    if not makers:
        return []
    copies = arrived_rows.list_subjects_of(db, sorted(makers))
    return [
        derive_purge(build_change_of(each))
        for copy in copies
        for each in sync_changes.list_of_subject(db, copy)
        if each.replica in makers and not each.parents
    ]


def derive_purge(root: Change) -> Change:
    """The purge of a copy. It says nothing of why, so that it is the same for whatever reason."""
    event = ChangeEvent("record", root.subject, PURGED, None, None, "memctl", "sync", "")
    return derive_next(root, event)


def list_noted(db: Database) -> set[str]:
    """The records that were purged elsewhere and have to go here."""
    return set(json.loads(meta.get_note(db, _NOTE) or "[]"))


def _note(db: Database, ids: set[str]) -> None:
    meta.put_note(db, _NOTE, json.dumps(sorted(ids)))


def note_rewritten(db: Database, config: Config) -> None:
    """Note that words were taken out of the event log."""
    witness.announce_rewriting(config, "purge")
    meta.put_note(db, _CHAIN_NOTE, "1")


def carry_out(db: Database, config: Config) -> int:
    """Purge what was purged elsewhere; count the records. What another purge is in the way of is
    left for the next time.
    """
    if meta.get_note(db, _CHAIN_NOTE):
        erase.rebuild_chain(db, lambda _done: None)
        with db.write():
            meta.put_note(db, _CHAIN_NOTE, "")
    noted = list_noted(db)
    if not noted:
        _end_projects(db)
        return 0
    purge.finish_purges(db, config)
    found = records.list_by_ids(db, noted)
    told = tuple(each for each in (sources.find_source(db, one) for one in noted) if each)
    if found or told:
        words = {word for memory in found.values() for word in purge.list_words(db, memory)}
        plan = PurgePlan(tuple(found.values()), told, None, tuple(sorted(words)))
        try:
            PurgeRun.begin(db, config, Actor(_ACTOR), plan).carry_out()
        except StoreLocked:
            return 0
    with db.write():
        _note(db, list_noted(db) - noted)
    _end_projects(db)
    return len(found)


def bury_conversation(db: Database, subject: str, source_id: str) -> None:
    """Erase what is told of a conversation that was erased elsewhere; note that it has to go."""
    sync_changes.scrub_subject(db, subject)
    if sources.find_source(db, source_id) is not None:
        _note(db, {*list_noted(db), source_id})


def bury_project(db: Database, project_id: str) -> None:
    """Note that a project which was erased elsewhere has to go."""
    ended = {*_list_ended_projects(db), project_id}
    meta.put_note(db, _PROJECTS_NOTE, json.dumps(sorted(ended)))


def _list_ended_projects(db: Database) -> list[str]:
    return list(json.loads(meta.get_note(db, _PROJECTS_NOTE) or "[]"))


def _end_projects(db: Database) -> None:
    """Erase the projects that were erased elsewhere and that nothing here belongs to.

    What else belongs to one was not known where it was erased: the project is named again.
    """
    ended = _list_ended_projects(db)
    if not ended:
        return
    with db.write():
        known = sync_group.read_adoptions(db)
        left = [each for each in ended if each in known and not _end_project(db, each)]
        meta.put_note(db, _PROJECTS_NOTE, "")
        if left:
            project_cards.look_again(db)


def _end_project(db: Database, project_id: str) -> bool:
    if erase.list_records_of_project(db, project_id) or erase.list_sources_of_project(
        db, project_id
    ):
        return False
    erase.erase_project(db, project_id)
    return True
