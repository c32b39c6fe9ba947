"""The story of a project by day: what was decided, changed and replaced."""

from __future__ import annotations

from itertools import groupby

from memctl.core import clock, timestamps
from memctl.results.history import TimelineDay, TimelineItem, TimelineReport
from memctl.store import context_records, projects, timeline
from memctl.store.database import Database, Row

_DAY_SECONDS = 86400.0


def tell_timeline(db: Database, name: str, limit: int) -> TimelineReport:
    """Tell what became of a project's records, the newest day first. Raises NotFound."""
    project = projects.named(db, name)
    rows = timeline.read_events(db, project.id, limit)
    shorts = context_records.shorten_ids(db, {row["id"] for row in rows})
    today = timestamps.parse_iso(f"{clock.now()[:10]}T00:00:00Z")
    days = tuple(
        TimelineDay(day, _count_days(day, today), tuple(_build_item(row, shorts) for row in of))
        for day, of in groupby(rows, key=lambda row: row["at"][:10])
    )
    return TimelineReport(project.name, days)


def _count_days(day: str, today: float) -> int:
    return round((today - timestamps.parse_iso(f"{day}T00:00:00Z")) / _DAY_SECONDS)


def _build_item(row: Row, shorts: dict[str, str]) -> TimelineItem:
    reason = row["reason"] if row["verb"] in ("superseded", "archived") else None
    return TimelineItem(
        row["at"], row["verb"], row["id"], shorts[row["id"]], row["type"], row["title"], reason
    )
