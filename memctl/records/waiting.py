"""What waits for the operator or for maintenance, in one line."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.store import stats
from memctl.store.database import Database


def describe_waiting(db: Database) -> str | None:
    """Describe what waits, with the command that deals with it; None if nothing does."""
    waiting = stats.count_waiting_work(db)
    parts = list(_list_parts(waiting))
    return f"memctl: {'; '.join(parts)}" if parts else None


def _list_parts(waiting: stats.WaitingWork) -> Iterator[str]:
    if waiting.candidates:
        one = waiting.candidates == 1
        words = "candidate waits" if one else "candidates wait"
        yield f"{waiting.candidates} {words} for your decision (memctl inbox)"
    if waiting.conflicts:
        words = "contradiction" if waiting.conflicts == 1 else "contradictions"
        yield f"{waiting.conflicts} open {words} (memctl conflicts)"
    if waiting.sessions:
        words = "session waits" if waiting.sessions == 1 else "sessions wait"
        yield f"{waiting.sessions} captured {words} to be read (memctl maintain)"
