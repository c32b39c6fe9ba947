"""Records with what belongs to them, fetched in one go for all that are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memctl.db import Db
from memctl.model import Link, Memory
from memctl.results import RecordView
from memctl.store import entities, evidence, links, projects, records

_LIVING = ("active", "contradicted", "inbox")


def views(db: Db, memories: Sequence[Memory]) -> list[RecordView]:
    """One view for each record, in the same order."""
    ids = [memory.id for memory in memories]
    quotes, named, things = evidence.of_memories(db, ids), projects.names(db), entities.of_memories(db, ids)
    touching = links.of_memories(db, ids)
    others = records.by_ids(db, {end for link in touching for end in (link.from_id, link.to_id)})
    return [
        RecordView(
            memory=memory,
            short=records.short_id(db, memory.id),
            project=named.get(memory.project_id or ""),
            evidence=tuple(quotes.get(memory.id, ())),
            links=tuple(link for link in touching if memory.id in (link.from_id, link.to_id)),
            entities=tuple(things.get(memory.id, ())),
            contradicted_by=opponents(memory.id, touching, others),
            superseded_by=_successor(memory.id, touching),
        )
        for memory in memories
    ]


def view(db: Db, memory: Memory) -> RecordView:
    """One record with what belongs to it."""
    return views(db, [memory])[0]


def fresh(db: Db, ids: Iterable[str]) -> tuple[RecordView, ...]:
    """Views of records as they stand now, in the order of the ids."""
    found = records.by_ids(db, list(ids))
    return tuple(views(db, [found[memory_id] for memory_id in dict.fromkeys(ids) if memory_id in found]))


def opponents(memory_id: str, touching: Iterable[Link], others: dict[str, Memory]) -> tuple[str, ...]:
    """The living records that stand in an unsettled contradiction with one."""
    open_links = [link for link in touching if link.relation == "contradicts" and link.resolved_at is None]
    ends = [link.to_id if link.from_id == memory_id else link.from_id for link in open_links if memory_id in (link.from_id, link.to_id)]
    return tuple(sorted(end for end in ends if end in others and others[end].status in _LIVING))


def _successor(memory_id: str, touching: Iterable[Link]) -> str | None:
    return next((link.from_id for link in touching if link.relation == "supersedes" and link.to_id == memory_id), None)
