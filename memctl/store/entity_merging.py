"""Changing which entities are one: merging, splitting, moving mentions, and who holds a role.

Every change stands in the event log and can be undone; no entity is ever deleted. The records
concerned follow in short transactions (`entity_moves`). An alias that an entity gained by a merge
has the id of the merged one as its `source_ref`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from memctl.core import clock
from memctl.core.model import EntityKind
from memctl.core.typing_lite import Any
from memctl.store import entities, entity_lookup, event_log
from memctl.store.database import Database, Row
from memctl.store.rows import to_json_array
from memctl.text import known_names

# An entity and the name by which a record mentions it.
Mention = tuple[str, str]


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


def list_unmoved(
    db: Database, entity_id: str, into: str, names: Collection[str] | None = None
) -> list[str]:
    """List the records that mention one entity and are to mention another (see `move_mentions_of`).

    There are none if the merge or split was undone.
    """
    if _find_heir(db, entity_id, into, names) is None:
        return []
    rows = db.all("entities.mentions", entity_id=entity_id)
    return list(
        dict.fromkeys(
            row["memory_id"] for row in rows if names is None or row["name"].casefold() in names
        )
    )


def move_mentions_of(
    db: Database,
    memory_id: str,
    entity_id: str,
    into: str,
    names: Collection[str] | None = None,
) -> bool:
    """Let a record mention what stands for `into` where it mentions an entity; whether it moved.

    With `names`, in lower case, only by those. Without, the entity was merged, and if that was
    undone meanwhile nothing moves.
    """
    heir = _find_heir(db, entity_id, into, names)
    if heir is None:
        return False
    moved = [
        name
        for name in list_names_used(db, memory_id, entity_id)
        if names is None or name.casefold() in names
    ]
    for name in moved:
        move_mention(db, memory_id, (entity_id, name), (heir, name))
    return bool(moved)


def list_names_used(db: Database, memory_id: str, entity_id: str) -> list[str]:
    """List the names by which a record mentions an entity."""
    rows = db.all("entities.names_in_record", memory_id=memory_id, entity_id=entity_id)
    return [row["name"] for row in rows]


def _find_heir(
    db: Database, entity_id: str, into: str, names: Collection[str] | None
) -> str | None:
    """Find which entity takes over the records of another; None if that takes none."""
    row = entity_lookup.get_entity(db, entity_id)
    if names is None and row["merged_into"] is None:
        return None
    known = entity_lookup.get_entity(db, into) if names is not None else row
    heir = entity_lookup.resolve_merged(db, known)
    return None if heir == entity_id else heir


def separate_entity(db: Database, entity_id: str) -> tuple[str, set[str], list[str]]:
    """Let a merged entity stand for itself again, with its names; its records do not move yet.

    Returns the entity that stood for it, the names that lead to it alone again, and which of its
    names are roles.
    """
    row = entity_lookup.get_entity(db, entity_id)
    standing_id = str(row["merged_into"])
    names = _list_own_names(db, entity_id)
    for alias in _list_aliases(db, standing_id):
        if alias["source_ref"] == entity_id:
            drop_alias(db, alias)
    _set_merged(db, row, None, verb="split")
    regained = names - _list_own_names(db, standing_id)
    return standing_id, regained, [name for name in sorted(names) if known_names.is_role(name)]


def split_names(db: Database, entity_id: str, names: Iterable[str]) -> str:
    """Give names of an entity to one of their own; return its id. The records do not move yet.

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
    return other_id


def list_misattributed(
    db: Database, role: str, *, since: str | None = None
) -> list[tuple[Row, str]]:
    """List the mentions of a role that are of another than who held it when they were said, each
    with who did.

    What was said before `since`, when the role changed hands, stays with whom it was said of,
    unless nobody held the role by then.
    """
    holders = entity_lookup.list_role_holders(db, role)
    first_held = min((row["created_at"] for row in holders), default="")
    unassigned = [row["id"] for row in db.all("entities.called", name=role)]
    ids = [*(row["entity_id"] for row in holders), *unassigned]
    wrong = []
    for row in db.all("entities.mentions_by_name", ids=to_json_array(ids) or "[]", name=role):
        is_earlier = since is not None and row["observed_at"] < since and since > first_held
        if is_earlier and row["entity_id"] not in unassigned:
            continue
        holder = entity_lookup.find_role_holder(db, role, row["observed_at"])
        if holder is not None and holder != row["entity_id"]:
            wrong.append((row, holder))
    return wrong


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


def _set_merged(db: Database, row: Row, into: str | None, *, verb: str) -> None:
    db.run("entities.set_merged", id=row["id"], merged_into=into)
    before, after = {"merged_into": row["merged_into"]}, {"merged_into": into}
    event_log.append_related(db, "entity", row["id"], row["id"], before, after, verb=verb)
