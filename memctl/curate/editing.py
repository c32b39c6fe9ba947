"""Records changed by hand: edited, confirmed, corrected.

The event log keeps the earlier state. Only a confirmation raises trust.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from memctl.core import clock
from memctl.core.errors import RefusedByPolicy, StoreLocked, UsageError
from memctl.core.frozen import asdict, dataclass, replace
from memctl.core.model import Actor, Memory, Place
from memctl.core.typing_lite import Any
from memctl.curate import linking, placement, refusals, spooled_writes, vouching
from memctl.records import drafts, headings, relations
from memctl.records.views import read_views
from memctl.redact.redactor import Redactor, make_redactor
from memctl.results.records import ChangeReport
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import (
    entities,
    entity_lookup,
    evidence,
    records,
    tags,
    tombstones,
)
from memctl.store.database import Database
from memctl.text.tags import normalise_tags

_LIVING_STATUSES = ("active", "contradicted", "inbox")
_NO_CONTENT = "a correction needs the right content"
# The words that a reader is served; dates and flags are not among them.
_WORDING_FIELDS = ("title", "content", "summary", "rationale", "alternatives")


@dataclass(frozen=True, slots=True)
class Correction:
    """What is to stand in the place of a record; its times are as given.

    The old rationale spoke for the old words: it stays only if `keeps_rationale`.
    """

    record_id: str
    content: str
    reason: str | None = None
    rationale: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    keeps_rationale: bool = False


def edit_record(
    db: Database,
    config: Config,
    actor: Actor,
    record_id: str,
    changes: Mapping[str, Any],
    *,
    reason: str | None,
    place: Place | None = None,
) -> ChangeReport:
    """Set fields of a record in place. Raises UsageError, RefusedByPolicy.

    Among `changes` may be `project` (a name or id) and `scope`, which move it; `place` is the
    caller's. `tags` are all that it is to have, `add_tags` and `drop_tags` change its own.
    An agent's new wording of what the operator said has only the agent's trust.
    """
    redactor = make_redactor(config)
    changes = dict(changes)
    project, scope = changes.pop("project", None), changes.pop("scope", None)
    tagging = _read_tagging(changes, redactor)
    with db.write():
        memory = records.resolve_record(db, record_id)
        refusals.require_allowed(policy.why_not_change(memory, actor))
        to = placement.find_destination(
            db, config, actor, [memory], project=project, scope=scope, place=place
        )
        edited = drafts.change_fields(memory, changes, redactor)
        if edited.content != memory.content:
            derived = headings.derive_headings(db, memory, edited.content)
            edited = replace(
                edited, **{name: each for name, each in derived.items() if name not in changes}
            )
        if to is not None:
            edited = placement.draft_moved(db, edited, to)
        edited = cap_trust_of_rewording(memory, edited, actor)
        refusals.require_allowed(policy.why_not_edit(memory, edited, actor))
        refusals.require_allowed(policy.why_not_stand(edited, actor))
        if edited.fingerprint != memory.fingerprint:
            refusals.require_allowed(refusals.why_not_return(db, edited, actor, redactor))
        is_reworded = edited.content != memory.content
        now = clock.now()
        if is_reworded and actor.is_operator:
            edited = replace(edited, confirmed_at=now)
        edited = replace(edited, updated_at=now)
        cause = drafts.clean_reason(reason, redactor) or "edit"
        own = tags.list_of_memory(db, memory.id) if tagging else ()
        kept = tagging(own) if tagging else own
        beside = ({}, {}) if kept == own else ({"tags": [*own]}, {"tags": [*kept]})
        who = {"actor": actor.name, "cause": cause}
        records.replace_record(db, memory, edited, verb="edited", beside=beside, **who)
        if kept != own:
            tags.set_tags(db, memory.id, kept, now)
        if is_reworded:
            _update_after_rewording(db, edited, actor, redactor)
        if to is not None:
            tombstones.move_tombstone(db, memory.id, memory.fingerprint, edited.fingerprint)
            placement.relate_moved(db, config, edited, actor=actor, cause=cause)
        relations.update_status_and_opponents(db, memory.id, actor=actor.name, cause="edit")
    if to is not None and memory.is_unplaced:
        placement.settle_sessions_of(db, config, [memory], to)
    return ChangeReport("edited", read_views(db, [memory.id]))


def _read_tagging(
    changes: dict[str, Any], redactor: Redactor
) -> Callable[[Iterable[str]], tuple[str, ...]] | None:
    """Take out of the changes what is said of tags: from those that a record has, those that it is
    to have. Raises UsageError.
    """
    said = [changes.pop(name, None) for name in ("tags", "add_tags", "drop_tags")]
    if all(each is None for each in said):
        return None
    whole, more, fewer = (
        None if each is None else drafts.clean_tags(each, redactor) for each in said
    )

    def choose(present: Iterable[str]) -> tuple[str, ...]:
        begun = present if whole is None else whole
        return normalise_tags({*begun, *(more or ())} - {*(fewer or ())})

    return choose


def confirm_records(
    db: Database, config: Config, actor: Actor, ids: Sequence[str], *, reason: str | None
) -> ChangeReport:
    """Vouch for records as the operator: the word becomes evidence, trust and confidence rise.

    Raises RefusedByPolicy unless the operator, NotFound.
    """
    if not actor.is_operator:
        raise RefusedByPolicy(f"raising trust {policy.AT_A_TERMINAL}")
    redactor = make_redactor(config)
    cause = drafts.clean_reason(reason, redactor) or "confirm"
    with db.write():
        allowed, refused = refusals.split_by_refusal(
            records.resolve_all(db, ids),
            lambda memory: None if memory.status in _LIVING_STATUSES else f"it is {memory.status}",
        )
        for memory in allowed:
            now = clock.now()
            confirmed = replace(vouching.vouch_for(memory, now), confirmed_at=now)
            vouching.add_own_word(db, confirmed, actor, redactor)
            records.replace_record(
                db, memory, confirmed, verb="confirmed", actor=actor.name, cause=cause
            )
            relations.update_status_and_opponents(db, memory.id, actor=actor.name, cause="confirm")
    return ChangeReport("confirmed", read_views(db, [memory.id for memory in allowed]), refused)


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
    keeps_rationale: bool = False,
) -> ChangeReport:
    """Write the right statement; it supersedes the old record and is linked to it.

    An agent's correction of a record with higher trust is only proposed. The new record is valid
    for as long as the old one unless `valid_from` or `valid_until` say otherwise. Raises
    UsageError, NotFound, RefusedByPolicy.
    """
    redactor = make_redactor(config)
    correction = _clean_correction(
        Correction(record_id, content, reason, rationale, valid_from, valid_until, keeps_rationale),
        redactor,
    )
    try:
        return store_correction(db, config, actor, correction, redactor)
    except StoreLocked:
        # What could never be stored is refused now, while its writer is there.
        with suppress(StoreLocked):
            old = records.resolve_record(db, record_id)
            _draft_correction(db, relations.find_head(db, old), correction, actor, redactor)
            correction = replace(correction, record_id=old.id)
        return leave_correction(config, actor, correction)


def leave_correction(config: Config, actor: Actor, correction: Correction) -> ChangeReport:
    """Leave a correction for a store that is busy now. Raises UsageError."""
    clean = _clean_correction(correction, make_redactor(config))
    if not clean.content:
        raise UsageError(_NO_CONTENT)
    for name in ("valid_from", "valid_until"):
        drafts.parse_time(getattr(clean, name), name)
    file = spooled_writes.spool_correction(config, actor, asdict(clean))
    return ChangeReport("corrected", (), spool_file=str(file))


def _clean_correction(correction: Correction, redactor: Redactor) -> Correction:
    rationale = correction.rationale
    return replace(
        correction,
        content=drafts.clean_text(correction.content, redactor),
        reason=drafts.clean_reason(correction.reason, redactor),
        rationale=drafts.clean_text(rationale, redactor) if rationale else None,
    )


def store_correction(
    db: Database,
    config: Config,
    actor: Actor,
    correction: Correction,
    redactor: Redactor,
    *,
    waited_since: str | None = None,
) -> ChangeReport:
    """Store a correction. Raises UsageError, NotFound, RefusedByPolicy.

    Where it has waited since a time, a record that took the old one's place meanwhile supersedes
    the correction.
    """
    why = correction.reason
    with db.write():
        old = relations.find_head(db, records.resolve_record(db, correction.record_id))
        new, is_proposed = _draft_correction(db, old, correction, actor, redactor)
        if waited_since is not None:
            new = _date_back(new, waited_since)
        stored = _insert_correction(db, new, old, actor, cause=why or "correct", redactor=redactor)
        if is_proposed:
            relations.propose_replacement(
                db, stored, old, reason=why or "a correction", actor=actor.name, cause="correct"
            )
        elif waited_since is not None and old.created_at > waited_since:
            relations.supersede(
                db, old, stored, reason=why, actor=actor.name, cause=why or "correct"
            )
        else:
            relations.supersede(
                db, stored, old, reason=why, actor=actor.name, cause=why or "correct"
            )
        current = records.get_record(db, stored.id)
        if current.status in _LIVING_STATUSES:
            from memctl.consolidate import new_records  # here: most changes compare nothing

            new_records.relate_new_record(db, config, current, actor=actor, cause="correct")
    verb = "proposed" if is_proposed else "corrected"
    return ChangeReport(verb, read_views(db, [stored.id, old.id]))


def _date_back(new: Memory, at: str) -> Memory:
    """A record as if it had been written at that time."""
    return replace(new, created_at=at, updated_at=at, observed_at=at)


def cap_trust_of_rewording(memory: Memory, changed: Memory, actor: Actor) -> Memory:
    """Cap the trust of a record at the trust of whoever changed its words."""
    if all(getattr(memory, name) == getattr(changed, name) for name in _WORDING_FIELDS):
        return changed
    return replace(changed, trust=min(changed.trust, actor.trust))


def _update_after_rewording(db: Database, edited: Memory, actor: Actor, redactor: Redactor) -> None:
    """Add the new words as evidence and mark what they contradict.

    What contradicted the operator's old words need not contradict the new ones.
    """
    evidence.insert_evidence(db, [drafts.build_manual_evidence(edited, actor, redactor=redactor)])
    if actor.is_operator:
        relations.resolve_contradictions(db, edited.id, actor=actor.name, cause="edit")
    linking.refresh_contradictions(db, edited.id, actor)


def _set_validity(memory: Memory, valid_from: str | None, valid_until: str | None) -> Memory:
    start = drafts.parse_time(valid_from, "valid_from") or memory.valid_from
    end = drafts.parse_time(valid_until, "valid_until") or memory.valid_until
    return drafts.require_limits(replace(memory, valid_from=start, valid_until=end))


def _draft_correction(
    db: Database, old: Memory, correction: Correction, actor: Actor, redactor: Redactor
) -> tuple[Memory, bool]:
    """Draft the record that corrects another, and whether it is only proposed.

    Raises UsageError, RefusedByPolicy.
    """
    refusals.require_allowed(policy.why_not_correct(old, actor))
    if old.status not in _LIVING_STATUSES:
        raise UsageError(f"{old.id} is {old.status}: correct the record that is in force")
    valid = _set_validity(old, correction.valid_from, correction.valid_until)
    new = refusals.fill_rationale(
        _draft_right_words(valid, correction, actor), actor, correction.reason, redactor
    )
    if new.fingerprint == old.fingerprint:
        raise UsageError("the correction says the same as the record")
    refusals.require_allowed(refusals.why_not_return(db, new, actor, redactor))
    is_proposed = not actor.is_operator and (
        old.trust > actor.trust or policy.is_operators_choice(old, actor)
    )
    waits = is_proposed or old.status == "inbox"
    if not waits and old.rationale and policy.lacks_rationale(new):
        raise UsageError(
            f"why it was decided was said of the old words ({old.rationale!r})",
            hint="--rationale TEXT says why now, --keep-rationale that it is still the same",
        )
    new = replace(new, status="inbox" if waits else "active")
    refusals.require_allowed(policy.why_not_stand(new, actor))
    return new, is_proposed


def _draft_right_words(old: Memory, correction: Correction, actor: Actor) -> Memory:
    now = clock.now()
    text = correction.content
    if not text:
        raise UsageError(_NO_CONTENT)
    corrected = replace(
        old,
        id=clock.new_id(),
        title=drafts.shorten(text, drafts.TITLE_LENGTH),
        content=text,
        summary=drafts.shorten(text, drafts.SUMMARY_LENGTH),
        rationale=correction.rationale or (old.rationale if correction.keeps_rationale else None),
        trust=actor.trust,
        confidence=(
            vouching.CONFIRMED_CONFIDENCE
            if actor.is_operator
            else min(old.confidence, policy.AGENT_CONFIDENCE)
        ),
        source_kind="manual",
        source_ref=f"manual:{actor.name}",
        status_reason=None,
        created_at=now,
        updated_at=now,
        observed_at=now,
        access_count=0,
        last_accessed_at=None,
    )
    return drafts.set_fingerprint(drafts.require_limits(corrected))


def _insert_correction(
    db: Database, new: Memory, old: Memory, actor: Actor, *, cause: str, redactor: Redactor
) -> Memory:
    """Insert the corrected record with its evidence and the entities of the old one; returns it."""
    proof = drafts.build_manual_evidence(new, actor, redactor=redactor)
    refs = entity_lookup.list_refs_by_memory(db, [old.id]).get(old.id, [])
    names = [ref.name for ref in refs]
    stored = replace(new, evidence_ref=proof.id)
    records.insert_record(db, stored, actor=actor.name, cause=cause, names=names)
    evidence.insert_evidence(db, [proof])
    entities.attach_entities(db, new.id, refs, new.created_at)
    return stored
