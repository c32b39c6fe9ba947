"""Records with what belongs to them, fetched in one go for those that are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.db import Db
from memctl.model import Link, Memory
from memctl.results import RecordView
from memctl.store import entities, evidence, links, place, projects


def views(db: Db, memories: Sequence[Memory], *, at: str | None = None) -> dict[str, RecordView]:
    """Each record's view by id; with `at`, only the links that stood at that time."""
    if not memories:
        return {}
    ids = [memory.id for memory in memories]
    shorts, names = place.short_ids(db, ids), _names(db, memories)
    quotes, spoken_of = evidence.of_memories(db, ids), entities.of_memories(db, ids)
    touching = links_by_record(links.of_memories(db, ids), at)
    return {
        memory.id: RecordView(
            memory,
            shorts[memory.id],
            names.get(memory.project_id or ""),
            tuple(quotes.get(memory.id, ())),
            tuple(touching.get(memory.id, ())),
            tuple(spoken_of.get(memory.id, ())),
            contradicted_by(memory.id, touching),
            superseded_by(memory.id, touching),
        )
        for memory in memories
    }


def links_by_record(found: Sequence[Link], at: str | None = None) -> dict[str, list[Link]]:
    """Links by each of the records they touch."""
    by_id: dict[str, list[Link]] = {}
    for link in found:
        if at is None or link.created_at <= at:
            by_id.setdefault(link.from_id, []).append(link)
            by_id.setdefault(link.to_id, []).append(link)
    return by_id


def contradicted_by(memory_id: str, touching: Mapping[str, Sequence[Link]]) -> tuple[str, ...]:
    """The records in open contradiction with one, whichever way the link points."""
    open_ = [link for link in touching.get(memory_id, ()) if link.relation == "contradicts" and link.resolved_at is None]
    return tuple(sorted({link.to_id if link.from_id == memory_id else link.from_id for link in open_}))


def superseded_by(memory_id: str, touching: Mapping[str, Sequence[Link]]) -> str | None:
    """The newest record that supersedes one."""
    newer = [link.from_id for link in touching.get(memory_id, ()) if link.relation == "supersedes" and link.to_id == memory_id]
    return max(newer, default=None)


def _names(db: Db, memories: Sequence[Memory]) -> dict[str, str]:
    ids = {memory.project_id for memory in memories if memory.project_id}
    return {key: name for key in sorted(ids) if (name := place.project_name(db, key))} if len(ids) < 8 else projects.names(db)
