"""Propose what the operator said in two sessions and no record says.

A plain statement that says too little by itself is worth asking about when it is said again on
another day, in the same words or nearly so: people do not repeat what holds for an hour. The latest
wording is proposed, with every time it was said behind it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from memctl.consolidate import apply
from memctl.consolidate.duplicates import is_one_fact
from memctl.consolidate.known_answers import KnownAnswers
from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Candidate, Evidence, Source, Transcript, Turn
from memctl.core.timestamps import days_between
from memctl.curate.propose import ACTOR, propose_candidates
from memctl.extract import list_passed_over
from memctl.records import drafts, quality
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import event_log, evidence, records, sources, tombstones
from memctl.store.database import Database
from memctl.text.normalize import list_content_words

RULE = "tiers.said"
# Sessions of one origin count once; from so many on, so many days apart. Chosen by hand.
_LEAST_SESSIONS = 2
_LEAST_DAYS = 1.0
# How sure it is that such a statement is worth keeping. Chosen by hand.
_CONFIDENCE = 0.55
# Content words that two wordings share before they are compared closely.
_LEAST_SHARED = 2


@dataclass(frozen=True, slots=True)
class SaidOnce:
    """A statement in one session: `origin` is the same for a session, its forks and sub-agents."""

    candidate: Candidate
    source: Source
    turns: tuple[Turn, ...]
    origin: str
    at: str


def list_said(
    db: Database, source_id: str, turns: Sequence[Turn], origin: str, at: str
) -> list[SaidOnce]:
    """List the plain statements of a session on which no record rests."""
    source = sources.get_source(db, source_id)
    told = Transcript(source.format, source.agent, source.session_id, tuple(turns))
    found = list_passed_over(told, [])
    quoted = evidence.list_of_sources(db, [source_id]) if found else []
    return [
        SaidOnce(each, source, told.turns, origin, each.observed_at or at)
        for each in found
        if not any(_overlaps(item, each) for item in quoted)
    ]


def _overlaps(item: Evidence, candidate: Candidate) -> bool:
    own = candidate.evidence[0]
    return (
        item.turn == own.turn
        and item.span_start is not None
        and item.span_end is not None
        and item.span_start < own.end
        and own.start < item.span_end
    )


def find_said_again(said: Iterable[SaidOnce]) -> list[list[SaidOnce]]:
    """Find what was said in several sessions, days apart: each time that it was, in order."""
    groups: list[list[SaidOnce]] = []
    by_word = defaultdict[str, list[int]](list)
    for one in sorted(said, key=lambda each: (each.at, each.source.id)):
        words = frozenset(list_content_words(one.candidate.content))
        shared = defaultdict[int, int](int)
        for word in words:
            for place in by_word[word]:
                shared[place] += 1
        home = next((p for p in sorted(shared) if _is_same(groups[p][-1], one, shared[p])), None)
        if home is None:
            for word in words:
                by_word[word].append(len(groups))
            groups.append([one])
        else:
            groups[home].append(one)
    return [group for group in groups if _is_enough(group)]


def _is_same(known: SaidOnce, one: SaidOnce, shared: int) -> bool:
    first, second = known.candidate, one.candidate
    return (
        shared >= min(_LEAST_SHARED, len(list_content_words(second.content)))
        and (first.type, first.scope) == (second.type, second.scope)
        and is_one_fact(first.content, second.content)
    )


def _is_enough(group: Sequence[SaidOnce]) -> bool:
    return (
        len({one.origin for one in group}) >= _LEAST_SESSIONS
        and days_between(group[0].at, group[-1].at) >= _LEAST_DAYS
    )


def propose_said_again(
    db: Database, config: Config, said: Iterable[SaidOnce], work: BoundedWork, cause: str
) -> None:
    """Propose what was said again; it counts what was `proposed` or was `known` already.

    What a record says already, waiting or approved, is confirmed by that and not proposed.
    """
    if quality.is_muted(db, RULE):
        return
    finder: KnownAnswers | None = None
    for group in find_said_again(said):
        if work.must_stop():
            return
        finder = finder or KnownAnswers(db, config)
        work.count("proposed" if _propose(db, config, group, finder, cause) else "known")


def _propose(
    db: Database, config: Config, group: Sequence[SaidOnce], finder: KnownAnswers, cause: str
) -> bool:
    """Propose one statement, or confirm the record that says it by now."""
    latest = group[-1]
    candidate = replace(latest.candidate, rule=RULE, confidence=_CONFIDENCE)
    memory, _ = drafts.build_from_candidate(
        candidate, latest.source, latest.turns, make_redactor(config), config["operator.names"]
    )
    answer = finder.find(memory)
    with db.write(), event_log.group_changes(db, cause=cause):
        if any(_was_rejected(db, one) for one in group):
            return False
        if answer is not None and answer.bearing == "repeats":
            proof = [item for one in group for item in _build_proof(config, one)]
            known = records.get_record(db, answer.record.id)
            apply.add_evidence(db, known, proof, actor=ACTOR, cause=cause)
            return False
        counts = propose_candidates(
            db, config, latest.source, latest.turns, [candidate], cause=cause
        )
        quote = latest.candidate.evidence[0].quote
        ids = evidence.list_memories_quoting(db, quote, latest.source.id)
        for made in records.list_by_ids(db, ids).values():
            earlier = [item for one in group[:-1] for item in _build_proof(config, one)]
            apply.add_evidence(db, made, earlier, actor=ACTOR, cause=cause)
    return bool(counts.proposed)


def _was_rejected(db: Database, one: SaidOnce) -> bool:
    quote = one.candidate.evidence[0].quote
    return tombstones.find_tombstone(db, "", [quote]) is not None


def _build_proof(config: Config, one: SaidOnce) -> Iterator[Evidence]:
    _, proof = drafts.build_from_candidate(
        one.candidate, one.source, one.turns, make_redactor(config), config["operator.names"]
    )
    yield from proof
