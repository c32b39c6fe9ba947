"""Where something comes from: a record's quotes held against their sources again, its history and links; or a past retrieval's scores.

Nothing is trusted because it was once true: each quote is looked for in the stored turns anew, and a retrieval can be asked again. Of
another agent's private records a retrieval shows an agent nothing but that they are there, unless the retrieval was its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memctl.core.errors import NotFound
from memctl.core.frozen import replace
from memctl.core.model import Actor, Evidence, Memory, Source, Turn
from memctl.records import as_of as asof
from memctl.records.views import by_id, former
from memctl.results.explanations import (
    EvidenceCheck,
    MemoryExplanation,
    ReplayReport,
    RetrievalExplanation,
)
from memctl.results.records import RecordView
from memctl.retrieve import freshness, logged_query, visibility
from memctl.settings.config import Config
from memctl.store import event_log, evidence, logs, records, sources, tombstones
from memctl.store.database import Db


def explain(
    db: Db,
    config: Config,
    some_id: str,
    *,
    viewer: Actor = visibility.OPERATOR,
    whole: bool = False,
    as_of: str | None = None,
) -> MemoryExplanation | RetrievalExplanation:
    """What stands behind a record (with the `whole` history of all it took the place of), or behind a retrieval. Raises NotFound.

    With `as_of` a record is explained as it was at that time.
    """
    at = asof.moment(as_of, end_of_day=True)
    with db.snapshot():
        try:
            memory = records.resolve(db, some_id)
        except NotFound as no_record:
            try:
                return _retrieval(db, some_id, viewer)
            except NotFound:
                raise no_record from None
        return (
            _memory(db, config, memory, whole=whole)
            if at is None
            else _memory_then(db, asof.one(db, memory, at), at)
        )


def checked(item: Evidence, source: Source | None, turns: Sequence[Turn]) -> EvidenceCheck:
    """A quote held against the turns of its source; one that stands elsewhere now comes back with the place where it stands.

    States: `intact` (same span), `moved` (other span or turn), `changed` (the turn has other words), `missing` (the source or the turn is
    gone), `manual` (it never had a source).
    """
    if item.source_id is None:
        return EvidenceCheck(item, "manual")
    turn = next((turn for turn in turns if turn.seq == item.turn), None)
    if source is None:
        return EvidenceCheck(item, "missing")
    if turn is not None and _at_its_place(item, turn):
        return EvidenceCheck(item, "intact", source)
    found = _elsewhere(item, [turn, *turns] if turn else turns)
    if found is not None:
        return EvidenceCheck(found, "moved", source)
    return EvidenceCheck(item, "missing" if turn is None else "changed", source)


def _at_its_place(item: Evidence, turn: Turn) -> bool:
    return item.span_start is not None and turn.text[item.span_start : item.span_end] == item.quote


def _elsewhere(item: Evidence, turns: Sequence[Turn]) -> Evidence | None:
    """The evidence with the first place where its quote stands now."""
    for turn in turns if item.quote else ():
        start = turn.text.find(item.quote)
        if start >= 0:
            return replace(item, turn=turn.seq, span_start=start, span_end=start + len(item.quote))
    return None


def _memory(db: Db, config: Config, memory: Memory, *, whole: bool) -> MemoryExplanation:
    before = former(db, memory.id)
    view = replace(
        by_id(db, [memory])[memory.id],
        standing=freshness.standing(db, config, memory),
        former=before,
    )
    others = sorted(
        {end for link in view.links for end in (link.from_id, link.to_id)} - {memory.id}
    )
    linked = by_id(db, list(records.by_ids(db, others).values()))
    verdict = tombstones.of_memory(db, memory.id)
    told = [memory.id, *(each.id for each in before)] if whole else [memory.id]
    history = tuple(
        sorted(
            (event for each in told for event in event_log.of_memory(db, each, whole=whole)),
            key=lambda event: event.seq,
        )
    )
    return MemoryExplanation(
        view,
        _checks(db, memory.id),
        history,
        linked,
        None if verdict is None else _sentence(verdict["verdict"], verdict["reason"]),
    )


def _memory_then(db: Db, memory: Memory, at: str) -> MemoryExplanation:
    """A record of a time: what it said and what vouched for it then; its quotes are held against the sources of now."""
    view = asof.views(db, [memory], at)[0]
    others = sorted(
        {end for link in view.links for end in (link.from_id, link.to_id)} - {memory.id}
    )
    states = asof.states(db, records.by_ids(db, others).values(), at)
    history = tuple(event for event in event_log.of_memory(db, memory.id) if event.at <= at)
    linked = {
        other.id: shown for other, shown in zip(states, asof.views(db, states, at), strict=True)
    }
    return MemoryExplanation(view, _checked(db, view.evidence), history, linked, as_of=at)


def _checks(db: Db, memory_id: str) -> tuple[EvidenceCheck, ...]:
    return _checked(db, evidence.of_memory(db, memory_id))


def _checked(db: Db, items: Sequence[Evidence]) -> tuple[EvidenceCheck, ...]:
    known = {
        source_id: _source(db, source_id)
        for source_id in {item.source_id for item in items if item.source_id}
    }
    turns = {
        source_id: sources.turns_of(db, source_id) for source_id, source in known.items() if source
    }
    return tuple(
        checked(item, known.get(item.source_id or ""), turns.get(item.source_id or "", []))
        for item in items
    )


def _source(db: Db, source_id: str) -> Source | None:
    try:
        return sources.get(db, source_id)
    except NotFound:
        return None


def _sentence(verdict: str, reason: str | None) -> str:
    return f"{verdict}: {reason}" if reason else verdict


def replay(
    db: Db, config: Config, retrieval_id: str, *, viewer: Actor = visibility.OPERATOR
) -> ReplayReport:
    """A past retrieval asked again of the store as it is now. Raises NotFound."""
    from memctl.retrieve import replay as again

    with db.snapshot():
        log = logs.resolve(db, retrieval_id)
        report = again.replay(
            db, config, log, viewer=visibility.OPERATOR if viewer.name == log["actor"] else viewer
        )
        ids = dict.fromkeys(change.record_id for change in report.changes)
        seen = by_id(db, list(records.by_ids(db, ids).values()))
    return replace(report, records=_as_seen(_in_order(seen, ids), log, viewer))


def _retrieval(db: Db, some_id: str, viewer: Actor) -> RetrievalExplanation:
    log = logs.resolve(db, some_id)
    line = logged_query.read(log)
    ids = dict.fromkeys([*line.returned, *line.candidates])
    known = records.by_ids(db, ids)
    return RetrievalExplanation(
        log, _as_seen(_in_order(by_id(db, list(known.values())), ids), log, viewer)
    )


def _as_seen(
    views: dict[str, RecordView], log: Mapping[str, Any], viewer: Actor
) -> dict[str, RecordView]:
    """The records of a retrieval: whole to whoever it was made for, else without what is private to another."""
    return views if viewer.name == log["actor"] else visibility.all_veiled(views, viewer)


def _in_order(seen: dict[str, RecordView], ids: dict[str, None]) -> dict[str, RecordView]:
    return {record_id: seen[record_id] for record_id in ids if record_id in seen}
