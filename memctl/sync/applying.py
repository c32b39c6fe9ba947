"""Changes of other replicas, taken in: kept, and what they come to written into the tables.

A change counts once all that it follows is here; until then it waits. What does not fit, what is
not its maker's to say, and what comes after its maker was removed is refused. Each short
transaction first collects what was made here, takes changes of some subjects, settles these
subjects, and passes over what it wrote: a kill leaves nothing half done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from memctl.core.frozen import dataclass
from memctl.settings.config import Config
from memctl.store import chunks, records, sync_changes
from memctl.store.database import Database
from memctl.sync import arrived_adoptions, arrived_purges, fitting
from memctl.sync.change import Change
from memctl.sync.project_identity import ProjectClasses
from memctl.sync.roster import Roster
from memctl.sync.settling import Settler
from memctl.sync.sharing import name_own_stream
from memctl.sync.stored_graph import keep_change

# Changes that waited and are let count in one go.
_READY = 100


class LocalCollector(Protocol):
    """Collects what was made here (see `collecting`)."""

    @property
    def classes(self) -> ProjectClasses:
        """Which projects are one: shared, for what is taken in changes it at once."""

    @property
    def redacted(self) -> set[str]:
        """Subjects of which words were replaced or erased on the way: they are to be settled."""

    def collect_here(self) -> int:
        """Collect all of it, inside a transaction."""

    def collect_record(self, memory_id: str) -> int:
        """Collect a record that was made here and does not travel yet, with its history."""

    def renew_names(self) -> None:
        """Read anew which projects are one."""

    def pass_over(self) -> None:
        """Note that what the event log has now is collected, or was not made here."""

    def number_everywhere(self, subject: str) -> int:
        """Let changes travel on in every stream of their subject."""


@dataclass(frozen=True, slots=True)
class ReceivedChange:
    """A change as it was read: where it stands in the sequence of a replica for a stream."""

    stream: str
    replica: str
    number: int
    entry: Change


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of changes: how many of them are new, wait or were refused, and how many records
    and copies that made.
    """

    counts: Mapping[str, int]


def take_changes(
    db: Database,
    config: Config,
    member: str,
    collector: LocalCollector,
    received: Sequence[ReceivedChange],
) -> Taken:
    """Take changes in, in short transactions. Those that are here already only get their number."""
    return Taking(db, config, member, collector).take(received)


def settle_redacted(db: Database, config: Config, member: str, collector: LocalCollector) -> None:
    """Bring the tables in line with what was redacted or erased when changes made here were
    collected.
    """
    taking = Taking(db, config, member, collector)
    subjects = sorted(collector.redacted)
    collector.redacted.clear()
    chunks.change_in_chunks(db, subjects, taking.settle_anew, around=taking.follow)
    arrived_purges.carry_out(db, config)


class Taking:
    """Takes changes in for the member whose store it is."""

    def __init__(
        self, db: Database, config: Config, member: str, collector: LocalCollector
    ) -> None:
        self._db, self._config, self._member, self._collector = db, config, member, collector
        self._counts = Counter[str]()

    def take(self, received: Sequence[ReceivedChange]) -> Taken:
        """Take changes, subject by subject."""
        by_subject: dict[str, list[ReceivedChange]] = {}
        for each in received:
            by_subject.setdefault(each.entry.subject, []).append(each)
        # Projects first: what belongs to them need not wait.
        groups = sorted(by_subject.items(), key=lambda item: fitting.is_record(item[0]))
        chunks.change_in_chunks(
            self._db, groups, lambda item: self._take_subject(*item), around=self.follow
        )
        arrived_adoptions.carry_out(self._db)
        purged = arrived_purges.carry_out(self._db, self._config)
        if purged:
            self._counts["purged"] += purged
        self._collector.renew_names()
        return Taken(dict(self._counts))

    @contextmanager
    def follow(self) -> Iterator[None]:
        """Collect what was made here before, and pass over what is written inside."""
        self._collector.collect_here()
        self._settler = Settler(
            self._db, self._config, self._member, self._collector.classes, self._counts
        )
        for subject in sorted(self._collector.redacted):
            self._settler.settle(subject)
        self._collector.redacted.clear()
        yield
        self._collector.pass_over()

    def settle_anew(self, subject: str) -> None:
        """Settle a subject of which nothing is new."""
        self._settler.settle(subject)

    def _take_subject(self, subject: str, received: Sequence[ReceivedChange]) -> None:
        self._collect_first(subject)
        fresh = [each.entry.id for each in received if self._keep(each)]
        self.settle(subject, fresh)

    def settle(self, subject: str, fresh: Sequence[str]) -> None:
        """Settle a subject with what is new of it, and what had waited for that."""
        settled = {subject: [*fresh]}
        while ready := sync_changes.list_ready(self._db, _READY):
            for each in ready:
                if each.body is None or self._is_in_time(each.stamp, each.parents):
                    sync_changes.let_count(self._db, each)
                    settled.setdefault(each.subject, []).append(each.id)
                else:
                    sync_changes.set_refused(self._db, each)
        for each_subject, ids in settled.items():
            if ids:
                self._settler.settle(each_subject, ids)
                self._collector.number_everywhere(each_subject)
        if sync_changes.list_ready(self._db, 1):  # They waited for a copy that is here by now.
            self.settle(subject, [])

    def _collect_first(self, subject: str) -> None:
        """What was made here of the same subject is collected before it meets that of others."""
        is_known = sync_changes.find_subject(self._db, subject)[0] is not None
        if not is_known and fitting.is_record(subject) and records.find_record(self._db, subject):
            self._collector.collect_record(subject)

    def _keep(self, received: ReceivedChange) -> bool:
        """Keep a change with its number; whether it is new and counts."""
        change = received.entry
        known = sync_changes.find_change(self._db, change.id)
        if known is not None:
            self._number(received, known.n)
            return False
        state = self._judge(received)
        n = keep_change(self._db, change, state)
        assert n is not None
        self._number(received, n)
        if state != "refused":
            for stream in ("", received.stream):
                sync_changes.put_subject(self._db, change.subject, stream, change.member)
        self._counts[state] += 1
        return state == "taken"

    def _number(self, received: ReceivedChange, n: int) -> None:
        sync_changes.note_number(self._db, received.stream, received.replica, received.number, n)

    def _judge(self, received: ReceivedChange) -> str:
        """What becomes of a change: taken, waiting or refused."""
        change = received.entry
        owner, _ = sync_changes.find_subject(self._db, change.subject)
        is_theirs = owner == change.member or (owner is None and not self._is_at_home(change))
        is_ours = received.stream != name_own_stream(change.member) or (
            change.member == self._member
        )
        if not is_theirs or not is_ours or not fitting.fits(change):
            return "refused"
        known = sync_changes.find_numbers(self._db, change.parents)
        if len(known) < len(change.parents) or not all(
            self._counts_already(each) for each in change.parents
        ):
            return "waiting"
        return "taken" if self._is_in_time(change.stamp, change.parents) else "refused"

    def _is_at_home(self, change: Change) -> bool:
        """Whether somebody else speaks of a record that was made here and stays here."""
        if change.member == self._member or not fitting.is_record(change.subject):
            return False
        here = records.find_record(self._db, change.subject)
        return here is not None and here.origin is None

    def _counts_already(self, change_id: str) -> bool:
        found = sync_changes.find_change(self._db, change_id)
        return found is not None and found.state in sync_changes.COUNTING

    def _is_in_time(self, stamp: int, parents: Sequence[str]) -> bool:
        """Whether a change is later than what it follows, as everything relies on."""
        return not parents or stamp > sync_changes.get_latest_stamp(self._db, parents)


def refuse_removed(
    db: Database, config: Config, member: str, collector: LocalCollector, roster: Roster
) -> int:
    """Let changes of removed replicas count no more that are numbered above what counts of them;
    return how many that were.
    """
    taking = Taking(db, config, member, collector)
    late: list[tuple[str, str, int, int]] = []
    for (stream, replica), last in sync_changes.read_highest(db).items():
        limit = roster.find_limit(stream, replica)
        if limit is not None and limit < last:
            late.append((stream, replica, limit + 1, last))
    refused = 0
    for stream, replica, first, last in late:
        found = [
            each
            for each in sync_changes.list_range(db, stream, replica, first, last)
            if each.state != "refused" and not _is_vouched(db, roster, each.n)
        ]

        def refuse(each: sync_changes.StoredChange) -> None:
            sync_changes.set_refused(db, each)
            taking.settle(each.subject, [each.id])

        chunks.change_in_chunks(db, found, refuse, around=taking.follow)
        refused += len(found)
    return refused


def _is_vouched(db: Database, roster: Roster, n: int) -> bool:
    """Whether a change stands among those that count in some stream."""
    for each in sync_changes.list_numberings(db, n):
        limit = roster.find_limit(each.stream, each.replica)
        if limit is None or each.number <= limit:
            return True
    return False
