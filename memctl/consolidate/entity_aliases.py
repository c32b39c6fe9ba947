"""What was said of names that are one, taken into the store: names lead to one entity, and a role to whoever holds it.

Kept true: two names become one only where somebody said so of both; a role passes from one to the next and never makes them one; what
others in a chat call `my boss` is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.consolidate.entity_names import Statement, canonical_name, is_role, looks_like_person
from memctl.core import clock
from memctl.core.model import ENTITY_KINDS, EntityKind, Source
from memctl.store import entities, entity_identity, entity_names, event_log
from memctl.store.database import Db

ACTOR = "maintain"


def learn(db: Db, operators: Iterable[str], source: Source, said: Iterable[Statement]) -> None:
    """Remember which names are one, each statement as one operation; call it inside a write transaction."""
    own = {" ".join(name.split()).casefold() for name in operators}
    for each in said:
        is_own = each.speaker is None or " ".join(each.speaker.split()).casefold() in own
        if is_own or not (is_role(each.a) or is_role(each.b)):
            with event_log.operation(db, actor=ACTOR, cause=f"said to be one in {source.id}"):
                _learn(db, source, each)


def _learn(db: Db, source: Source, said: Statement) -> None:
    pair = (said.a, said.b)
    name = canonical_name(pair)
    if is_role(name):
        return
    now, kind = clock.now(), kind_of(db, pair)
    entity = entities.ensure(db, kind, name, now)
    for other in pair:
        if is_role(other):
            give_role(db, other, entity, source.id, said.at or source.observed_at)
        elif other != name:
            entities.merge(db, kind, other, entity)
            if entities.add_alias(db, other, entity, source.id, now):
                entity_identity.reindex(db, entity)


def give_role(db: Db, role: str, entity_id: str, source_ref: str | None, at: str) -> list[str]:
    """Let somebody hold a role since a time; the ids of the records that speak of somebody else by it now."""
    before = [row["entity_id"] for row in db.all("entities.holders", alias=role.casefold())]
    held = [
        row
        for row in entity_identity.aliases(db, [entity_id]).get(entity_id, ())
        if row["alias"] == role.casefold()
    ]
    if held and held[0]["created_at"] < at and entities.holder_of(db, role, at) != entity_id:
        entity_identity.drop_alias(
            db, held[0]
        )  # it comes back to whoever had it before; what was said in between stays with the others
    entities.add_alias(db, role, entity_id, source_ref, at)
    moved = entity_identity.settle_role(db, role, since=at)
    for holder in dict.fromkeys([*before, entity_id]):
        entity_identity.reindex(db, holder)
    return moved


def kind_of(db: Db, names: Iterable[str]) -> EntityKind:
    """What names that are one name: what is known of one of them, else as they are written."""
    listed = list(names)
    if any(map(is_role, listed)):
        return "person"
    if any(entity_names.well_known(name) for name in listed):
        return "tool"
    known = [
        kind
        for kind in ENTITY_KINDS
        for name in listed
        if entities.find(db, kind, name) is not None
    ]
    return known[0] if known else "person" if all(map(looks_like_person, listed)) else "concept"
