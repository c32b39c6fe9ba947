"""History as text: what is undone, what the stream says otherwise than the records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from memctl.cli.text.records import at, flat, number
from memctl.results.history import (
    DigestChange,
    DigestEntry,
    DigestReport,
    RebuildReport,
    RevertReport,
    RevertStep,
)

_MOST = 40
_CHOSEN = "asked for"
_HANGING = frozenset(("link", "evidence", "mention", "alias", "entity", "tombstone"))


def revert(data: RevertReport) -> Iterator[str]:
    """Changes undone, or that would be."""
    if not data.steps:
        yield "Nothing to undo."
        return
    yield f"{'Would undo' if data.dry_run else 'Undid'} {number(len(data.steps), 'change')}, newest first:"
    yield from step_lines(data)
    if data.refused:
        yield f"It would be refused: {flat(data.refused)}"
    yield from (
        f"{view.short}  is {view.memory.status}  {flat(view.memory.title)}"
        for view in data.changed[:_MOST]
    )


def step_lines(data: RevertReport) -> Iterator[str]:
    """One line for each change to a record or a decision; what hung on it is only counted."""
    told = [step for step in data.steps if step.topic not in _HANGING] or list(data.steps)
    chosen = all(step.why == _CHOSEN for step in told)
    yield from (f"  {_step(step, chosen)}" for step in told[:_MOST])
    if len(told) > _MOST:
        yield f"  ... and {len(told) - _MOST} more"
    if len(data.steps) > len(told):
        yield f"  with {number(len(data.steps) - len(told), 'change')} to what hangs on them: links, evidence, names"


def _step(step: RevertStep, chosen: bool) -> str:
    what = step.verb if step.topic == "record" else f"{step.topic} {step.verb}"
    why = "" if chosen else f"  ({step.why})"
    return f"{step.seq:>6}  {step.at[:16].replace('T', ' ')}  {flat(step.actor)}: {what}  {flat(step.title or step.record)}{why}"


def rebuilt(data: RebuildReport) -> Iterator[str]:
    """Where the store is not what the stream says, and what was done about it."""
    if not data.differences:
        yield f"The stream leads to all that is stored: {number(data.records, 'record')}, nothing to mend."
        return
    verb = "Differs" if data.dry_run else "Differed"
    yield f"{verb} from the stream in {number(len(data.differences), 'place')}:"
    for each in data.differences[:_MOST]:
        yield f"  {each.topic} {flat(each.item)}: {each.what}{' in ' + ', '.join(each.columns) if each.columns else ''}"
    if len(data.differences) > _MOST:
        yield f"  ... and {len(data.differences) - _MOST} more"
    if data.backup:
        yield f"Set to what the stream says; the store as it was is kept at {flat(data.backup)}"
    if data.left:
        yield f"{number(len(data.left), 'place')} could not be mended."


_SECTIONS = {
    "shared": "Agents changed what is shared",
    "maintenance": "Maintenance and rules",
    "operator": "You",
    "agents": "Agents, of their own",
}


def digest(data: DigestReport) -> Iterator[str]:
    """What changed, section by section."""
    if data.format == "markdown":
        yield from markdown(data)
        return
    yield _opening(data)
    for section, title in _SECTIONS.items():
        entries = [entry for entry in data.entries if entry.section == section]
        if entries:
            yield from ("", f"{title}:")
            yield from (line for entry in entries for line in _entry(entry))
    yield from _ending(data)


def markdown(data: DigestReport) -> Iterator[str]:
    """The same as Markdown, for a mail or a wiki."""
    yield from ("# memctl digest", "", _opening(data))
    for section, title in _SECTIONS.items():
        entries = [entry for entry in data.entries if entry.section == section]
        if entries:
            yield from ("", f"## {title}", "")
            yield from (line for entry in entries for line in _item(entry))
    yield from _ending(data)


def _opening(data: DigestReport) -> str:
    since = f"since {data.since[:16].replace('T', ' ')}" if data.since else "since the beginning"
    if not data.entries:
        return f"Nothing changed {since}."
    counts = ", ".join(
        f"{count} {verb}"
        for verb, count in sorted(data.counts.items(), key=lambda pair: (-pair[1], pair[0]))
    )
    return f"Changes {since}: {counts}."


def _ending(data: DigestReport) -> Iterator[str]:
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


def _entry(entry: DigestEntry) -> Iterator[str]:
    first, *rest = entry.changes
    yield f"  {entry.seq:>6}  {entry.at[:16].replace('T', ' ')}  {_who(entry)}{_done(first)}{_because(entry)}"
    yield from (f"                            {_done(change)}" for change in rest)


def _item(entry: DigestEntry) -> Iterator[str]:
    first, *rest = entry.changes
    yield f"- `{entry.seq}` {entry.at[:16].replace('T', ' ')} {_who(entry)}{_marked(first)}{_because(entry)}"
    yield from (f"  - {_marked(change)}" for change in rest)


def _who(entry: DigestEntry) -> str:
    return "" if entry.section == "operator" else f"{flat(entry.actor)}: "


def _because(entry: DigestEntry) -> str:
    return f"  ({flat(entry.why)})" if entry.why else ""


def _done(change: DigestChange) -> str:
    what = f" [{'; '.join(at(text) for text in change.what)}]" if change.what else ""
    return f"{flat(change.verb)} {flat(change.short)}{_waits(change)} {flat(change.title)}{what}"


def _marked(change: DigestChange) -> str:
    """A line in which stored words cannot be taken for Markdown."""
    escaped = "".join(
        f"\\{char}" if char in "\\`*_{}[]<>#|!" else char for char in flat(change.title)
    )
    what = (
        f" ({'; '.join(at(text).replace('`', chr(39)) for text in change.what)})"
        if change.what
        else ""
    )
    return f"{flat(change.verb)} `{flat(change.short)}`{_waits(change)} {escaped}{what}"


def _waits(change: DigestChange) -> str:
    """That a record is not in force by now, where its verb would let one think so."""
    return " (inbox)" if change.status == "inbox" else ""


MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {
    RevertReport: revert,
    DigestReport: digest,
    RebuildReport: rebuilt,
}
