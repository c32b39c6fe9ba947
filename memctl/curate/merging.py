"""The operator says that two records say the same."""

from __future__ import annotations

from memctl.consolidate import apply
from memctl.consolidate.plan import Decision
from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.model import Actor
from memctl.curate import placement
from memctl.records.views import read_views
from memctl.results.records import ChangeReport
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import event_log, records
from memctl.store.database import Database

_REASON = "you said that they say the same"
_LIVING = ("inbox", "active", "contradicted")


def merge_records(
    db: Database,
    config: Config,
    actor: Actor,
    absorbed: str,
    survivor: str,
    *,
    widens: bool | None = None,
) -> ChangeReport:
    """Let one record absorb another, with its evidence and entities; one undoable change.

    Where the survivor does not hold in the place of the other, `widens` says whether it holds
    everywhere from now on, or in its own place alone.

    Raises NotFound, UsageError for records that are not in use or the same, and where `widens` is
    needed and not said; RefusedByPolicy unless the operator.
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
        is_elsewhere = not kept.holds_where(gone)
        if is_elsewhere and widens is None:
            raise UsageError(
                "they belong to different projects: the merged record would hold in one of them",
                hint="say whether it is to hold in every project from now on",
            )
        step = Decision("merge", kept.id, _REASON, target=gone.id)
        with event_log.group_changes(db, actor=actor.name, cause="merge"):
            if is_elsewhere and widens:
                to = placement.find_destination(
                    db, config, actor, [kept], project=None, scope="global"
                )
                assert to is not None  # a scope was named
                moved = placement.draft_moved(db, kept, to)
                placement.move(db, kept, moved, actor=actor, cause="merge")
            apply.carry_out_step(db, step, actor=actor.name, cause="merge")
    with db.snapshot():
        return ChangeReport("merged", read_views(db, [kept.id]))
