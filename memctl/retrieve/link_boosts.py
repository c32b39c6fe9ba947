"""What links make of scored records: what applies to a strong hit rises with it, what superseded a matching record stands in its place.

Of two that contradict each other the later word stands first. Only what this place may be given
comes in by a link, and only links that stood at the time that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memctl.core.model import Link, Memory, Query
from memctl.retrieve import candidates, order, score
from memctl.retrieve.candidates import Asked
from memctl.retrieve.score import Scored
from memctl.store import links
from memctl.store.database import Db

# So many of the best are looked at for what they are linked with.
_HEADS = 12


def followed(
    db: Db, query: Query, asked: Asked, items: Sequence[Scored], replaced: Sequence[Scored]
) -> tuple[list[Scored], dict[str, list[str]]]:
    """The items with what rises or comes in by links, best first; and for each id the ids of what superseded it, or spoke against it later.

    `replaced` are records that match and may not be returned themselves, because they were superseded.
    """
    heads = {item.memory.id: item for item in (*items[:_HEADS], *replaced[:_HEADS])}
    if not heads:
        return list(items), {}
    touching = _links(db, asked, heads)
    known = {item.memory.id: item for item in items}
    _lift(db, query, asked, known, heads, touching)
    newer_of = _succeed(db, query, asked, known, heads, touching)
    for old, newer in _later_words(known, touching):
        newer_of.setdefault(old, []).append(newer)
    return order.ordered(known.values()), newer_of


def _links(db: Db, asked: Asked, ids: Iterable[str]) -> list[Link]:
    return [link for link in links.of_memories(db, ids) if asked.is_known(link.created_at)]


def _lift(
    db: Db,
    query: Query,
    asked: Asked,
    known: dict[str, Scored],
    heads: dict[str, Scored],
    touching: Sequence[Link],
) -> None:
    """Let what applies to or supports a strong hit, or is supported by it, rise."""
    lifting = [link for link in touching if link.relation in score.LIFTING]
    _bring_in(
        db, query, asked, known, {end for link in lifting for end in (link.from_id, link.to_id)}
    )
    for link in lifting:
        for end, hit in ((link.from_id, link.to_id), (link.to_id, link.from_id)):
            if hit in heads and end in known:
                known[end] = score.lifted(known[end], heads[hit], link.relation)


def _succeed(
    db: Db,
    query: Query,
    asked: Asked,
    known: dict[str, Scored],
    heads: dict[str, Scored],
    touching: Sequence[Link],
) -> dict[str, list[str]]:
    """Let what superseded a matching record be as relevant as that; chains are followed to their ends."""
    newer_of: dict[str, list[str]] = {}
    frontier, steps = dict(heads), touching
    while step := {
        link.from_id: frontier[link.to_id]
        for link in steps
        if link.relation == "supersedes" and link.to_id in frontier
    }:
        for link in steps:
            if link.relation == "supersedes" and link.to_id in frontier:
                newer_of.setdefault(link.to_id, []).append(link.from_id)
        _bring_in(db, query, asked, known, step)
        for memory_id in step.keys() & known.keys():
            known[memory_id] = score.lifted(known[memory_id], step[memory_id], "supersedes")
        frontier = {
            memory_id: old
            for memory_id, old in step.items()
            if memory_id not in newer_of and memory_id not in heads
        }
        steps = _links(db, asked, frontier) if frontier else []
    return newer_of


def _later_words(known: dict[str, Scored], touching: Sequence[Link]) -> list[tuple[str, str]]:
    """Of two that cannot both hold and of which nobody has decided yet: the earlier, and the later of no less trust; the latest first."""
    pairs = []
    for link in touching:
        if (
            link.relation == "contradicts"
            and link.resolved_at is None
            and {link.from_id, link.to_id} <= known.keys()
        ):
            old, new = sorted((known[link.from_id].memory, known[link.to_id].memory), key=_said_at)
            if _said_at(old) < _said_at(new) and old.trust <= new.trust:
                pairs.append((old.id, new.id))
    return sorted(pairs, key=lambda pair: _said_at(known[pair[1]].memory), reverse=True)


def _said_at(memory: Memory) -> str:
    return max(memory.observed_at, memory.confirmed_at or "")


def _bring_in(
    db: Db, query: Query, asked: Asked, known: dict[str, Scored], ids: Iterable[str]
) -> None:
    """Make candidates of records that were not found by words or sense."""
    missing = set(ids) - known.keys()
    for candidate in candidates.linked(db, query, asked, missing) if missing else ():
        known[candidate.memory.id] = score.scored(candidate, asked.question, asked.stand)
