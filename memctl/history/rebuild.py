"""Rebuild records from the event log, and find where the two differ.

The event log is append-only and chained, so it takes precedence. A row that it does not know is
reported and left, because something other than memctl wrote it. Lost evidence cannot be rebuilt,
because the event log does not hold its words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from memctl.core.errors import RefusedByPolicy, StoreDamaged, StoreLocked
from memctl.core.frozen import fields
from memctl.core.model import Actor, Filter, Memory
from memctl.core.typing_lite import Any
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
    unfinished,
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
    _rebuild_all(db)
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


def _rebuild_all(db: Database) -> None:
    """Write what is missing or differs, and delete what is surplus, in short transactions.

    The order refers back: entities and their names come before records, records with what they
    mention before the rows that name them. What a kill leaves still differs from the event log and
    is found again.
    """
    with db.snapshot():
        expected, head = _replay_log(db), event_log.get_last_number(db)
        found = list(_compare_all(db, expected))
        erasures = _list_erasures(db)
    mending = _Mending(db, expected, head, erasures)
    differing = [each.item for each in found if each.topic == "record"]
    chunks.change_in_chunks(
        db, _sort_differences(found, expected), mending.mend, around=mending.follow_changes
    )
    count = partial(tracked_rows.recount_feedback, db)
    chunks.change_in_chunks(
        db, sorted({*differing, *tracked_rows.list_voted(db)}), lambda each: count([each])
    )


def _sort_differences(found: Sequence[Difference], expected: Replay) -> list[tuple[str, str]]:
    """Topic and item of what to mend, so that nothing refers to what is not there yet. Pure.

    A mention is mended with its record.
    """
    mendable = ("missing", "differs", "surplus")
    records_ = [
        (each.item.split("|")[0] if each.topic == "mention" else each.item)
        for each in found
        if each.topic in ("record", "mention") and each.what in mendable
    ]
    rows = [each for each in found if each.topic in tracked_rows.KEYS]
    wrong = [(each.topic, each.item) for each in rows if each.what != "surplus"]
    # A merged entity refers to another one, which must exist first.
    wrong.sort(key=lambda key: expected.rows[key].get("merged_into") is not None)
    surplus = [(each.topic, each.item) for each in reversed(rows) if each.what == "surplus"]
    named, others = tracked_rows.ORDER[:2], tracked_rows.ORDER[2:]
    return [
        *(key for topic in named for key in wrong if key[0] == topic),
        # The index entry of a record has all names of its entities, so these go first.
        *(key for key in surplus if key[0] == "alias"),
        *(("record", each) for each in dict.fromkeys(records_)),
        *(key for topic in others for key in wrong if key[0] == topic),
        *(
            ("evidence", each.item)
            for each in found
            if each.topic == "evidence" and each.what == "differs"
        ),
        *(key for key in surplus if key[0] != "alias"),
    ]


class _Mending:
    """Sets one thing after the other to what the event log says by now, with others' changes."""

    def __init__(
        self, db: Database, expected: Replay, head: int, erasures: Collection[tuple[str, str]]
    ) -> None:
        self._db, self._expected, self._head, self._erasures = db, expected, head, erasures
        self._mentions = _group_mentions(expected)

    @contextmanager
    def follow_changes(self) -> Iterator[None]:
        """Take up, in the transaction of a chunk, what others have changed since the last one.

        Raises StoreLocked if they erase: words that are gone would be written once more.
        """
        events = list(event_log.iterate_since(self._db, seq=self._head))
        is_erased = any(event.before is None and event.after is None for event in events)
        if is_erased or _list_erasures(self._db) != self._erasures:
            raise StoreLocked(
                f"{self._db.path}: another process erases words of the event log",
                hint="run the command again when it is done; what was mended stays",
            )
        if events:
            for event in events:
                self._expected.apply(event)
            self._head = events[-1].seq
            self._mentions = _group_mentions(self._expected)
        yield

    def mend(self, wrong: tuple[str, str]) -> None:
        """Mend a record with its mentions, a row, or whether evidence counts."""
        topic, item = wrong
        if topic == "record":
            self._mend_record(item)
        elif topic == "evidence":
            memory_id, withdrawn_at = self._expected.evidence.get(item, ("", None))
            if memory_id:
                evidence.set_withdrawn(self._db, item, withdrawn_at)
        else:
            self._mend_row(topic, item)

    def _mend_row(self, topic: str, item: str) -> None:
        row = self._expected.rows.get((topic, item))
        here = tracked_rows.find_row(self._db, topic, item)
        if row is not None and here != row:
            tracked_rows.put_row(self._db, topic, row)
        elif row is None and here is not None:
            tracked_rows.drop_row(self._db, topic, here)

    def _mend_record(self, memory_id: str) -> None:
        state = self._expected.records.get(memory_id)
        if state is not None and "content" in state and self._differs(memory_id, state):
            _put_record(self._db, memory_id, state)
        here = tracked_rows.list_mentions_of(self._db, memory_id)
        told = self._mentions.get(memory_id, set())
        for entity_id, name in here ^ told:
            is_missing = (entity_id, name) in told
            tracked_rows.set_mention(self._db, memory_id, entity_id, name, present=is_missing)
        tracked_rows.reindex_memories(self._db, [memory_id])

    def _differs(self, memory_id: str, state: Mapping[str, Any]) -> bool:
        try:
            here = records.list_by_ids(self._db, [memory_id]).get(memory_id)
        except StoreDamaged:
            return True
        return here is None or bool(
            replay.find_differing_columns(
                records.extract_history_fields(here), state, records.LATER
            )
        )


def _group_mentions(expected: Replay) -> dict[str, set[tuple[str, str]]]:
    """The entities and names that each record mentions."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for memory_id, entity_id, name in expected.mentions:
        found[memory_id].add((entity_id, name))
    return found


def _list_erasures(db: Database) -> set[tuple[str, str]]:
    """The erasures that are not ended, and when each last did something."""
    return {(each.id, each.touched_at) for each in unfinished.list_operations(db, "purge")}


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
