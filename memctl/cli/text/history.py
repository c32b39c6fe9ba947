"""Undone changes, digests and rebuilt records as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_count, format_time
from memctl.core import timestamps
from memctl.results.history import (
    DigestChange,
    DigestEntry,
    DigestReport,
    RebuildReport,
    RevertReport,
    RevertStep,
    TimelineReport,
)

# The words of docs/words.md for verbs of the log that a person reads.
_VERB_WORDS = {"promoted": "approved", "superseded": "replaced"}
# Longer lists are cut; --json has them whole.
_MAX_LINES = 40
# The reason of a step that the operator named, as `history` words it.
_ASKED_FOR = "asked for"
# Changes to these are counted rather than listed.
_DEPENDENT_TOPICS = frozenset(("link", "evidence", "mention", "alias", "entity", "tombstone"))
_SECTION_TITLES = {
    "shared": "Changes by agents to shared records",
    "maintenance": "Maintenance and rules",
    "operator": "You",
    "agents": "Changes by agents to their own records",
}
_WAITING_COMMANDS = {
    "inbox": "memctl inbox",
    "conflicts": "memctl conflicts",
    "proposals": "memctl inbox",
}
_MARKDOWN_CHARACTERS = frozenset("\\`*_{}[]<>#|!")


def render_revert(data: RevertReport) -> Iterator[str]:
    """Yield the changes that were undone, or would be."""
    if not data.steps:
        yield from _render_nothing_undone(data)
        return
    verb = "Would undo" if data.dry_run else "Undid"
    yield f"{verb} {format_count(len(data.steps), 'change')}, newest first:"
    yield from render_revert_steps(data)
    if data.refused:
        yield f"It would be refused: {flatten(data.refused)}"
    if data.left is not None:
        yield f"Left as it is, a newer change {_format_left(data.left)}"
    for view in data.changed[:_MAX_LINES]:
        yield f"{view.short}  is {view.memory.status}  {flatten(view.memory.title)}"


def _render_nothing_undone(data: RevertReport) -> Iterator[str]:
    """Yield why there is nothing to undo, and whose change was the last."""
    if data.actor is None:
        yield "Nothing to undo."
        return
    if data.actor.startswith("agent:"):
        yield (
            f"Nothing to undo: {flatten(data.actor)} has no changes left to undo. An agent can undo"
            " only its own changes."
        )
    else:
        yield "Nothing to undo: you have no changes left to undo."
    if data.left is not None:
        yield f"The last change is {_format_left(data.left)}"


def _format_left(step: RevertStep) -> str:
    """Name a change of somebody else, and how the operator takes it back."""
    who = "the operator's" if step.actor == "operator" else f"by {flatten(step.actor)}"
    title = flatten(step.title or step.record)
    return f"{who}: {step.verb} {title} (memctl revert {step.seq})"


def render_revert_steps(data: RevertReport) -> Iterator[str]:
    """Yield one line for each change to a record or a decision, and count the dependent changes."""
    listed = [step for step in data.steps if step.topic not in _DEPENDENT_TOPICS]
    listed = listed or list(data.steps)
    shows_why = any(step.why != _ASKED_FOR for step in listed)
    yield from (f"  {_format_step(step, shows_why)}" for step in listed[:_MAX_LINES])
    if len(listed) > _MAX_LINES:
        yield f"  ... and {len(listed) - _MAX_LINES} more"
    dependent = len(data.steps) - len(listed)
    if dependent:
        yield f"  and {format_count(dependent, 'change')} to their links, evidence and names"


def _format_step(step: RevertStep, shows_why: bool) -> str:
    what = step.verb if step.topic == "record" else f"{step.topic} {step.verb}"
    why = f"  ({step.why})" if shows_why else ""
    title = flatten(step.title or step.record)
    return f"{step.seq:>6}  {_format_minute(step.at)}  {flatten(step.actor)}: {what}  {title}{why}"


def render_rebuild(data: RebuildReport) -> Iterator[str]:
    """Yield where the records differ from the event log, and what was done about it."""
    if not data.differences:
        records = format_count(data.records, "record")
        yield f"All records agree with the event log: {records}, nothing to repair."
        return
    yield f"{format_count(len(data.differences), 'difference')} from the event log:"
    for difference in data.differences[:_MAX_LINES]:
        columns = f" in {', '.join(difference.columns)}" if difference.columns else ""
        yield f"  {difference.topic} {flatten(difference.item)}: {difference.what}{columns}"
    if len(data.differences) > _MAX_LINES:
        yield f"  ... and {len(data.differences) - _MAX_LINES} more"
    if data.backup:
        yield f"Rebuilt from the event log; the previous store is kept at {flatten(data.backup)}"
    if data.left:
        yield f"{format_count(len(data.left), 'difference')} could not be repaired."


def render_digest(data: DigestReport) -> Iterator[str]:
    """Yield what changed, section by section, as text or as Markdown for a mail or a wiki."""
    is_markdown = data.format == "markdown"
    if is_markdown:
        yield from ("# memctl digest", "")
    yield _format_opening(data)
    for section, title in _SECTION_TITLES.items():
        entries = [entry for entry in data.entries if entry.section == section]
        if entries and is_markdown:
            yield from ("", f"## {title}", "")
        elif entries:
            yield from ("", f"{title}:")
        for entry in entries:
            yield from _render_markdown_entry(entry) if is_markdown else _render_entry(entry)
    yield from _render_ending(data)


def _format_opening(data: DigestReport) -> str:
    since = f"since {_format_minute(data.since)}" if data.since else "since the beginning"
    if not data.entries:
        return f"Nothing changed {since}."
    by_count = sorted(data.counts.items(), key=lambda pair: (-pair[1], pair[0]))
    parts = [f"{count} {_VERB_WORDS.get(verb, verb)}" for verb, count in by_count]
    return f"Changes {since}: {', '.join(parts)}."


def _render_ending(data: DigestReport) -> Iterator[str]:
    if data.left_out:
        yield from ("", f"... and {data.left_out} more: memctl digest --limit N")
    waiting = [
        f"{count} in {name} ({_WAITING_COMMANDS[name]})"
        for name, count in data.waiting.items()
        if count
    ]
    if waiting:
        yield from ("", f"Waiting for you: {', '.join(waiting)}.")
    if data.entries:
        yield from ("", "To undo an entry: memctl revert NUMBER")


def _render_entry(entry: DigestEntry) -> Iterator[str]:
    first, *others = entry.changes
    change = f"{_format_actor(entry)}{_format_change(first)}{_format_reason(entry)}"
    yield f"  {entry.seq:>6}  {_format_minute(entry.at)}  {change}"
    yield from (f"                            {_format_change(other)}" for other in others)


def _render_markdown_entry(entry: DigestEntry) -> Iterator[str]:
    first, *others = entry.changes
    change = f"{_format_actor(entry)}{_format_markdown_change(first)}{_format_reason(entry)}"
    yield f"- `{entry.seq}` {_format_minute(entry.at)} {change}"
    yield from (f"  - {_format_markdown_change(other)}" for other in others)


def _format_minute(time: str) -> str:
    return timestamps.to_local_minute(time)


def _format_actor(entry: DigestEntry) -> str:
    return "" if entry.section == "operator" else f"{flatten(entry.actor)}: "


def _format_reason(entry: DigestEntry) -> str:
    return f"  ({flatten(entry.why)})" if entry.why else ""


def _format_change(change: DigestChange) -> str:
    what = f" [{'; '.join(map(format_time, change.what))}]" if change.what else ""
    record = f"{flatten(change.short)}{_mark_waiting(change)}"
    return f"{_name_verb(change.verb)} {record} {flatten(change.title)}{what}"


def _format_markdown_change(change: DigestChange) -> str:
    """Return a change as a line in which stored words are not read as Markdown."""
    title = "".join(
        f"\\{char}" if char in _MARKDOWN_CHARACTERS else char for char in flatten(change.title)
    )
    what = "; ".join(format_time(text).replace("`", "'") for text in change.what)
    record = f"`{flatten(change.short)}`{_mark_waiting(change)}"
    return f"{_name_verb(change.verb)} {record} {title}" + (f" ({what})" if what else "")


def _name_verb(verb: str) -> str:
    return _VERB_WORDS.get(verb) or flatten(verb)


def _mark_waiting(change: DigestChange) -> str:
    """Mark a record that still waits, which its verb alone does not tell."""
    return " (inbox)" if change.status == "inbox" else ""


# The longest verb of the log that a timeline tells.
_VERB_WIDTH = 10
_TIMELINE_WORDS = {"created": "noted", **_VERB_WORDS}


def render_timeline(data: TimelineReport) -> Iterator[str]:
    """Yield a project's days with what happened on each."""
    if not data.days:
        yield f"Nothing has happened in {flatten(data.project)} yet."
    for day in data.days:
        yield f"{day.day}  {_format_days_ago(day.days_ago)}"
        for item in day.items:
            verb = _TIMELINE_WORDS.get(item.verb, item.verb).ljust(_VERB_WIDTH)
            reason = f"  ({flatten(item.reason)})" if item.reason else ""
            yield f"  {verb}{item.short}  {item.type}  {flatten(item.title)}{reason}"


def _format_days_ago(days: int) -> str:
    return {0: "today", 1: "yesterday"}.get(days) or f"{days} days ago"
