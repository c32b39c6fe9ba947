"""What one agent may not read of another's: private notes and the working memory of other
sessions. The operator may read everything.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import replace
from memctl.core.model import Actor, Memory
from memctl.results.records import RecordView

OPERATOR = Actor("operator")
_HIDDEN = {
    "title": "(private)",
    "content": "",
    "summary": "",
    "subject": None,
    "rationale": None,
    "alternatives": (),
    "status_reason": None,
    "fingerprint": "",
    "source_ref": None,
    "evidence_ref": None,
}


def is_hidden(memory: Memory, viewer: Actor, session_id: str | None) -> bool:
    """Whether a record is private to somebody else than the viewer."""
    if viewer.is_operator or memory.scope not in ("agent", "session"):
        return False
    if memory.scope == "session":
        return memory.session_id is None or memory.session_id != session_id
    return viewer.name != f"agent:{memory.agent_id}"


def hide_private(view: RecordView, viewer: Actor, session_id: str | None = None) -> RecordView:
    """A record as this viewer may see it: of another's private one no word of its text, evidence
    or links.
    """
    if not is_hidden(view.memory, viewer, session_id):
        return view
    return RecordView(replace(view.memory, **_HIDDEN), view.short, view.project)


def hide_private_views(
    views: Mapping[str, RecordView], viewer: Actor, session_id: str | None = None
) -> dict[str, RecordView]:
    """Records by id, as this viewer may see them."""
    return {memory_id: hide_private(view, viewer, session_id) for memory_id, view in views.items()}
