"""Who may read captured turns: like records, what is private to an agent or a session stays so.

What belongs to no project is read in its own session only, as is what comes of it; the operator may
read everything.
"""

from __future__ import annotations

from memctl.core.model import Actor, Place
from memctl.store.database import Row


def may_read(row: Row, viewer: Actor, place: Place) -> bool:
    """Whether a conversation, a row of `turn_index.list_conversations`, is the viewer's to read."""
    if viewer.is_operator:
        return True
    if place.session_id is not None and row["session_id"] == place.session_id:
        return True
    if row["requested_scope"] == "session" or row["project_id"] is None:
        return False
    return row["requested_scope"] != "agent" or viewer.name == f"agent:{row['agent']}"
