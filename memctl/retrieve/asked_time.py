"""A search for what a question says of the time: `what did we decide about caching last week`.

The time becomes a filter, which the answer names. Where nothing but the time was asked for, the
episodes of it are the answer.
"""

from __future__ import annotations

from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import Actor, Filter, Query
from memctl.core.typing_lite import TYPE_CHECKING
from memctl.records.record_source import PresentRecords
from memctl.records.views import build_views
from memctl.results.retrieval import Hit, SearchReport
from memctl.retrieve import search
from memctl.settings.config import Config
from memctl.store import records
from memctl.store.database import Database

if TYPE_CHECKING:
    from memctl.text.time_words import Period

# One of these stands in every question that names a time. Looked for before the module that reads
# them is loaded, which takes longer than most searches.
_HINTS = (
    """day week month year hour ago since before until january february march april may june july
    august september october november december last night morning 19 20"""
).split()
# How sure it is that an episode of the time that was asked for is meant.
_OF_TIME = 0.5
# What comes after every time.
_NO_END = "~"


def find_period(text: str) -> Period | None:
    """Return the time that a question speaks of, if it names exactly one."""
    lower = text.lower()
    if not any(hint in lower for hint in _HINTS):
        return None
    from memctl.text import time_words

    return time_words.find_period(text, clock.now())


def search_in_time(
    db: Database, config: Config, query: Query, *, viewer: Actor, explain: bool = False
) -> SearchReport:
    """Search, after the time in the question, if it names one, became a filter.

    A question with a time bound of its own, or about a past state, is searched as it is.
    """
    is_bound = query.since or query.until or query.as_of
    period = None if is_bound else find_period(query.text)
    if period is None:
        return search.search(db, config, query, actor=viewer.name, explain=explain)
    bound = replace(query, text=period.rest, since=period.since, until=period.until)
    found = search.search(db, config, bound, actor=viewer.name, explain=explain)
    items = found.items
    if period.is_frame:
        known = {hit.record.memory.id for hit in items}
        told = _list_episodes(db, bound, viewer, period.words)
        items = (*items, *(hit for hit in told if hit.record.memory.id not in known))
    return replace(
        found,
        query=query.text,
        items=items[: query.limit],
        since=period.since,
        until=period.until,
        period=period.words,
    )


def _list_episodes(db: Database, query: Query, viewer: Actor, words: str) -> list[Hit]:
    """The episodes of a time and place, newest first."""
    wanted = Filter(
        statuses=("active", "contradicted"),
        types=query.types or ("episode",),
        project_id=None if query.all_projects else query.place.project_id,
        viewer=viewer.agent,
    )
    source = PresentRecords(db)
    with db.snapshot():
        memories = [
            memory
            for memory in records.select_records(db, wanted)
            if (query.since or "") <= memory.observed_at < (query.until or _NO_END)
        ]
        memories.sort(key=lambda memory: memory.observed_at, reverse=True)
        memories = memories[: query.limit]
        views = build_views(source, memories, is_served=True)
    return [
        Hit(views[memory.id], _OF_TIME, {}, memory.scope, f"told of that time ({words})")
        for memory in memories
        if memory.scope in ("project", "repo", "global") or viewer.is_operator
    ]
