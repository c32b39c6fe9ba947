"""Propose a record that a model derived from others.

It waits in the inbox, says that it is derived, and is trusted no more than its weakest parent.
Nobody said these words, so they are an agent's claim at most. What was rejected, forgotten or
purged does not return by them.
"""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED, Actor, Evidence, Memory
from memctl.core.typing_lite import Any
from memctl.curate import refusals
from memctl.records import drafts, relations
from memctl.redact.redactor import Redactor
from memctl.store import event_log, evidence, records
from memctl.store.database import Database

ACTOR = Actor("maintain")


def propose_derived(
    db: Database,
    like: Memory,
    content: str,
    parents: Sequence[Memory],
    redactor: Redactor,
    *,
    rule: str,
    reason: str,
    cause: str,
) -> Memory | None:
    """Put a copy of a record with other words into the inbox, linked to its parents.

    Returns None if it is known already or must not return.
    """
    words = drafts.clean_line(content, redactor)
    now = clock.now()
    trust = min(AGENT_CLAIMED, *(parent.trust for parent in parents))
    texts = {
        "content": words,
        "title": drafts.shorten(words, drafts.TITLE_LENGTH),
        "summary": drafts.shorten(words, drafts.SUMMARY_LENGTH),
    }
    origin = {
        "trust": trust,
        "rule": rule,
        "source_kind": "run",
        "source_ref": cause,
        "confidence": min(0.4, like.confidence),
    }
    seen = max(parent.observed_at for parent in parents)
    memory = drafts.set_fingerprint(
        replace(like, **_make_fresh_state(now), **texts, **origin, observed_at=seen)
    )
    proof = Evidence(clock.new_id(), memory.id, words, "assistant", trust, seen, now)
    with db.write(), event_log.group_changes(db, actor=ACTOR.name, cause=cause):
        if (
            not words
            or records.list_by_fingerprint(db, memory.fingerprint)
            or refusals.why_not_return(db, memory, ACTOR, redactor)
        ):
            return None
        memory = replace(memory, evidence_ref=proof.id)
        records.insert_record(db, memory, actor=ACTOR.name, cause=cause, verb="proposed")
        evidence.insert_evidence(db, [proof])
        for parent in parents:
            relations.add_link(
                db, memory.id, "derived_from", parent.id, reason=reason, actor=ACTOR.name
            )
    return memory


def _make_fresh_state(now: str) -> dict[str, Any]:
    """The fields of a record that nobody used, decided or confirmed yet."""
    return {
        "id": clock.new_id(),
        "status": "inbox",
        "status_reason": None,
        "created_at": now,
        "updated_at": now,
        "access_count": 0,
        "last_accessed_at": None,
        "confirmed_at": None,
        "protected": False,
        "always_load": False,
        "never_load": False,
        "good": 0,
        "bad": 0,
    }
