"""Changes to a record by hand: edit, confirm, correct, forget, revert, link. Each keeps what was; none lets trust rise by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl.consolidate import apply
from memctl.core import clock
from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_SAID, Actor, Memory
from memctl.curate import linking, refusals
from memctl.records import drafts, relations
from memctl.records.views import read_views
from memctl.redact.redactor import Redactor, make_redactor
from memctl.results.records import ChangeReport, Refusal
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import entity_lookup, entities, evidence, records
from memctl.store.database import Database

_CONFIRMED_CONFIDENCE = 0.95
_LIVING_STATUSES = ("active", "contradicted", "inbox")
# The words that a reader is served; a date or a flag is not among them.
_WORDING_FIELDS = ("title", "content", "summary", "rationale", "alternatives")


def edit_record(
    db: Database,
    config: Config,
    actor: Actor,
    record_id: str,
    changes: Mapping[str, Any],
    *,
    reason: str | None,
) -> ChangeReport:
    """Set fields in place; an agent's wording of what the operator said falls to the agent's trust. Raises UsageError, RefusedByPolicy."""
    with db.write():
        memory = records.resolve(db, record_id)
        refusals.require_allowed(policy.why_not_change(memory, actor))
        changed = _cap_trust_of_rewording(
            memory, drafts.change_fields(memory, changes, make_redactor(config)), actor
        )
        refusals.require_allowed(policy.why_not_stand(changed, actor))
        if changed.fingerprint != memory.fingerprint:
            refusals.require_allowed(
                refusals.why_not_return(db, changed, actor, make_redactor(config))
            )
        if (
            changed.content != memory.content and actor.is_operator
        ):  # It is the operator's word of now.
            changed = replace(changed, confirmed_at=clock.now())
        records.replace(
            db,
            memory,
            replace(changed, updated_at=clock.now()),
            verb="edited",
            actor=actor.name,
            cause=_choose_cause(reason, "edit", make_redactor(config)),
        )
        if changed.content != memory.content:
            evidence.insert(
                db,
                [
                    drafts.build_manual_evidence(
                        replace(changed, updated_at=clock.now()),
                        actor,
                        redactor=make_redactor(config),
                    )
                ],
            )
            if (
                actor.is_operator
            ):  # What stood against the old words need not stand against the new ones.
                relations.resolve_contradictions(db, memory.id, actor=actor.name, cause="edit")
            linking.refresh_contradictions(db, memory.id, actor)
        relations.update_status_and_opponents(db, memory.id, actor=actor.name, cause="edit")
    return ChangeReport("edited", read_views(db, [memory.id]))


def confirm_records(
    db: Database, config: Config, actor: Actor, ids: list[str], *, reason: str | None
) -> ChangeReport:
    """The operator vouches for records: their word becomes evidence, trust and confidence rise. Raises RefusedByPolicy, NotFound."""
    if not actor.is_operator:
        raise RefusedByPolicy(f"raising trust {policy.AT_A_TERMINAL}")
    with db.write():
        chosen = records.resolve_all(db, ids)
        refused = [
            Refusal(m.id, f"it is {m.status}") for m in chosen if m.status not in _LIVING_STATUSES
        ]
        allowed = [memory for memory in chosen if memory.status in _LIVING_STATUSES]
        for memory in allowed:
            now = clock.now()
            sure = replace(
                memory,
                trust=OPERATOR_SAID,
                confidence=max(memory.confidence, _CONFIRMED_CONFIDENCE),
                confirmed_at=now,
                updated_at=now,
            )
            evidence.insert(
                db, [drafts.build_manual_evidence(sure, actor, redactor=make_redactor(config))]
            )
            records.replace(
                db,
                memory,
                sure,
                verb="confirmed",
                actor=actor.name,
                cause=_choose_cause(reason, "confirm", make_redactor(config)),
            )
            relations.update_status_and_opponents(db, memory.id, actor=actor.name, cause="confirm")
    return ChangeReport(
        "confirmed", read_views(db, [memory.id for memory in allowed]), tuple(refused)
    )


def correct_record(
    db: Database,
    config: Config,
    actor: Actor,
    record_id: str,
    content: str,
    *,
    reason: str | None,
    rationale: str | None,
    valid_from: str | None = None,
    valid_until: str | None = None,
) -> ChangeReport:
    """Write the new truth: the old record is superseded and linked. An agent's correction of stronger words is only proposed.

    The new words hold as long as the old ones, unless it is said from when or until when they do.
    """
    why = drafts.clean_reason(reason, make_redactor(config))
    with db.write():
        old = relations.find_head(db, records.resolve(db, record_id))
        refusals.require_allowed(policy.why_not_correct(old, actor))
        if old.status not in _LIVING_STATUSES:
            raise UsageError(f"{old.id} is {old.status}: correct the record that is in force")
        new = _draft_correction(
            _set_validity(old, valid_from, valid_until),
            content,
            actor,
            rationale,
            make_redactor(config),
        )
        if new.fingerprint == old.fingerprint:
            raise UsageError("the correction says the same as the record")
        refusals.require_allowed(refusals.why_not_return(db, new, actor, make_redactor(config)))
        proposed = not actor.is_operator and old.trust > actor.trust
        proof = drafts.build_manual_evidence(new, actor, redactor=make_redactor(config))
        new = replace(
            new,
            evidence_ref=proof.id,
            status="inbox" if proposed or old.status == "inbox" else "active",
        )
        refusals.require_allowed(policy.why_not_stand(new, actor))
        named = entity_lookup.list_refs_by_memory(db, [old.id]).get(old.id, [])
        records.insert(
            db,
            new,
            actor=actor.name,
            cause=_choose_cause(reason, "correct", make_redactor(config)),
            names=[ref.name for ref in named],
        )
        evidence.insert(db, [proof])
        entities.attach_entities(db, new.id, named, new.created_at)
        if proposed:
            relations.propose_replacement(
                db, new, old, reason=why or "a correction", actor=actor.name, cause="correct"
            )
        else:
            relations.supersede(
                db,
                new,
                old,
                reason=why,
                actor=actor.name,
                cause=_choose_cause(reason, "correct", make_redactor(config)),
            )
        apply.relate_new_record(db, config, new, actor=actor, cause="correct")
    return ChangeReport("proposed" if proposed else "corrected", read_views(db, [new.id, old.id]))


def _cap_trust_of_rewording(memory: Memory, changed: Memory, actor: Actor) -> Memory:
    """A record whose words were changed is no more trusted than who changed them; only the operator's hand leaves trust as it is."""
    same = all(getattr(memory, name) == getattr(changed, name) for name in _WORDING_FIELDS)
    return changed if same else replace(changed, trust=min(changed.trust, actor.trust))


def _choose_cause(reason: str | None, command: str, redactor: Redactor) -> str:
    return drafts.clean_reason(reason, redactor) or command


def _set_validity(memory: Memory, valid_from: str | None, valid_until: str | None) -> Memory:
    start, end = (
        drafts.parse_time(valid_from, "valid_from"),
        drafts.parse_time(valid_until, "valid_until"),
    )
    return drafts.require_limits(
        replace(
            memory, valid_from=start or memory.valid_from, valid_until=end or memory.valid_until
        )
    )


def _draft_correction(
    old: Memory, content: str, actor: Actor, rationale: str | None, redactor: Redactor
) -> Memory:
    now, text = clock.now(), drafts.clean_text(content, redactor)
    if not text:
        raise UsageError("a correction needs the right content")
    words = {
        "title": drafts.shorten(text, drafts.TITLE_LENGTH),
        "content": text,
        "summary": drafts.shorten(text, drafts.SUMMARY_LENGTH),
        "rationale": drafts.clean_text(rationale, redactor) if rationale else old.rationale,
    }
    fresh_state = {
        "id": clock.new_id(),
        "created_at": now,
        "updated_at": now,
        "observed_at": now,
        "access_count": 0,
        "last_accessed_at": None,
    }
    standing = {
        "trust": actor.trust,
        "source_kind": "manual",
        "source_ref": f"manual:{actor.name}",
        "status_reason": None,
    }
    confidence = _CONFIRMED_CONFIDENCE if actor.is_operator else min(old.confidence, 0.6)
    return drafts.set_fingerprint(
        drafts.require_limits(
            replace(old, **words, **fresh_state, **standing, confidence=confidence)
        )
    )
