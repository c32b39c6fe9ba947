"""Extracted candidates become records in the inbox.

Known statements are not proposed again, rejected ones never. What a forked session replays of its
parent, and what an agent repeats of what memctl served it, is no evidence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memctl.consolidate import apply, entity_aliases
from memctl.consolidate.entity_statements import AliasStatement, find_alias_statements
from memctl.consolidate.novelty import Novelty
from memctl.consolidate.wording import share_subject
from memctl.core.frozen import replace
from memctl.core.model import Candidate, Evidence, Memory, Source, Turn
from memctl.records import drafts, quality, relations
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import entities, evidence, links, records, sources, succession, tombstones
from memctl.store.database import Database

ACTOR = "maintain"
_LIVING_STATUSES = ("active", "contradicted", "inbox")
# A correction in a session is of what was said so many turns before at most.
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
) -> ProposalCounts:
    """Store the new candidates of one source, and the aliases that were stated in it.

    `same` are the statements that two names are one. Call it inside one write transaction.
    """
    tally, novelty = ProposalCounts(), Novelty(source, turns)
    entity_aliases.learn_aliases(db, config["operator.names"], source, same)
    unheard = quality.list_muted(db)
    tally.muted = sum(candidate.rule in unheard for candidate in candidates)
    for candidate in (candidate for candidate in candidates if candidate.rule not in unheard):
        memory, proof = drafts.build_from_candidate(
            candidate, source, turns, make_redactor(config), config["operator.names"]
        )
        if candidate.type == "episode":
            tally.episodes += _store_episode(db, config, source, memory, proof, candidate, cause)
        else:
            _propose_one(db, novelty, memory, proof, candidate, cause, tally)
    return tally


def _propose_one(
    db: Database,
    novelty: Novelty,
    memory: Memory,
    proof: list[Evidence],
    candidate: Candidate,
    cause: str,
    tally: ProposalCounts,
) -> None:
    if tombstones.find(db, memory.fingerprint, [item.quote for item in proof[:1]]) is not None:
        tally.rejected_again += 1
        return
    if novelty.is_echo(db, memory.content, proof):
        tally.duplicates += 1
        return
    told = {item.id: novelty.find_forked_records(db, item) for item in proof}
    twin = _find_duplicate(db, novelty.source, memory, proof) or _find_in_parent(
        db, memory, told.get(memory.evidence_ref or "", [])
    )
    if twin is not None:
        tally.duplicates += 1
        fresh = [item for item in proof if not told[item.id]]
        if fresh and twin.status in _LIVING_STATUSES:
            apply.add_evidence(db, twin, fresh, actor=ACTOR, cause=cause)
        return
    _insert_candidate(db, memory, proof, candidate, cause)
    tally.proposed += 1
    for step in apply.plan_records(db, [memory]):
        if step.action == "merge":
            tally.duplicates, tally.proposed = tally.duplicates + 1, tally.proposed - 1
        tally.contradictions += step.action in ("contradict", "propose", "supersede")
        apply.carry_out_step(db, step, actor=ACTOR, cause=cause)


def _find_duplicate(
    db: Database, source: Source, memory: Memory, proof: list[Evidence]
) -> Memory | None:
    """Find the record with the same words in the same scope, or from the same quote of this
    session.
    """
    same = [
        twin
        for known in records.by_fingerprint(db, memory.fingerprint)
        if (twin := _find_covering(db, known, memory))
    ]
    if same:
        return min(same, key=lambda known: (known.status not in _LIVING_STATUSES, known.id))
    if not proof:
        return None
    told = [version.id for version in sources.of_session(db, source.agent, source.session_id)] or [
        source.id
    ]
    quoting = [
        known
        for version in told
        for known in evidence.memories_quoting(db, proof[0].quote, version)
    ]
    found = [
        known
        for known in records.by_ids(db, quoting).values()
        if known.type == memory.type and known.evidence_ref
    ]
    first = {item.id: item for known in found for item in evidence.of_memory(db, known.id)}
    return next(
        (
            known
            for known in found
            if (own := first.get(known.evidence_ref or "")) and own.quote == proof[0].quote
        ),
        None,
    )


def _find_in_parent(db: Database, memory: Memory, quoting: list[str]) -> Memory | None:
    """Find the record that the parent session gave rise to by the same quotes."""
    return next(
        (known for known in records.by_ids(db, quoting).values() if known.type == memory.type), None
    )


def _find_covering(db: Database, known: Memory, memory: Memory) -> Memory | None:
    """Find the record by which a known record of the same words covers this one, or None.

    What was said again after it was superseded is new.
    """
    if known.status in _LIVING_STATUSES:
        return known
    chain = succession.chain(db, known.id) if known.status == "superseded" else []
    if not chain:
        return (
            known
            if known.status == "superseded" and memory.observed_at <= known.updated_at
            else None
        )
    link = links.between(db, chain[0], "supersedes", known.id)
    if link and (link.reason or "").startswith(apply.MERGED):
        return _find_covering(db, records.get(db, chain[0]), memory)
    head = records.get(db, chain[-1])
    # Where the older one was kept by hand, it is known since then.
    said = head.observed_at if head.observed_at > known.observed_at else known.updated_at
    return known if memory.observed_at <= said else None


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
    told = sources.of_session(db, source.agent, source.session_id)
    known = [
        old
        for version in told
        for old in records.by_source(db, version.id)
        if old.type == "episode"
    ]
    if known:
        return _rewrite_episode(db, known[0], source, memory, proof, cause)
    if tombstones.find(db, memory.fingerprint, []) is not None:
        return 0
    status = "active" if config["promotion.episodes"] else "inbox"
    _insert_candidate(db, replace(memory, status=status), proof, candidate, cause)
    return 1


def _rewrite_episode(
    db: Database, old: Memory, source: Source, memory: Memory, proof: list[Evidence], cause: str
) -> int:
    """Replace an episode's text, with the trust of the new text."""
    if old.status not in ("active", "inbox") or memory.content == old.content:
        return 0
    evidence.withdraw(db, old.id, [item.id for item in evidence.of_memory(db, old.id)])
    fresh = [replace(item, memory_id=old.id) for item in proof]
    evidence.insert(db, fresh)
    words = {
        name: getattr(memory, name)
        for name in (
            "title",
            "content",
            "summary",
            "observed_at",
            "trust",
            "confidence",
            "updated_at",
        )
    }
    told = drafts.set_fingerprint(
        replace(old, **words, source_ref=source.id, evidence_ref=fresh[0].id if fresh else None)
    )
    records.replace(db, old, told, verb="retold", actor=ACTOR, cause=cause)
    return 1


def _insert_candidate(
    db: Database, memory: Memory, proof: list[Evidence], candidate: Candidate, cause: str
) -> None:
    records.insert(
        db,
        memory,
        actor=ACTOR,
        cause=cause,
        verb="proposed",
        names=[ref.name for ref in candidate.entities],
    )
    evidence.insert(db, proof)
    entities.attach_entities(db, memory.id, candidate.entities, memory.created_at)
    if candidate.corrects is not None:
        _link_corrected(db, memory, candidate)


def _link_corrected(db: Database, memory: Memory, candidate: Candidate) -> None:
    """Propose the new statement as a replacement of those that it corrects."""
    assert candidate.corrects is not None
    wrong = evidence.memories_quoting(db, candidate.corrects.quote, memory.source_ref)
    before = records.by_source(db, memory.source_ref) if memory.source_ref else []
    alike = [
        other
        for other in before
        if _is_corrected_by(db, other, memory) and share_subject(other.content, memory.content)
    ]
    for other in {each.id: each for each in (*records.by_ids(db, wrong).values(), *alike)}.values():
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
    """Whether one record was stated shortly before another of its session, type and project, and
    is not trusted more.
    """
    if (
        other.id == memory.id
        or (other.type, other.project_id) != (memory.type, memory.project_id)
        or other.trust > memory.trust
    ):
        return False
    turns = [
        [item.turn for item in evidence.of_memory(db, each.id) if item.turn is not None]
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
