"""Purge: the only erasure for good, for leaked secrets and the right to be forgotten.

A record goes with its evidence, links, history, index and vectors; its words go from turns, quotes,
other records, logs and the spool. A tombstone without content keeps it from coming back, and the
event log says that something was purged, when and by whom. Older backups are named and left. Only
the operator may purge.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from memctl.core import clock
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Actor, Evidence, Memory, Source
from memctl.erase import leftovers
from memctl.erase.rewrite import RewrittenSpot, StoreRewrite
from memctl.erase.word_cutter import WordCutter, list_forms
from memctl.patterns import update
from memctl.records import purge_filter, relations
from memctl.records.purge_filter import PURGED
from memctl.results.erasure import PurgeReport
from memctl.retrieve import vectors
from memctl.settings.config import Config
from memctl.settings.policy import AT_A_TERMINAL
from memctl.store import (
    erase,
    event_log,
    evidence,
    links,
    projects,
    records,
    sources,
    tombstones,
    vector_index,
)
from memctl.store.database import Database

VERB = "purged"
# The owner of a tombstone that is about words and not about a record.
_NO_RECORD = "WORDS"
# Characters, chosen by hand. Shorter words stand in many texts that have nothing to do with the
# record, so they are not cut out elsewhere. What --match names is always cut out.
_SHORTEST_WORDS = 12
_SHORTEST_QUOTE = 24
_SHORTEST_MATCH = 4


@dataclass(frozen=True, slots=True)
class PurgeSelection:
    """What to purge: records, a source, a session, a project, or everything that holds a text."""

    ids: tuple[str, ...] = ()
    source: str | None = None
    session: str | None = None
    project: str | None = None
    match: str | None = None


@dataclass(frozen=True, slots=True)
class _PurgePlan:
    """What goes: records, sources, a project, and the words to cut out everywhere else."""

    records: tuple[Memory, ...]
    sources: tuple[Source, ...]
    project_id: str | None
    words: tuple[str, ...]


def purge_selected(
    db: Database, config: Config, actor: Actor, wanted: PurgeSelection, *, dry_run: bool = False
) -> PurgeReport:
    """Erase for good. Raises UsageError, NotFound; RefusedByPolicy unless the operator."""
    if not actor.is_operator:
        raise RefusedByPolicy(f"erasing for good {AT_A_TERMINAL}")
    with db.snapshot():
        plan = _plan_purge(db, config, wanted)
        older = leftovers.find_files_holding(
            leftovers.list_backups(config),
            [*(memory.id for memory in plan.records), *(s.id for s in plan.sources)],
        )
        if dry_run:
            return _preview_purge(db, config, plan, [str(path) for path in older])
    spots, gone = _erase_from_store(db, config, actor, plan)
    files = _erase_from_files(config, plan, spots)
    remains, notes = _clear_remains(db, config, plan)
    more = [
        str(path)
        for path in leftovers.find_files_holding(leftovers.list_backups(config), plan.words)
        if path not in older
    ]
    return PurgeReport(
        tuple(sorted(gone)),
        tuple(source.id for source in plan.sources),
        (plan.project_id,) if plan.project_id else (),
        dict(Counter(spot.place for spot in spots)),
        tuple(files),
        (*map(str, older), *more),
        tuple(remains),
        tuple(notes),
    )


def _plan_purge(db: Database, config: Config, wanted: PurgeSelection) -> _PurgePlan:
    if not (wanted.ids or wanted.source or wanted.session or wanted.project or wanted.match):
        raise UsageError(
            "say what to purge: ids of records, --source, --session, --project or --match"
        )
    if wanted.match is not None and len(wanted.match.strip()) < _SHORTEST_MATCH:
        raise UsageError(
            f"--match needs at least {_SHORTEST_MATCH} characters: it is cut out everywhere"
        )
    named = {
        memory.id: memory for memory in (records.resolve_record(db, text) for text in wanted.ids)
    }
    named |= {memory.id: memory for memory in _find_matching(db, wanted.match)}
    project = projects.named(db, wanted.project).id if wanted.project else None
    found = _find_sources(db, wanted, project)
    words = {word for memory in named.values() for word in _list_words(db, memory)} | (
        {wanted.match} if wanted.match else set()
    )
    for memory in (
        *_find_records_only_from(db, found),
        *(erase.list_records_of_project(db, project) if project else ()),
    ):
        named.setdefault(memory.id, memory)
    for memory in _find_retellings(db, named):
        named.setdefault(memory.id, memory)
    if wanted.match and not named and not found and not _is_anywhere(db, config, words):
        raise NotFound("nothing in the store holds that text")
    return _PurgePlan(tuple(named.values()), tuple(found), project, tuple(words))


def _find_retellings(db: Database, gone: Collection[str]) -> list[Memory]:
    """Weekly digests and reflections that retell what is purged; digests are written again."""
    derived = [
        link.from_id
        for link in links.list_of_memories(db, gone)
        if link.relation == "derived_from" and link.to_id in gone
    ]
    return [
        memory
        for memory in records.list_by_ids(db, derived).values()
        if memory.type == "episode" or memory.kind == "reflection"
    ]


def _find_matching(db: Database, match: str | None) -> list[Memory]:
    if match is None:
        return []
    return [
        memory
        for memory in erase.list_records(db)
        if match in json.dumps(records.extract_history_fields(memory), ensure_ascii=False)
    ]


def _is_anywhere(db: Database, config: Config, words: Collection[str]) -> bool:
    """Whether words are in the store or beside it; an interrupted purge or a log may have left
    them.
    """
    cutter = WordCutter(words)
    if any(True for _ in StoreRewrite(db, cutter, write=False).rewrite_all()) or any(
        True for _ in leftovers.rewrite_files(config, cutter, write=False)
    ):
        return True
    return bool(leftovers.find_files_holding(leftovers.list_own_files(config), words))


def _find_sources(db: Database, wanted: PurgeSelection, project: str | None) -> list[Source]:
    found: list[Source] = [sources.resolve_source(db, wanted.source)] if wanted.source else []
    if wanted.session:
        captured = erase.list_sources_of_session(db, wanted.session)
        if not captured:
            raise NotFound(f"no session {wanted.session!r} was captured")
        found += captured
    found += erase.list_sources_of_project(db, project) if project else []
    return list({source.id: source for source in found}.values())


def _find_records_only_from(db: Database, gone: Iterable[Source]) -> Iterator[Memory]:
    """The records whose evidence comes from these sources alone."""
    ids = {source.id for source in gone}
    for source_id in ids:
        resting = {item.memory_id for item in erase.list_evidence_of_source(db, source_id)}
        for memory in {
            m.id: m
            for m in (
                *records.list_by_source(db, source_id),
                *records.list_by_ids(db, resting).values(),
            )
        }.values():
            if all(item.source_id in ids for item in evidence.list_of_memory(db, memory.id)):
                yield memory


def _list_words(db: Database, memory: Memory) -> Iterator[str]:
    """The words of a record that are cut out everywhere."""
    for text in (memory.content, memory.rationale or ""):
        if len(text) >= _SHORTEST_WORDS:
            yield text
    yield from (
        item.quote
        for item in evidence.list_of_memory(db, memory.id)
        if len(item.quote) >= _SHORTEST_QUOTE
    )


def _erase_from_store(
    db: Database, config: Config, actor: Actor, plan: _PurgePlan
) -> tuple[list[RewrittenSpot], set[str]]:
    """Erase in one transaction; return the places that changed and the ids of erased records."""
    now = clock.now()
    gone = {memory.id for memory in plan.records}
    with db.write(), erase.rewrite_history(db):
        idle = erase.list_idle_entities(db)
        for memory in plan.records:
            _erase_record(db, memory, evidence.list_of_memory(db, memory.id), actor, now)
        for source in plan.sources:
            _erase_source(db, source, actor, now)
        for form in sorted({form for word in plan.words for form in list_forms(word)}):
            _add_tombstone(
                db, purge_filter.compute_cut_mark(config, form), _NO_RECORD, None, actor, now
            )
        spots = (
            list(
                StoreRewrite(
                    db, WordCutter(plan.words), write=True, verb=VERB, actor=actor.name
                ).rewrite_all()
            )
            if plan.words
            else []
        )
        for memory in _find_emptied(db, spots):
            _erase_record(db, memory, evidence.list_of_memory(db, memory.id), actor, now)
            gone.add(memory.id)
        update.forget_last_look(db)
        for entity_id in erase.list_idle_entities(db) - idle:
            erase.erase_entity(db, entity_id)
        if plan.project_id:
            erase.erase_project(db, plan.project_id)
    return spots, gone


def _find_emptied(db: Database, spots: Iterable[RewrittenSpot]) -> list[Memory]:
    """The records that have no word left."""
    ids = {spot.id for spot in spots if spot.place == "record"}
    return [
        memory
        for memory in records.list_by_ids(db, ids).values()
        if not re.search(r"\w", memory.content.replace(PURGED, ""))
    ]


def _erase_record(
    db: Database, memory: Memory, proof: Iterable[Evidence], actor: Actor, at: str
) -> None:
    quotes = [item.quote for item in proof if item.source_id and len(item.quote) >= _SHORTEST_QUOTE]
    tombstones.lift_tombstone(db, memory.id)
    relations.resolve_contradictions(
        db, memory.id, actor=actor.name, cause="purge"
    )  # else what it contradicted would stand so for ever
    erase.erase_record(db, memory.id)
    erase.empty_history(db, memory.id)
    _add_tombstone(db, memory.fingerprint, memory.id, quotes[0] if quotes else None, actor, at)
    event_log.append_change(db, memory.id, VERB, None, None, actor=actor.name, cause="purge", at=at)


def _erase_source(db: Database, source: Source, actor: Actor, at: str) -> None:
    _repoint_records(db, source, actor, at)
    erase.erase_source(db, source)
    for mark in (
        purge_filter.compute_session_mark(source.agent, source.session_id),
        purge_filter.compute_original_mark(source.content_hash),
    ):
        _add_tombstone(db, mark, source.id, None, actor, at)
    event_log.append_change(db, source.id, VERB, None, None, actor=actor.name, cause="purge", at=at)


def _repoint_records(db: Database, source: Source, actor: Actor, at: str) -> None:
    """Base records with evidence from other sources on that evidence alone."""
    for memory in records.list_by_ids(
        db, {item.memory_id for item in erase.list_evidence_of_source(db, source.id)}
    ).values():
        rest = [
            item for item in evidence.list_of_memory(db, memory.id) if item.source_id != source.id
        ]
        if rest:
            best = rest[0]
            trust = min(memory.trust, best.trust)
            changed = replace(
                memory,
                evidence_ref=best.id,
                source_ref=best.source_id or memory.source_ref,
                trust=trust,
                updated_at=at,
            )
            records.replace_record(db, memory, changed, verb=VERB, actor=actor.name, cause="purge")


def _add_tombstone(
    db: Database, fingerprint: str, owner: str, quote: str | None, actor: Actor, at: str
) -> None:
    tombstones.add_tombstone(
        db,
        memory_id=owner,
        fingerprint=fingerprint,
        verdict="purged",
        quote=quote,
        reason=None,
        actor=actor.name,
        at=at,
    )


def _erase_from_files(config: Config, plan: _PurgePlan, spots: list[RewrittenSpot]) -> list[str]:
    """Drop waiting captures and cut words out of the other files; return the changed files."""
    gone = (
        [source.session_id for source in plan.sources],
        [source.path for source in plan.sources if source.path],
    )
    dropped = leftovers.drop_sessions(config, *gone)
    changed = (
        list(leftovers.rewrite_files(config, WordCutter(plan.words), write=True))
        if plan.words
        else []
    )
    spots += changed
    return sorted({*dropped, *(spot.id.partition(" line ")[0] for spot in changed)})


def _clear_remains(db: Database, config: Config, plan: _PurgePlan) -> tuple[list[str], list[str]]:
    """Empty vectors, segments, free pages and the write-ahead log; return what remains, and why."""
    notes = (
        []
        if _drop_vector_table(db)
        else ["the vector index could not be rebuilt: sqlite-vec cannot be loaded here"]
    )
    is_empty = erase.clean_file(db)
    needles = [*plan.words, *(memory.content for memory in plan.records)]
    remains = leftovers.find_files_holding(leftovers.list_own_files(config), needles)
    if remains and is_empty:
        erase.vacuum_file(db)
        is_empty = erase.empty_log(db)
        remains = leftovers.find_files_holding(leftovers.list_own_files(config), needles)
    if not is_empty:
        notes.append(
            "another process reads the store, so its write-ahead log could not be emptied; "
            "run `memctl maintain` later, or purge again"
        )
    vectors.index_vectors(db, config)
    return [str(path) for path in remains], notes


def _drop_vector_table(db: Database) -> bool:
    if not vector_index.has_table(db):
        return True
    if not vector_index.load_extension(db):
        return False
    with db.write():
        vector_index.drop_table(db)
    vectors.reset_index(db)
    return True


def _preview_purge(db: Database, config: Config, plan: _PurgePlan, older: list[str]) -> PurgeReport:
    spots = (
        list(StoreRewrite(db, WordCutter(plan.words), write=False).rewrite_all())
        if plan.words
        else []
    )
    spots += (
        leftovers.rewrite_files(config, WordCutter(plan.words), write=False) if plan.words else []
    )
    own = {memory.id for memory in plan.records}
    own |= {item.id for memory in plan.records for item in evidence.list_of_memory(db, memory.id)}
    elsewhere = Counter(
        spot.place for spot in spots if not any(some_id in spot.id for some_id in own)
    )
    return PurgeReport(
        tuple(memory.id for memory in plan.records),
        tuple(source.id for source in plan.sources),
        (plan.project_id,) if plan.project_id else (),
        dict(elsewhere),
        backups=tuple(older),
        titles={memory.id: memory.title for memory in plan.records},
        dry_run=True,
    )
