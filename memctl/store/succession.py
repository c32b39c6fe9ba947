"""Neighbours of a record for consolidation, found by index, and chains of supersession.

Every search for neighbours is bounded, however large the store is. A chain has no cycle, which
`find_cycles` checks.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.model import Link, Memory
from memctl.store import lexical
from memctl.store.database import Database, Row
from memctl.store.records import from_row
from memctl.store.rows import build_from_row, resolve_id, to_json_array
from memctl.text import tokens

# Entities of a record whose other records are looked at, and records of each; chosen by hand.
_MOST_ENTITIES = 12
_NEWEST_OF_ENTITY = 24


def list_by_subject(db: Database, memory: Memory, limit: int) -> list[Memory]:
    """List the newest living records of the same scope about the same subject.

    The record itself may be among them.
    """
    if memory.subject is None:
        return []
    return [
        from_row(row)
        for row in db.all(
            "succession.by_subject", subject=memory.subject, limit=limit, **_place(memory)
        )
    ]


def list_by_entities(db: Database, memory: Memory) -> list[Memory]:
    """List living records of the same scope that mention an entity of a record, newest first."""
    mine = [
        row["entity_id"]
        for row in db.all("succession.entities", memory_id=memory.id, limit=_MOST_ENTITIES)
    ]
    rows = [
        row
        for one in mine
        for row in db.all(
            "succession.by_entity", entity_id=one, limit=_NEWEST_OF_ENTITY, **_place(memory)
        )
    ]
    return [from_row(row) for row in rows]


def list_elsewhere(db: Database, terms: list[str], memory: Memory, limit: int) -> list[Memory]:
    """List active records of other projects that share words with a record, best first."""
    if not terms or memory.project_id is None:
        return []
    match = tokens.build_match_expression(terms)
    return [
        from_row(row)
        for row in db.all(
            "succession.elsewhere", match=match, project_id=memory.project_id, limit=limit
        )
    ]


def choose_rarest_words(db: Database, terms: Iterable[str], most: int) -> list[str]:
    """Choose the rarest words, as many as occur in no more than so many records; at least two."""
    asked = list(terms)
    if lexical.count_indexed(db) <= most:
        return asked
    counts, spent = lexical.count_frequencies(db, asked), 0
    chosen: list[str] = []
    for term in sorted(asked, key=lambda term: (counts[term], term)):
        spent += counts[term]
        if spent > most and len(chosen) >= 2:
            break
        chosen.append(term)
    return chosen


def list_sessions(db: Database, source_ids: Iterable[str]) -> dict[str, Row]:
    """Return agent, session and parent session of sources, by id."""
    return {
        row["id"]: row
        for row in db.all("succession.sessions", ids=to_json_array(source_ids) or "[]")
    }


def list_successors(db: Database, memory_id: str) -> set[str]:
    """List every record that supersedes one, directly or through others."""
    return {row["id"] for row in db.all("succession.above", id=memory_id)}


def read_chain(db: Database, memory_id: str, at: str | None = None) -> list[str]:
    """List what supersedes a record, what supersedes that, and so on; `at` leaves out later
    ones.
    """
    return list(dict.fromkeys(row["id"] for row in db.all("succession.chain", id=memory_id, at=at)))


def is_above(db: Database, memory_id: str, other_id: str) -> bool:
    """Whether another record supersedes one, directly or through others."""
    return any(row["id"] == other_id for row in db.all("succession.above", id=memory_id))


def find_cycles(db: Database) -> list[str]:
    """List the records that supersede themselves through others; there must be none."""
    return [row["id"] for row in db.all("succession.circling")]


def carry_counters(db: Database, memory: Memory, absorbed: Memory) -> None:
    """Let a record continue the counters of one that it absorbed."""
    counted = {
        name: getattr(absorbed, name)
        for name in ("access_count", "good", "bad", "last_accessed_at")
    }
    db.run("succession.count_on", id=memory.id, **counted)


def list_contradictions(db: Database, project_id: str | None, *, settled: bool) -> list[Link]:
    """List contradictions, newest first: the open ones, or all there ever were."""
    return [
        build_from_row(Link, row)
        for row in db.all("succession.open_contradictions", project_id=project_id, settled=settled)
    ]


def resolve_contradiction(db: Database, text: str) -> Link:
    """Return one contradiction by its id or a unique prefix of it. Raises NotFound."""
    row = db.one("succession.get_link", id=resolve_id(db, "succession.link", text, "contradiction"))
    assert row is not None
    return build_from_row(Link, row)


def _place(memory: Memory) -> dict[str, str | None]:
    return {"scope": memory.scope, "project_id": memory.project_id, "agent_id": memory.agent_id}
