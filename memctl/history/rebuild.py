"""Rebuild records from the event log, and find where the two differ.

The event log is append-only and chained, so it takes precedence. A row that it does not know is
reported and left, because something other than memctl wrote it. Lost evidence cannot be rebuilt,
because the event log does not hold its words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from memctl.core.errors import RefusedByPolicy
from memctl.core.frozen import fields
from memctl.core.model import Actor, Filter, Memory
from memctl.history import replay, undo
from memctl.history.replay import Replay
from memctl.results.history import Difference, RebuildReport
from memctl.settings.config import Config
from memctl.store import backup, erase, event_log, evidence, exchange, meta, records, tracked_rows
from memctl.store.database import Database

_COVERED_KEY = "history_covers"
_COVERED_SINCE = "3"
# Topic, what it is about, the row, and what was before and after.
_Change = tuple[str, str, str, Mapping[str, Any] | None, Mapping[str, Any] | None]
_COUNTERS = {"last_accessed_at": None, "access_count": 0, "good": 0, "bad": 0}


def record_untracked(db: Database) -> int:
    """Log the rows that an older version wrote without an event, once per store; return how
    many.
    """
    if is_covered(db):
        return 0
    with db.write():
        untold = list(_list_untracked(db, ()))
        for change in untold:
            # Each by itself: they have nothing to do with each other.
            with event_log.operation(db, actor="memctl", cause="not in history before"):
                event_log.note(db, *change, verb=undo.RECORDED)
        meta.put(db, _COVERED_KEY, _COVERED_SINCE)
    return len(untold)


def is_covered(db: Database) -> bool:
    """Whether the event log covers everything, and not only records."""
    return meta.get(db, _COVERED_KEY) == _COVERED_SINCE


def log_untracked_changes(db: Database, *, but: Collection[tuple[str, str]] = ()) -> None:
    """Log, within the present operation, every row that differs from the event log, except
    `but`.
    """
    for change in list(_list_untracked(db, but)):
        event_log.note(db, *change, verb="imported")


def _list_untracked(db: Database, but: Collection[tuple[str, str]]) -> Iterator[_Change]:
    told = _replay_log(db)
    for topic in tracked_rows.KEYS:
        here = tracked_rows.everything(db, topic)
        for item in sorted(here.keys() | {key for name, key in told.rows if name == topic}):
            row, known = here.get(item), told.rows.get((topic, item))
            if row != known and (topic, item) not in but:
                # Of an older store a change may be told of something whose beginning is not.
                begun = known if known and known.keys() >= (row or {}).keys() else None
                yield (
                    topic,
                    tracked_rows.about(topic, row or known or {}),
                    item,
                    *event_log.differing(begun, row),
                )
    yield from _list_untracked_sets(db, told, but)


def _list_untracked_sets(
    db: Database, told: Replay, but: Collection[tuple[str, str]]
) -> Iterator[_Change]:
    """Mentions that were added or removed, and evidence that was added."""
    here = tracked_rows.mentions(db)
    changes: dict[tuple[str, str], tuple[list[Any], list[Any]]] = {}
    for place, found in enumerate((told.mentions - here, here - told.mentions)):
        for memory_id, entity_id, name in sorted(found):
            if ("mention", f"{memory_id}|{entity_id}|{name}") not in but:
                changes.setdefault(("mention", memory_id), ([], []))[place].append(
                    [entity_id, name]
                )
    for each, (memory_id, gone) in tracked_rows.withdrawn(db).items():
        if each not in told.evidence and not gone and ("evidence", each) not in but:
            changes.setdefault(("evidence", memory_id), ([], []))[1].append(each)
    for (topic, memory_id), members in changes.items():
        name = "ids" if topic == "evidence" else "mentions"
        before, after = ({name: some} if some else None for some in members)
        yield topic, memory_id, memory_id, before, after


def list_ended(db: Database) -> frozenset[tuple[str, str]]:
    """The rows that were removed, as topic and item."""
    return frozenset(_replay_log(db).ended)


def find_differences(db: Database) -> list[Difference]:
    """List where the store differs from the event log.

    In a store of an older version, only records are compared until its next maintenance run.
    """
    with db.snapshot():
        told = _replay_log(db)
        return list(_compare_all(db, told) if is_covered(db) else _compare_records(db, told))


def rebuild_records(db: Database, config: Config, actor: Actor, *, dry_run: bool) -> RebuildReport:
    """Set everything to what the event log says, after a backup. Raises RefusedByPolicy."""
    if not actor.is_operator and not dry_run:
        raise RefusedByPolicy("making records anew from history needs the operator at a terminal")
    if not dry_run:
        record_untracked(db)
    found = find_differences(db)
    mendable = [each for each in found if each.what in ("missing", "differs", "surplus")]
    if dry_run or not mendable:
        return RebuildReport(tuple(found), len(records.select(db, Filter())), dry_run=dry_run)
    copy = backup.as_it_is(db, config)
    with db.write():
        _rebuild_all(db, _replay_log(db))
    left = find_differences(db)
    return RebuildReport(tuple(found), len(records.select(db, Filter())), tuple(left), copy)


def _replay_log(db: Database) -> Replay:
    return replay.replay_events(event_log.read_all(db))


def _compare_all(db: Database, told: Replay) -> Iterator[Difference]:
    yield from _compare_records(db, told)
    for topic in tracked_rows.KEYS:
        here = tracked_rows.everything(db, topic)
        for item in sorted(here.keys() | {key for name, key in told.rows if name == topic}):
            yield from _compare_row(topic, item, here.get(item), told.rows.get((topic, item)))
    here_mentions = tracked_rows.mentions(db)
    yield from (
        Difference("mention", "|".join(each), "missing")
        for each in sorted(told.mentions - here_mentions)
    )
    yield from (
        Difference("mention", "|".join(each), "surplus")
        for each in sorted(here_mentions - told.mentions)
    )
    proof = tracked_rows.withdrawn(db)
    for each, (_, at) in sorted(told.evidence.items()):
        if each not in proof:
            yield Difference("evidence", each, "lost")
        elif proof[each][1] != (at is not None):
            yield Difference("evidence", each, "differs", ("withdrawn_at",))
    yield from (
        Difference("evidence", each, "unknown")
        for each in sorted(proof.keys() - told.evidence.keys())
        if not proof[each][1]
    )


def _compare_records(db: Database, told: Replay) -> Iterator[Difference]:
    seen = set()
    for memory_id, here in records.read_all_history_fields(db):
        seen.add(memory_id)
        state = told.records.get(memory_id)
        if state is None:
            yield Difference("record", memory_id, "unknown")
        elif here is None:
            yield Difference("record", memory_id, "differs")
        elif columns := replay.find_differing_columns(here, state, records.LATER):
            yield Difference("record", memory_id, "differs", tuple(columns))
    yield from (
        Difference("record", each, "missing")
        for each, state in sorted(told.records.items())
        if each not in seen and "content" in state
    )


def _compare_row(
    topic: str, item: str, here: dict[str, Any] | None, told: dict[str, Any] | None
) -> Iterator[Difference]:
    if here is None:
        yield Difference(topic, item, "missing")
    elif told is None:
        yield Difference(topic, item, "surplus")
    elif here != told:
        yield Difference(
            topic,
            item,
            "differs",
            tuple(sorted(name for name in here if here[name] != told.get(name))),
        )


def _rebuild_all(db: Database, told: Replay) -> None:
    found = list(_compare_all(db, told))
    wrong = {(each.topic, each.item): each for each in found}
    for topic in tracked_rows.ORDER[:1]:
        _put_rows(db, topic, told, wrong)
    renewed = [
        each.item
        for each in found
        if each.topic == "record" and each.what in ("missing", "differs")
    ]
    for memory_id in renewed:
        _put_record(db, memory_id, told.records[memory_id])
    for topic in tracked_rows.ORDER[1:]:
        _put_rows(db, topic, told, wrong)
    _put_sets(db, told, wrong)
    for each in reversed(
        [each for each in found if each.what == "surplus" and each.topic in tracked_rows.KEYS]
    ):
        row = tracked_rows.get(db, each.topic, each.item)
        if row is not None:
            tracked_rows.drop(db, each.topic, row)
    tracked_rows.recount_feedback(db, [each.item for each in found if each.topic == "record"])
    spoken = {each.item.split("|")[0] for each in found if each.topic == "mention"}
    tracked_rows.index_again(db, [*renewed, *sorted(spoken - set(renewed))])


def _put_rows(
    db: Database, topic: str, told: Replay, wrong: dict[tuple[str, str], Difference]
) -> None:
    rows = [
        row for (name, item), row in told.rows.items() if name == topic and (name, item) in wrong
    ]
    # An entity may stand in another one that comes later.
    for row in sorted(rows, key=lambda row: row.get("merged_into") is not None):
        tracked_rows.put(db, topic, row)


def _put_record(db: Database, memory_id: str, state: dict[str, Any]) -> None:
    known = {f.name for f in fields(Memory)}
    values = {
        **records.LATER,
        **_COUNTERS,
        **{name: value for name, value in state.items() if name in known},
    }
    memory = Memory(**{**values, "alternatives": tuple(values["alternatives"])})
    if records.find(db, memory_id) is None:
        columns = records.columns(memory)
        exchange.insert_one(db, "memories", columns)
    else:
        erase.set_record(db, memory)


def _put_sets(db: Database, told: Replay, wrong: dict[tuple[str, str], Difference]) -> None:
    for each in wrong.values():
        if each.topic == "mention":
            memory_id, entity_id, name = each.item.split("|", 2)
            is_missing = each.what == "missing"
            tracked_rows.set_mention(db, memory_id, entity_id, name, present=is_missing)
        elif each.topic == "evidence" and each.what == "differs":
            evidence.set_withdrawn(db, each.item, told.evidence[each.item][1])
