"""The operator says that two records say the same."""

from __future__ import annotations

from memctl.consolidate import apply
from memctl.consolidate.plan import Decision
from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.model import Actor
from memctl.records.views import read_views
from memctl.results.records import ChangeReport
from memctl.settings import policy
from memctl.store import event_log, records
from memctl.store.database import Database

_REASON = "you said that they say the same"
_LIVING = ("inbox", "active", "contradicted")


def merge_records(db: Database, actor: Actor, absorbed: str, survivor: str) -> ChangeReport:
    """Let one record absorb another, with its evidence and entities; one undoable change.

    Raises NotFound, UsageError for records that are not in use or the same, RefusedByPolicy unless
    the operator.
    """
    if not actor.is_operator:
        raise RefusedByPolicy(f"merging records {policy.AT_A_TERMINAL}")
    with db.write():
        gone, kept = (records.resolve_record(db, each) for each in (absorbed, survivor))
        if gone.id == kept.id:
            raise UsageError("a record cannot be merged with itself")
        for each in (gone, kept):
            if each.status not in _LIVING:
                raise UsageError(f"{each.id} is {each.status}: only records in use are merged")
        step = Decision("merge", kept.id, _REASON, target=gone.id)
        with event_log.group_changes(db, actor=actor.name, cause="merge"):
            apply.carry_out_step(db, step, actor=actor.name, cause="merge")
    with db.snapshot():
        return ChangeReport("merged", read_views(db, [kept.id]))
