"""What is known of entities, for reports. A viewer sees nothing private to another agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memctl.core.errors import NotFound
from memctl.core.model import Actor, Memory
from memctl.records.as_of import records_at
from memctl.records.record_source import RecordSource
from memctl.records.views import list_views
from memctl.results.entities import (
    EntityGroup,
    EntityItem,
    EntityList,
    EntityReport,
    EntityRole,
    EntitySource,
    RelatedEntity,
)
from memctl.retrieve import visibility
from memctl.store import entity_lookup, sources, which_id
from memctl.store.database import Database, Row
from memctl.text import known_names

_IN_FORCE = ("active", "contradicted")
# How many records in force, neighbours and sources a report lists; chosen by hand.
_RECENT_RECORDS = 10
_MAX_NEIGHBOURS = 12
_MAX_SOURCES = 10
# Characters of an id that are always shown: they hold the time to about the second.
_SHORTEST_PREFIX = 10


def list_entities(
    db: Database,
    *,
    kind: str | None,
    project_id: str | None,
    limit: int,
    viewer: Actor = visibility.OPERATOR,
) -> EntityList:
    """List entities, most mentioned first; a negative `limit` means all."""
    agent = None if viewer.is_operator else viewer.name.removeprefix("agent:")
    with db.snapshot():
        rows = entity_lookup.list_entities(db, kind=kind, project_id=project_id, agent=agent)
        shown = rows if limit < 0 else rows[:limit]
        names = entity_lookup.list_aliases(db, [row["id"] for row in shown])
        items = tuple(
            EntityItem(
                row["id"],
                shorten_id(db, row["id"]),
                row["kind"],
                row["name"],
                _list_other_names(db, row, names.get(row["id"], ())),
                row["records"],
                row["first_seen"],
                row["last_seen"],
            )
            for row in shown
        )
    return EntityList(items, len(rows))


def show_entity(
    db: Database, name: str, *, as_of: str | None = None, viewer: Actor = visibility.OPERATOR
) -> EntityReport:
    """Report all that is known of one entity, now or at a time.

    Raises NotFound, also for a name that fits several.
    """
    source = records_at(db, as_of)
    with db.snapshot():
        row = resolve_entity(db, name)
        found = source.list_records_of_entity(row["id"])
        seen = [memory for memory in found if not visibility.is_hidden(memory, viewer, None)]
        living = [memory for memory in seen if memory.status in _IN_FORCE]
        decisions = [memory for memory in living if memory.type == "decision"]
        unarchived = [memory.id for memory in seen if memory.status != "archived"]
        return EntityReport(
            describe_entity(db, row, seen),
            entity_lookup.count_names_used(db, row["id"], unarchived),
            tuple(_list_roles(source, row["id"])),
            tuple(_group_by_type(seen)),
            tuple(list_views(source, living[:_RECENT_RECORDS])),
            tuple(list_views(source, decisions)),
            tuple(_list_neighbours(db, row["id"], unarchived)),
            tuple(_list_sources(db, seen)),
            tuple(
                describe_entity(db, each, ())
                for each in entity_lookup.list_merged_into(db, row["id"])
            ),
            source.at,
        )


def resolve_entity(db: Database, text: str) -> Row:
    """Find the entity that a name, an alias, an id or `KIND:NAME` means.

    Raises NotFound; if several fit, the message lists them.
    """
    kind, name = split_kind_and_name(text.strip())
    found = entity_lookup.find_called(db, name, kind)
    if len(found) == 1:
        return found[0]
    if not found:
        hint = which_id.describe_id(db, name, "entity") or (
            "`memctl entity list` shows what is known; `memctl maintain` finds names in new records"
        )
        raise NotFound(f"nothing is known by the name {name!r}", hint=hint)
    held = [row for row in found if entity_lookup.list_memories(db, row["id"])] or found
    if len(held) == 1:
        return held[0]
    which = ", ".join(
        f"{row['kind']}:{row['name']} ({shorten_id(db, row['id'])})" for row in held[:8]
    )
    raise NotFound(
        f"{name!r} may be any of {len(held)}: {which}", hint="name one by its id or as KIND:NAME"
    )


def split_kind_and_name(text: str) -> tuple[str | None, str]:
    from memctl.core.model import ENTITY_KINDS

    kind, mark, name = text.partition(":")
    return (
        (kind.lower(), name.strip())
        if mark and kind.lower() in ENTITY_KINDS and name.strip()
        else (None, text)
    )


def shorten_id(db: Database, entity_id: str) -> str:
    """The shortest prefix of an id that fits no other entity."""
    for length in range(_SHORTEST_PREFIX, len(entity_id)):
        prefix = entity_id[:length]
        if entity_lookup.count_by_prefix(db, prefix) == 1:
            return prefix
    return entity_id


def describe_entity(db: Database, row: Row, seen: Sequence[Memory]) -> EntityItem:
    times = [memory.observed_at for memory in seen]
    others = _list_other_names(
        db, row, entity_lookup.list_aliases(db, [row["id"]]).get(row["id"], ())
    )
    many = sum(memory.status != "archived" for memory in seen)
    return EntityItem(
        row["id"],
        shorten_id(db, row["id"]),
        row["kind"],
        row["name"],
        others,
        many,
        min(times, default=None),
        max(times, default=None),
    )


def describe_current(db: Database, entity_id: str) -> EntityItem:
    return describe_entity(
        db, entity_lookup.get_entity(db, entity_id), entity_lookup.list_memories(db, entity_id)
    )


def _list_other_names(db: Database, row: Row, names: Iterable[Row]) -> tuple[str, ...]:
    """The other names of an entity as they are written, without roles it no longer has."""
    aliases_ = [each["alias"] for each in names if each["alias"] != row["name"].casefold()]
    held = [
        alias
        for alias in aliases_
        if not known_names.is_role(alias) or entity_lookup.find_role_holder(db, alias) == row["id"]
    ]
    return tuple(known_names.restore_case(row["kind"], alias) for alias in held)


def _list_roles(source: RecordSource, entity_id: str) -> Iterator[EntityRole]:
    """The roles of a person towards the operator, with the time they ended."""
    for row in entity_lookup.list_aliases(source.db, [entity_id]).get(entity_id, ()):
        if known_names.is_role(row["alias"]) and source.has_happened(row["created_at"]):
            taken = [
                holder["created_at"]
                for holder in entity_lookup.list_role_holders(source.db, row["alias"])
            ]
            later = [at for at in taken if at > row["created_at"] and source.has_happened(at)]
            until = min(later, default=None)
            yield EntityRole(row["alias"], row["created_at"], until)


def _group_by_type(seen: Iterable[Memory]) -> Iterator[EntityGroup]:
    grouped: dict[tuple[str, str], list[str]] = {}
    for memory in seen:
        grouped.setdefault((memory.type, memory.status), []).append(memory.observed_at)
    for (type_, status), times in sorted(grouped.items()):
        yield EntityGroup(type_, status, len(times), min(times), max(times))


def _list_neighbours(
    db: Database, entity_id: str, memory_ids: Sequence[str]
) -> Iterator[RelatedEntity]:
    rows = entity_lookup.list_neighbours(db, entity_id, memory_ids, limit=_MAX_NEIGHBOURS)
    for row in rows:
        yield RelatedEntity(row["id"], row["kind"], row["name"], row["records"])


def _list_sources(db: Database, seen: Iterable[Memory]) -> Iterator[EntitySource]:
    """The captured sources of records, latest first."""
    counted = Counter(memory.source_ref for memory in seen if memory.source_ref)
    found = []
    for source_id, many in counted.items():
        try:
            found.append((sources.get_source(db, source_id), many))
        except NotFound:
            continue
    dated = [(source.started_at or source.observed_at, source, many) for source, many in found]
    dated.sort(key=lambda each: each[0], reverse=True)
    for at, source, many in dated[:_MAX_SOURCES]:
        yield EntitySource(source.id, source.agent, source.session_id, source.title, at, many)
