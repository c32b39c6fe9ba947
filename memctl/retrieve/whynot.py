"""Why a record is not among the results of a query: the first reason that holds, in the order in which a search would meet them."""

from __future__ import annotations

from memctl import clock
from memctl.config import Config
from memctl.db import Db
from memctl.model import Memory, Query
from memctl.results import RecordView, WhyNot
from memctl.retrieve import asof, candidates, score, search
from memctl.retrieve.candidates import Asked
from memctl.retrieve.score import Scored
from memctl.retrieve.search import Outcome
from memctl.store import records, tombstones
from memctl.views import view

Reason = tuple[str, str]


def why_not(db: Db, config: Config, query: Query, record_id: str) -> WhyNot:
    """The reason, with the record's score parts where it could be scored. Raises NotFound, UsageError."""
    with db.snapshot():
        memory = records.resolve(db, record_id)
        outcome = search.run(db, config, query, clock.now())
        shown = view(db, memory)
        item = _scored(db, outcome, memory)
        reason, sentence = _reason(db, query, outcome, shown, item)
    return WhyNot(query.text, shown, reason, sentence, item.score, item.parts)


def _scored(db: Db, outcome: Outcome, memory: Memory) -> Scored:
    known = next((item for item in (*outcome.returned, *outcome.others) if item.memory.id == memory.id), None)
    asked = outcome.asked
    return known or score.scored(candidates.single(db, asked, memory), asked.question, asked.stand)


def _reason(db: Db, query: Query, outcome: Outcome, view: RecordView, item: Scored) -> Reason:
    memory, asked = view.memory, outcome.asked
    if any(found.memory.id == memory.id for found in outcome.returned):
        return "returned", "It is among the results."
    if asked.as_of is not None:
        before = asof.replayed(db, memory, asked.as_of)
        if before is None:
            return "not_yet", f"It was created after {asked.as_of}."
        memory = before
    return (
        _by_status(db, query, memory, view)
        or _by_place(asked, memory)
        or _by_filter(asked, memory)
        or _by_validity(asked, memory)
        or _by_relevance(outcome, item)
    )


def _by_status(db: Db, query: Query, memory: Memory, view: RecordView) -> Reason | None:
    if memory.status in candidates.wanted_statuses(query):
        return None
    if memory.status == "inbox":
        return "inbox", "It is in the inbox and waits for your approval."
    because = f": {memory.status_reason}" if memory.status_reason else "."
    if memory.status == "superseded":
        return "superseded", f"It was superseded by {view.superseded_by or 'a newer record'}{because}"
    verdict = tombstones.of_memory(db, memory.id)
    if verdict is not None and verdict["verdict"] == "rejected":
        return "rejected", f"It was rejected{because}"
    return "archived", f"It was {'archived' if verdict is None else verdict['verdict']}{because}"


def _by_place(asked: Asked, memory: Memory) -> Reason | None:
    if asked.scope.sees(memory):
        return None
    if memory.scope == "agent":
        return "private", f"It is private to the agent {memory.agent_id}."
    if memory.scope == "session":
        return "private", "It belongs to another session only."
    return None


def _by_filter(asked: Asked, memory: Memory) -> Reason | None:
    failed = asked.scope.refusal(memory)
    values = {"type": memory.type, "kind": memory.kind, "scope": memory.scope, "since": memory.observed_at, "confidence": memory.confidence}
    return None if failed is None else ("filtered", f"The filter on {failed} leaves it out: it has {values[failed]}.")


def _by_validity(asked: Asked, memory: Memory) -> Reason | None:
    if candidates.is_valid(memory, asked.stand.now):
        return None
    if memory.valid_until is not None and memory.valid_until <= asked.stand.now:
        return "expired", f"It was valid until {memory.valid_until}."
    return "expired", f"It is valid only from {memory.valid_from}."


def _by_relevance(outcome: Outcome, item: Scored) -> Reason:
    floor = search.floor_of(item, outcome.asked)
    if not item.matched:
        return "no_match", "It holds none of the query's words."
    if item.relevance < floor:
        if item.matched_scope == "other project" and item.relevance >= outcome.asked.floor:
            return "other_project", f"It is of another project, where the relevance must be {floor:.2f}; it is {item.relevance:.2f}."
        return "below_floor", f"Its relevance {item.relevance:.2f} is below the floor of {floor:.2f}."
    if item.memory.id in outcome.folded:
        return "folded", f"It says what {outcome.folded[item.memory.id]} says, which was returned in its place."
    return "beyond_limit", f"Its score {item.score:.2f} is not among the best that the limit lets through."
