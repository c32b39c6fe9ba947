"""Entities as lines of text: lists, everything known of one, and what became of one. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memctl.cli.text.records import flat, head, number
from memctl.results.entities import EntityChange, EntityGroup, EntityItem, EntityList, EntityReport


def listed(data: EntityList) -> Iterator[str]:
    """One line for each, with its other names and when it was spoken of."""
    if not data.items:
        yield "Nobody and nothing yet. Names are found in what you and your agents say when `memctl maintain` reads it."
        return
    wide = max(len(item.kind) for item in data.items)
    for item in data.items:
        yield f"{item.short}  {item.kind.ljust(wide)}  {_named(item)}  {number(item.records, 'record')}, {_span(item)}"
    if data.total > len(data.items):
        yield f"{len(data.items)} of {data.total}; --all shows the rest"


def _named(item: EntityItem) -> str:
    others = ", ".join(map(flat, item.aliases))
    return f"{flat(item.name)} (also {others})" if others else flat(item.name)


def _span(item: EntityItem) -> str:
    first, last = (item.first_seen or "")[:10], (item.last_seen or "")[:10]
    return first if first == last else f"{first} to {last}"


def shown(data: EntityReport) -> Iterator[str]:
    """Everything known of one entity."""
    item = data.entity
    then = f", as of {data.as_of[:16]}Z" if data.as_of else ""
    yield f"{flat(item.name)}  ({item.kind}, {item.short}{then})"
    yield from _names(data)
    if not data.groups:
        yield "  No record speaks of it."
        return
    yield f"  spoken of in {number(item.records, 'record')}, {_span(item)}"
    yield from (f"    {_group(group)}" for group in data.groups)
    yield from _section("  decisions in force:", data.decisions)
    yield from _section(
        "  latest records in force:", [view for view in data.items if view not in data.decisions]
    )
    if data.beside:
        yield f"  together with: {', '.join(f'{flat(other.name)} ({other.kind}, {other.records})' for other in data.beside)}"
    if data.sources:
        yield "  from:"
        for source in data.sources:
            name = flat(source.title) or flat(source.session_id)[:12]
            yield f"    {source.observed_at[:10]}  {flat(source.agent)}  {name}  {number(source.records, 'record')}"


def _names(data: EntityReport) -> Iterator[str]:
    roles = {role.role for role in data.roles}
    others = [name for name in data.entity.aliases if name not in roles]
    if others:
        yield f"  also known as: {', '.join(map(flat, others))}"
    if data.merged:
        yield f"  merged with: {', '.join(f'{flat(item.name)} ({item.short})' for item in data.merged)}"
    for role in data.roles:
        yield f"  {flat(role.role)} since {role.since[:10]}{f', until {role.until[:10]}' if role.until else ''}"
    if len(data.names_used) > 1:
        yield f"  called: {', '.join(f'{flat(name)} ({many})' for name, many in data.names_used.items())}"


def _group(group: EntityGroup) -> str:
    span = (
        group.first[:10]
        if group.first[:10] == group.last[:10]
        else f"{group.first[:10]} to {group.last[:10]}"
    )
    return f"{group.records:>4}  {group.type}, {group.status}  {span}"


def _section(title: str, views: Any) -> Iterator[str]:
    if views:
        yield title
        yield from (f"    {view.memory.observed_at[:10]}  {head(view)}" for view in views)


def changed(data: EntityChange) -> Iterator[str]:
    """What became of an entity."""
    name, moved = flat(data.entity.name), number(data.records, "record")
    if data.verb == "merged" and data.other:
        yield f"{flat(data.other.name)} is {name} now; {moved} moved"
        yield f"To part them again: memctl entity split {data.other.short} --undo-merge"
    elif data.verb == "split" and data.other:
        yield f"{name} is apart from {flat(data.other.name)} now; {moved} moved with the name"
    else:
        said = "is" if data.verb == "known as" else "is no longer"
        yield f"{name} {said} known as {', '.join(map(flat, data.names))}{f'; {moved} found by it' if data.records else ''}"
    yield f"{data.entity.short}  {data.entity.kind}  {_named(data.entity)}  {number(data.entity.records, 'record')}"


MAKERS: Mapping[type, Callable[[Any], Iterator[str]]] = {
    EntityList: listed,
    EntityReport: shown,
    EntityChange: changed,
}
