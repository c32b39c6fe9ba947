"""Undone changes, digests and rebuilt records as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_count, format_time
from memctl.results.history import (
    DigestChange,
    DigestEntry,
    DigestReport,
    RebuildReport,
    RevertReport,
    RevertStep,
)

_MAX_LINES = 40

_ASKED_FOR = "asked for"

_DEPENDENT_TOPICS = frozenset(("link", "evidence", "mention", "alias", "entity", "tombstone"))

_SECTION_TITLES = {
    "shared": "Agents changed what is shared",
    "maintenance": "Maintenance and rules",
    "operator": "You",
    "agents": "Agents, of their own",
}


def render_revert(data: RevertReport) -> Iterator[str]:
    """Changes undone, or that would be."""
    if not data.steps:
        yield "Nothing to undo."
        return
    yield f"{'Would undo' if data.dry_run else 'Undid'} {format_count(len(data.steps), 'change')}, newest first:"
    yield from render_revert_steps(data)
    if data.refused:
        yield f"It would be refused: {flatten(data.refused)}"
    yield from (
        f"{view.short}  is {view.memory.status}  {flatten(view.memory.title)}"
        for view in data.changed[:_MAX_LINES]
    )


def render_revert_steps(data: RevertReport) -> Iterator[str]:
    """One line for each change to a record or a decision; what hung on it is only counted."""
    told = [step for step in data.steps if step.topic not in _DEPENDENT_TOPICS] or list(data.steps)
    chosen = all(step.why == _ASKED_FOR for step in told)
    yield from (f"  {_format_step(step, chosen)}" for step in told[:_MAX_LINES])
    if len(told) > _MAX_LINES:
        yield f"  ... and {len(told) - _MAX_LINES} more"
    if len(data.steps) > len(told):
        yield f"  with {format_count(len(data.steps) - len(told), 'change')} to what hangs on them: links, evidence, names"


def _format_step(step: RevertStep, chosen: bool) -> str:
    what = step.verb if step.topic == "record" else f"{step.topic} {step.verb}"
    why = "" if chosen else f"  ({step.why})"
    return f"{step.seq:>6}  {step.at[:16].replace('T', ' ')}  {flatten(step.actor)}: {what}  {flatten(step.title or step.record)}{why}"


def render_rebuild(data: RebuildReport) -> Iterator[str]:
    """Where the store is not what the stream says, and what was done about it."""
    if not data.differences:
        yield f"The stream leads to all that is stored: {format_count(data.records, 'record')}, nothing to mend."
        return
    verb = "Differs" if data.dry_run else "Differed"
    yield f"{verb} from the stream in {format_count(len(data.differences), 'place')}:"
    for each in data.differences[:_MAX_LINES]:
        yield f"  {each.topic} {flatten(each.item)}: {each.what}{' in ' + ', '.join(each.columns) if each.columns else ''}"
    if len(data.differences) > _MAX_LINES:
        yield f"  ... and {len(data.differences) - _MAX_LINES} more"
    if data.backup:
        yield f"Set to what the stream says; the store as it was is kept at {flatten(data.backup)}"
    if data.left:
        yield f"{format_count(len(data.left), 'place')} could not be mended."


def render_digest(data: DigestReport) -> Iterator[str]:
    """What changed, section by section."""
    if data.format == "markdown":
        yield from render_markdown(data)
        return
    yield _format_opening(data)
    for section, title in _SECTION_TITLES.items():
        entries = [entry for entry in data.entries if entry.section == section]
        if entries:
            yield from ("", f"{title}:")
            yield from (line for entry in entries for line in _render_entry(entry))
    yield from _render_ending(data)


def render_markdown(data: DigestReport) -> Iterator[str]:
    """The same as Markdown, for a mail or a wiki."""
    yield from ("# memctl digest", "", _format_opening(data))
    for section, title in _SECTION_TITLES.items():
        entries = [entry for entry in data.entries if entry.section == section]
        if entries:
            yield from ("", f"## {title}", "")
            yield from (line for entry in entries for line in _render_markdown_entry(entry))
    yield from _render_ending(data)


def _format_opening(data: DigestReport) -> str:
    since = f"since {data.since[:16].replace('T', ' ')}" if data.since else "since the beginning"
    if not data.entries:
        return f"Nothing changed {since}."
    counts = ", ".join(
        f"{count} {verb}"
        for verb, count in sorted(data.counts.items(), key=lambda pair: (-pair[1], pair[0]))
    )
    return f"Changes {since}: {counts}."


def _render_ending(data: DigestReport) -> Iterator[str]:
    if data.left_out:
        yield from ("", f"... and {data.left_out} more: memctl digest --limit N")
    commands = {
        "inbox": "memctl inbox",
        "conflicts": "memctl conflicts",
        "proposals": "memctl inbox",
    }
    waiting = [
        f"{count} in {name} ({commands[name]})" for name, count in data.waiting.items() if count
    ]
    if waiting:
        yield from ("", f"Waiting for you: {', '.join(waiting)}.")
    if data.entries:
        yield from ("", "The number in front undoes it: memctl revert NUMBER")


def _render_entry(entry: DigestEntry) -> Iterator[str]:
    first, *rest = entry.changes
    yield f"  {entry.seq:>6}  {entry.at[:16].replace('T', ' ')}  {_format_actor(entry)}{_format_change(first)}{_format_reason(entry)}"
    yield from (f"                            {_format_change(change)}" for change in rest)


def _render_markdown_entry(entry: DigestEntry) -> Iterator[str]:
    first, *rest = entry.changes
    yield f"- `{entry.seq}` {entry.at[:16].replace('T', ' ')} {_format_actor(entry)}{_format_markdown_change(first)}{_format_reason(entry)}"
    yield from (f"  - {_format_markdown_change(change)}" for change in rest)


def _format_actor(entry: DigestEntry) -> str:
    return "" if entry.section == "operator" else f"{flatten(entry.actor)}: "


def _format_reason(entry: DigestEntry) -> str:
    return f"  ({flatten(entry.why)})" if entry.why else ""


def _format_change(change: DigestChange) -> str:
    what = f" [{'; '.join(format_time(text) for text in change.what)}]" if change.what else ""
    return f"{flatten(change.verb)} {flatten(change.short)}{_mark_waiting(change)} {flatten(change.title)}{what}"


def _format_markdown_change(change: DigestChange) -> str:
    """A line in which stored words cannot be taken for Markdown."""
    escaped = "".join(
        f"\\{char}" if char in "\\`*_{}[]<>#|!" else char for char in flatten(change.title)
    )
    what = (
        f" ({'; '.join(format_time(text).replace('`', chr(39)) for text in change.what)})"
        if change.what
        else ""
    )
    return (
        f"{flatten(change.verb)} `{flatten(change.short)}`{_mark_waiting(change)} {escaped}{what}"
    )


def _mark_waiting(change: DigestChange) -> str:
    """That a record is not in force by now, where its verb would let one think so."""
    return " (inbox)" if change.status == "inbox" else ""
