"""Records with what belongs to them, fetched in one go for those that are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.core.model import Link, Memory
from memctl.results.records import Former, RecordView
from memctl.store import context_records, entities, evidence, links, projects, records
from memctl.store.chains import below
from memctl.store.database import Db, Row

_FEW_PROJECTS = 8


def views(db: Db, memories: Sequence[Memory]) -> list[RecordView]:
    """One view for each record, in the same order."""
    found = by_id(db, memories)
    return [found[memory.id] for memory in memories]


def view(db: Db, memory: Memory) -> RecordView:
    """One record with what belongs to it."""
    return views(db, [memory])[0]


def fresh(db: Db, ids: Iterable[str]) -> tuple[RecordView, ...]:
    """Views of records as they stand now, in the order of the ids."""
    found = records.by_ids(db, list(ids))
    return tuple(
        views(db, [found[memory_id] for memory_id in dict.fromkeys(ids) if memory_id in found])
    )


def by_id(
    db: Db, memories: Sequence[Memory], *, at: str | None = None, served: bool = False
) -> dict[str, RecordView]:
    """Each record's view by id; with `at`, only the links that stood at that time; `served` to an agent, none to a mere candidate."""
    if not memories:
        return {}
    ids = [memory.id for memory in memories]
    names, quotes, spoken_of = (
        _names(db, memories),
        evidence.of_memories(db, ids),
        entities.of_memories(db, ids),
    )
    found = links.of_memories(db, ids) if at is None else links_then(db, ids, at)
    touching = links_by_record(without_candidates(db, found, at) if served else found, at)
    against = {each: contradicted_by(each, touching) for each in ids}
    instead = {memory.id: _replaces(memory, touching) for memory in memories}
    chains = {
        each: successors(db, each, at) if superseded_by(each, touching) else () for each in ids
    }
    before = changes_of(db, ids, touching, at)
    named = {
        other
        for known in (against, instead, chains)
        for others in known.values()
        for other in others
    }
    shorts = context_records.short_ids(db, {*ids, *named})
    return {
        memory.id: RecordView(
            memory,
            shorts[memory.id],
            names.get(memory.project_id or ""),
            tuple(quotes.get(memory.id, ())),
            tuple(touching.get(memory.id, ())),
            tuple(spoken_of.get(memory.id, ())),
            against[memory.id],
            chains[memory.id][-1] if chains[memory.id] else None,
            tuple(chains[memory.id][:-1]),
            instead[memory.id],
            {
                each: shorts[each]
                for each in (*against[memory.id], *chains[memory.id], *instead[memory.id])
                if each in shorts
            },
            changes=len(before.get(memory.id, ())),
            changed_since=min(
                (row["observed_at"] for row in before.get(memory.id, ())), default=None
            ),
        )
        for memory in memories
    }


def links_then(db: Db, ids: Iterable[str], at: str) -> list[Link]:
    """The links that touched records at a time, as they were."""
    from memctl.store import as_of  # what is served is hardly ever of the past

    return as_of.links_of(db, ids, at)


def without_candidates(db: Db, found: Sequence[Link], at: str | None = None) -> list[Link]:
    """The links but for contradictions with what waits in the inbox: nobody has said yet that it holds, so it casts no doubt."""
    ends = {end for link in found if _is_open(link) for end in (link.from_id, link.to_id)}
    known = records.by_ids(db, ends).values() if ends else ()
    waiting = {
        memory.id
        for memory in (known if at is None else _states_then(db, known, at))
        if memory.status == "inbox"
    }
    return [link for link in found if not (_is_open(link) and waiting & {link.from_id, link.to_id})]


def _states_then(db: Db, memories: Iterable[Memory], at: str) -> list[Memory]:
    from memctl.records import as_of

    return as_of.states(db, memories, at)


def links_by_record(found: Sequence[Link], at: str | None = None) -> dict[str, list[Link]]:
    """Links by each of the records they touch."""
    grouped: dict[str, list[Link]] = {}
    for link in found:
        if at is None or link.created_at <= at:
            grouped.setdefault(link.from_id, []).append(link)
            grouped.setdefault(link.to_id, []).append(link)
    return grouped


def contradicted_by(memory_id: str, touching: Mapping[str, Sequence[Link]]) -> tuple[str, ...]:
    """The records in open contradiction with one, whichever way the link points; those that left the field settled theirs."""
    open_ = [link for link in touching.get(memory_id, ()) if _is_open(link)]
    return tuple(
        sorted({link.to_id if link.from_id == memory_id else link.from_id for link in open_})
    )


def superseded_by(memory_id: str, touching: Mapping[str, Sequence[Link]]) -> str | None:
    """The newest record that supersedes one."""
    newer = [
        link.from_id
        for link in touching.get(memory_id, ())
        if link.relation == "supersedes" and link.to_id == memory_id
    ]
    return max(newer, default=None)


def successors(db: Db, memory_id: str, at: str | None = None) -> tuple[str, ...]:
    """What supersedes a record, what supersedes that, and so on; the last one is the head of the chain."""
    from memctl.store import succession  # what is served is hardly ever superseded

    return tuple(succession.chain(db, memory_id, at))


def changes_of(
    db: Db, ids: Iterable[str], touching: Mapping[str, Sequence[Link]], at: str | None
) -> Mapping[str, Sequence[Row]]:
    """What each record took the place of; only those that head a chain are asked about."""
    heads = [
        each
        for each in ids
        if any(
            link.relation == "supersedes" and link.from_id == each
            for link in touching.get(each, ())
        )
    ]
    return below(db, heads, at) if heads else {}


def former(db: Db, memory_id: str) -> tuple[Former, ...]:
    """What a record took the place of, directly or by way of others, the nearest first."""
    rows = below(db, [memory_id]).get(memory_id, [])
    shorts = context_records.short_ids(db, [row["id"] for row in rows])
    return tuple(
        Former(
            row["id"], shorts[row["id"]], row["title"], row["observed_at"], row["at"], row["reason"]
        )
        for row in rows
    )


def _replaces(memory: Memory, touching: Mapping[str, Sequence[Link]]) -> tuple[str, ...]:
    """What a candidate would replace, if it were approved."""
    if memory.status != "inbox":
        return ()
    found = (links.replaces(link, memory.id) for link in touching.get(memory.id, ()))
    return tuple(sorted({each for each in found if each}))


def _is_open(link: Link) -> bool:
    return link.relation == "contradicts" and link.resolved_at is None


def _names(db: Db, memories: Sequence[Memory]) -> dict[str, str]:
    ids = {memory.project_id for memory in memories if memory.project_id}
    if len(ids) >= _FEW_PROJECTS:
        return projects.names(db)
    return {key: name for key in sorted(ids) if (name := context_records.project_name(db, key))}
