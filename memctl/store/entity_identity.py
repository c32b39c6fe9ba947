"""Which entities are one: merged, split, known by other names, and who holds a role.

Kept true: every change stands in the stream and can be taken back; no entity is ever deleted; the records that are affected are indexed
anew in the same transaction. What an entity gained by a merge is marked with the id of the one that it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memctl.core import clock
from memctl.core.errors import NotFound
from memctl.core.model import EntityKind, Memory
from memctl.store import entities, entity_names, event_log, records
from memctl.store.database import Database, Row
from memctl.store.rows import array

Pair = tuple[str, str]


def get(db: Database, entity_id: str) -> Row:
    """One entity. Raises NotFound."""
    row = db.one("entities.get", id=entity_id)
    if row is None:
        raise NotFound(f"no entity has the id {entity_id}")
    return row


def list_all(
    db: Database, *, kind: str | None, project_id: str | None, agent: str | None
) -> list[Row]:
    """Entities with their number of records, most mentioned first.

    `agent` leaves out what is private to other agents; None is the operator.
    """
    return db.all("entities.listed", kind=kind, project_id=project_id, agent=agent)


def find_display_name(db: Database, entity_id: str) -> str | None:
    """The name of an entity; None if there is no such entity."""
    row = db.one("entities.get", id=entity_id)
    return None if row is None else str(row["name"])


def count_by_prefix(db: Database, prefix: str) -> int:
    """How many entity ids begin with a prefix."""
    return len(db.all("entities.by_prefix", prefix=prefix, upper=prefix + "\uffff"))


def count_names_used(db: Database, entity_id: str, memory_ids: Iterable[str]) -> dict[str, int]:
    """How many of some records use each name of an entity."""
    ids = array(memory_ids) or "[]"
    rows = db.all("entities.names_used", entity_id=entity_id, ids=ids)
    return {row["name"]: row["records"] for row in rows}


def list_mentioned_names(db: Database, entity_id: str) -> set[str]:
    """The names, in lower case, that records use for an entity."""
    rows = db.all("entities.mentions", entity_id=entity_id)
    return {row["name"].casefold() for row in rows}


def list_neighbours(
    db: Database, entity_id: str, memory_ids: Iterable[str], *, limit: int
) -> list[Row]:
    """The entities that some records mention beside one, most often first."""
    ids = array(memory_ids) or "[]"
    return db.all("entities.beside", entity_id=entity_id, ids=ids, limit=limit)


def list_role_times(db: Database, role: str) -> list[str]:
    """When each holder of a role took it."""
    return [row["created_at"] for row in db.all("entities.holders", alias=role)]


def called(db: Database, name: str, kind: str | None = None) -> list[Row]:
    """The entities that a name or the beginning of an id may mean, each once; merged ones only as what they stand for."""
    if entity_names.is_role(name) and (holder := entities.holder_of(db, name)):
        return [get(db, holder)]
    found = [
        *db.all("entities.by_alias", alias=name.casefold()),
        *db.all("entities.called", name=name),
    ]
    prefix = name.strip().upper()
    if not found and len(prefix) >= 4 and prefix.isascii() and prefix.isalnum():
        found = [
            get(db, row["id"])
            for row in db.all("entities.by_prefix", prefix=prefix, upper=prefix + "\uffff")
        ]
    ids = dict.fromkeys(entities.root_of(db, get(db, row["id"])) for row in found)
    return [row for row in (get(db, each) for each in ids) if kind is None or row["kind"] == kind]


def itself(db: Database, name: str) -> Row | None:
    """The merged entity that a name or an id is the own one of."""
    rows = [row for row in db.all("entities.called", name=name) if row["merged_into"] is not None]
    prefix = name.strip().upper()
    if not rows and len(prefix) >= 4 and prefix.isascii() and prefix.isalnum():
        ids = [
            row["id"]
            for row in db.all("entities.by_prefix", prefix=prefix, upper=prefix + "\uffff")
        ]
        rows = [row for row in (get(db, each) for each in ids) if row["merged_into"] is not None]
    return rows[0] if len(rows) == 1 else None


def aliases(db: Database, ids: Iterable[str]) -> dict[str, list[Row]]:
    """The other names of entities, with the time since when."""
    found: dict[str, list[Row]] = {}
    for row in db.all("entities.aliases_of", ids=array(ids) or "[]"):
        found.setdefault(row["entity_id"], []).append(row)
    return found


def merged_of(db: Database, entity_id: str) -> list[Row]:
    """What was merged into an entity, the last first."""
    return db.all("entities.merged_of", id=entity_id)


def memories(db: Database, entity_id: str) -> list[Memory]:
    """The records that speak of an entity, newest first."""
    return [records.from_row(row) for row in db.all("entities.records", entity_id=entity_id)]


def merge(db: Database, entity_id: str, into: str) -> list[str]:
    """Let one entity stand for another: records move, names become its own; the ids of those records. Both stand for themselves."""
    old, now = get(db, entity_id), clock.now()
    moved = [
        (row["memory_id"], row["name"]) for row in db.all("entities.mentions", entity_id=entity_id)
    ]
    for memory_id, name in moved:
        move(db, memory_id, (entity_id, name), (into, name))
    entities.add_alias(db, old["name"], into, entity_id, now)
    for row in aliases(db, [entity_id]).get(entity_id, ()):
        entities.add_alias(db, row["alias"], into, entity_id, row["created_at"])
    _set_merged(db, old, into, verb="merged")
    reindex(db, into)
    return list(dict.fromkeys(memory_id for memory_id, _ in moved))


def undo_merge(db: Database, entity_id: str) -> list[str]:
    """Let a merged entity stand for itself again, with the records that use its names; the ids of those records."""
    row = get(db, entity_id)
    holder = str(row["merged_into"])
    own = {
        row["name"].casefold(),
        *(each["alias"] for each in aliases(db, [entity_id]).get(entity_id, ())),
    }
    for alias in aliases(db, [holder]).get(holder, ()):
        if alias["source_ref"] == entity_id:
            drop_alias(db, alias)
    _set_merged(db, row, None, verb="split")
    gone = _take(db, holder, entity_id, own - _own_names(db, holder))
    gone += [moved for role in own if entity_names.is_role(role) for moved in settle_role(db, role)]
    reindex(db, holder)
    reindex(db, entity_id)
    return list(dict.fromkeys(gone))


def split(db: Database, entity_id: str, names: Iterable[str]) -> tuple[str, list[str]]:
    """Take names off an entity into one of their own; its id, and the ids of the records that used them.

    Where one of the names is that of an entity which was merged, it is that one again.
    """
    given = list(dict.fromkeys(names))
    kind: EntityKind = get(db, entity_id)["kind"]
    wanted = {name.casefold() for name in given}
    other = _one_of(db, kind, entity_id, given)
    for alias in aliases(db, [entity_id]).get(entity_id, ()):
        if alias["alias"] in wanted:
            drop_alias(db, alias)
            if alias["alias"] != get(db, other)["name"].casefold():
                entities.add_alias(
                    db, alias["alias"], other, alias["source_ref"], alias["created_at"]
                )
    gone = _take(db, entity_id, other, wanted)
    reindex(db, entity_id)
    reindex(db, other)
    return other, gone


def _one_of(db: Database, kind: EntityKind, entity_id: str, names: list[str]) -> str:
    """An entity that stands for the names: one merged into the other and called so, or a new one."""
    for name in names:
        row = db.one("entities.find", kind=kind, name=name)
        if row is not None and row["id"] != entity_id and row["merged_into"] is not None:
            _set_merged(db, row, None, verb="split")
            return str(row["id"])
    return create(db, kind, names[0])


def create(db: Database, kind: EntityKind, name: str) -> str:
    """A new entity."""
    row = {
        "id": clock.new_id(),
        "kind": kind,
        "name": name,
        "merged_into": None,
        "created_at": clock.now(),
    }
    db.run("entities.insert", id=row["id"], kind=kind, name=name, created_at=row["created_at"])
    event_log.note(db, "entity", str(row["id"]), str(row["id"]), None, row, verb="named")
    return str(row["id"])


def _own_names(db: Database, entity_id: str) -> set[str]:
    return {
        get(db, entity_id)["name"].casefold(),
        *(each["alias"] for each in aliases(db, [entity_id]).get(entity_id, ())),
    }


def _take(db: Database, entity_id: str, other: str, names: set[str]) -> list[str]:
    """Let the records that speak of one entity by some names speak of another."""
    used = [
        row
        for row in db.all("entities.mentions", entity_id=entity_id)
        if row["name"].casefold() in names
    ]
    for row in used:
        move(db, row["memory_id"], (entity_id, row["name"]), (other, row["name"]))
    return list(dict.fromkeys(row["memory_id"] for row in used))


def drop_alias(db: Database, row: Mapping[str, Any]) -> None:
    """Let an entity not be known by another name any more."""
    gone = {name: row[name] for name in ("alias", "entity_id", "source_ref", "created_at")}
    db.run("entities.drop_alias", alias=gone["alias"], entity_id=gone["entity_id"])
    event_log.note(
        db,
        "alias",
        gone["entity_id"],
        f"{gone['alias']}|{gone['entity_id']}",
        gone,
        None,
        verb="no longer known",
    )


def settle_role(db: Database, role: str, *, since: str | None = None) -> list[str]:
    """Let the records that name a role speak of who held it when that was said; the ids of those that moved.

    What was said before `since`, when the role changed hands, stays with who it was said of; unless nobody held it by then.
    """
    rows = db.all("entities.holders", alias=role.casefold())
    holders, first = (
        [row["entity_id"] for row in rows],
        min((row["created_at"] for row in rows), default=""),
    )
    itself_ = [row["id"] for row in db.all("entities.called", name=role)]
    used = db.all("entities.mentions_by_name", ids=array([*holders, *itself_]) or "[]", name=role)
    moved = []
    for row in used:
        if (
            since is not None
            and row["observed_at"] < since
            and since > first
            and row["entity_id"] not in itself_
        ):
            continue
        holder = entities.holder_of(db, role, row["observed_at"])
        if holder is not None and holder != row["entity_id"]:
            move(db, row["memory_id"], (row["entity_id"], row["name"]), (holder, row["name"]))
            moved.append(row["memory_id"])
    return list(dict.fromkeys(moved))


def move(db: Database, memory_id: str, old: Pair, new: Pair) -> None:
    """Let a record speak of another entity by a name."""
    db.run("entities.detach", memory_id=memory_id, entity_id=old[0], name=old[1])
    come = (
        {"mentions": [list(new)]}
        if db.run("entities.attach", memory_id=memory_id, entity_id=new[0], name=new[1])
        else None
    )
    event_log.note(
        db, "mention", memory_id, memory_id, {"mentions": [list(old)]}, come, verb="merged"
    )


def detach(db: Database, memory_id: str, pair: Pair) -> None:
    """Let a record not speak of an entity by a name any more."""
    if db.run("entities.detach", memory_id=memory_id, entity_id=pair[0], name=pair[1]):
        event_log.note(
            db,
            "mention",
            memory_id,
            memory_id,
            {"mentions": [list(pair)]},
            None,
            verb="no longer mentions",
        )


def reindex(db: Database, entity_id: str) -> None:
    """Let every record of an entity be found by all of its names."""
    entities.index_again(
        db,
        dict.fromkeys(row["memory_id"] for row in db.all("entities.mentions", entity_id=entity_id)),
    )


def _set_merged(db: Database, row: Row, into: str | None, *, verb: str) -> None:
    db.run("entities.set_merged", id=row["id"], merged_into=into)
    event_log.note(
        db,
        "entity",
        row["id"],
        row["id"],
        {"merged_into": row["merged_into"]},
        {"merged_into": into},
        verb=verb,
    )
