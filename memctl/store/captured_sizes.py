"""Whether a session was captured: all that a hook asks of the captured originals, without what it takes to read one."""

from __future__ import annotations

from memctl.store.database import Database


def was_captured(db: Database, agent: str, session: str, size: int) -> bool:
    """Whether a session (or one whose id begins so) was captured from a file of exactly this size."""
    return (
        db.value(
            "sources.of_size",
            agent=agent,
            low=session,
            high=session[:-1] + chr(ord(session[-1]) + 1),
            size=size,
        )
        is not None
    )
