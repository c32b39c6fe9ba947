"""Entities that records speak of, and the other names they are known by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memctl import clock
from memctl.db import Db
from memctl.model import EntityKind, EntityRef
from memctl.store import stream
from memctl.store.rows import array


def attach(db: Db, memory_id: str, refs: Iterable[EntityRef], at: str) -> None:
    """Note which entities a record speaks of, creating those that are new; an alias stands for its entity."""
    named = [(ensure(db, ref.kind, ref.name, at), ref.name) for ref in refs]
    new = [[entity, name] for entity, name in named if db.run("entities.attach", memory_id=memory_id, entity_id=entity, name=name)]
    if new:
        stream.note(db, "mention", memory_id, memory_id, None, {"mentions": new}, verb="mentions")


def ensure(db: Db, kind: EntityKind, name: str, at: str) -> str:
    """The id of the entity known by that alias, or of that kind and name; an alias that fits several stands for none."""
    known = [row["id"] for row in db.all("entities.by_alias", alias=name.casefold()) if row["kind"] == kind]
    if len(known) == 1:
        return str(known[0])
    row = db.one("entities.find", kind=kind, name=name)
    if row is not None:
        return str(row["id"])
    fresh = clock.new_id()
    db.run("entities.insert", id=fresh, kind=kind, name=name, created_at=at)
    row = {"id": fresh, "kind": kind, "name": name, "merged_into": None, "created_at": at}
    stream.note(db, "entity", fresh, fresh, None, row, verb="named")
    return fresh


def add_alias(db: Db, alias: str, entity_id: str, source_ref: str | None, at: str) -> None:
    """Let an entity be known by another name; case does not count."""
    row = {"alias": alias.casefold(), "entity_id": entity_id, "source_ref": source_ref, "created_at": at}
    if db.run("entities.add_alias", **row):
        stream.note(db, "alias", entity_id, f"{row['alias']}|{entity_id}", None, row, verb="also known")


def merge(db: Db, kind: EntityKind, name: str, into: str) -> None:
    """Let the records that speak of an entity by another of its names speak of the one that stands for it."""
    row = db.one("entities.find", kind=kind, name=name)
    if row is not None and row["id"] != into:
        _move_mentions(db, row["id"], into)


def _move_mentions(db: Db, entity_id: str, into: str) -> None:
    for row in db.all("entities.mentions", entity_id=entity_id):
        old, new = [entity_id, row["name"]], [into, row["name"]]
        db.run("entities.detach", memory_id=row["memory_id"], entity_id=entity_id, name=row["name"])
        db.run("entities.attach", memory_id=row["memory_id"], entity_id=into, name=row["name"])
        stream.note(db, "mention", row["memory_id"], row["memory_id"], {"mentions": [old]}, {"mentions": [new]}, verb="merged")


def of_memories(db: Db, ids: Iterable[str]) -> dict[str, list[EntityRef]]:
    """The entities of each record."""
    found: dict[str, list[EntityRef]] = defaultdict(list)
    for row in db.all("entities.of_memories", ids=array(ids) or "[]"):
        found[row["memory_id"]].append(EntityRef(row["kind"], row["name"]))
    return dict(found)
