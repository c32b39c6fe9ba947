"""What changes come to, written into the tables of this store under its own ids.

A project is the one that it is here, an entity the one of that name, a conversation only what is
here. What refers to something that has not come yet waits for it (`sync_awaited`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memctl.core import clock
from memctl.core.frozen import fields as list_fields
from memctl.core.frozen import replace
from memctl.core.model import Memory
from memctl.records import drafts
from memctl.store import (
    arrived_rows,
    exchange,
    projects,
    records,
    sources,
    tombstones,
    tracked_rows,
)
from memctl.store.arrived_rows import Telling
from memctl.store.database import Database
from memctl.sync import portable
from memctl.sync.fitting import PROJECT
from memctl.sync.merging import Cell, SubjectState
from memctl.sync.project_identity import ProjectClasses

# What is told of a change to one cell.
Teller = Callable[[Cell], Telling]
IN_FORCE = ("active", "contradicted")
_RECORD_CELL = ("record", "record")
_COLUMNS = frozenset(each.name for each in list_fields(Memory))
# Counted here, known only here, or found anew.
_OWN_COLUMNS = frozenset(
    ("fingerprint", "repo_id", "origin", "last_accessed_at", "access_count", "good", "bad")
)
# What of a piece of evidence changes only where words are cut out of it.
_EVIDENCE_WORDS = ("span_start", "span_end", "quote", "speaker")
_REALS = ("confidence", "decay_rate")
# A record of a scope is nothing without what that is: the project, the agent, the session.
_NEEDED = {
    "project": "project_id",
    "repo": "project_id",
    "agent": "agent_id",
    "session": "session_id",
}


def build_memory(
    db: Database,
    classes: ProjectClasses,
    fields: Mapping[str, Any],
    here: Memory | None,
    origin: str | None = None,
) -> Memory | None:
    """The record of some fields as this store keeps it; None while its project is not here, or
    if it cannot be one.

    Whether one in force is contradicted follows from the links here, not from the changes.
    """
    there = fields.get("project_id")
    project_id = None if there is None else classes.find_here(there)
    if there is not None and project_id is None:
        return None
    values = {
        name: value
        for name, value in fields.items()
        if name in _COLUMNS and name not in _OWN_COLUMNS
    }
    values |= {
        "project_id": project_id,
        "repo_id": _find_repo(db, project_id, fields.get("repo")),
        "alternatives": tuple(fields.get("alternatives") or ()),
        # As the columns give them back: a record is known to be whole by a hash over its values.
        **{name: float(fields[name]) for name in _REALS if name in fields},
        "origin": origin,
        "fingerprint": "",
    }
    try:
        memory = Memory(**values)
    except TypeError:  # A part of it was scrubbed and has not been said anew yet.
        return None
    needed = _NEEDED.get(memory.scope)
    if needed is not None and getattr(memory, needed) is None:
        return None
    memory = drafts.set_fingerprint(memory)
    if here is None:
        return memory
    if memory.status in IN_FORCE and here.status in IN_FORCE:
        memory = replace(memory, status=here.status, status_reason=here.status_reason)
    kept = {
        name: getattr(here, name) for name in _OWN_COLUMNS - {"fingerprint", "repo_id", "origin"}
    }
    return replace(memory, **kept)


def _find_repo(db: Database, project_id: str | None, told: Any) -> str | None:
    """The repository here that one of another machine is; it is noted if there is none."""
    if project_id is None or told is None:
        return None
    remote, root, name = told
    for repo in projects.repos_of(db, project_id):
        is_same = (remote and repo["remote_url"] == remote) or (
            root and repo["root_commit"] == root
        )
        if is_same or (not remote and not root and repo["name"] == name):
            return str(repo["id"])
    at = clock.now()
    row = {
        "id": clock.new_id(),
        "project_id": project_id,
        "name": name or "",
        "root_path": None,
        "git_common_dir": None,
        "remote_url": remote,
        "root_commit": root,
        "created_at": at,
        "updated_at": at,
    }
    return None if exchange.insert_one(db, "repos", row) else str(row["id"])


def write_record(
    db: Database,
    classes: ProjectClasses,
    subject: str,
    state: SubjectState,
    tell: Teller,
    *,
    origin: str | None = None,
) -> bool:
    """Bring a record and what hangs on it to a state; whether anything changed here."""
    if state.fields is None or is_purged(db, subject):
        return False
    here = records.find_record(db, subject)
    memory = build_memory(db, classes, state.fields, here, origin)
    if memory is None:
        if state.fields.get("project_id") is not None:
            arrived_rows.put_awaited(db, PROJECT + str(state.fields["project_id"]), subject)
        return False
    if here is None:
        arrived_rows.insert_record(db, memory, tell(_RECORD_CELL))
        changed = True
    else:
        changed = arrived_rows.change_record(db, here, memory, tell(_RECORD_CELL))
    return write_rows(db, memory, state.rows, tell) or changed


def is_purged(db: Database, memory_id: str) -> bool:
    """Whether a record was purged here."""
    verdict = tombstones.find_of_memory(db, memory_id)
    return verdict is not None and verdict["verdict"] == "purged"


def write_rows(
    db: Database, memory: Memory, rows: Mapping[Cell, Mapping[str, Any] | None], tell: Teller
) -> bool:
    """Bring what hangs on a record to a state; whether anything changed here."""
    by_topic: dict[str, dict[str, Mapping[str, Any] | None]] = {}
    for (topic, item), row in rows.items():
        by_topic.setdefault(topic, {})[item] = row
    changed = [
        write(db, memory, by_topic[topic], tell)
        for topic, write in _WRITERS.items()
        if topic in by_topic
    ]
    return any(changed)


_Rows = Mapping[str, Mapping[str, Any] | None]


def _write_evidence(db: Database, memory: Memory, rows: _Rows, tell: Teller) -> bool:
    here = arrived_rows.list_evidence(db, memory.id)
    changed = False
    for item, row in sorted(rows.items()):
        if row is None or row.keys() < {"quote", "withdrawn_at"}:
            continue
        if item not in here:
            known = row["source_id"] is not None and sources.find_source(db, row["source_id"])
            new = dict(row) if known else {**row, "source_id": None}
            changed |= arrived_rows.change_evidence(
                db, memory.id, [new], {}, tell(("evidence", item))
            )
            continue
        if any(here[item][name] != row[name] for name in _EVIDENCE_WORDS):
            arrived_rows.rewrite_evidence(db, row)
            changed = True
        if here[item]["withdrawn_at"] != row["withdrawn_at"]:
            withdrawn = {item: row["withdrawn_at"]}
            changed |= arrived_rows.change_evidence(
                db, memory.id, [], withdrawn, tell(("evidence", item))
            )
    return changed


def _write_mentions(db: Database, memory: Memory, rows: _Rows, tell: Teller) -> bool:
    here = arrived_rows.list_named(db, memory.id)
    changed = False
    for item, row in sorted(rows.items()):
        named = portable.read_mention(item)
        if named is None:
            continue
        kind, entity, name = named
        is_here = (kind, entity, name) in here
        told = tell(("mention", item))
        if row is not None and not is_here:
            entity_id = arrived_rows.ensure_entity(db, kind, entity, told.at)  # type: ignore[arg-type]
            changed |= arrived_rows.change_mentions(db, memory.id, (), [(entity_id, name)], told)
        elif row is None and is_here:
            pair = here[kind, entity, name]
            changed |= arrived_rows.change_mentions(db, memory.id, [pair], (), told)
    return changed


def _write_links(db: Database, memory: Memory, rows: _Rows, tell: Teller) -> bool:
    here = {
        f"{row['from_id']}|{row['relation']}|{row['to_id']}": row
        for row in arrived_rows.list_links_from(db, memory.id)
    }
    changed = False
    for item, row in sorted(rows.items()):
        known, after = here.get(item), None
        if row is not None:
            if known is None and records.find_record(db, row["to_id"]) is None:
                arrived_rows.put_awaited(db, row["to_id"], memory.id)
                continue
            after = {**row, "id": known["id"] if known else clock.new_id()}
        changed |= arrived_rows.change_row(db, "link", known, after, tell(("link", item)))
    return changed


def _write_tombstone(db: Database, memory: Memory, rows: _Rows, tell: Teller) -> bool:
    here = arrived_rows.list_tombstones(db, memory.id)
    changed = False
    for row in rows.values():
        after = None
        if row is not None:
            # What is barred is what the record says here, if it is the record's own words.
            after = {**row, "memory_id": memory.id}
            if not any(each["fingerprint"] == row["fingerprint"] for each in here):
                after["fingerprint"] = memory.fingerprint
        told = tell(("tombstone", memory.id))
        for old in here:
            if after is None or old["fingerprint"] != after["fingerprint"]:
                changed |= arrived_rows.change_row(db, "tombstone", old, None, told)
        old_row = next((each for each in here if after and _is_same(each, after)), None)
        changed |= after is not None and arrived_rows.change_row(
            db, "tombstone", old_row, after, told
        )
    return changed


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(one["fingerprint"] == other["fingerprint"])


def _write_outcomes(db: Database, memory: Memory, rows: _Rows, tell: Teller) -> bool:
    here = arrived_rows.list_outcomes(db, memory.id)
    changed = False
    for item, row in sorted(rows.items()):
        known = here.get(item)
        if known is None and tracked_rows.find_row(db, "outcome", item) is not None:
            continue  # A vote on another record: nobody moves it to one of theirs.
        retrieval = known["retrieval_id"] if known else None
        after = None if row is None else {**row, "retrieval_id": retrieval}
        changed |= arrived_rows.change_row(db, "outcome", known, after, tell(("outcome", item)))
    return changed


_WRITERS: Mapping[str, Callable[[Database, Memory, _Rows, Teller], bool]] = {
    "evidence": _write_evidence,
    "mention": _write_mentions,
    "link": _write_links,
    "tombstone": _write_tombstone,
    "outcome": _write_outcomes,
}
