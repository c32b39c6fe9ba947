"""Save drafts inside an open transaction: as new records, or as evidence for known ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from memctl.core.frozen import dataclass, replace
from memctl.core.model import Actor, Memory
from memctl.curate import refusals
from memctl.curate.write_drafts import WriteDraft
from memctl.records import drafts, purge_filter, relations
from memctl.redact.redactor import Redactor
from memctl.settings import policy
from memctl.store import entities, evidence, records, tombstones
from memctl.store.database import Database

CAUSE = "ingest"


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one draft: `created`, `merged`, `inbox` or `refused`, the record's id, a note.

    `created` is the new record, if there is one, and `number` its index number.
    """

    outcome: str
    memory_id: str
    note: str | None
    created: Memory | None = None
    number: int = -1


def require_all_allowed(
    db: Database, actor: Actor, items: Iterable[WriteDraft], redactor: Redactor
) -> None:
    """Raise RefusedByPolicy for the first draft that its writer may not bring back."""
    if actor.is_operator or not tombstones.are_any(db):
        return
    for item in items:
        refusals.require_allowed(refusals.why_not_return(db, item.memory, actor, redactor))


def save_drafts(
    db: Database, actor: Actor, items: Sequence[WriteDraft], redactor: Redactor
) -> Iterator[Written]:
    """Save some drafts one by one, in their order; who has enough stops asking for the next.

    A draft that is stored already, as this record, stays so.
    """
    known = _read_known(db, items)
    dead = tombstones.list_dead(db, (item.memory.fingerprint for item in items))
    holds_cuts = not actor.is_operator and purge_filter.has_cuts(db)
    for item in items:
        fingerprint = item.memory.fingerprint
        may_be_dead = holds_cuts or fingerprint in dead
        result = save_draft(
            db,
            actor,
            item,
            redactor,
            known[fingerprint],
            may_be_dead=may_be_dead,
        )
        if result.created is not None:
            known[fingerprint].append(result.created)
        yield result


def save_draft(
    db: Database,
    actor: Actor,
    item: WriteDraft,
    redactor: Redactor,
    known: Sequence[Memory],
    *,
    may_be_dead: bool = True,
) -> Written:
    """Save one draft; `known` are the records with its fingerprint.

    One whose words were rejected or purged by now is left out: `refused`.
    """
    memory = item.memory
    same = [
        other
        for other in known
        if (other.type, other.session_id) == (memory.type, memory.session_id)
    ]
    stored = next((other for other in known if other.id == memory.id), None)
    if stored is not None:
        return Written("created" if policy.is_in_force(stored) else "inbox", stored.id, None)
    in_force = next(filter(policy.is_in_force, same), None)
    if in_force is not None:
        return _merge_into_known(db, actor, item, in_force, redactor)
    if may_be_dead:
        refusal = refusals.why_not_return(db, memory, actor, redactor)
        if refusal:
            return Written("refused", memory.id, refusal)
        tombstones.lift_content(db, memory.fingerprint)
    waiting = next((other for other in same if other.status == "inbox"), None)
    proof = drafts.build_manual_evidence(memory, actor, redactor, item.quote)
    if waiting is not None and memory.status == "inbox":
        from memctl.consolidate import apply  # here, because most drafts are new

        apply.add_evidence(db, waiting, [proof], actor=actor.name, cause=CAUSE)
        return Written("inbox", waiting.id, "it is in the inbox already")
    memory = replace(memory, evidence_ref=proof.id)
    names = [ref.name for ref in item.entities]
    number = records.insert_record(db, memory, actor=actor.name, cause=CAUSE, names=names)
    evidence.insert_evidence(db, [proof])
    if item.entities:
        entities.attach_entities(db, memory.id, item.entities, memory.created_at)
    outcome = "inbox" if memory.status == "inbox" else "created"
    return Written(outcome, memory.id, memory.status_reason, memory, number)


def _read_known(db: Database, items: Iterable[WriteDraft]) -> dict[str, list[Memory]]:
    """The records with the fingerprints of some drafts, or with their ids, by fingerprint."""
    known: dict[str, list[Memory]] = defaultdict(list)
    wanted = list(items)
    for memory in records.list_by_fingerprints(db, (item.memory.fingerprint for item in wanted)):
        known[memory.fingerprint].append(memory)
    stored = records.list_by_ids(db, (item.memory.id for item in wanted))
    for item in wanted:
        before = stored.get(item.memory.id)
        if before is not None and before not in known[item.memory.fingerprint]:
            known[item.memory.fingerprint].append(before)
    return known


def _merge_into_known(
    db: Database, actor: Actor, item: WriteDraft, known: Memory, redactor: Redactor
) -> Written:
    """Add the new words as evidence to a known record; the operator's word raises its trust."""
    known = records.get_record(db, known.id)
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
        always_load=known.always_load or item.memory.always_load,
        updated_at=proof.created_at,
        confirmed_at=_choose_later(known.confirmed_at, item.memory.updated_at)
        if actor.is_operator
        else known.confirmed_at,
    )
    if actor.is_operator and changed != replace(known, updated_at=proof.created_at):
        records.replace_record(db, known, changed, verb="merged", actor=actor.name, cause=CAUSE)
        relations.update_status_and_opponents(db, known.id, actor=actor.name, cause=CAUSE)
    return Written("merged", known.id, "it was known already")


def _choose_later(one: str | None, other: str) -> str:
    return max(one or "", other)
