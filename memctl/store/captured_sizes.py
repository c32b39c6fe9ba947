"""Whether a session was captured at a size: all that a hook asks, without loading the sources."""

from __future__ import annotations

from memctl.store.database import Database


def was_captured(db: Database, agent: str, session: str, size: int) -> bool:
    """Whether a session (or one whose id begins like this) was captured from a file of this
    size.
    """
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
