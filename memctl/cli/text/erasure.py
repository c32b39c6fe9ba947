"""Secrets found or replaced, and what was purged, as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_count, format_counts
from memctl.results.erasure import PurgeReport, RedactionReport

# Longer lists are cut; --json has them whole.
_MAX_LINES = 40


def render_redaction(data: RedactionReport) -> Iterator[str]:
    """Yield what a scan found or replaced, never a secret; or the filtered text."""
    if data.text is not None:
        yield from data.text.split("\n")
        return
    if not data.items:
        yield "No known kind of secret was found in the store."
        return
    yield from render_secret_spots(data)
    yield f"Replaced in {format_count(len(data.items), 'item')}." if data.applied else ""
    yield from render_older_backups(data.backups)
    yield from map(flatten, data.notes)
    if not data.applied:
        yield "`memctl redact --scan --apply` replaces them. Change leaked secrets first."


def render_secret_spots(data: RedactionReport) -> Iterator[str]:
    """Yield each item that holds secrets, with their kinds."""
    for item in data.items[:_MAX_LINES]:
        kinds = {kind.replace("_", " "): number for kind, number in item.kinds.items()}
        fields = ", ".join(item.fields)
        yield f"  {item.place}  {flatten(item.id)}  {fields}: {format_counts(kinds, 'a secret')}"
    if len(data.items) > _MAX_LINES:
        yield f"  ... and {len(data.items) - _MAX_LINES} more items (see --json)"


def render_purge(data: PurgeReport) -> Iterator[str]:
    """Yield what was erased, or would be."""
    if data.dry_run:
        yield from render_purge_plan(data)
        yield "Nothing was written; without --dry-run it is erased for good."
        return
    rewritten = f"; cut out of: {format_counts(data.rewritten)}" if data.rewritten else ""
    yield f"purged {_format_totals(data)}{rewritten}"
    yield from (f"  {record_id}" for record_id in (*data.records, *data.sources))
    yield from (f"  beside the store: {flatten(name)}" for name in data.files)
    yield from render_older_backups(data.backups)
    yield from (f"Its bytes are still in {flatten(name)}." for name in data.remains)
    yield from map(flatten, data.notes)
    yield "Copies made by other means and your agents' own transcripts were not searched."


def render_purge_plan(data: PurgeReport) -> Iterator[str]:
    """Yield what would be erased, with the titles of records."""
    yield f"  {_format_totals(data)}"
    for record_id in data.records[:_MAX_LINES]:
        yield f"  {record_id}  {flatten(data.titles.get(record_id))}"
    if len(data.records) > _MAX_LINES:
        yield f"  ... and {len(data.records) - _MAX_LINES} more"
    if data.rewritten:
        yield f"  the same words are cut out of: {format_counts(data.rewritten)}"
    yield from render_older_backups(data.backups)


def render_older_backups(backups: tuple[str, ...]) -> Iterator[str]:
    """Yield older copies, which are not changed."""
    yield from (f"An older backup may still hold it: {flatten(path)}" for path in backups)


def _format_totals(data: PurgeReport) -> str:
    parts = [format_count(len(data.records), "record"), format_count(len(data.sources), "source")]
    if data.projects:
        parts.append(format_count(len(data.projects), "project"))
    return ", ".join(parts)
