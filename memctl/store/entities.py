"""Entities that records speak of, and the other names they are known by.

Kept true: a name leads to one entity or to none; whoever was merged into another is led to by that one's names. A role (`my boss`) is
held by one person at a time, so that who it means depends on when it was said. A record's index entry holds every name of its entities.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memctl.core import clock
from memctl.core.model import EntityKind, EntityRef
from memctl.store import event_log, lexical, meta, records
from memctl.store.database import Database, Row
from memctl.store.rows import array

# How far maintenance has looked for known names: up to which record (index number) every record
# was read, and up to which change (event number) every new name was looked for.
RECORDS_READ_TO = "entities_read_to"
NAMES_FOUND_TO = "entities_named_to"


def attach(db: Database, memory_id: str, refs: Iterable[EntityRef], at: str) -> None:
    """Note which entities a record speaks of, creating those that are new; an alias stands for its entity."""
    from memctl.store import entity_names  # reading needs no table of names

    refs = list(refs)
    said = (
        db.value("entities.observed", id=memory_id)
        if any(entity_names.is_role(ref.name) for ref in refs)
        else None
    )
    named = [(ensure(db, ref.kind, ref.name, at, said=said), ref.name) for ref in refs]
    new = [
        [entity, name]
        for entity, name in named
        if db.run("entities.attach", memory_id=memory_id, entity_id=entity, name=name)
    ]
    if new:
        event_log.note(
            db, "mention", memory_id, memory_id, None, {"mentions": new}, verb="mentions"
        )
        index_again(db, [memory_id])


def ensure(db: Database, kind: EntityKind, name: str, at: str, *, said: str | None = None) -> str:
    """The id of the entity known by that alias, or of that kind and name; an alias that fits several stands for none.

    `said` is when the name was used, which decides whom a role means.
    """
    from memctl.store import entity_names

    known = find(db, kind, name, said=said)
    if known is not None:
        return known
    stands = (entity_names.well_known(name) if kind == "tool" else None) or name
    fresh = clock.new_id()
    db.run("entities.insert", id=fresh, kind=kind, name=stands, created_at=at)
    row = {"id": fresh, "kind": kind, "name": stands, "merged_into": None, "created_at": at}
    event_log.note(db, "entity", fresh, fresh, None, row, verb="named")
    for alias in entity_names.TOOLS.get(stands, ()) if kind == "tool" else ():
        add_alias(db, alias, fresh, None, at)
    return fresh


def find(db: Database, kind: EntityKind, name: str, *, said: str | None = None) -> str | None:
    """The id of the entity of a kind that a name leads to, or None."""
    from memctl.store import entity_names

    if entity_names.is_role(name) and (holder := holder_of(db, name, said)):
        return holder
    known = [
        row["id"]
        for row in db.all("entities.by_alias", alias=name.casefold())
        if row["kind"] == kind
    ]
    if len(set(known)) == 1 and not entity_names.is_role(name):
        return str(known[0])
    stands = (entity_names.well_known(name) if kind == "tool" else None) or name
    row = db.one("entities.exactly", kind=kind, name=stands) or db.one(
        "entities.find", kind=kind, name=stands
    )
    return None if row is None else root_of(db, row)


def root_of(db: Database, row: Row) -> str:
    """The id of the entity that one stands for, itself unless it was merged."""
    seen = {row["id"]}
    while row["merged_into"] is not None and row["merged_into"] not in seen:
        seen.add(row["merged_into"])
        following = db.one("entities.get", id=row["merged_into"])
        if following is None:
            break
        row = following
    return str(row["id"])


def holder_of(db: Database, role: str, at: str | None = None) -> str | None:
    """Who held a role at a time (now): the last who was said to by then, else the first ever; None where two were at once."""
    rows = db.all("entities.by_alias", alias=role.casefold())
    if not rows:
        return None
    by_then = [row for row in rows if at is None or row["since"] <= at] or [
        row for row in rows if row["since"] == rows[0]["since"]
    ]
    last = {row["id"] for row in by_then if row["since"] == by_then[-1]["since"]}
    return str(last.pop()) if len(last) == 1 else None


def add_alias(db: Database, alias: str, entity_id: str, source_ref: str | None, at: str) -> bool:
    """Let an entity be known by another name since a time; case does not count. False if it was before."""
    row = {
        "alias": alias.casefold(),
        "entity_id": entity_id,
        "source_ref": source_ref,
        "created_at": at,
    }
    if not db.run("entities.add_alias", **row):
        return False
    event_log.note(
        db, "alias", entity_id, f"{row['alias']}|{entity_id}", None, row, verb="also known"
    )
    return True


def merge(db: Database, kind: EntityKind, name: str, into: str) -> None:
    """Let the records that speak of an entity by another of its names speak of the one that stands for it."""
    from memctl.store import entity_identity  # what is merged is seldom, and what is searched never

    row = db.one("entities.find", kind=kind, name=name)
    if row is not None and root_of(db, row) != into:
        entity_identity.merge(db, root_of(db, row), into)


def of_memories(db: Database, ids: Iterable[str]) -> dict[str, list[EntityRef]]:
    """The entities of each record."""
    found: dict[str, list[EntityRef]] = defaultdict(list)
    for row in db.all("entities.of_memories", ids=array(ids) or "[]"):
        found[row["memory_id"]].append(EntityRef(row["kind"], row["name"]))
    return dict(found)


def names_of(db: Database, ids: Iterable[str]) -> dict[str, list[str]]:
    """By which names each record is found beside its own words: all those of the entities that it speaks of."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in db.all("entities.names_of_memories", ids=array(ids) or "[]"):
        found[row["memory_id"]].append(row["name"])
    return dict(found)


def index_again(db: Database, ids: Iterable[str]) -> None:
    """Write the index entries of records anew, with every name of their entities."""
    wanted = list(dict.fromkeys(ids))
    memories, names = records.by_ids(db, wanted), names_of(db, wanted)
    for row in db.all("entities.numbered", ids=array(wanted) or "[]"):
        lexical.put(db, row["n"], memories[row["id"]], names.get(row["id"], []))


def count_unread(db: Database) -> int:
    """How many records were not read for known names yet, and names not looked for yet."""
    records_left = db.value("entities.unread", n=int(meta.get(db, RECORDS_READ_TO) or 0))
    names_left = db.value("entities.unnamed", seq=int(meta.get(db, NAMES_FOUND_TO) or 0))
    return int(records_left) + int(names_left)
