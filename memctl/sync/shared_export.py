"""An export of what travels, the same byte for byte on every machine that has the same changes.

Canonical JSON lines in an order that depends on nothing of this store: its own ids, clocks and
counters are not in it. First comes what the tables say of each record, with what hangs on it, then
the history, by the order of the changes. Whether a record in force is contradicted follows from its
links and is not told; of a record of another member is told what its owner says of it, because what
was decided on it here stays here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from memctl.core.frozen import asdict
from memctl.store import arrived_rows, sync_changes
from memctl.store.database import Database
from memctl.sync import fitting
from memctl.sync.copies import is_derived
from memctl.sync.local_rows import IN_FORCE
from memctl.sync.merging import SubjectState, is_purge, list_scrubbed, read_state
from memctl.sync.portable import TravelForm
from memctl.sync.stored_graph import build_change, read_graph

FORMAT = "memctl-shared"
_VERSION = 1
# Subjects of one look at the store; chosen by hand.
_SUBJECTS = 500


def write_shared_export(db: Database, member: str, out: TextIO) -> int:
    """Write all that travels, for a member of the group; return the number of records.

    All of it is read in one snapshot.
    """
    with db.snapshot():
        form = TravelForm(db)
        many = 0
        out.write(_encode({"format": FORMAT, "version": _VERSION, "member": member}))
        for line in _tell_projects(db, form):
            out.write(_encode(line))
        for subject in arrived_rows.iterate_subjects(db, size=_SUBJECTS):
            if fitting.is_record(subject):
                for line in _tell_record(db, form, subject, member):
                    out.write(_encode(line))
                    many += "record" in line
        for subject in arrived_rows.iterate_subjects(db, size=_SUBJECTS):
            for line in _tell_history(db, subject):
                out.write(_encode(line))
        return many


def _encode(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


def _tell_projects(db: Database, form: TravelForm) -> Iterator[dict[str, Any]]:
    """The projects that travel, each once, with all that any machine knows them by."""
    known: dict[str, set[tuple[str, str]]] = {}
    for subject in arrived_rows.iterate_subjects(db, size=_SUBJECTS):
        if not subject.startswith(fitting.PROJECT):
            continue
        project_id = subject.removeprefix(fitting.PROJECT)
        card = read_state(read_graph(db, subject)).rows.get(("project", project_id)) or {}
        told = known.setdefault(form.classes.get_canonical(project_id), set())
        told |= {("called", str(card.get("name"))), ("id", project_id)}
        told |= {(kind, value) for kind, value in card.get("aliases", ())}
    for project_id, told in sorted(known.items()):
        yield {"project": project_id, "aliases": sorted(map(list, told))}


def _tell_record(
    db: Database, form: TravelForm, subject: str, member: str
) -> Iterator[dict[str, Any]]:
    """What a record is, and what hangs on it."""
    owner, _ = sync_changes.find_subject(db, subject)
    if owner == member:
        fields, rows = form.read_fields(subject), form.read_rows(subject)
    else:
        state: SubjectState = read_state(read_graph(db, subject))
        fields = dict(state.fields) if state.fields is not None else None
        rows = {cell: row for cell, row in state.rows.items() if row is not None}
    if fields is None:
        return
    fields.pop("tags", None)
    if fields["status"] in IN_FORCE:
        fields |= {"status": "active", "status_reason": None}
    if fields.get("project_id") is not None:
        fields["project_id"] = form.classes.get_canonical(fields["project_id"])
    yield {"record": {**fields, "member": owner}}
    for (topic, item), row in sorted(rows.items()):
        told = dict(row)
        if topic == "evidence":
            # Which conversations are here differs.
            told["source_id"] = None
        if topic == "tombstone":
            told.pop("fingerprint", None)
        yield {topic: told, "item": item}


def _tell_history(db: Database, subject: str) -> Iterator[dict[str, Any]]:
    """The changes of a subject in their order; of one that was purged, that it was. What follows
    from others is not told, nor what was scrubbed.
    """
    stored_all = sync_changes.list_of_subject(db, subject)
    stored = [each for each in stored_all if each.state == "taken"]
    changes = [build_change(each) for each in stored]
    if any(is_purge(event) for change in changes for event in change.events):
        if not any(map(is_derived, map(build_change, stored_all))):
            yield {"purged": subject}
        return
    scrubbed = {*list_scrubbed(changes)}
    for change in changes:
        if change.id not in scrubbed and change.events:
            yield {
                "change": change.id,
                "subject": subject,
                "member": change.member,
                "parents": list(change.parents),
                "events": [asdict(event) for event in change.events],
            }
