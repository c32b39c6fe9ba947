"""Where something comes from: a record's quotes held against their sources again, its history and
links; or a past retrieval's scores.

Nothing is trusted because it was once true: each quote is looked for in the stored turns again, and
a retrieval can be repeated. Of another agent's private records a retrieval shows an agent nothing
but that they are there, unless the retrieval was its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core.errors import NotFound
from memctl.core.frozen import replace
from memctl.core.model import Actor, Evidence, Memory, Source, Turn
from memctl.core.typing_lite import Any
from memctl.records.as_of import records_at
from memctl.records.record_source import PresentRecords, RecordSource
from memctl.records.views import build_view, build_views, list_former
from memctl.results.explanations import (
    EvidenceCheck,
    MemoryExplanation,
    ReplayReport,
    RetrievalExplanation,
)
from memctl.results.records import RecordView
from memctl.retrieve import freshness, logged_query, visibility
from memctl.settings.config import Config
from memctl.store import event_log, logs, records, sources, tombstones
from memctl.store.database import Database


def explain(
    db: Database,
    config: Config,
    some_id: str,
    *,
    viewer: Actor = visibility.OPERATOR,
    whole: bool = False,
    as_of: str | None = None,
) -> MemoryExplanation | RetrievalExplanation:
    """What stands behind a record (with the `whole` history of all it superseded), or behind a
    retrieval. Raises NotFound.

    With `as_of` a record is explained as it was at that time.
    """
    source = records_at(db, as_of)
    with db.snapshot():
        try:
            memory = source.find_record(some_id)
        except NotFound as no_record:
            try:
                return _explain_retrieval(db, some_id, viewer)
            except NotFound:
                raise no_record from None
        return _explain_record(source, config, memory, whole=whole)


def check_evidence(item: Evidence, source: Source | None, turns: Sequence[Turn]) -> EvidenceCheck:
    """A quote held against the turns of its source; one that moved comes back with its new
    position.

    States: `intact` (same span), `moved` (other span or turn), `changed` (the turn has other
    words), `missing` (the source or the turn is gone), `manual` (it never had a source).
    """
    if item.source_id is None:
        return EvidenceCheck(item, "manual")
    turn = next((turn for turn in turns if turn.seq == item.turn), None)
    if source is None:
        return EvidenceCheck(item, "missing")
    if turn is not None and _is_at_recorded_span(item, turn):
        return EvidenceCheck(item, "intact", source)
    found = _find_elsewhere(item, [turn, *turns] if turn else turns)
    if found is not None:
        return EvidenceCheck(found, "moved", source)
    return EvidenceCheck(item, "missing" if turn is None else "changed", source)


def _is_at_recorded_span(item: Evidence, turn: Turn) -> bool:
    return item.span_start is not None and turn.text[item.span_start : item.span_end] == item.quote


def _find_elsewhere(item: Evidence, turns: Sequence[Turn]) -> Evidence | None:
    """The evidence with the first place where its quote stands now."""
    for turn in turns if item.quote else ():
        start = turn.text.find(item.quote)
        if start >= 0:
            return replace(item, turn=turn.seq, span_start=start, span_end=start + len(item.quote))
    return None


def _explain_record(
    source: RecordSource, config: Config, memory: Memory, *, whole: bool
) -> MemoryExplanation:
    """What a record says and what vouches for it; its quotes are held against the stored sources
    of now.
    """
    db, former = source.db, list_former(source, memory.id)
    view = replace(
        build_view(source, memory),
        standing=freshness.describe_standing(source, config, memory),
        former=former,
    )
    ends = {end for link in view.links for end in (link.from_id, link.to_id)}
    linked = source.read_records(sorted(ends - {memory.id}))
    told = [memory.id, *(each.id for each in former)] if whole else [memory.id]
    events = [
        event
        for each in told
        for event in event_log.list_of_memory(db, each, whole=whole)
        if source.has_happened(event.at)
    ]
    return MemoryExplanation(
        view,
        _check_all(db, view.evidence),
        tuple(sorted(events, key=lambda event: event.seq)),
        build_views(source, list(linked.values())),
        _find_verdict(source, memory.id),
        as_of=source.at,
    )


def _find_verdict(source: RecordSource, memory_id: str) -> str | None:
    """What was decided about a record that was taken out of use, with the reason."""
    row = tombstones.find_of_memory(source.db, memory_id)
    if row is None or not source.has_happened(row["created_at"]):
        return None
    return f"{row['verdict']}: {row['reason']}" if row["reason"] else str(row["verdict"])


def _check_all(db: Database, items: Sequence[Evidence]) -> tuple[EvidenceCheck, ...]:
    known = {
        source_id: _find_source(db, source_id)
        for source_id in {item.source_id for item in items if item.source_id}
    }
    turns = {
        source_id: sources.read_turns(db, source_id)
        for source_id, source in known.items()
        if source
    }
    return tuple(
        check_evidence(item, known.get(item.source_id or ""), turns.get(item.source_id or "", []))
        for item in items
    )


def _find_source(db: Database, source_id: str) -> Source | None:
    try:
        return sources.get_source(db, source_id)
    except NotFound:
        return None


def replay_retrieval(
    db: Database, config: Config, retrieval_id: str, *, viewer: Actor = visibility.OPERATOR
) -> ReplayReport:
    """A past retrieval asked again of the store as it is now. Raises NotFound."""
    from memctl.retrieve import replay as again

    with db.snapshot():
        log = logs.resolve_log(db, retrieval_id)
        report = again.compare_with_now(
            db, config, log, viewer=visibility.OPERATOR if viewer.name == log["actor"] else viewer
        )
        ids = dict.fromkeys(change.record_id for change in report.changes)
        views = build_views(PresentRecords(db), list(records.list_by_ids(db, ids).values()))
    return replace(report, records=_hide_from_viewer(_order_views(views, ids), log, viewer))


def _explain_retrieval(db: Database, some_id: str, viewer: Actor) -> RetrievalExplanation:
    log = logs.resolve_log(db, some_id)
    line = logged_query.parse_log_line(log)
    ids = dict.fromkeys([*line.returned, *line.candidates])
    known = records.list_by_ids(db, ids)
    views = _order_views(build_views(PresentRecords(db), list(known.values())), ids)
    return RetrievalExplanation(log, _hide_from_viewer(views, log, viewer), line.sections)


def _hide_from_viewer(
    views: dict[str, RecordView], log: Mapping[str, Any], viewer: Actor
) -> dict[str, RecordView]:
    """The records of a retrieval: whole to whoever it was made for, else without what is private
    to another.
    """
    return views if viewer.name == log["actor"] else visibility.hide_private_views(views, viewer)


def _order_views(seen: dict[str, RecordView], ids: dict[str, None]) -> dict[str, RecordView]:
    return {record_id: seen[record_id] for record_id in ids if record_id in seen}
