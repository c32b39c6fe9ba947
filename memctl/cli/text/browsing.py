"""Folders of the store and what is in them as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text import conversations, entities, records
from memctl.cli.text.formatting import flatten, indent_lines
from memctl.cli.text.record_parts import format_heading
from memctl.results.browsing import BrowseEntry, BrowseReport, PathNames, Reading
from memctl.results.conversations import ConversationView
from memctl.results.records import RecordView


def render_folder(data: BrowseReport) -> Iterator[str]:
    """Yield one line for each entry, indented by its depth in a tree."""
    for entry in data.entries:
        yield from _render_entry(entry, "  " * entry.depth, is_tree=data.is_tree)
    if not data.total:
        yield "Nothing here."
    shown = data.offset + len(data.entries)
    if shown < data.total:
        yield f"{shown} of {data.total}; --offset {shown} shows the next ones."


def render_names(data: PathNames) -> Iterator[str]:
    """Yield each path."""
    yield from data.names


def render_reading(data: Reading) -> Iterator[str]:
    """Yield each of what was read, parted by a blank line."""
    for place, item in enumerate(data.items):
        if place:
            yield ""
        if isinstance(item, RecordView):
            yield from _render_record(item, data.level)
        elif isinstance(item, ConversationView):
            yield from conversations.render_conversation(item)
        else:
            yield from entities.render_entity(item)


def _render_entry(entry: BrowseEntry, indent: str, *, is_tree: bool) -> Iterator[str]:
    if entry.what == "folder":
        slash = "" if entry.name == "/" else "/"
        yield f"{indent}{flatten(entry.name)}{slash}  {entry.count}"
        return
    title = "" if flatten(entry.title).casefold() == entry.name else f"  {flatten(entry.title)}"
    yield f"{indent}{flatten(entry.name)}{'' if is_tree else title}"
    if entry.content is not None:
        yield from indent_lines(entry.content, f"{indent}    ")
    elif entry.summary:
        yield f"{indent}    {flatten(entry.summary)}"


def _render_record(view: RecordView, level: int) -> Iterator[str]:
    if level > 1:
        yield from records.render_record(view)
        return
    yield format_heading(view)
    if level:
        yield from indent_lines(view.memory.summary)
