"""What was purged here and stands in a copy that is restored: it goes again before anybody asks.

The marks of what was purged go into the copy before it takes the store's place, and so does the
purge itself, as one that was begun: a kill right after the swap leaves a purge that every command
names and maintenance finishes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core.frozen import dataclass
from memctl.core.model import Actor, Source
from memctl.core.typing_lite import Any
from memctl.erase import purge, purge_run
from memctl.results.erasure import PurgeReport
from memctl.settings.config import Config
from memctl.store import records, sources, tombstones, unfinished
from memctl.store.database import Database

# Ids named in a report; there may be thousands.
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Returning:
    """What a copy brings back: ids of records and sources, and the purge that was begun of it."""

    ids: tuple[str, ...]
    operation: str | None


def begin_in_copy(
    copy: Database, purged: Sequence[Mapping[str, Any]], actor: Actor, *, bring_back: bool
) -> Returning:
    """Find what a copy holds of what was purged (tombstones); unless it is to come back, mark it
    and begin its purge.
    """
    ids = list(dict.fromkeys(str(row["memory_id"]) for row in purged))
    found = tuple(records.list_by_ids(copy, ids).values())
    captured = tuple(
        source for source in (sources.find_source(copy, each) for each in ids) if source is not None
    )
    returning = (*(memory.id for memory in found), *(source.id for source in captured))
    if bring_back:
        return Returning(returning, None)
    with copy.write():
        for row in purged:
            tombstones.take_over(copy, row)
        operation = _begin(copy, found, captured, actor) if returning else None
    return Returning(returning, operation)


def finish(db: Database, config: Config, returning: Returning) -> PurgeReport | None:
    """Purge again what came back, once the copy is the store."""
    for begun in unfinished.list_operations(db, purge_run.KIND):
        if begun.id == returning.operation:
            return purge_run.PurgeRun.resume(db, config, begun).carry_out()
    return None


def describe(returning: Returning) -> str | None:
    """Say what was purged and came, or did not come, with a copy; None if nothing did."""
    if not returning.ids:
        return None
    named = ", ".join(returning.ids[:_MOST_NAMED])
    more = len(returning.ids) - _MOST_NAMED
    listed = f"{named} and {more} more" if more > 0 else named
    if returning.operation is None:
        return (
            f"this copy brought back what had been purged: {listed}; "
            "`memctl purge ID` purges it again"
        )
    return f"this copy held what had been purged since, which was purged again: {listed}"


def _begin(copy: Database, found: Sequence[Any], captured: Sequence[Source], actor: Actor) -> str:
    words = {word for memory in found for word in purge.list_words(copy, memory)}
    data = {
        "records": [memory.id for memory in found],
        "sources": [source.id for source in captured],
        "project": None,
        "words": sorted(words),
    }
    return unfinished.begin_operation(copy, purge_run.KIND, data, actor=actor.name)
