"""One update of a record by a program: new words correct it, other fields are edited in place.

Both in one transaction. What the actor may not change itself is proposed, as `correct` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core import clock
from memctl.core.errors import StoreLocked, UsageError
from memctl.core.frozen import replace
from memctl.core.model import Actor, EntityRef, Memory
from memctl.core.typing_lite import Any
from memctl.curate import editing, refusals
from memctl.records import drafts, relations
from memctl.records.views import read_views
from memctl.redact.redactor import make_redactor
from memctl.results.records import ChangeReport
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import entities, records
from memctl.store.database import Database

# The fields that a correction takes itself; others are edited in the record that it makes.
_OF_CORRECTION = ("rationale", "valid_from", "valid_until")


def update_record(
    db: Database,
    config: Config,
    actor: Actor,
    record_id: str,
    content: str | None,
    changes: Mapping[str, Any],
    *,
    reason: str | None = None,
) -> ChangeReport:
    """Say a record in other words, change its fields, or both. The first record of the report is
    the one that stands now, or waits for the operator.

    Raises UsageError (also where nothing would change), NotFound, RefusedByPolicy; then nothing is
    written.
    """
    fields = dict(changes)
    refs: Sequence[EntityRef] = fields.pop("entities", ())
    with db.write():
        old = records.resolve_record(db, record_id)
        said = drafts.clean_text(content or "", make_redactor(config))
        if not said or said == old.content:
            return _edit(db, config, actor, old, fields, refs, reason)
        taken = {name: fields.pop(name) for name in _OF_CORRECTION if name in fields}
        report = editing.correct_record(
            db,
            config,
            actor,
            old.id,
            said,
            reason=reason,
            rationale=taken.get("rationale"),
            valid_from=taken.get("valid_from"),
            valid_until=taken.get("valid_until"),
        )
        new = report.changed[0].memory
        if fields or refs:
            _edit(db, config, actor, new, fields, refs, reason)
        return replace(report, changed=read_views(db, [view.memory.id for view in report.changed]))


def require_current(db: Database, record_id: str) -> None:
    """Raise UsageError for a record that another one superseded: to delete it takes nothing away.

    Raises NotFound.
    """
    with db.snapshot():
        old = records.resolve_record(db, record_id)
        head = relations.find_head(db, old)
    if head.id != old.id:
        raise UsageError(
            f"{old.id} was superseded by {head.id}", hint="delete that, if it is what is wrong"
        )


def leave_update(
    config: Config,
    actor: Actor,
    record_id: str,
    content: str | None,
    changes: Mapping[str, Any],
    *,
    reason: str | None = None,
) -> ChangeReport:
    """Leave new words for a store that is busy now. Raises UsageError; StoreLocked where other
    fields change too, which nobody could check later.
    """
    if not content or set(changes) - set(_OF_CORRECTION):
        raise StoreLocked("other writers keep the store busy; nothing was changed")
    left = editing.Correction(record_id, content, reason, **changes)
    return editing.leave_correction(config, actor, left)


def _edit(
    db: Database,
    config: Config,
    actor: Actor,
    memory: Memory,
    fields: Mapping[str, Any],
    refs: Sequence[EntityRef],
    reason: str | None,
) -> ChangeReport:
    if not fields and not refs:
        raise UsageError("an update needs new words or metadata")
    if fields:
        editing.edit_record(db, config, actor, memory.id, fields, reason=reason)
    if refs:
        refusals.require_allowed(policy.why_not_change(memory, actor))
        named = drafts.clean_entity_refs(refs, make_redactor(config))
        entities.attach_entities(db, memory.id, named, clock.now())
    return ChangeReport("edited", read_views(db, [memory.id]))
