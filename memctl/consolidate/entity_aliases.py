"""Store which names were said to be one: names lead to one entity, a role to whoever holds it.

Kept true: two names become one only where somebody said so of both; a role passes from one person
to the next and never makes them one; what others in a chat call `my boss` is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.consolidate.entity_statements import (
    AliasStatement,
    choose_canonical_name,
    may_be_person,
)
from memctl.core import clock
from memctl.core.model import ENTITY_KINDS, EntityKind, Source
from memctl.store import entities, entity_lookup, entity_merging, event_log
from memctl.store.database import Database
from memctl.text import known_names

ACTOR = "maintain"


def learn_aliases(
    db: Database, operators: Iterable[str], source: Source, said: Iterable[AliasStatement]
) -> None:
    """Remember which names are one, each statement as one operation.

    Call it inside a write transaction.
    """
    own = set(map(_fold_name, operators))
    for statement in said:
        is_own = statement.speaker is None or _fold_name(statement.speaker) in own
        if is_own or not (known_names.is_role(statement.a) or known_names.is_role(statement.b)):
            with event_log.group_changes(db, actor=ACTOR, cause=f"said to be one in {source.id}"):
                _learn_alias(db, source, statement)


def _fold_name(name: str) -> str:
    return " ".join(name.split()).casefold()


def _learn_alias(db: Database, source: Source, statement: AliasStatement) -> None:
    pair = (statement.a, statement.b)
    name = choose_canonical_name(pair)
    if known_names.is_role(name):
        return
    now, kind = clock.now(), find_kind(db, pair)
    entity = entities.ensure_entity(db, kind, name, now)
    for other in pair:
        if known_names.is_role(other):
            give_role(db, other, entity, source.id, statement.at or source.observed_at)
        elif other != name:
            entity_merging.merge_called(db, kind, other, entity)
            if entities.add_alias(db, other, entity, source.id, now):
                entity_merging.reindex_entity(db, entity)


def give_role(
    db: Database, role: str, entity_id: str, source_ref: str | None, at: str
) -> list[str]:
    """Let somebody hold a role since a time.

    Returns the ids of the records that speak of somebody else by that role now.
    """
    before = [row["entity_id"] for row in entity_lookup.list_role_holders(db, role)]
    own = [
        row
        for row in entity_lookup.list_aliases(db, [entity_id]).get(entity_id, ())
        if row["alias"] == role.casefold()
    ]
    if (
        own
        and own[0]["created_at"] < at
        and entity_lookup.find_role_holder(db, role, at) != entity_id
    ):
        # The role returns to an earlier holder; what was said in between stays with the others.
        entity_merging.drop_alias(db, own[0])
    entities.add_alias(db, role, entity_id, source_ref, at)
    moved = entity_merging.reassign_role(db, role, since=at)
    for holder in dict.fromkeys([*before, entity_id]):
        entity_merging.reindex_entity(db, holder)
    return moved


def find_kind(db: Database, names: Iterable[str]) -> EntityKind:
    """The kind of what several names stand for: a known one's kind, else as they are written."""
    listed = list(names)
    if any(map(known_names.is_role, listed)):
        return "person"
    if any(known_names.find_canonical_tool(name) for name in listed):
        return "tool"
    for kind in ENTITY_KINDS:
        if any(entity_lookup.find_entity(db, kind, name) is not None for name in listed):
            return kind
    return "person" if all(map(may_be_person, listed)) else "concept"
