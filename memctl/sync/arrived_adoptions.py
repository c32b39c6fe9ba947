"""Projects that a person made one on a machine of theirs become one on the others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memctl.records import adoption
from memctl.store import meta, projects, sync_group
from memctl.store.database import Database
from memctl.store.sync_group import StoredShare
from memctl.sync.project_identity import ProjectClasses, list_same_elsewhere

# What has to be done once what told of it was taken in: pairs of the part and the whole.
_NOTE = "sync.adoptions"
_ACTOR = "operator elsewhere"


def note_adoptions(
    db: Database, classes: ProjectClasses, project_id: str, card: Mapping[str, Any]
) -> None:
    """Note which projects of this store are one by a card of one's own; not those that were told
    apart here.
    """
    apart = projects.kept_apart(db)
    found = {
        each
        for each in list_same_elsewhere(classes, project_id, card)
        if projects.pair(*each) not in apart
    }
    if found:
        meta.put_note(db, _NOTE, json.dumps(sorted({*_list_noted(db), *found})))


def carry_out(db: Database) -> int:
    """Unite what was noted; return how many projects became part of another.

    What stays at home here never becomes part of what travels by what another machine says.
    """
    many = 0
    private = {each.project for each in sync_group.list_shares(db).values() if _stays(each)}
    noted = _list_noted(db)
    for part, whole in noted:
        here = sync_group.read_adoptions(db)
        # Several machines may have told the same, or each the opposite.
        is_open = here.get(part, whole) is None and here.get(whole, part) is None
        if is_open and (part in private) == (whole in private):
            child, parent = projects.get(db, part), projects.get(db, whole)
            adoption.unite_projects(db, _ACTOR, child, parent)
            many += 1
    if noted:
        with db.write():
            meta.put_note(db, _NOTE, "")
    return many


def _stays(share: StoredShare) -> bool:
    return share.audience == "never"


def _list_noted(db: Database) -> list[tuple[str, str]]:
    return [(part, whole) for part, whole in json.loads(meta.get_note(db, _NOTE) or "[]")]
