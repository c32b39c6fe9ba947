"""Records written by hand, all or none; active at once where policy allows, else in the inbox."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.consolidate import apply
from memctl.core import clock
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.frozen import dataclass, replace
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

# Why a record of that type waits in the inbox.
_INBOX_REASONS = {
    "profile": f"kept in the inbox: a profile fact {policy.AT_A_TERMINAL}",
    "decision": "kept in the inbox: a decision becomes active only with a rationale",
}


@dataclass(frozen=True, slots=True)
class _Written:
    """What became of one item: `created`, `merged` or `inbox`, the record's id, and a note."""

    outcome: str
    memory_id: str
    note: str | None


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
        written = [_save_record(db, config, actor, item, memory) for item, memory in drafted]
    return IngestReport(tuple(_build_saved(db, each) for each in written))


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
    memory = drafts.build_from_manual(item, Place(), actor, redactor)
    with db.write():
        written = _save_record(db, config, actor, item, memory)
        current = records.get_record(db, written.memory_id)
        for old in _list_profile_facts(db, subject):
            if old.id != current.id:
                relations.supersede(
                    db, current, old, reason="set again", actor=actor.name, cause="profile set"
                )
        # A fact that was known already takes the kind and the pin of this call.
        current = records.get_record(db, current.id)
        used = replace(
            current, kind=memory.kind, always_load=always_load, updated_at=memory.updated_at
        )
        records.replace_record(
            db, current, used, verb="edited", actor=actor.name, cause="profile set"
        )
    return IngestReport((_build_saved(db, written),))


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


def _draft_item(
    db: Database,
    config: Config,
    item: NewMemory,
    place: Place,
    actor: Actor,
    number: int,
    total: int,
) -> tuple[NewMemory, Memory]:
    redactor = make_redactor(config)
    try:
        location = place
        if item.project:
            location = projects.find_place(db, None, project=item.project, redactor=redactor)
        if location.project_id:
            names = known_projects.all_names(db, location.project_id)
            ignore_rules.refuse_ignored(config, named=names)
        location = replace(location, agent_id=place.agent_id, session_id=place.session_id)
        memory = drafts.build_from_manual(item, location, actor, redactor)
        item = replace(item, entities=tuple(drafts.clean_entity_refs(item.entities, redactor)))
    except (UsageError, NotFound) as error:
        if total > 1:
            raise type(error)(f"item {number}: {error}", hint=error.hint) from error
        raise
    return item, _choose_status(memory, actor)


def _choose_status(memory: Memory, actor: Actor) -> Memory:
    """Active where policy allows it, else in the inbox with the reason."""
    if (memory.type == "profile" and not actor.is_operator) or policy.lacks_rationale(memory):
        return replace(memory, status="inbox", status_reason=_INBOX_REASONS[memory.type])
    return memory


def _build_saved(db: Database, written: _Written) -> Saved:
    memory = records.get_record(db, written.memory_id)
    return Saved(written.outcome, build_view(PresentRecords(db), memory), written.note)


def _save_record(
    db: Database, config: Config, actor: Actor, item: NewMemory, memory: Memory
) -> _Written:
    """Insert a record, or add its words as evidence to a record of the same words."""
    redactor = make_redactor(config)
    same = [
        known
        for known in records.list_by_fingerprint(db, memory.fingerprint)
        if (known.type, known.session_id) == (memory.type, memory.session_id)
    ]
    in_force = next(filter(policy.is_in_force, same), None)
    if in_force is not None:
        return _merge_into_known(db, actor, item, in_force, redactor)
    refusals.require_allowed(refusals.why_not_return(db, memory, actor, redactor))
    tombstones.lift_content(db, memory.fingerprint)
    waiting = next((known for known in same if known.status == "inbox"), None)
    proof = drafts.build_manual_evidence(memory, actor, redactor, item.quote)
    if waiting is not None and memory.status == "inbox":
        apply.add_evidence(db, waiting, [proof], actor=actor.name, cause="ingest")
        return _Written("inbox", waiting.id, "it is in the inbox already")
    memory = replace(memory, evidence_ref=proof.id)
    names = [ref.name for ref in item.entities]
    records.insert_record(db, memory, actor=actor.name, cause="ingest", names=names)
    evidence.insert_evidence(db, [proof])
    entities.attach_entities(db, memory.id, item.entities, memory.created_at)
    apply.relate_new_record(
        db,
        config,
        memory,
        actor=actor,
        cause="ingest",
        settles=lambda step: actor.is_operator and step.explicit,
    )
    outcome = "inbox" if memory.status == "inbox" else "created"
    return _Written(outcome, memory.id, memory.status_reason)


def _merge_into_known(
    db: Database, actor: Actor, item: NewMemory, known: Memory, redactor: Redactor
) -> _Written:
    """Add the new words as evidence to a known record; the operator's word raises its trust."""
    proof = drafts.build_manual_evidence(known, actor, redactor, item.quote)
    is_new_evidence = not any(
        each.quote == proof.quote and each.trust == proof.trust and each.source_id is None
        for each in evidence.list_of_memory(db, known.id)
    )
    if is_new_evidence:
        evidence.insert_evidence(db, [proof])
    changed = replace(
        known,
        trust=max(known.trust, actor.trust),
        always_load=known.always_load or item.always_load,
        updated_at=proof.created_at,
        confirmed_at=clock.now() if actor.is_operator else known.confirmed_at,
    )
    if actor.is_operator and changed != replace(known, updated_at=proof.created_at):
        records.replace_record(db, known, changed, verb="merged", actor=actor.name, cause="ingest")
        relations.update_status_and_opponents(db, known.id, actor=actor.name, cause="ingest")
    return _Written("merged", known.id, "it was known already")


def _list_profile_facts(db: Database, subject: str) -> list[Memory]:
    found = records.select_records(
        db, Filter(types=("profile",), statuses=("active", "contradicted"))
    )
    return [memory for memory in found if memory.subject == subject]
