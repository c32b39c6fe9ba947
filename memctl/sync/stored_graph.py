"""The changes of a subject as this store keeps them."""

from __future__ import annotations

from memctl.core.errors import StoreDamaged
from memctl.core.frozen import replace
from memctl.store import sync_changes
from memctl.store.database import Database
from memctl.store.sync_changes import StoredChange
from memctl.sync.change import BadChange, Change, decode_change, encode_change
from memctl.sync.merging import ChangeGraph


def read_graph(db: Database, subject: str) -> ChangeGraph:
    """The changes of a subject that count. Raises StoreDamaged."""
    stored = sync_changes.list_of_subject(db, subject)
    return ChangeGraph(build_change(each) for each in stored if each.state in sync_changes.COUNTING)


def keep_change(db: Database, change: Change, state: str) -> int | None:
    """Keep a change, or of one that is refused that there was one; return its number here, None if
    it was here before.
    """
    return sync_changes.insert_change(
        db,
        id=change.id,
        replica=change.replica,
        member=change.member,
        subject=change.subject,
        stamp=change.stamp,
        parents=change.parents,
        body=encode_change(change) if change.events and state != "refused" else None,
        state=state,
    )


def build_change(stored: StoredChange) -> Change:
    """A change as it was kept; one of which nothing is left has no events. Raises StoreDamaged."""
    if stored.body is None:
        return Change(
            stored.id,
            stored.replica,
            stored.member,
            stored.subject,
            stored.stamp,
            stored.parents,
            None,
            0,
            (),
        )
    try:
        change = decode_change(stored.body)
    except BadChange as error:
        raise StoreDamaged(f"the change {stored.id} that travelled is damaged") from error
    return change if change.id == stored.id else replace(change, id=stored.id)
