"""Entities that records speak of, and the other names they are known by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memctl import clock
from memctl.db import Db
from memctl.model import EntityKind, EntityRef
from memctl.store.rows import array


def attach(db: Db, memory_id: str, refs: Iterable[EntityRef], at: str) -> None:
    """Note which entities a record speaks of, creating those that are new; an alias stands for its entity."""
    for ref in refs:
        db.run("entities.attach", memory_id=memory_id, entity_id=ensure(db, ref.kind, ref.name, at), name=ref.name)


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
    return fresh


def add_alias(db: Db, alias: str, entity_id: str, source_ref: str | None, at: str) -> None:
    """Let an entity be known by another name; case does not count."""
    db.run("entities.add_alias", alias=alias.casefold(), entity_id=entity_id, source_ref=source_ref, created_at=at)


def merge(db: Db, kind: EntityKind, name: str, into: str) -> None:
    """Let the records that speak of an entity by another of its names speak of the one that stands for it."""
    row = db.one("entities.find", kind=kind, name=name)
    if row is not None and row["id"] != into:
        db.run("entities.merge", id=row["id"], into=into)


def of_memories(db: Db, ids: Iterable[str]) -> dict[str, list[EntityRef]]:
    """The entities of each record."""
    found: dict[str, list[EntityRef]] = defaultdict(list)
    for row in db.all("entities.of_memories", ids=array(ids) or "[]"):
        found[row["memory_id"]].append(EntityRef(row["kind"], row["name"]))
    return dict(found)
