"""Saying anew all that holds of a subject: where words were erased, or the log tells too little."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import Event
from memctl.store import sync_appending
from memctl.store.database import Database
from memctl.sync import portable
from memctl.sync.change import ChangeEvent
from memctl.sync.change_writer import ToldOperation, ToldSubject
from memctl.sync.portable import TravelForm

# What such a change says of itself.
RESTATED = "redacted"
_COMPLETED = "synced"
_ACTOR = "memctl"
_CAUSE = "sync"


def restate_subject(db: Database, form: TravelForm, subject: str) -> list[ChangeEvent]:
    """What takes back the changes of which nothing is left, and says all that holds; nothing for
    a record that is gone.
    """
    at = clock.now()
    scrubs = [
        ChangeEvent(portable.SCRUB, each, RESTATED, {}, None, _ACTOR, _CAUSE, at)
        for each in sync_appending.list_bodiless(db, subject)
    ]
    if not portable.is_record_subject(subject):
        return scrubs
    state = form.describe_state(subject, verb=RESTATED, actor=_ACTOR, cause=_CAUSE, at=at)
    is_here = any(event.topic == "record" for event in state)
    return [*scrubs, *state] if is_here else []


def complete_history(form: TravelForm, told: ToldSubject, history: Sequence[Event]) -> ToldSubject:
    """The history of a record with one more change if the log does not tell all of it: an older
    version, or another program, wrote some of its rows.
    """
    is_told = any(
        event.topic == "record" and event.before is None and "content" in (event.after or {})
        for operation in told.operations
        for event in operation.events
    )
    if is_told and all(event.operation is not None for event in history):
        return told
    at = history[-1].at if history else clock.now()
    state = form.describe_state(told.subject, verb=_COMPLETED, actor=_ACTOR, cause=_CAUSE, at=at)
    return replace(told, operations=[*told.operations, ToldOperation(state)])
