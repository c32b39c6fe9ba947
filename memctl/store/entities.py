"""Writing the entities that records mention, and the other names they are known by.

An alias stands for its entity. The index entry of a record holds every name of its entities.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core import clock
from memctl.core.model import EntityKind, EntityRef
from memctl.store import entity_lookup, event_log, lexical, meta, records
from memctl.store.database import Database
from memctl.store.rows import to_json_array

# How far maintenance has looked for known names: up to which record (index number) every record
# was read, and up to which change (event number) every new name was looked for.
RECORDS_READ_TO = "entities_read_to"
NAMES_FOUND_TO = "entities_named_to"


def attach_entities(db: Database, memory_id: str, refs: Iterable[EntityRef], at: str) -> None:
    """Note which entities a record mentions; new ones are created."""
    from memctl.text import known_names  # a search never gets here, so it need not load the table

    mentions = list(refs)
    has_role = any(known_names.is_role(ref.name) for ref in mentions)
    said_at = db.value("entities.observed", id=memory_id) if has_role else None
    new: list[list[str]] = []
    for ref in mentions:
        entity_id = ensure_entity(db, ref.kind, ref.name, at, said_at=said_at)
        if db.run("entities.attach", memory_id=memory_id, entity_id=entity_id, name=ref.name):
            new.append([entity_id, ref.name])
    if new:
        event_log.append_related(
            db, "mention", memory_id, memory_id, None, {"mentions": new}, verb="mentions"
        )
        reindex_memories(db, [memory_id])


def ensure_entity(
    db: Database, kind: EntityKind, name: str, at: str, *, said_at: str | None = None
) -> str:
    """Return the id of the entity that a name leads to, created at `at` if there is none.

    `said_at` is when the name was used; it decides whom a role means.
    """
    from memctl.text import known_names

    known_id = entity_lookup.find_entity(db, kind, name, said_at=said_at)
    if known_id is not None:
        return known_id
    canonical = (known_names.find_canonical_tool(name) if kind == "tool" else None) or name
    entity_id = create_entity(db, kind, canonical, at)
    for alias in known_names.TOOLS.get(canonical, ()) if kind == "tool" else ():
        add_alias(db, alias, entity_id, None, at)
    return entity_id


def create_entity(db: Database, kind: EntityKind, name: str, at: str) -> str:
    """Create an entity and return its id."""
    entity_id = clock.new_id()
    db.run("entities.insert", id=entity_id, kind=kind, name=name, created_at=at)
    row = {"id": entity_id, "kind": kind, "name": name, "merged_into": None, "created_at": at}
    event_log.append_related(db, "entity", entity_id, entity_id, None, row, verb="named")
    return entity_id


def add_alias(db: Database, alias: str, entity_id: str, source_ref: str | None, at: str) -> bool:
    """Let an entity be known by another name, without case, since a time.

    Returns False if it already was.
    """
    row = {
        "alias": alias.casefold(),
        "entity_id": entity_id,
        "source_ref": source_ref,
        "created_at": at,
    }
    if not db.run("entities.add_alias", **row):
        return False
    item = f"{row['alias']}|{entity_id}"
    event_log.append_related(db, "alias", entity_id, item, None, row, verb="also known")
    return True


def reindex_memories(db: Database, ids: Iterable[str]) -> None:
    """Write the index entries of records anew, with every name of their entities."""
    unique_ids = list(dict.fromkeys(ids))
    memories = records.list_by_ids(db, unique_ids)
    names = entity_lookup.list_names_by_memory(db, unique_ids)
    for row in db.all("entities.numbered", ids=to_json_array(unique_ids) or "[]"):
        lexical.put_entry(db, row["n"], memories[row["id"]], names.get(row["id"], []))


def count_unread(db: Database) -> int:
    """Count the records not yet read for known names, and the names not yet looked for."""
    records_left = db.value("entities.unread", n=meta.get_number(db, RECORDS_READ_TO) or 0)
    names_left = db.value("entities.unnamed", seq=meta.get_number(db, NAMES_FOUND_TO) or 0)
    return int(records_left) + int(names_left)
