"""Store which names were said to be one: names lead to one entity, a role to whoever holds it.

Kept true: two names become one only where somebody said so of both; a role passes from one person
to the next and never makes them one; what others in a chat call `my boss` is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.consolidate.entity_statements import (
    AliasStatement,
    choose_canonical_name,
    may_be_person,
)
from memctl.core import clock
from memctl.core.model import ENTITY_KINDS, EntityKind, Source
from memctl.core.typing_lite import Any
from memctl.store import entities, entity_lookup, entity_merging, entity_moves, event_log
from memctl.store.database import Database
from memctl.text import known_names

ACTOR = "maintain"


def learn_aliases(
    db: Database, operators: Iterable[str], source: Source, said: Iterable[AliasStatement]
) -> list[str]:
    """Remember which names are one, each statement as one operation.

    Call it inside a write transaction, and `entity_moves.finish` after that for each id returned:
    operations that many records have to follow.
    """
    own = set(map(_fold_name, operators))
    left = []
    for statement in said:
        is_own = statement.speaker is None or _fold_name(statement.speaker) in own
        if is_own or not (known_names.is_role(statement.a) or known_names.is_role(statement.b)):
            cause = f"said to be one in {source.id}"
            with event_log.group_changes(db, actor=ACTOR, cause=cause):
                following = _learn_alias(db, source, statement)
                left.append(entity_moves.settle_or_leave(db, ACTOR, cause, following))
    return [operation_id for operation_id in left if operation_id is not None]


def _fold_name(name: str) -> str:
    return " ".join(name.split()).casefold()


def _learn_alias(
    db: Database, source: Source, statement: AliasStatement
) -> Mapping[str, Any] | None:
    """Let two names lead to one entity; return what follows, if anything."""
    pair = (statement.a, statement.b)
    name = choose_canonical_name(pair)
    if known_names.is_role(name):
        return None
    now, kind = clock.now(), find_kind(db, pair)
    entity = entities.ensure_entity(db, kind, name, now)
    other = next((each for each in pair if each != name), None)
    if other is None:
        return None
    if known_names.is_role(other):
        since = statement.at or source.observed_at
        holders = note_role(db, other, entity, source.id, since)
        return entity_moves.follow_names(entity, roles={other: since}, reindex=holders)
    gone = entity_lookup.find_standing(db, kind, other)
    if gone is not None and gone != entity:
        entity_merging.redirect_entity(db, gone, entity)
    is_new = entities.add_alias(db, other, entity, source.id, now)
    if gone is not None and gone != entity:
        return entity_moves.follow(gone, entity)
    return entity_moves.follow_names(entity) if is_new else None


def note_role(
    db: Database, role: str, entity_id: str, source_ref: str | None, at: str
) -> list[str]:
    """Note who holds a role since a time; no record moves yet. Returns all who ever held it."""
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
    return list(dict.fromkeys([*before, entity_id]))


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
