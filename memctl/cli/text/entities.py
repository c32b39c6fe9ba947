"""Entities as lines of text: lists, details and changes. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memctl.cli.text.formatting import flatten, format_count
from memctl.cli.text.record_parts import format_heading
from memctl.results.entities import EntityChange, EntityGroup, EntityItem, EntityList, EntityReport


def render_entity_list(data: EntityList) -> Iterator[str]:
    """One line for each, with its other names and when it was spoken of."""
    if not data.items:
        yield "Nobody and nothing yet. Names are found in what you and your agents say when `memctl maintain` reads it."
        return
    wide = max(len(item.kind) for item in data.items)
    for item in data.items:
        yield f"{item.short}  {item.kind.ljust(wide)}  {_format_names(item)}  {format_count(item.records, 'record')}, {_format_period(item)}"
    if data.total > len(data.items):
        yield f"{len(data.items)} of {data.total}; --all shows the rest"


def _format_names(item: EntityItem) -> str:
    others = ", ".join(map(flatten, item.aliases))
    return f"{flatten(item.name)} (also {others})" if others else flatten(item.name)


def _format_period(item: EntityItem) -> str:
    first, last = (item.first_seen or "")[:10], (item.last_seen or "")[:10]
    return first if first == last else f"{first} to {last}"


def render_entity(data: EntityReport) -> Iterator[str]:
    """Everything known of one entity."""
    item = data.entity
    then = f", as of {data.as_of[:16]}Z" if data.as_of else ""
    yield f"{flatten(item.name)}  ({item.kind}, {item.short}{then})"
    yield from _render_names(data)
    if not data.groups:
        yield "  No record speaks of it."
        return
    yield f"  spoken of in {format_count(item.records, 'record')}, {_format_period(item)}"
    yield from (f"    {_format_group(group)}" for group in data.groups)
    yield from _render_section("  decisions in force:", data.decisions)
    yield from _render_section(
        "  latest records in force:", [view for view in data.items if view not in data.decisions]
    )
    if data.beside:
        yield f"  together with: {', '.join(f'{flatten(other.name)} ({other.kind}, {other.records})' for other in data.beside)}"
    if data.sources:
        yield "  from:"
        for source in data.sources:
            name = flatten(source.title) or flatten(source.session_id)[:12]
            yield f"    {source.observed_at[:10]}  {flatten(source.agent)}  {name}  {format_count(source.records, 'record')}"


def _render_names(data: EntityReport) -> Iterator[str]:
    roles = {role.role for role in data.roles}
    others = [name for name in data.entity.aliases if name not in roles]
    if others:
        yield f"  also known as: {', '.join(map(flatten, others))}"
    if data.merged:
        yield f"  merged with: {', '.join(f'{flatten(item.name)} ({item.short})' for item in data.merged)}"
    for role in data.roles:
        yield f"  {flatten(role.role)} since {role.since[:10]}{f', until {role.until[:10]}' if role.until else ''}"
    if len(data.names_used) > 1:
        yield f"  called: {', '.join(f'{flatten(name)} ({many})' for name, many in data.names_used.items())}"


def _format_group(group: EntityGroup) -> str:
    span = (
        group.first[:10]
        if group.first[:10] == group.last[:10]
        else f"{group.first[:10]} to {group.last[:10]}"
    )
    return f"{group.records:>4}  {group.type}, {group.status}  {span}"


def _render_section(title: str, views: Any) -> Iterator[str]:
    if views:
        yield title
        yield from (f"    {view.memory.observed_at[:10]}  {format_heading(view)}" for view in views)


def render_entity_change(data: EntityChange) -> Iterator[str]:
    """What became of an entity."""
    name, moved = flatten(data.entity.name), format_count(data.records, "record")
    if data.verb == "merged" and data.other:
        yield f"{flatten(data.other.name)} is {name} now; {moved} moved"
        yield f"To part them again: memctl entity split {data.other.short} --undo-merge"
    elif data.verb == "split" and data.other:
        yield f"{name} is apart from {flatten(data.other.name)} now; {moved} moved with the name"
    else:
        said = "is" if data.verb == "known as" else "is no longer"
        yield f"{name} {said} known as {', '.join(map(flatten, data.names))}{f'; {moved} found by it' if data.records else ''}"
    yield f"{data.entity.short}  {data.entity.kind}  {_format_names(data.entity)}  {format_count(data.entity.records, 'record')}"
