"""Changing which entities are one: merging, splitting, moving mentions, and who holds a role.

Every change stands in the event log and can be undone; no entity is ever deleted; the records
concerned are indexed anew in the same transaction. An alias that an entity gained by a merge has
the id of the merged one as its `source_ref`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core import clock
from memctl.core.model import EntityKind
from memctl.core.typing_lite import Any
from memctl.store import entities, entity_lookup, event_log
from memctl.store.database import Database, Row
from memctl.store.rows import to_json_array
from memctl.text import known_names

# An entity and the name by which a record mentions it.
Mention = tuple[str, str]


def merge_entity(db: Database, entity_id: str, into: str) -> list[str]:
    """Let one entity stand for another, with its records and names; return the records' ids."""
    mentions = db.all("entities.mentions", entity_id=entity_id)
    for row in mentions:
        move_mention(db, row["memory_id"], (entity_id, row["name"]), (into, row["name"]))
    redirect_entity(db, entity_id, into)
    reindex_entity(db, into)
    return list(dict.fromkeys(row["memory_id"] for row in mentions))


def redirect_entity(db: Database, entity_id: str, into: str) -> None:
    """Let one entity stand for another, with its names; records that mention it stay."""
    merged = entity_lookup.get_entity(db, entity_id)
    entities.add_alias(db, merged["name"], into, entity_id, clock.now())
    for alias in _list_aliases(db, entity_id):
        entities.add_alias(db, alias["alias"], into, entity_id, alias["created_at"])
    _set_merged(db, merged, into, verb="merged")


def list_mentioning(db: Database, *entity_ids: str) -> list[str]:
    """List the records that mention one of some entities, each once."""
    rows = (row for each in entity_ids for row in db.all("entities.mentions", entity_id=each))
    return list(dict.fromkeys(row["memory_id"] for row in rows))


def list_unmoved(db: Database, entity_id: str) -> list[str]:
    """List the records that mention an entity which was merged; none if its merge was undone."""
    if entity_lookup.get_entity(db, entity_id)["merged_into"] is None:
        return []
    return list_mentioning(db, entity_id)


def move_mentions_of(db: Database, memory_id: str, entity_id: str) -> bool:
    """Let a record mention what a merged entity became, and index it anew; whether it moved.

    A merge that was undone meanwhile moves nothing.
    """
    row = entity_lookup.get_entity(db, entity_id)
    standing_id = entity_lookup.resolve_merged(db, row)
    names = [
        each["name"]
        for each in db.all("entities.names_in_record", memory_id=memory_id, entity_id=entity_id)
        if standing_id != entity_id
    ]
    for name in names:
        move_mention(db, memory_id, (entity_id, name), (standing_id, name))
    entities.reindex_memories(db, [memory_id])
    return bool(names)


def merge_called(db: Database, kind: EntityKind, name: str, into: str) -> None:
    """Merge the entity of exactly that name, if there is one, into another."""
    row = db.one("entities.find", kind=kind, name=name)
    if row is None:
        return
    standing_id = entity_lookup.resolve_merged(db, row)
    if standing_id != into:
        merge_entity(db, standing_id, into)


def undo_merge(db: Database, entity_id: str) -> list[str]:
    """Let a merged entity stand for itself again; return the ids of the records that it regains."""
    row = entity_lookup.get_entity(db, entity_id)
    standing_id = str(row["merged_into"])
    names = _list_own_names(db, entity_id)
    for alias in _list_aliases(db, standing_id):
        if alias["source_ref"] == entity_id:
            drop_alias(db, alias)
    _set_merged(db, row, None, verb="split")
    regained = names - _list_own_names(db, standing_id)
    moved = _move_mentions(db, standing_id, entity_id, regained)
    for name in names:
        if known_names.is_role(name):
            moved += reassign_role(db, name)
    reindex_entity(db, standing_id)
    reindex_entity(db, entity_id)
    return list(dict.fromkeys(moved))


def split_entity(db: Database, entity_id: str, names: Iterable[str]) -> tuple[str, list[str]]:
    """Give names of an entity to one of their own; return its id and the ids of its records.

    If one of the names is that of an entity which was merged, that entity is used again.
    """
    taken = list(dict.fromkeys(names))
    taken_folded = {name.casefold() for name in taken}
    kind: EntityKind = entity_lookup.get_entity(db, entity_id)["kind"]
    other_id = _reuse_or_create(db, kind, entity_id, taken)
    other_name = entity_lookup.get_entity(db, other_id)["name"].casefold()
    for alias in _list_aliases(db, entity_id):
        if alias["alias"] not in taken_folded:
            continue
        drop_alias(db, alias)
        if alias["alias"] != other_name:
            entities.add_alias(
                db, alias["alias"], other_id, alias["source_ref"], alias["created_at"]
            )
    moved = _move_mentions(db, entity_id, other_id, taken_folded)
    reindex_entity(db, entity_id)
    reindex_entity(db, other_id)
    return other_id, moved


def reassign_role(db: Database, role: str, *, since: str | None = None) -> list[str]:
    """Let the records that name a role mention who held it when they were said; return those moved.

    What was said before `since`, when the role changed hands, stays with whom it was said of,
    unless nobody held the role by then.
    """
    holders = entity_lookup.list_role_holders(db, role)
    first_held = min((row["created_at"] for row in holders), default="")
    unassigned = [row["id"] for row in db.all("entities.called", name=role)]
    ids = [*(row["entity_id"] for row in holders), *unassigned]
    moved: list[str] = []
    for row in db.all("entities.mentions_by_name", ids=to_json_array(ids) or "[]", name=role):
        is_earlier = since is not None and row["observed_at"] < since and since > first_held
        if is_earlier and row["entity_id"] not in unassigned:
            continue
        holder = entity_lookup.find_role_holder(db, role, row["observed_at"])
        if holder is not None and holder != row["entity_id"]:
            before, after = (row["entity_id"], row["name"]), (holder, row["name"])
            move_mention(db, row["memory_id"], before, after)
            moved.append(row["memory_id"])
    return list(dict.fromkeys(moved))


def drop_alias(db: Database, row: Mapping[str, Any]) -> None:
    """Remove an alias."""
    alias = {name: row[name] for name in ("alias", "entity_id", "source_ref", "created_at")}
    entity_id = alias["entity_id"]
    db.run("entities.drop_alias", alias=alias["alias"], entity_id=entity_id)
    item = f"{alias['alias']}|{entity_id}"
    event_log.append_related(db, "alias", entity_id, item, alias, None, verb="no longer known")


def move_mention(db: Database, memory_id: str, old: Mention, new: Mention) -> None:
    """Let a record mention another entity by a name."""
    db.run("entities.detach", memory_id=memory_id, entity_id=old[0], name=old[1])
    is_new = db.run("entities.attach", memory_id=memory_id, entity_id=new[0], name=new[1])
    after = {"mentions": [list(new)]} if is_new else None
    before = {"mentions": [list(old)]}
    event_log.append_related(db, "mention", memory_id, memory_id, before, after, verb="merged")


def reindex_entity(db: Database, entity_id: str) -> None:
    """Write the index entries of all records that mention an entity anew."""
    mentions = db.all("entities.mentions", entity_id=entity_id)
    entities.reindex_memories(db, [row["memory_id"] for row in mentions])


def _reuse_or_create(db: Database, kind: EntityKind, entity_id: str, names: list[str]) -> str:
    """Return the id of an entity for the names: one that was merged, freed, or a new one."""
    for name in names:
        row = db.one("entities.find", kind=kind, name=name)
        if row is not None and row["id"] != entity_id and row["merged_into"] is not None:
            _set_merged(db, row, None, verb="split")
            return str(row["id"])
    return entities.create_entity(db, kind, names[0], clock.now())


def _list_aliases(db: Database, entity_id: str) -> list[Row]:
    return entity_lookup.list_aliases(db, [entity_id]).get(entity_id, [])


def _list_own_names(db: Database, entity_id: str) -> set[str]:
    """The name and aliases of an entity, in lower case."""
    name = entity_lookup.get_entity(db, entity_id)["name"].casefold()
    return {name, *(alias["alias"] for alias in _list_aliases(db, entity_id))}


def _move_mentions(db: Database, entity_id: str, other_id: str, names: set[str]) -> list[str]:
    """Let the records that mention one entity by some names mention another; return their ids."""
    moved = []
    for row in db.all("entities.mentions", entity_id=entity_id):
        if row["name"].casefold() in names:
            move_mention(db, row["memory_id"], (entity_id, row["name"]), (other_id, row["name"]))
            moved.append(row["memory_id"])
    return list(dict.fromkeys(moved))


def _set_merged(db: Database, row: Row, into: str | None, *, verb: str) -> None:
    db.run("entities.set_merged", id=row["id"], merged_into=into)
    before, after = {"merged_into": row["merged_into"]}, {"merged_into": into}
    event_log.append_related(db, "entity", row["id"], row["id"], before, after, verb=verb)
