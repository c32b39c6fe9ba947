"""Records written by hand, all or none; active at once where policy allows, else in the inbox."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.consolidate import apply
from memctl.core import clock
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.frozen import replace
from memctl.core.model import Actor, Filter, Memory, NewMemory, Place
from memctl.curate import refusals
from memctl.records import drafts, ignore_rules, projects, relations
from memctl.records.record_source import PresentRecords
from memctl.records.views import build_view, read_views
from memctl.redact.redactor import Redactor, make_redactor
from memctl.results.records import ChangeReport, IngestReport, Saved
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import entities, evidence, records, tombstones
from memctl.store import projects as known_projects
from memctl.store.database import Database

_INBOX_REASONS = {
    "profile": f"kept in the inbox: a profile fact {policy.AT_A_TERMINAL}",
    "decision": "kept in the inbox: a decision becomes active only with a rationale",
}


def ingest_items(
    db: Database, config: Config, actor: Actor, items: Sequence[NewMemory], place: Place
) -> IngestReport:
    """Write records in one transaction.

    Raises UsageError or RefusedByPolicy naming the item; then nothing is written.
    """
    if not items:
        raise UsageError("nothing to ingest")
    drafted = [
        _draft_item(db, config, item, place, actor, number, len(items))
        for number, item in enumerate(items, 1)
    ]
    with db.write():
        done = [_save_record(db, config, actor, item, memory) for item, memory in drafted]
    return IngestReport(
        tuple(
            Saved(outcome, build_view(PresentRecords(db), records.get(db, memory_id)), note)
            for outcome, memory_id, note in done
        )
    )


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
    """Set one fact about the operator and supersede its old value.

    Raises RefusedByPolicy, UsageError.
    """
    if not actor.is_operator:
        raise RefusedByPolicy(f"a profile fact {policy.AT_A_TERMINAL}")
    subject, text = drafts.normalise_subject(key, make_redactor(config)), value.strip()
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
    memory = drafts.build_from_manual(item, Place(), actor, make_redactor(config))
    with db.write():
        outcome, memory_id, note = _save_record(db, config, actor, item, memory)
        for old in _list_profile_facts(db, subject):
            if old.id != memory_id:
                relations.supersede(
                    db,
                    records.get(db, memory_id),
                    old,
                    reason="set anew",
                    actor=actor.name,
                    cause="profile set",
                )
        # What was known already is kept, but how it is used is what was said last.
        known = records.get(db, memory_id)
        used = replace(
            known, kind=memory.kind, always_load=always_load, updated_at=memory.updated_at
        )
        records.replace(db, known, used, verb="edited", actor=actor.name, cause="profile set")
    return IngestReport(
        (Saved(outcome, build_view(PresentRecords(db), records.get(db, memory_id)), note),)
    )


def unset_profile_fact(db: Database, config: Config, actor: Actor, key: str) -> ChangeReport:
    """Archive a profile fact by its key; setting it again restores it.

    Raises NotFound, RefusedByPolicy.
    """
    if not actor.is_operator:
        raise RefusedByPolicy(f"a profile fact {policy.AT_A_TERMINAL}")
    with db.write():
        facts = _list_profile_facts(db, drafts.normalise_subject(key, make_redactor(config)) or "")
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


def _draft_item(
    db: Database,
    config: Config,
    item: NewMemory,
    place: Place,
    actor: Actor,
    number: int,
    total: int,
) -> tuple[NewMemory, Memory]:
    try:
        there = (
            projects.find_place(db, None, project=item.project, redactor=make_redactor(config))
            if item.project
            else place
        )
        if there.project_id:
            ignore_rules.refuse_ignored(
                config, named=known_projects.all_names(db, there.project_id)
            )
        memory = drafts.build_from_manual(
            item,
            replace(there, agent_id=place.agent_id, session_id=place.session_id),
            actor,
            make_redactor(config),
        )
        item = replace(
            item, entities=tuple(drafts.clean_entity_refs(item.entities, make_redactor(config)))
        )
    except (UsageError, NotFound) as error:
        if total > 1:
            raise type(error)(f"item {number}: {error}", hint=error.hint) from error
        raise
    return item, _choose_status(memory, actor)


def _choose_status(memory: Memory, actor: Actor) -> Memory:
    """Active where policy allows it, else in the inbox with the reason."""
    held = (memory.type == "profile" and not actor.is_operator) or policy.lacks_rationale(memory)
    return (
        replace(memory, status="inbox", status_reason=_INBOX_REASONS[memory.type])
        if held
        else memory
    )


def _save_record(
    db: Database, config: Config, actor: Actor, item: NewMemory, memory: Memory
) -> tuple[str, str, str | None]:
    alike = records.by_fingerprint(db, memory.fingerprint)
    known = [
        twin for twin in alike if (twin.type, twin.session_id) == (memory.type, memory.session_id)
    ]
    twin = next(filter(policy.is_in_force, known), None)
    if twin is not None:
        return _merge_into_known(db, actor, item, twin, make_redactor(config))
    refusal = refusals.why_not_return(db, memory, actor, make_redactor(config))
    if refusal:
        raise RefusedByPolicy(refusal)
    tombstones.lift_content(db, memory.fingerprint)
    waiting = next((twin for twin in known if twin.status == "inbox"), None)
    if waiting is not None and memory.status == "inbox":
        apply.add_evidence(
            db,
            waiting,
            [drafts.build_manual_evidence(memory, actor, make_redactor(config), item.quote)],
            actor=actor.name,
            cause="ingest",
        )
        return "inbox", waiting.id, "it waits in the inbox already"
    proof = drafts.build_manual_evidence(memory, actor, make_redactor(config), item.quote)
    memory = replace(memory, evidence_ref=proof.id)
    records.insert(
        db, memory, actor=actor.name, cause="ingest", names=[ref.name for ref in item.entities]
    )
    evidence.insert(db, [proof])
    entities.attach_entities(db, memory.id, item.entities, memory.created_at)
    apply.relate_new_record(
        db,
        config,
        memory,
        actor=actor,
        cause="ingest",
        settles=lambda step: actor.is_operator and step.explicit,
    )
    return ("inbox" if memory.status == "inbox" else "created"), memory.id, memory.status_reason


def _merge_into_known(
    db: Database, actor: Actor, item: NewMemory, twin: Memory, redactor: Redactor
) -> tuple[str, str, str | None]:
    """Add the new words as evidence to a known record; the operator's word raises its trust."""
    proof = drafts.build_manual_evidence(twin, actor, redactor, item.quote)
    known = evidence.of_memory(db, twin.id)
    if not any(
        e.quote == proof.quote and e.trust == proof.trust and e.source_id is None for e in known
    ):
        evidence.insert(db, [proof])
    changed = replace(
        twin,
        trust=max(twin.trust, actor.trust),
        always_load=twin.always_load or item.always_load,
        updated_at=proof.created_at,
        confirmed_at=clock.now() if actor.is_operator else twin.confirmed_at,
    )
    if actor.is_operator and changed != replace(twin, updated_at=proof.created_at):
        records.replace(db, twin, changed, verb="merged", actor=actor.name, cause="ingest")
        relations.update_status_and_opponents(db, twin.id, actor=actor.name, cause="ingest")
    return "merged", twin.id, "it was known already"


def _list_profile_facts(db: Database, subject: str) -> list[Memory]:
    found = records.select(db, Filter(types=("profile",), statuses=("active", "contradicted")))
    return [memory for memory in found if memory.subject == subject]
