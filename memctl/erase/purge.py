"""Purge: the only erasure for good, for leaked secrets and the right to be forgotten.

A record goes with its evidence, links, history, index and vectors; its words go from turns, quotes,
other records, logs and the spool. A tombstone without content keeps it from coming back, and the
event log says that something was purged, when and by whom. Older backups are named and left. Only
the operator may purge.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Actor, Memory, Source
from memctl.erase import leftovers, scan
from memctl.erase.purge_run import (
    FINISHED_EARLIER,
    KIND,
    REDACTION,
    SHORTEST_QUOTE,
    PurgePlan,
    PurgeRun,
    find_older_copies,
)
from memctl.erase.rewrite import StoreRewrite, list_spots
from memctl.erase.word_cutter import WordCutter
from memctl.results.erasure import PurgeReport
from memctl.settings.config import Config
from memctl.settings.policy import AT_A_TERMINAL
from memctl.store import erase, evidence, links, projects, records, sources, tombstones, unfinished
from memctl.store.database import Database

# Characters, chosen by hand. Shorter words stand in many texts that have nothing to do with the
# record, so they are not cut out elsewhere. What --match names is always cut out.
_SHORTEST_WORDS = 12
_SHORTEST_MATCH = 4


@dataclass(frozen=True, slots=True)
class PurgeSelection:
    """What to purge: records, a source, a session, a project, or everything that holds a text."""

    ids: tuple[str, ...] = ()
    source: str | None = None
    session: str | None = None
    project: str | None = None
    match: str | None = None


def purge_selected(
    db: Database, config: Config, actor: Actor, wanted: PurgeSelection, *, dry_run: bool = False
) -> PurgeReport:
    """Erase for good, after what an earlier purge was cut off at.

    Raises UsageError, NotFound; StoreLocked while another purge is at work; RefusedByPolicy unless
    the operator.
    """
    if not actor.is_operator:
        raise RefusedByPolicy(f"erasing for good {AT_A_TERMINAL}")
    if dry_run:
        with db.snapshot():
            plan = _plan_purge(db, config, wanted)
            return _preview_purge(db, config, plan)
    finished = finish_purges(db, config)
    try:
        with db.snapshot():
            plan = _plan_purge(db, config, wanted)
    except NotFound:
        # What was asked for is what had been cut off.
        if not finished:
            raise
        return _add_note(finished[-1], FINISHED_EARLIER)
    report = PurgeRun.begin(db, config, actor, plan).carry_out()
    return _add_note(report, FINISHED_EARLIER) if finished else report


def finish_purges(
    db: Database, config: Config, must_stop: Callable[[], bool] = lambda: False
) -> list[PurgeReport]:
    """Finish the purges that were cut off and are worked on by nobody; report each."""
    reports = []
    for begun in unfinished.list_abandoned(db, KIND):
        if must_stop():
            break
        with db.write():
            is_ours = unfinished.claim_abandoned(db, begun)
        db.warnings.pop(begun.id, None)
        if is_ours and REDACTION in begun.data:
            scan.finish_redaction(db, config, begun)
        elif is_ours:
            reports.append(PurgeRun.resume(db, config, begun).carry_out())
    return reports


def _add_note(report: PurgeReport, note: str) -> PurgeReport:
    return replace(report, notes=(*report.notes, note))


def _plan_purge(db: Database, config: Config, wanted: PurgeSelection) -> PurgePlan:
    if not (wanted.ids or wanted.source or wanted.session or wanted.project or wanted.match):
        raise UsageError(
            "say what to purge: ids of records, --source, --session, --project or --match"
        )
    if wanted.match is not None and len(wanted.match.strip()) < _SHORTEST_MATCH:
        raise UsageError(
            f"--match needs at least {_SHORTEST_MATCH} characters: it is cut out everywhere"
        )
    named = {memory.id: memory for memory in (_resolve(db, text) for text in wanted.ids)}
    named |= {memory.id: memory for memory in _find_matching(db, wanted.match)}
    project = projects.named(db, wanted.project).id if wanted.project else None
    found = _find_sources(db, wanted, project)
    words = {word for memory in named.values() for word in list_words(db, memory)} | (
        {wanted.match} if wanted.match else set()
    )
    for memory in (
        *_find_records_only_from(db, found),
        *(erase.list_records_of_project(db, project) if project else ()),
    ):
        named.setdefault(memory.id, memory)
    told = set(named)
    while told:
        again = {memory.id: memory for memory in _find_retellings(db, told)}
        told = set(again) - set(named)
        named |= {each: again[each] for each in told}
    if wanted.match and not named and not found and not _is_anywhere(db, config, words):
        raise _report_nowhere(config, wanted.match)
    return PurgePlan(tuple(named.values()), tuple(found), project, tuple(words))


def _report_nowhere(config: Config, match: str) -> NotFound:
    """The error that the store holds nothing of a text; it names the copies that do."""
    copies = leftovers.find_files_holding(
        leftovers.list_backups(config), [match], shortest=_SHORTEST_MATCH
    )
    if not copies:
        return NotFound("nothing in the store holds that text")
    named = ", ".join(map(str, copies))
    return NotFound(
        f"nothing in the store holds that text, but older copies do: {named}",
        hint="copies are never changed: delete those that you do not need",
    )


def _resolve(db: Database, text: str) -> Memory:
    """The record of an id. Raises NotFound, which says so if it was purged before."""
    try:
        return records.resolve_record(db, text)
    except NotFound as error:
        purged = tombstones.find_purged(db, text)
        if purged is None:
            raise
        when = f"{purged['memory_id']} was purged at {purged['created_at']}"
        raise NotFound(f"{when}: there is nothing left to purge") from error


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
    if any(True for _ in StoreRewrite(db, cutter).find_edits()) or any(
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


def list_words(db: Database, memory: Memory) -> Iterator[str]:
    """The words of a record that are cut out everywhere."""
    for text in (memory.content, memory.rationale or ""):
        if len(text) >= _SHORTEST_WORDS:
            yield text
    yield from (
        item.quote
        for item in evidence.list_of_memory(db, memory.id)
        if len(item.quote) >= SHORTEST_QUOTE
    )


def _preview_purge(db: Database, config: Config, plan: PurgePlan) -> PurgeReport:
    older = find_older_copies(config, plan)
    begun = [one for one in unfinished.list_operations(db, KIND) if REDACTION not in one.data]
    spots = list_spots(StoreRewrite(db, WordCutter(plan.words)).find_edits()) if plan.words else []
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
        notes=tuple(
            f"a purge that began at {one.started_at} is not finished; `memctl maintain` or the "
            "next purge finishes it"
            for one in begun
        ),
        dry_run=True,
    )
