"""Archiving with a verdict: what was rejected or forgotten is not proposed or imported again."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Actor, Memory
from memctl.curate import refusals
from memctl.records import drafts, relations
from memctl.records.record_source import PresentRecords
from memctl.records.views import list_views, read_views
from memctl.redact.redactor import Redactor
from memctl.results.records import ChangeReport
from memctl.store import chunks, event_log, evidence, links, records, tombstones
from memctl.store.database import Database

# Characters. A shorter quote ("yes, do that") may be evidence of quite different records, so that a
# verdict does not cover what is quoted like that.
_SHORTEST_QUOTE = 24
# What stands between an agent's name and why it would reject a candidate, and between two of them:
# what an agent says may hold a semicolon.
_WOULD_REJECT = " would reject it: "
_BETWEEN_OPINIONS = compile_later(rf"; (?=[^;]+{_WOULD_REJECT})")
# Characters of what agents think of one candidate.
_LONGEST_OPINIONS = 500


def reject_candidates(
    db: Database, actor: Actor, ids: Iterable[str], redactor: Redactor, *, reason: str
) -> ChangeReport:
    """Archive candidates for good. Raises UsageError without a reason or ids, NotFound.

    An agent's rejection is an opinion: it is noted for the operator, and the candidate stays.
    """
    why_rejected = drafts.clean_reason(reason, redactor)
    if not why_rejected:
        raise UsageError("a rejection needs a reason")
    with db.snapshot():
        allowed, refused = refusals.split_by_refusal(
            records.resolve_all(db, ids), lambda memory: refusals.why_not_reject(memory, actor)
        )

    def reject(known: Memory) -> None:
        memory = records.get_record(db, known.id)
        if refusals.why_not_reject(memory, actor):  # Somebody else was faster.
            return
        if not actor.is_operator:
            _note_opinion(db, memory, actor, why_rejected)
            return
        with event_log.group_changes(db, actor=actor.name, cause="rejected"):
            archive_with_verdict(db, memory, verdict="rejected", reason=why_rejected, actor=actor)
            if _has_replaced(db, memory):
                from memctl.curate import reconcile_notes  # here, because few have

                reconcile_notes.reinstate_replaced(db, memory, actor)

    chunks.change_in_chunks(db, allowed, reject)
    verb = "rejected" if actor.is_operator else "advised"
    return ChangeReport(verb, read_views(db, [memory.id for memory in allowed]), refused)


def _note_opinion(db: Database, memory: Memory, actor: Actor, reason: str) -> None:
    """Note with a candidate that an agent would reject it, once for each agent."""
    opinion = f"{actor.name}{_WOULD_REJECT}{reason}"
    others = [
        part
        for part in _BETWEEN_OPINIONS.split(memory.status_reason or "")
        if part and not part.startswith(f"{actor.name}{_WOULD_REJECT}")
    ]
    noted = drafts.shorten("; ".join([*others, opinion]), _LONGEST_OPINIONS)
    changed = replace(memory, status_reason=noted, updated_at=clock.now())
    records.replace_record(
        db, memory, changed, verb="advised", actor=actor.name, cause=f"advised: {reason}"
    )


def forget_records(
    db: Database,
    actor: Actor,
    ids: Iterable[str],
    redactor: Redactor,
    *,
    reason: str | None,
    dry_run: bool,
) -> ChangeReport:
    """Archive records so that they are not served, proposed or imported again. Raises NotFound."""
    with db.snapshot() if dry_run else db.write():
        allowed, refused = refusals.split_by_refusal(
            records.resolve_all(db, ids), lambda memory: refusals.why_not_forget(db, memory, actor)
        )
        if dry_run:
            views = tuple(list_views(PresentRecords(db), allowed))
            return ChangeReport("forgotten", views, refused, dry_run=True)
        for memory in allowed:
            archive_with_verdict(
                db,
                memory,
                verdict="forgotten",
                reason=drafts.clean_reason(reason, redactor),
                actor=actor,
            )
    return ChangeReport("forgotten", read_views(db, [memory.id for memory in allowed]), refused)


def _has_replaced(db: Database, memory: Memory) -> bool:
    return any(
        link.relation == "supersedes" and link.from_id == memory.id
        for link in links.list_of_memory(db, memory.id)
    )


def archive_with_verdict(
    db: Database, memory: Memory, *, verdict: str, reason: str | None, actor: Actor
) -> None:
    """Archive a record under a verdict (`rejected`, `forgotten`) that keeps it from coming back."""
    tombstones.add_tombstone(
        db,
        memory_id=memory.id,
        fingerprint=memory.fingerprint,
        verdict=verdict,
        quote=_find_main_quote(db, memory),
        reason=reason,
        actor=actor.name,
        at=clock.now(),
    )
    text = f"{verdict}: {reason}" if reason else verdict
    relations.set_status(
        db, memory, "archived", reason=text, verb=verdict, actor=actor.name, cause=verdict
    )
    relations.resolve_contradictions(db, memory.id, actor=actor.name, cause=verdict)


def _find_main_quote(db: Database, memory: Memory) -> str | None:
    """The captured quote that the record was made from, if it is long enough to stand for it."""
    for item in evidence.list_of_memory(db, memory.id):
        if item.id == memory.evidence_ref and item.source_id:
            return item.quote if len(item.quote) >= _SHORTEST_QUOTE else None
    return None
