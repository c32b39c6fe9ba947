"""Propose one wider candidate where two projects say the same; nothing is decided here.

The candidate is derived from both, is trusted no more than the weaker, and rests on copies of their
evidence. It is proposed once: not again while it waits, nor after it was rejected or forgotten, nor
where something global says the same already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memctl.consolidate.compare import relation_of
from memctl.consolidate.neighbours import load_statements, share_evidence
from memctl.consolidate.plan import Decision, rank_for_survival
from memctl.consolidate.similarity import pick_search_terms
from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import Memory
from memctl.records import drafts, relations
from memctl.records.statement import Statement
from memctl.store import entities, entity_lookup, evidence, links, records, succession, tombstones
from memctl.store.database import Database

REASON = "says the same in two projects"
# What may hold everywhere. A port, a branch or a path is a project's own, even if another one has
# the same.
_KINDS = frozenset(
    {
        "preference",
        "convention",
        "constraint",
        "correction",
        "workflow",
        "domain-reference",
        "decision",
        "fix",
    }
)
# How many records of other projects are compared with one record. Chosen by hand.
_MOST_COMPARED = 8
# Asking the index for a word costs by the records that hold it: so many are looked at.
_MOST_POSTINGS = 5_000


def plan_widening(db: Database, memories: Iterable[Memory]) -> list[Decision]:
    """The wider candidates that some records give cause for."""
    steps: list[Decision] = []
    used: set[str] = set()
    for memory in sorted(filter(_can_widen, memories), key=lambda memory: memory.id):
        if memory.id in used:
            continue
        unused = (other for other in _find_duplicates(db, memory) if other.id not in used)
        duplicate = next(unused, None)
        if duplicate is not None and not _is_known(db, memory, duplicate):
            used |= {memory.id, duplicate.id}
            steps.append(Decision("widen", memory.id, REASON, duplicate.id))
    return steps


def propose_wider(db: Database, step: Decision, *, actor: str, cause: str) -> bool:
    """Store one wider candidate; False if it is known by now, or if a parent cannot widen any
    more.
    """
    parents = [
        memory
        for each in (step.id, step.target or "")
        if _can_widen(memory := records.get_record(db, each))
    ]
    if len(parents) < 2 or _is_known(db, *parents):
        return False
    clearer = min(load_statements(db, parents), key=rank_for_survival)
    model, other = sorted(parents, key=lambda memory: memory.id != clearer.id)
    wider = _draft_wider(model, other)
    named = entity_lookup.list_refs_by_memory(db, [memory.id for memory in parents])
    refs = list(dict.fromkeys(ref for memory in parents for ref in named.get(memory.id, ())))
    records.insert_record(
        db, wider, actor=actor, cause=cause, verb="proposed", names=[ref.name for ref in refs]
    )
    for memory in (model, other):
        share_evidence(db, memory, wider, wider.created_at)
        relations.add_link(
            db, wider.id, "derived_from", memory.id, reason=links.WIDENED, actor=actor
        )
    entities.attach_entities(db, wider.id, refs, wider.created_at)
    _set_evidence_ref(db, wider, actor=actor, cause=cause)
    return True


def _can_widen(memory: Memory) -> bool:
    shared = memory.scope in ("project", "repo") and memory.project_id is not None
    return shared and memory.status in ("active", "contradicted") and memory.kind in _KINDS


def _find_duplicates(db: Database, memory: Memory) -> list[Memory]:
    """Records in force of other projects that say the same, best first."""
    terms = succession.choose_rarest_words(db, pick_search_terms(memory.content), _MOST_POSTINGS)
    others = [
        other
        for other in succession.list_elsewhere(db, terms, memory, _MOST_COMPARED)
        if _can_widen(other) and other.type == memory.type
    ]
    statements = {each.id: each for each in _drop_scopes(load_statements(db, [memory, *others]))}
    own = statements[memory.id]
    return [other for other in others if relation_of(own, statements[other.id]) == "duplicate"]


def _drop_scopes(statements: Sequence[Statement]) -> list[Statement]:
    """Statements as if they were said of no project, so that they can be compared."""
    return [
        replace(each, scope="global", project_id=None, repo_id=None, fingerprint="")
        for each in statements
    ]


def _is_known(db: Database, one: Memory, other: Memory) -> bool:
    """Was a wider candidate proposed or rejected, or does something global say it already?"""
    ids = [one.id, other.id]
    for link in links.list_of_memories(db, ids):
        is_widening = link.relation == "derived_from" and link.reason == links.WIDENED
        if is_widening and link.to_id in ids:
            return True
    return _is_known_globally(db, one) or _is_known_globally(db, other)


def _is_known_globally(db: Database, memory: Memory) -> bool:
    wider = drafts.set_fingerprint(replace(memory, scope="global", project_id=None, repo_id=None))
    if records.list_by_fingerprint(db, wider.fingerprint):
        return True
    if tombstones.find_tombstone(db, wider.fingerprint, []):
        return True
    terms = list(pick_search_terms(memory.content))
    similar = records.list_similar(db, terms, wider, _MOST_COMPARED)
    own, *others = _drop_scopes(load_statements(db, [memory, *similar]))
    return any(relation_of(own, each) for each in others)


def _draft_wider(model: Memory, other: Memory) -> Memory:
    now = clock.now()
    return drafts.set_fingerprint(
        replace(
            model,
            id=clock.new_id(),
            scope="global",
            project_id=None,
            repo_id=None,
            status="inbox",
            status_reason=REASON,
            trust=min(model.trust, other.trust),
            confidence=min(model.confidence, other.confidence),
            created_at=now,
            updated_at=now,
            observed_at=min(model.observed_at, other.observed_at),
            confirmed_at=None,
            rationale=model.rationale or other.rationale,
            source_ref=f"derived:{model.id}",
            origin=model.origin or other.origin,
            evidence_ref=None,
            always_load=False,
            never_load=False,
            protected=False,
            last_accessed_at=None,
            access_count=0,
            good=0,
            bad=0,
        )
    )


def _set_evidence_ref(db: Database, wider: Memory, *, actor: str, cause: str) -> None:
    proof = evidence.list_of_memory(db, wider.id)
    if proof:
        records.replace_record(
            db,
            wider,
            replace(wider, evidence_ref=proof[0].id),
            verb="proposed",
            actor=actor,
            cause=cause,
        )
