"""Reading entities: by id, by any of their names, and with the records that mention them.

A name leads to one entity or to none. A merged entity is never returned for its name: the entity
that stands for it is. A role (`my boss`) is held by one person at a time, so whom it means depends
on when it was said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memctl.core.errors import NotFound
from memctl.core.model import EntityKind, EntityRef, Memory
from memctl.store import records
from memctl.store.database import Database, Row
from memctl.store.rows import to_json_array

# Characters. A shorter text is never taken for the beginning of an id.
_MIN_PREFIX = 4


def get_entity(db: Database, entity_id: str) -> Row:
    """Return one entity. Raises NotFound."""
    row = db.one("entities.get", id=entity_id)
    if row is None:
        raise NotFound(f"no entity has the id {entity_id}")
    return row


def find_by_id(db: Database, entity_id: str) -> Row | None:
    """Return one entity, or None."""
    return db.one("entities.get", id=entity_id)


def find_display_name(db: Database, entity_id: str) -> str | None:
    """Return the name of an entity, or None if there is no such entity."""
    row = find_by_id(db, entity_id)
    return None if row is None else str(row["name"])


def find_entity(
    db: Database, kind: EntityKind, name: str, *, said_at: str | None = None
) -> str | None:
    """Return the id of the entity of a kind that a name leads to, or None.

    `said_at` is when the name was used; it decides whom a role means.
    """
    from memctl.text import known_names  # a search never gets here, so it need not load the table

    is_role = known_names.is_role(name)
    if is_role and (holder := find_role_holder(db, name, said_at)):
        return holder
    ids = {row["id"] for row in _list_by_alias(db, name) if row["kind"] == kind}
    if len(ids) == 1 and not is_role:
        return str(ids.pop())
    canonical = (known_names.find_canonical_tool(name) if kind == "tool" else None) or name
    row = db.one("entities.exactly", kind=kind, name=canonical)
    row = row or db.one("entities.find", kind=kind, name=canonical)
    return None if row is None else resolve_merged(db, row)


def find_called(db: Database, name: str, kind: str | None = None) -> list[Row]:
    """Return the entities that a name, or the beginning of an id, may mean; each once."""
    from memctl.text import known_names

    if known_names.is_role(name) and (holder := find_role_holder(db, name)):
        return [get_entity(db, holder)]
    rows = [*_list_by_alias(db, name), *db.all("entities.called", name=name)]
    if not rows:
        rows = _list_by_prefix(db, name)
    ids = dict.fromkeys(resolve_merged(db, get_entity(db, row["id"])) for row in rows)
    entities = [get_entity(db, entity_id) for entity_id in ids]
    return [row for row in entities if kind is None or row["kind"] == kind]


def find_merged_called(db: Database, name: str) -> Row | None:
    """Return the merged entity whose own name or id this is, or None if several have it."""
    rows = [row for row in db.all("entities.called", name=name) if row["merged_into"] is not None]
    if not rows:
        rows = [row for row in _list_by_prefix(db, name) if row["merged_into"] is not None]
    return rows[0] if len(rows) == 1 else None


def find_role_holder(db: Database, role: str, at: str | None = None) -> str | None:
    """Return the id of who held a role at a time, by default now.

    Of those who are known to hold it since then or earlier it is the last; if nobody is, it is the
    first ever. None if there are two at once.
    """
    rows = _list_by_alias(db, role)
    if not rows:
        return None
    until_then = [row for row in rows if at is None or row["since"] <= at]
    candidates = until_then or [row for row in rows if row["since"] == rows[0]["since"]]
    last = {row["id"] for row in candidates if row["since"] == candidates[-1]["since"]}
    return str(last.pop()) if len(last) == 1 else None


def resolve_merged(db: Database, row: Row) -> str:
    """Return the id of the entity that stands for this one: itself unless it was merged."""
    seen = {row["id"]}
    while row["merged_into"] is not None and row["merged_into"] not in seen:
        seen.add(row["merged_into"])
        following = find_by_id(db, row["merged_into"])
        if following is None:
            break
        row = following
    return str(row["id"])


def count_by_prefix(db: Database, prefix: str) -> int:
    """Count the entities whose id begins with a prefix, up to nine."""
    return len(db.all("entities.by_prefix", prefix=prefix, upper=prefix + "\uffff"))


def list_entities(
    db: Database, *, kind: str | None, project_id: str | None, agent: str | None
) -> list[Row]:
    """List entities with their number of records, most mentioned first.

    `agent` leaves out what is private to other agents; None is the operator.
    """
    return db.all("entities.listed", kind=kind, project_id=project_id, agent=agent)


def list_aliases(db: Database, ids: Iterable[str]) -> dict[str, list[Row]]:
    """Return the other names of entities, each with the time since when, by entity id."""
    aliases: dict[str, list[Row]] = defaultdict(list)
    for row in db.all("entities.aliases_of", ids=to_json_array(ids) or "[]"):
        aliases[row["entity_id"]].append(row)
    return dict(aliases)


def list_merged_into(db: Database, entity_id: str) -> list[Row]:
    """List the entities that were merged into one, newest first."""
    return db.all("entities.merged_of", id=entity_id)


def find_standing(db: Database, kind: EntityKind, name: str) -> str | None:
    """Return the id of what stands for the entity of exactly that name, if there is one."""
    row = db.one("entities.find", kind=kind, name=name)
    return None if row is None else resolve_merged(db, row)


def list_role_holders(db: Database, role: str) -> list[Row]:
    """List who held a role (`entity_id`) and since when (`created_at`), earliest first."""
    return db.all("entities.holders", alias=role.casefold())


def list_memories(db: Database, entity_id: str) -> list[Memory]:
    """List the records that mention an entity, newest first."""
    return [records.from_row(row) for row in db.all("entities.records", entity_id=entity_id)]


def list_mentioned_names(db: Database, entity_id: str) -> set[str]:
    """Return the names, in lower case, by which records mention an entity."""
    rows = db.all("entities.mentions", entity_id=entity_id)
    return {row["name"].casefold() for row in rows}


def count_names_used(db: Database, entity_id: str, memory_ids: Iterable[str]) -> dict[str, int]:
    """Count how many of some records use each name of an entity."""
    ids = to_json_array(memory_ids) or "[]"
    rows = db.all("entities.names_used", entity_id=entity_id, ids=ids)
    return {row["name"]: row["records"] for row in rows}


def list_neighbours(
    db: Database, entity_id: str, memory_ids: Iterable[str], *, limit: int
) -> list[Row]:
    """List the entities that some records mention beside one, most often first."""
    ids = to_json_array(memory_ids) or "[]"
    return db.all("entities.beside", entity_id=entity_id, ids=ids, limit=limit)


def list_refs_by_memory(db: Database, ids: Iterable[str]) -> dict[str, list[EntityRef]]:
    """Return the entities that each record mentions."""
    refs: dict[str, list[EntityRef]] = defaultdict(list)
    for row in db.all("entities.of_memories", ids=to_json_array(ids) or "[]"):
        refs[row["memory_id"]].append(EntityRef(row["kind"], row["name"]))
    return dict(refs)


def list_names_by_memory(db: Database, ids: Iterable[str]) -> dict[str, list[str]]:
    """Return all names of the entities that each record mentions: a record is found by any."""
    names: dict[str, list[str]] = defaultdict(list)
    for row in db.all("entities.names_of_memories", ids=to_json_array(ids) or "[]"):
        names[row["memory_id"]].append(row["name"])
    return dict(names)


def _list_by_alias(db: Database, name: str) -> list[Row]:
    return db.all("entities.by_alias", alias=name.casefold())


def _list_by_prefix(db: Database, text: str) -> list[Row]:
    prefix = text.strip().upper()
    if len(prefix) < _MIN_PREFIX or not (prefix.isascii() and prefix.isalnum()):
        return []
    rows = db.all("entities.by_prefix", prefix=prefix, upper=prefix + "\uffff")
    return [get_entity(db, row["id"]) for row in rows]
