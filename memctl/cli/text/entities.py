"""Entities as lines of text: lists, details and changes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memctl.cli.text.formatting import flatten, format_count
from memctl.cli.text.record_parts import format_heading
from memctl.core import timestamps
from memctl.results.entities import (
    EntityChange,
    EntityGroup,
    EntityItem,
    EntityList,
    EntityReport,
    EntitySource,
)
from memctl.results.records import RecordView


def render_entity_list(data: EntityList) -> Iterator[str]:
    """Yield one line for each entity: its names and when it was mentioned."""
    if not data.items:
        yield (
            "No entities yet. `memctl maintain` finds the names in what you and your agents say."
        )
        return
    width = max(len(item.kind) for item in data.items)
    for item in data.items:
        mentions = f"{format_count(item.records, 'record')}, {_format_item_period(item)}"
        yield f"{item.short}  {item.kind.ljust(width)}  {_format_names(item)}  {mentions}"
    if data.total > len(data.items):
        yield f"{len(data.items)} of {data.total}; --all shows the rest"


def render_entity(data: EntityReport) -> Iterator[str]:
    """Yield everything known about one entity."""
    item = data.entity
    as_of = f", as of {data.as_of[:16]}Z" if data.as_of else ""
    yield f"{flatten(item.name)}  ({item.kind}, {item.short}{as_of})"
    yield from _render_names(data)
    if not data.groups:
        yield "  No record mentions it."
        return
    yield f"  mentioned in {format_count(item.records, 'record')}, {_format_item_period(item)}"
    yield from (f"    {_format_group(group)}" for group in data.groups)
    others = [view for view in data.items if view not in data.decisions]
    yield from _render_section("  decisions in force:", data.decisions)
    yield from _render_section("  latest records in force:", others)
    if data.related:
        names = [f"{flatten(each.name)} ({each.kind}, {each.records})" for each in data.related]
        yield f"  together with: {', '.join(names)}"
    if data.sources:
        yield "  from:"
        yield from map(_format_source, data.sources)


def _render_names(data: EntityReport) -> Iterator[str]:
    roles = {role.role for role in data.roles}
    aliases = [flatten(name) for name in data.entity.aliases if name not in roles]
    if aliases:
        yield f"  also known as: {', '.join(aliases)}"
    if data.merged:
        merged = [f"{flatten(item.name)} ({item.short})" for item in data.merged]
        yield f"  merged with: {', '.join(merged)}"
    for role in data.roles:
        until = f", until {timestamps.to_local_day(role.until)}" if role.until else ""
        yield f"  {flatten(role.role)} since {timestamps.to_local_day(role.since)}{until}"
    if len(data.names_used) > 1:
        names = [f"{flatten(name)} ({number})" for name, number in data.names_used.items()]
        yield f"  called: {', '.join(names)}"


def _render_section(title: str, views: Sequence[RecordView]) -> Iterator[str]:
    if views:
        yield title
        yield from (
            f"    {timestamps.to_local_day(view.memory.observed_at)}  {format_heading(view)}"
            for view in views
        )


def _format_names(item: EntityItem) -> str:
    aliases = ", ".join(map(flatten, item.aliases))
    return f"{flatten(item.name)} (also {aliases})" if aliases else flatten(item.name)


def _format_item_period(item: EntityItem) -> str:
    return _format_period(item.first_seen or "", item.last_seen or "")


def _format_period(first: str, last: str) -> str:
    first, last = timestamps.to_local_day(first), timestamps.to_local_day(last)
    return first if first == last else f"{first} to {last}"


def _format_group(group: EntityGroup) -> str:
    period = _format_period(group.first, group.last)
    return f"{group.records:>4}  {group.type}, {group.status}  {period}"


def _format_source(source: EntitySource) -> str:
    name = flatten(source.title) or flatten(source.session_id)[:12]
    records = format_count(source.records, "record")
    day = timestamps.to_local_day(source.observed_at)
    return f"    {day}  {flatten(source.agent)}  {name}  {records}"


def render_entity_change(data: EntityChange) -> Iterator[str]:
    """Yield what became of an entity."""
    name, other, records = flatten(data.entity.name), data.other, data.records
    moved = f"{format_count(records, 'record')} moved"
    if data.verb == "merged" and other:
        yield f"{flatten(other.name)} is merged into {name}; {moved}"
        yield f"To undo this: memctl entity split {other.short} --undo-merge"
    elif data.verb == "split" and other:
        yield f"{name} is split from {flatten(other.name)}; {moved} with the name"
    else:
        verb = "is" if data.verb == "known as" else "is no longer"
        found = f"; {format_count(records, 'record')} found by it" if records else ""
        yield f"{name} {verb} known as {', '.join(map(flatten, data.names))}{found}"
    item = data.entity
    total = format_count(item.records, "record")
    yield f"{item.short}  {item.kind}  {_format_names(item)}  {total}"
