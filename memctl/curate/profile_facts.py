"""Facts about the operator: one value for each key, set and unset by the operator."""

from __future__ import annotations

from memctl.core.errors import NotFound, RefusedByPolicy, StoreLocked, UsageError
from memctl.core.frozen import replace
from memctl.core.model import Actor, Filter, Memory, NewMemory, Place
from memctl.curate import save_draft, spooled_writes
from memctl.curate.save_draft import Written
from memctl.curate.write_drafts import WriteDraft
from memctl.records import drafts, relations
from memctl.records.views import read_views
from memctl.redact.redactor import make_redactor
from memctl.results.records import ChangeReport, IngestReport, Saved
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import records
from memctl.store.database import Database

_CAUSE = "profile set"


def set_profile_fact(
    db: Database,
    config: Config,
    actor: Actor,
    key: str,
    value: str,
    *,
    kind: str,
    always_load: bool,
) -> IngestReport:
    """Set one fact about the operator and supersede its old value; a busy store takes it later.

    Raises RefusedByPolicy, UsageError.
    """
    draft = draft_fact(config, actor, key, value, kind=kind, always_load=always_load)
    try:
        written = store_fact(db, config, actor, draft)
    except StoreLocked:
        return leave_fact(config, actor, draft)
    views = read_views(db, [written.memory_id])
    return IngestReport(tuple(Saved(written.outcome, view, written.note) for view in views))


def leave_fact(config: Config, actor: Actor, draft: WriteDraft) -> IngestReport:
    """Leave a fact for a store that is busy now."""
    return IngestReport((), spool_file=str(spooled_writes.spool_fact(config, actor, draft)))


def draft_fact(
    config: Config, actor: Actor, key: str, value: str, *, kind: str, always_load: bool
) -> WriteDraft:
    """Draft one fact. Raises RefusedByPolicy, UsageError."""
    if not actor.is_operator:
        raise RefusedByPolicy(f"a profile fact {policy.AT_A_TERMINAL}")
    redactor = make_redactor(config)
    subject, text = drafts.normalise_subject(key, redactor), value.strip()
    if not subject or not text:
        raise UsageError("a profile fact needs a key and a value")
    item = NewMemory(
        "profile",
        f"{key.strip()}: {text}",
        kind=kind,
        title=key.strip(),
        subject=subject,
        always_load=always_load,
    )
    return WriteDraft(drafts.build_from_manual(item, Place(), actor, redactor))


def store_fact(
    db: Database, config: Config, actor: Actor, draft: WriteDraft, *, has_waited: bool = False
) -> Written:
    """Store a drafted fact, which supersedes what was said of its subject before.

    Where the draft `has_waited`, what was said meanwhile supersedes it.
    """
    memory, subject = draft.memory, draft.memory.subject or ""
    if not actor.is_operator:
        raise RefusedByPolicy(f"a profile fact {policy.AT_A_TERMINAL}")
    with db.write():
        [written] = save_draft.save_drafts(db, actor, [draft], make_redactor(config))
        if written.created is not None:
            from memctl.consolidate import new_records  # here: a known fact is not compared

            new_records.relate_new_record(
                db,
                config,
                written.created,
                actor=actor,
                cause=save_draft.CAUSE,
                settles=lambda step: actor.is_operator and step.explicit,
            )
        current = records.get_record(db, written.memory_id)
        others = [each for each in _list_profile_facts(db, subject) if each.id != current.id]
        newer = [other for other in others if has_waited and _was_said_after(other, memory)]
        if newer:
            relations.supersede(
                db, newer[0], current, reason="set again", actor=actor.name, cause=_CAUSE
            )
            return written
        for other in others:
            relations.supersede(
                db, current, other, reason="set again", actor=actor.name, cause=_CAUSE
            )
        # A fact that was known already takes the kind and the pin of this call.
        current = records.get_record(db, current.id)
        used = replace(
            current,
            kind=memory.kind,
            always_load=memory.always_load,
            updated_at=memory.updated_at,
        )
        records.replace_record(db, current, used, verb="edited", actor=actor.name, cause=_CAUSE)
    return written


def unset_profile_fact(db: Database, config: Config, actor: Actor, key: str) -> ChangeReport:
    """Archive a profile fact by its key; setting it again restores it.

    Raises NotFound, RefusedByPolicy.
    """
    if not actor.is_operator:
        raise RefusedByPolicy(f"a profile fact {policy.AT_A_TERMINAL}")
    with db.write():
        subject = drafts.normalise_subject(key, make_redactor(config))
        facts = _list_profile_facts(db, subject or "")
        if not facts:
            raise NotFound(f"no profile fact is called {key!r}")
        for fact in facts:
            relations.set_status(
                db,
                fact,
                "archived",
                reason="unset",
                verb="archived",
                actor=actor.name,
                cause="profile unset",
            )
            relations.resolve_contradictions(db, fact.id, actor=actor.name, cause="profile unset")
    return ChangeReport("unset", read_views(db, [fact.id for fact in facts]))


def _was_said_after(fact: Memory, draft: Memory) -> bool:
    return max(fact.created_at, fact.confirmed_at or "") > draft.created_at


def _list_profile_facts(db: Database, subject: str) -> list[Memory]:
    found = records.select_records(
        db, Filter(types=("profile",), statuses=("active", "contradicted"))
    )
    return [memory for memory in found if memory.subject == subject]
