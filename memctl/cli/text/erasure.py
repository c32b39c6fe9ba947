"""Secrets found or replaced, and what was purged, as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_count, format_counts
from memctl.results.erasure import PurgeReport, RedactionReport

_MAX_LINES = 40


def render_redaction(data: RedactionReport) -> Iterator[str]:
    """What a scan found or replaced; never a secret."""
    if data.text is not None:
        yield from data.text.split("\n")
        return
    if not data.items:
        yield "No secret that is known by its looks stands in the store."
        return
    yield from render_secret_spots(data)
    yield "" if not data.applied else f"Replaced in {format_count(len(data.items), 'place')}."
    yield from render_older_backups(data.backups)
    yield from map(flatten, data.notes)
    if not data.applied:
        yield "`memctl redact --scan --apply` replaces them; change those that got out first."


def render_secret_spots(data: RedactionReport) -> Iterator[str]:
    """Each place with the kinds of what stands there."""
    for item in data.items[:_MAX_LINES]:
        kinds = format_counts(
            {kind.replace("_", " "): many for kind, many in item.kinds.items()}, "a secret"
        )
        yield f"  {item.place}  {flatten(item.id)}  {', '.join(item.fields)}: {kinds}"
    if len(data.items) > _MAX_LINES:
        yield f"  ... and {len(data.items) - _MAX_LINES} more places (see --json)"


def render_purge(data: PurgeReport) -> Iterator[str]:
    """What was erased, or would be."""
    if data.dry_run:
        yield from render_purge_plan(data)
        yield "Nothing was written; without --dry-run it is erased for good."
        return
    yield f"purged {_format_totals(data)}" + (
        f"; cut out of: {format_counts(data.rewritten)}" if data.rewritten else ""
    )
    yield from (f"  {record_id}" for record_id in (*data.records, *data.sources))
    yield from (f"  beside the store: {flatten(name)}" for name in data.files)
    yield from render_older_backups(data.backups)
    yield from (f"Its bytes are still in {flatten(name)}." for name in data.remains)
    yield from map(flatten, data.notes)
    yield "What was exported or copied elsewhere, and your agents' own transcripts, are not known here."


def render_purge_plan(data: PurgeReport) -> Iterator[str]:
    """What would go, with the titles of records."""
    yield f"  {_format_totals(data)}"
    yield from (
        f"  {record_id}  {flatten(data.titles.get(record_id))}"
        for record_id in data.records[:_MAX_LINES]
    )
    yield from (
        [f"  ... and {len(data.records) - _MAX_LINES} more"]
        if len(data.records) > _MAX_LINES
        else []
    )
    if data.rewritten:
        yield f"  the same words are cut out of: {format_counts(data.rewritten)}"
    yield from render_older_backups(data.backups)


def render_older_backups(backups: tuple[str, ...]) -> Iterator[str]:
    """Older copies, which are left alone."""
    yield from (f"An older backup may still hold it: {flatten(path)}" for path in backups)


def _format_totals(data: PurgeReport) -> str:
    parts = [format_count(len(data.records), "record"), format_count(len(data.sources), "source")]
    return ", ".join(
        [*parts, *([format_count(len(data.projects), "project")] if data.projects else [])]
    )
