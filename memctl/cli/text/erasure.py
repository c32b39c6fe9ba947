"""The text of what takes words out: secrets found or replaced, records and sources purged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from memctl.cli.text.records import counts, flat, number
from memctl.results.erasure import PurgeReport, RedactionReport

_MOST = 40


def redaction(data: RedactionReport) -> Iterator[str]:
    """What a scan found or replaced; never a secret."""
    if data.text is not None:
        yield from data.text.split("\n")
        return
    if not data.items:
        yield "No secret that is known by its looks stands in the store."
        return
    yield from found_lines(data)
    yield "" if not data.applied else f"Replaced in {number(len(data.items), 'place')}."
    yield from older_lines(data.backups)
    yield from map(flat, data.notes)
    if not data.applied:
        yield "`memctl redact --scan --apply` replaces them; change those that got out first."


def found_lines(data: RedactionReport) -> Iterator[str]:
    """Each place with the kinds of what stands there."""
    for item in data.items[:_MOST]:
        kinds = counts(
            {kind.replace("_", " "): many for kind, many in item.kinds.items()}, "a secret"
        )
        yield f"  {item.place}  {flat(item.id)}  {', '.join(item.fields)}: {kinds}"
    if len(data.items) > _MOST:
        yield f"  ... and {len(data.items) - _MOST} more places (see --json)"


def purge(data: PurgeReport) -> Iterator[str]:
    """What was erased, or would be."""
    if data.dry_run:
        yield from plan_lines(data)
        yield "Nothing was written; without --dry-run it is erased for good."
        return
    yield f"purged {_sum(data)}" + (
        f"; cut out of: {counts(data.rewritten)}" if data.rewritten else ""
    )
    yield from (f"  {record_id}" for record_id in (*data.records, *data.sources))
    yield from (f"  beside the store: {flat(name)}" for name in data.files)
    yield from older_lines(data.backups)
    yield from (f"Its bytes are still in {flat(name)}." for name in data.remains)
    yield from map(flat, data.notes)
    yield "What was exported or copied elsewhere, and your agents' own transcripts, are not known here."


def plan_lines(data: PurgeReport) -> Iterator[str]:
    """What would go, with the titles of records."""
    yield f"  {_sum(data)}"
    yield from (
        f"  {record_id}  {flat(data.titles.get(record_id))}" for record_id in data.records[:_MOST]
    )
    yield from (
        [f"  ... and {len(data.records) - _MOST} more"] if len(data.records) > _MOST else []
    )
    if data.rewritten:
        yield f"  the same words are cut out of: {counts(data.rewritten)}"
    yield from older_lines(data.backups)


def older_lines(backups: tuple[str, ...]) -> Iterator[str]:
    """Older copies, which are left alone."""
    yield from (f"An older backup may still hold it: {flat(path)}" for path in backups)


def _sum(data: PurgeReport) -> str:
    parts = [number(len(data.records), "record"), number(len(data.sources), "source")]
    return ", ".join([*parts, *([number(len(data.projects), "project")] if data.projects else [])])


MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {
    RedactionReport: redaction,
    PurgeReport: purge,
}
