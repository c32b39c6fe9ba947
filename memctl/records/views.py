"""Records with what belongs to them, read in one go for those that are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.core import clock
from memctl.core.model import TAG_MARK, EntityRef, Evidence, Link, Memory
from memctl.records.record_source import PresentRecords, RecordSource
from memctl.results.records import Former, NewerRecord, RecordView
from memctl.store import context_records, links, projects, records
from memctl.store.database import Database, Row

# From so many projects on, all names are read at once instead of one by one.
_MANY_PROJECTS = 8


def build_views(
    source: RecordSource, memories: Sequence[Memory], *, is_served: bool = False
) -> dict[str, RecordView]:
    """The view of each record by id, in the same order; `is_served` to an agent, no candidate of
    the inbox casts doubt.
    """
    if not memories:
        return {}
    ids = [memory.id for memory in memories]
    names = _read_project_names(source.db, memories)
    evidence, mentioned = source.read_evidence(ids), source.read_entities(ids)
    found = source.list_links(ids)
    touching = group_links(drop_links_with_candidates(source, found) if is_served else found)
    opponents = {each: find_opponents(each, touching) for each in ids}
    replaced = {memory.id: _find_replaced(memory, touching) for memory in memories}
    chains = {
        each: source.list_successors(each) if is_superseded(each, touching) else () for each in ids
    }
    predecessors = read_predecessors(source, ids, touching)
    newer = source.read_newer(memories, clock.now())
    named: set[str] = {*ids, *(other.id for other, _ in newer.values())}
    for others in (*opponents.values(), *replaced.values(), *chains.values()):
        named.update(others)
    shorts = source.find_short_ids(named)
    words = {} if is_served else _read_other_sides(source, memories, opponents, replaced)

    def build(memory: Memory) -> RecordView:
        chain, before = chains[memory.id], predecessors.get(memory.id, ())
        others = (*opponents[memory.id], *chain, *replaced[memory.id])
        entities, own_tags = _split_tags(mentioned.get(memory.id, ()))
        return RecordView(
            memory,
            shorts[memory.id],
            names.get(memory.project_id or ""),
            _put_first(memory, evidence.get(memory.id, ())),
            tuple(touching.get(memory.id, ())),
            entities,
            opponents[memory.id],
            chain[-1] if chain else None,
            tuple(chain[:-1]),
            replaced[memory.id],
            {each: shorts[each] for each in others if each in shorts},
            changes=len(before),
            changed_since=min((row["observed_at"] for row in before), default=None),
            place_unknown=memory.is_unplaced,
            suggested_project=_suggest_project(source.db, memory) if memory.is_unplaced else None,
            newer=_build_newer(newer.get(memory.id), shorts),
            others={each: words[each] for each in others if each in words},
            tags=own_tags,
        )

    return {memory.id: build(memory) for memory in memories}


def _split_tags(
    refs: Iterable[EntityRef],
) -> tuple[tuple[EntityRef, ...], tuple[str, ...]]:
    """What a record mentions, and its tags, which are concepts by that mark."""
    entities, own_tags = [], []
    for ref in refs:
        if ref.name.startswith(TAG_MARK) and ref.kind == "concept":
            own_tags.append(ref.name[1:])
        else:
            entities.append(ref)
    return tuple(entities), tuple(sorted(own_tags))


def _build_newer(
    found: tuple[Memory, float] | None, shorts: Mapping[str, str]
) -> NewerRecord | None:
    if found is None:
        return None
    memory, nearness = found
    return NewerRecord(
        memory.id, shorts[memory.id], memory.observed_at, memory.content, round(nearness, 2)
    )


def _put_first(memory: Memory, proof: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The evidence of a record, the words that it was made from first."""
    return tuple(sorted(proof, key=lambda item: item.id != memory.evidence_ref))


def _read_other_sides(
    source: RecordSource,
    memories: Sequence[Memory],
    *ends: Mapping[str, Sequence[str]],
) -> dict[str, str]:
    """What the records say that a candidate, or a contradicted record, stands against, by id."""
    disputed = [each.id for each in memories if each.status in ("inbox", "contradicted")]
    wanted = {other for end in ends for each in disputed for other in end[each]}
    return {key: one.content for key, one in source.read_records(wanted).items()} if wanted else {}


def list_views(source: RecordSource, memories: Sequence[Memory]) -> list[RecordView]:
    """One view for each record, in the same order."""
    views = build_views(source, memories)
    return [views[memory.id] for memory in memories]


def build_view(source: RecordSource, memory: Memory) -> RecordView:
    """One record with what belongs to it."""
    return build_views(source, [memory])[memory.id]


def read_views(db: Database, ids: Iterable[str]) -> tuple[RecordView, ...]:
    """Views of records as they are in the store now, each once, in the order of the ids; missing
    ones are left out.
    """
    wanted = list(dict.fromkeys(ids))
    known = records.list_by_ids(db, wanted)
    memories = [known[memory_id] for memory_id in wanted if memory_id in known]
    return tuple(list_views(PresentRecords(db), memories))


def drop_links_with_candidates(source: RecordSource, found: Sequence[Link]) -> list[Link]:
    """The links but for open contradictions with the inbox: what nobody has approved yet casts
    no doubt.
    """
    ends = {
        end for link in found if link.is_open_contradiction for end in (link.from_id, link.to_id)
    }
    known = source.read_records(ends).values() if ends else ()
    waiting = {memory.id for memory in known if memory.status == "inbox"}
    return [
        link
        for link in found
        if not (link.is_open_contradiction and waiting & {link.from_id, link.to_id})
    ]


def group_links(found: Iterable[Link]) -> dict[str, list[Link]]:
    """Links by each of the records they touch."""
    grouped: dict[str, list[Link]] = {}
    for link in found:
        grouped.setdefault(link.from_id, []).append(link)
        grouped.setdefault(link.to_id, []).append(link)
    return grouped


def find_opponents(memory_id: str, touching: Mapping[str, Sequence[Link]]) -> tuple[str, ...]:
    """The ids of the records in open contradiction with one, whichever way the link points."""
    open_links = [link for link in touching.get(memory_id, ()) if link.is_open_contradiction]
    return tuple(sorted({link.find_other_end(memory_id) for link in open_links}))


def is_superseded(memory_id: str, touching: Mapping[str, Sequence[Link]]) -> bool:
    """Whether a link says that another record supersedes this one."""
    return any(
        link.relation == "supersedes" and link.to_id == memory_id
        for link in touching.get(memory_id, ())
    )


def read_predecessors(
    source: RecordSource, ids: Iterable[str], touching: Mapping[str, Sequence[Link]]
) -> Mapping[str, Sequence[Row]]:
    """What each record superseded; only those that supersede something are asked about."""
    heads = [
        each
        for each in ids
        if any(
            link.relation == "supersedes" and link.from_id == each
            for link in touching.get(each, ())
        )
    ]
    return source.read_predecessors(heads) if heads else {}


def list_former(source: RecordSource, memory_id: str) -> tuple[Former, ...]:
    """What a record superseded, directly or through others, the nearest first."""
    rows = source.read_predecessors([memory_id]).get(memory_id, [])
    shorts = source.find_short_ids([row["id"] for row in rows])
    return tuple(
        Former(
            row["id"], shorts[row["id"]], row["title"], row["observed_at"], row["at"], row["reason"]
        )
        for row in rows
    )


def _find_replaced(memory: Memory, touching: Mapping[str, Sequence[Link]]) -> tuple[str, ...]:
    """The ids of what a candidate would replace if it were approved."""
    if memory.status != "inbox":
        return ()
    replaced = (links.find_replaced(link, memory.id) for link in touching.get(memory.id, ()))
    return tuple(sorted({each for each in replaced if each}))


def _suggest_project(db: Database, memory: Memory) -> str | None:
    from memctl.records import unplaced  # here, because few records need it

    return unplaced.suggest_project(db, memory)


def _read_project_names(db: Database, memories: Sequence[Memory]) -> dict[str, str]:
    ids = {memory.project_id for memory in memories if memory.project_id}
    if len(ids) >= _MANY_PROJECTS:
        return projects.names(db)
    return {
        key: name for key in sorted(ids) if (name := context_records.find_project_name(db, key))
    }
