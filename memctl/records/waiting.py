"""What waits for the operator or for maintenance, in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.store import stats, sync_overview
from memctl.store.database import Database


def describe_waiting(db: Database) -> str | None:
    """Describe what waits, with the command that deals with it; None if nothing does."""
    waiting = stats.count_waiting_work(db)
    others = sync_overview.count_waits(db) if waiting.candidates else {}
    parts = list(_list_parts(waiting, others))
    return f"memctl: {'; '.join(parts)}" if parts else None


def _list_parts(waiting: stats.WaitingWork, others: Mapping[str, int]) -> Iterator[str]:
    if waiting.candidates:
        one = waiting.candidates == 1
        words = "candidate waits" if one else "candidates wait"
        told = ", ".join(f"{many} from {name}" for name, many in others.items())
        yield f"{waiting.candidates} {words} for your decision{told and f', {told}'} (memctl inbox)"
    if waiting.conflicts:
        words = "contradiction" if waiting.conflicts == 1 else "contradictions"
        yield f"{waiting.conflicts} open {words} (memctl conflicts)"
    if waiting.sessions:
        words = "session waits" if waiting.sessions == 1 else "sessions wait"
        yield f"{waiting.sessions} captured {words} to be read (memctl maintain)"
