"""Extracted candidates become records in the inbox.

Known statements are not proposed again, rejected ones never. What a forked session replays of its
parent, and what an agent repeats of what memctl served it, is no evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from memctl.consolidate import apply, entity_aliases
from memctl.consolidate.entity_statements import AliasStatement, find_alias_statements
from memctl.consolidate.novelty import Novelty
from memctl.consolidate.wording import share_subject
from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import Actor, Candidate, Evidence, Memory, Scope, Source, Turn
from memctl.core.typing_lite import cast
from memctl.curate import overruled_records, taken_back
from memctl.records import drafts, quality, relations
from memctl.records.scopes import RequestedScope
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import (
    chunks,
    entities,
    entity_moves,
    event_log,
    evidence,
    links,
    queue,
    records,
    sources,
    succession,
    tombstones,
)
from memctl.store.database import Database

ACTOR = "maintain"
_LIVING_STATUSES = ("active", "contradicted", "inbox")
# How many turns after a statement its correction may follow. Chosen by hand.
_MAX_TURNS_BETWEEN = 12


@dataclass(slots=True)
class ProposalCounts:
    """What became of the candidates of one source."""

    proposed: int = 0
    duplicates: int = 0
    rejected_again: int = 0
    episodes: int = 0
    contradictions: int = 0
    muted: int = 0


def propose_candidates(
    db: Database,
    config: Config,
    source: Source,
    turns: tuple[Turn, ...],
    candidates: list[Candidate],
    *,
    cause: str,
    same: Iterable[AliasStatement] = (),
    operation: str | None = None,
    check: Callable[[], object] = lambda: None,
    apart: Collection[str] = (),
    changes: Sequence[Candidate] = (),
) -> ProposalCounts:
    """Store the new candidates of one source, and the aliases that were stated in it.

    `changes` are candidates that are worth it only where a record says what they change.

    `same` are the statements that two names are one. `check` is called in each transaction before
    it changes anything, and raises where the rest is no longer the caller's to store. Outside a
    transaction it takes short ones, all of one operation; what a kill cut off is made good by
    calling it again, because candidates that are stored are known by their quotes. No candidate is
    merged with the records `apart`, which these candidates may replace.
    """
    counts, novelty = ProposalCounts(), Novelty(source, turns)
    redactor = make_redactor(config)
    names = config["operator.names"]
    operation = operation or db.operation or clock.new_id()
    with db.write(), event_log.group_changes(db, cause=cause, operation=operation):
        check()
        left = entity_aliases.learn_aliases(db, names, source, same)
        muted_rules = quality.list_muted(db)
        requested = find_requested_scope(db, source)
    if not db.in_transaction:
        for operation_id in left:
            entity_moves.finish(db, operation_id)
    wanted = [
        (each, is_change)
        for is_change, listed in enumerate((candidates, changes))
        for each in listed
        if each.rule not in muted_rules
    ]
    counts.muted = len(candidates) + len(changes) - len(wanted)

    def propose(one: tuple[Candidate, int]) -> None:
        candidate, is_change = one
        memory, proof = drafts.build_from_candidate(
            candidate, source, turns, redactor, names, requested
        )
        with event_log.group_changes(db, cause=cause, operation=operation):
            if is_change and not overruled_records.find_overruled(db, memory):
                return
            if candidate.type != "episode":
                _propose_one(db, novelty, memory, proof, candidate, cause, counts, apart)
            elif _store_episode(db, config, source, memory, proof, candidate, cause):
                counts.episodes += 1

    @contextmanager
    def checked() -> Iterator[None]:
        check()
        yield

    chunks.change_in_chunks(db, wanted, propose, around=checked)
    return counts


def find_requested_scope(db: Database, source: Source) -> RequestedScope | None:
    """Find the scope that was asked for when this session was captured."""
    found = queue.find_requested_scope(db, source.agent, source.session_id)
    if found is None:
        return None
    scope, actor = found
    return RequestedScope(cast(Scope, scope), Actor(actor).is_operator)


def _propose_one(
    db: Database,
    novelty: Novelty,
    memory: Memory,
    proof: list[Evidence],
    candidate: Candidate,
    cause: str,
    counts: ProposalCounts,
    apart: Collection[str],
) -> None:
    if (
        tombstones.find_tombstone(db, memory.fingerprint, [item.quote for item in proof[:1]])
        is not None
    ):
        counts.rejected_again += 1
        return
    if novelty.is_echo(db, memory.content, proof):
        counts.duplicates += 1
        return
    replayed = {item.id: novelty.find_forked_records(db, item) for item in proof}
    duplicate = _find_duplicate(db, novelty.source, memory, proof)
    if duplicate is None:
        duplicate = _find_in_parent(db, memory, replayed.get(memory.evidence_ref or "", []))
    if duplicate is not None:
        counts.duplicates += 1
        taken_back.bring_back(db, duplicate, actor=ACTOR, cause=cause)
        new_proof = [item for item in proof if not replayed[item.id]]
        if new_proof and duplicate.status in _LIVING_STATUSES:
            apply.add_evidence(db, duplicate, new_proof, actor=ACTOR, cause=cause)
        return
    _insert_candidate(db, memory, proof, candidate, cause)
    counts.proposed += 1
    for step in apply.plan_records(db, [memory]):
        if step.action == "merge":
            if {step.id, step.target} & {*apart}:
                continue
            counts.duplicates += 1
            counts.proposed -= 1
        counts.contradictions += step.action in ("contradict", "propose", "supersede")
        apply.carry_out_step(db, step, actor=ACTOR, cause=cause)
    counts.contradictions += _link_overruled(db, memory, cause)


def _link_overruled(db: Database, memory: Memory, cause: str) -> int:
    """Say of a stored candidate which records it would replace, and which it may touch."""
    if records.get_record(db, memory.id).status != "inbox":
        return 0
    found = overruled_records.find_overruled(db, memory)
    return overruled_records.link_overruled(db, memory, found, actor=ACTOR, cause=cause)


def _find_duplicate(
    db: Database, source: Source, memory: Memory, proof: list[Evidence]
) -> Memory | None:
    """Find a record of the same words in the same scope, or of the same quote in this session."""
    covering = [
        _find_covering(db, known, memory)
        for known in records.list_by_fingerprint(db, memory.fingerprint)
    ]
    same = [known for known in covering if known is not None]
    if same:
        return min(same, key=lambda known: (known.status not in _LIVING_STATUSES, known.id))
    return _find_with_quote(db, source, memory, proof[0].quote) if proof else None


def _find_with_quote(db: Database, source: Source, memory: Memory, quote: str) -> Memory | None:
    """Find a record of the same type whose first evidence is this quote of this session."""
    captures = sources.list_of_session(db, source.agent, source.session_id) or [source]
    quoting = [
        memory_id
        for capture in captures
        for memory_id in evidence.list_memories_quoting(db, quote, capture.id)
    ]
    for known in records.list_by_ids(db, quoting).values():
        if known.type != memory.type:
            continue
        first = [
            item for item in evidence.list_of_memory(db, known.id) if item.id == known.evidence_ref
        ]
        if first and first[0].quote == quote:
            return known
    return None


def _find_in_parent(db: Database, memory: Memory, quoting: list[str]) -> Memory | None:
    """Find the record that the parent session gave rise to by the same quotes."""
    quoted = records.list_by_ids(db, quoting).values()
    return next((known for known in quoted if known.type == memory.type), None)


def _find_covering(db: Database, known: Memory, memory: Memory) -> Memory | None:
    """Find the record by which a known record of the same words covers this one, or None.

    What was said again after it was superseded is new.
    """
    if known.status in _LIVING_STATUSES:
        return known
    if known.status != "superseded":
        return None
    chain = succession.read_chain(db, known.id)
    if not chain:
        return known if memory.observed_at <= known.updated_at else None
    link = links.find_between(db, chain[0], "supersedes", known.id)
    if link and (link.reason or "").startswith(apply.MERGED):
        return _find_covering(db, records.get_record(db, chain[0]), memory)
    head = records.get_record(db, chain[-1])
    # If the operator kept the older statement, it counts as known since that choice.
    is_newer = head.observed_at > known.observed_at
    known_since = head.observed_at if is_newer else known.updated_at
    return known if memory.observed_at <= known_since else None


def _store_episode(
    db: Database,
    config: Config,
    source: Source,
    memory: Memory,
    proof: list[Evidence],
    candidate: Candidate,
    cause: str,
) -> int:
    """Keep one episode per session; a session that grew rewrites its episode in place."""
    for capture in sources.list_of_session(db, source.agent, source.session_id):
        for known in records.list_by_source(db, capture.id):
            if known.type == "episode":
                return rewrite_episode(db, known, source, memory, proof, cause)
    if tombstones.find_tombstone(db, memory.fingerprint, []) is not None:
        return 0
    status = "active" if config["promotion.episodes"] else "inbox"
    _insert_candidate(db, replace(memory, status=status), proof, candidate, cause)
    return 1


def rewrite_episode(
    db: Database, old: Memory, source: Source, memory: Memory, proof: list[Evidence], cause: str
) -> int:
    """Replace an episode's text, with the trust of the new text; 0 if it is told like that."""
    is_same = all(
        getattr(memory, name) == getattr(old, name) for name in ("title", "content", "summary")
    )
    if old.status not in ("active", "inbox") or is_same:
        return 0
    evidence.withdraw_evidence(
        db, old.id, [item.id for item in evidence.list_of_memory(db, old.id)]
    )
    new_proof = [replace(item, memory_id=old.id) for item in proof]
    evidence.insert_evidence(db, new_proof)
    rewritten = replace(
        old,
        title=memory.title,
        content=memory.content,
        summary=memory.summary,
        observed_at=memory.observed_at,
        trust=memory.trust,
        confidence=memory.confidence,
        updated_at=memory.updated_at,
        source_ref=source.id,
        evidence_ref=new_proof[0].id if new_proof else None,
    )
    rewritten = drafts.set_fingerprint(rewritten)
    records.replace_record(db, old, rewritten, verb="retold", actor=ACTOR, cause=cause)
    return 1


def _insert_candidate(
    db: Database, memory: Memory, proof: list[Evidence], candidate: Candidate, cause: str
) -> None:
    records.insert_record(
        db,
        memory,
        actor=ACTOR,
        cause=cause,
        verb="proposed",
        names=[ref.name for ref in candidate.entities],
    )
    evidence.insert_evidence(db, proof)
    entities.attach_entities(db, memory.id, candidate.entities, memory.created_at)
    if candidate.corrects is not None:
        _link_corrected(db, memory, candidate)


def _link_corrected(db: Database, memory: Memory, candidate: Candidate) -> None:
    """Propose the new statement as a replacement of those that it corrects."""
    assert candidate.corrects is not None
    quoting = evidence.list_memories_quoting(db, candidate.corrects.quote, memory.source_ref)
    corrected = records.list_by_ids(db, quoting)
    for other in records.list_by_source(db, memory.source_ref) if memory.source_ref else ():
        if _is_corrected_by(db, other, memory) and share_subject(other.content, memory.content):
            corrected[other.id] = other
    for other in corrected.values():
        if other.id != memory.id and other.type != "episode" and other.status in _LIVING_STATUSES:
            relations.propose_replacement(
                db,
                memory,
                other,
                reason="corrected in the same session",
                actor=ACTOR,
                cause="extract",
            )


def _is_corrected_by(db: Database, other: Memory, memory: Memory) -> bool:
    """Whether a record of the same type and project was stated shortly before another.

    It must not be trusted more.
    """
    if (
        other.id == memory.id
        or (other.type, other.project_id) != (memory.type, memory.project_id)
        or other.trust > memory.trust
    ):
        return False
    turns = [
        [item.turn for item in evidence.list_of_memory(db, each.id) if item.turn is not None]
        for each in (other, memory)
    ]
    return all(turns) and 0 < max(turns[1]) - max(turns[0]) <= _MAX_TURNS_BETWEEN


def list_alias_statements(turns: Iterable[Turn]) -> list[AliasStatement]:
    """The statements of people that two names are one.

    It takes time, so call it before the write transaction.
    """
    spoken = (turn for turn in turns if turn.role == "human" and turn.kind == "text")
    found = (
        AliasStatement(a, b, turn.speaker, turn.ts)
        for turn in spoken
        for a, b in find_alias_statements(turn.text)
    )
    return list(dict.fromkeys(found))
