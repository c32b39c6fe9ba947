"""Daily notes and versions of MEMORY.md as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.cli.text.formatting import flatten, format_count
from memctl.core import timestamps
from memctl.results.journal import DailyReport, DiaryEntry, DreamReport, MemoryDocument

# Changes listed of one version; --json has them all.
_MOST_ENTRIES = 30
_NOTHING: Mapping[str, str] = {
    "diff": "No version is staged.",
    "history": "There is no version yet: `memctl dream --stage`.",
}
_STATES: Mapping[str, str] = {
    "proposed": "would be new",
    "unchanged": "nothing new",
    "current": "in force",
}


def render_daily(data: DailyReport) -> Iterator[str]:
    """Yield the note of a day, or where it was written."""
    where = f" in {flatten(data.project)}" if data.project else ""
    if data.state == "nothing":
        yield f"Nothing happened on {data.day}{where}."
        return
    if data.state == "shown":
        yield from data.text.rstrip("\n").split("\n")
        return
    verb = "Wrote" if data.state == "written" else "Nothing changed in"
    yield f"{verb} {flatten(data.path)}"
    if data.kept:
        yield f"{format_count(data.kept, 'line')} of your own kept."


def render_dream(data: DreamReport) -> Iterator[str]:
    """Yield what became of each document; a single one whole."""
    if not data.items:
        yield _NOTHING.get(data.asked, "There is nothing in force to show.")
    for number, item in enumerate(data.items):
        if number:
            yield ""
        yield from _render_document(item, data.asked, is_single=len(data.items) == 1)
    yield from (flatten(note) for note in data.notes)


def _render_document(item: MemoryDocument, asked: str, *, is_single: bool) -> Iterator[str]:
    yield _describe(item)
    if asked == "diff":
        yield from item.text.split("\n")
        return
    if asked == "propose" and is_single:
        yield from ("", *item.text.rstrip("\n").split("\n"))
        return
    if asked in ("propose", "stage", "history"):
        yield from (f"  {_word_entry(entry)}" for entry in item.diary[:_MOST_ENTRIES])
        if len(item.diary) > _MOST_ENTRIES:
            yield f"  ... and {len(item.diary) - _MOST_ENTRIES} more (--json)"
    if item.state == "staged":
        yield f"  `memctl dream --diff` shows it; `memctl dream --approve {item.id}` approves it."
    if item.path and asked in ("approve", "restore"):
        yield f"  in {flatten(item.path)}"
    if item.outdated:
        yield f"  left out, no longer true: {', '.join(item.outdated)}"


def _describe(item: MemoryDocument) -> str:
    name = f"MEMORY.md of {flatten(item.project)}" if item.project else "global MEMORY.md"
    size = f"{item.tokens} tokens" + (f" of {item.budget}" if item.budget else "")
    more = f", {format_count(item.left_out, 'record')} without room" if item.left_out else ""
    when = f" {timestamps.to_local_minute(item.created_at)}" if item.created_at else ""
    label = f"{item.id}  " if item.id else ""
    return f"{label}{name}: {_STATES.get(item.state, item.state)}{when} ({size}{more})"


def _word_entry(entry: DiaryEntry) -> str:
    words = f" {flatten(entry.text)}" if entry.text else ""
    why = f" ({flatten(entry.why)})" if entry.why else ""
    return f"{entry.change}{words}{why}"
