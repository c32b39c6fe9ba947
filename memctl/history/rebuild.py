"""Rebuild records from the event log, and find where the two differ.

The event log is append-only and chained, so it takes precedence. A row that it does not know is
reported and left, because something other than memctl wrote it. Lost evidence cannot be rebuilt,
because the event log does not hold its words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

from memctl.core.errors import RefusedByPolicy
from memctl.core.frozen import fields
from memctl.core.model import Actor, Filter, Memory
from memctl.history import replay, undo
from memctl.history.replay import Replay
from memctl.results.history import Difference, RebuildReport
from memctl.settings.config import Config
from memctl.store import (
    backup,
    chunks,
    erase,
    event_log,
    evidence,
    exchange,
    meta,
    records,
    tracked_rows,
)
from memctl.store.database import Database

# The meta key and value that mark a store whose event log covers every row.
_COVERED_KEY = "history_covers"
_COVERED_SINCE = "3"
# Topic, subject, item, and the columns before and after.
_Change = tuple[str, str, str, Mapping[str, Any] | None, Mapping[str, Any] | None]
# What the event log does not hold: usage starts again.
_COUNTERS = {"last_accessed_at": None, "access_count": 0, "good": 0, "bad": 0}


def record_untracked(db: Database, must_stop: Callable[[], bool] = lambda: False) -> int:
    """Log, once per store, the rows that an older version wrote without events; count them.

    `must_stop` is asked between short transactions; the next call goes on from there.
    """
    logged = 0
    while not is_covered(db) and not must_stop():
        with db.snapshot():
            head = event_log.get_last_number(db)
            untracked = list(_list_untracked(db, ()))
        if not untracked:
            with db.write():
                meta.put_note(db, _COVERED_KEY, _COVERED_SINCE)
            break
        log = partial(_log_unless_told, db, head)
        logged += chunks.change_in_chunks(db, untracked, log, must_stop=must_stop)
    return logged


def _log_unless_told(db: Database, head: int, change: _Change) -> None:
    """Log a row, unless somebody logged it after change number `head`."""
    topic, subject, item, *_ = change
    later = event_log.list_about(db, subject, head)
    if any((event.topic, undo.read_key(event)) == (topic, item) for event in later):
        return
    # One operation each, because they are unrelated and must be undone separately.
    with event_log.group_changes(db, actor="memctl", cause="not in history before"):
        event_log.append_related(db, *change, verb=undo.RECORDED)


def is_covered(db: Database) -> bool:
    """Whether the event log covers everything, and not only records."""
    return meta.get_note(db, _COVERED_KEY) == _COVERED_SINCE


def log_untracked_changes(db: Database, *, skip: Collection[tuple[str, str]] = ()) -> None:
    """Log, in the present operation, every row that differs from the event log, except `skip`."""
    for change in list(_list_untracked(db, skip)):
        event_log.append_related(db, *change, verb="imported")


def _list_untracked(db: Database, skip: Collection[tuple[str, str]]) -> Iterator[_Change]:
    expected = _replay_log(db)
    for topic in tracked_rows.KEYS:
        here = tracked_rows.list_by_item(db, topic)
        for item in sorted(here.keys() | {key for name, key in expected.rows if name == topic}):
            row, known = here.get(item), expected.rows.get((topic, item))
            if row != known and (topic, item) not in skip:
                # An older version may have logged a later change of a row but not its creation.
                begun = known if known and known.keys() >= (row or {}).keys() else None
                yield (
                    topic,
                    tracked_rows.find_subject(topic, row or known or {}),
                    item,
                    *event_log.keep_differences(begun, row),
                )
    yield from _list_untracked_sets(db, expected, skip)


def _list_untracked_sets(
    db: Database, expected: Replay, skip: Collection[tuple[str, str]]
) -> Iterator[_Change]:
    """Mentions that were added or removed, and evidence that was added."""
    here = tracked_rows.list_mentions(db)
    removed: dict[tuple[str, str], list[Any]] = defaultdict(list)
    added: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for changes, mentions in (
        (removed, expected.mentions - here),
        (added, here - expected.mentions),
    ):
        for memory_id, entity_id, name in sorted(mentions):
            if ("mention", f"{memory_id}|{entity_id}|{name}") not in skip:
                changes["mention", memory_id].append([entity_id, name])
    for evidence_id, (memory_id, is_withdrawn) in tracked_rows.list_withdrawn(db).items():
        is_known = is_withdrawn or evidence_id in expected.evidence
        if not is_known and ("evidence", evidence_id) not in skip:
            added["evidence", memory_id].append(evidence_id)
    for topic, memory_id in dict.fromkeys([*removed, *added]):
        name = "ids" if topic == "evidence" else "mentions"
        before = {name: removed[topic, memory_id]} if (topic, memory_id) in removed else None
        after = {name: added[topic, memory_id]} if (topic, memory_id) in added else None
        yield topic, memory_id, memory_id, before, after


def list_ended(db: Database) -> frozenset[tuple[str, str]]:
    """The rows that were removed, as topic and item."""
    return frozenset(_replay_log(db).ended)


def find_differences(db: Database) -> list[Difference]:
    """List where the store differs from the event log.

    In a store of an older version, only records are compared until its next maintenance run.
    """
    with db.snapshot():
        expected = _replay_log(db)
        return list(
            _compare_all(db, expected) if is_covered(db) else _compare_records(db, expected)
        )


def rebuild_records(db: Database, config: Config, actor: Actor, *, dry_run: bool) -> RebuildReport:
    """Set everything to what the event log says, after a backup. Raises RefusedByPolicy."""
    if not actor.is_operator and not dry_run:
        raise RefusedByPolicy(
            "rebuilding records from the event log needs the operator at a terminal"
        )
    if not dry_run:
        record_untracked(db)
    found = tuple(find_differences(db))
    is_mendable = any(each.what in ("missing", "differs", "surplus") for each in found)
    if dry_run or not is_mendable:
        count = len(records.select_records(db, Filter()))
        return RebuildReport(found, count, dry_run=dry_run)
    copy = backup.copy_unchecked(db, config)
    with db.write():
        _rebuild_all(db, _replay_log(db))
    remaining = tuple(find_differences(db))
    return RebuildReport(found, len(records.select_records(db, Filter())), remaining, copy)


def _replay_log(db: Database) -> Replay:
    return replay.replay_events(event_log.read_all(db))


def _compare_all(db: Database, expected: Replay) -> Iterator[Difference]:
    yield from _compare_records(db, expected)
    for topic in tracked_rows.KEYS:
        here = tracked_rows.list_by_item(db, topic)
        items = here.keys() | {key for name, key in expected.rows if name == topic}
        for item in sorted(items):
            yield from _compare_row(topic, item, here.get(item), expected.rows.get((topic, item)))
    mentions = tracked_rows.list_mentions(db)
    for mention in sorted(expected.mentions - mentions):
        yield Difference("mention", "|".join(mention), "missing")
    for mention in sorted(mentions - expected.mentions):
        yield Difference("mention", "|".join(mention), "surplus")
    yield from _compare_evidence(db, expected)


def _compare_evidence(db: Database, expected: Replay) -> Iterator[Difference]:
    here = tracked_rows.list_withdrawn(db)
    for evidence_id, (_, withdrawn_at) in sorted(expected.evidence.items()):
        if evidence_id not in here:
            yield Difference("evidence", evidence_id, "lost")
        elif here[evidence_id][1] != (withdrawn_at is not None):
            yield Difference("evidence", evidence_id, "differs", ("withdrawn_at",))
    for evidence_id in sorted(here.keys() - expected.evidence.keys()):
        if not here[evidence_id][1]:
            yield Difference("evidence", evidence_id, "unknown")


def _compare_records(db: Database, expected: Replay) -> Iterator[Difference]:
    seen = set()
    for memory_id, here in records.read_all_history_fields(db):
        seen.add(memory_id)
        state = expected.records.get(memory_id)
        if state is None:
            yield Difference("record", memory_id, "unknown")
        elif here is None:
            yield Difference("record", memory_id, "differs")
        elif columns := replay.find_differing_columns(here, state, records.LATER):
            yield Difference("record", memory_id, "differs", tuple(columns))
    yield from (
        Difference("record", each, "missing")
        for each, state in sorted(expected.records.items())
        if each not in seen and "content" in state
    )


def _compare_row(
    topic: str, item: str, here: dict[str, Any] | None, expected: dict[str, Any] | None
) -> Iterator[Difference]:
    if here is None:
        yield Difference(topic, item, "missing")
    elif expected is None:
        yield Difference(topic, item, "surplus")
    elif here != expected:
        columns = sorted(name for name in here if here[name] != expected.get(name))
        yield Difference(topic, item, "differs", tuple(columns))


def _rebuild_all(db: Database, expected: Replay) -> None:
    """Write what is missing or differs, and delete what is surplus, in an order that refers back.

    Entities come before records, records before what belongs to them.
    """
    found = list(_compare_all(db, expected))
    wrong = {(each.topic, each.item): each for each in found}
    differing = [each.item for each in found if each.topic == "record"]
    rebuilt = [item for item in differing if wrong["record", item].what in ("missing", "differs")]
    first, *later = tracked_rows.ORDER
    _put_rows(db, first, expected, wrong)
    for memory_id in rebuilt:
        _put_record(db, memory_id, expected.records[memory_id])
    for topic in later:
        _put_rows(db, topic, expected, wrong)
    _put_sets(db, expected, wrong)
    for each in reversed(found):
        if each.what == "surplus" and each.topic in tracked_rows.KEYS:
            _drop_row(db, each)
    tracked_rows.recount_feedback(db, differing)
    mentioning = {each.item.split("|")[0] for each in found if each.topic == "mention"}
    tracked_rows.reindex_memories(db, [*rebuilt, *sorted(mentioning - set(rebuilt))])


def _drop_row(db: Database, surplus: Difference) -> None:
    row = tracked_rows.find_row(db, surplus.topic, surplus.item)
    if row is not None:
        tracked_rows.drop_row(db, surplus.topic, row)


def _put_rows(
    db: Database, topic: str, expected: Replay, wrong: dict[tuple[str, str], Difference]
) -> None:
    rows = [
        row
        for (name, item), row in expected.rows.items()
        if name == topic and (name, item) in wrong
    ]
    # A merged entity refers to another one, which must exist first.
    for row in sorted(rows, key=lambda row: row.get("merged_into") is not None):
        tracked_rows.put_row(db, topic, row)


def _put_record(db: Database, memory_id: str, state: dict[str, Any]) -> None:
    known = {f.name for f in fields(Memory)}
    values = {
        **records.LATER,
        **_COUNTERS,
        **{name: value for name, value in state.items() if name in known},
    }
    memory = Memory(**{**values, "alternatives": tuple(values["alternatives"])})
    if records.find_record(db, memory_id) is None:
        columns = records.to_columns(memory)
        exchange.insert_one(db, "memories", columns)
    else:
        erase.set_record(db, memory)


def _put_sets(db: Database, expected: Replay, wrong: dict[tuple[str, str], Difference]) -> None:
    for each in wrong.values():
        if each.topic == "mention":
            memory_id, entity_id, name = each.item.split("|", 2)
            is_missing = each.what == "missing"
            tracked_rows.set_mention(db, memory_id, entity_id, name, present=is_missing)
        elif each.topic == "evidence" and each.what == "differs":
            evidence.set_withdrawn(db, each.item, expected.evidence[each.item][1])
