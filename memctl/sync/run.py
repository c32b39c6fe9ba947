"""One sync: the places one after the other, each as far as time and traffic allow.

At a place: who takes part, what changed here, what the place lacks of it, what others wrote, and at
last what makes the place smaller. Every step finds by itself what is still to be done, so that it
can be cut off anywhere. Only one sync of a store runs at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import (
    InterruptedWithReport,
    MemctlError,
    MissingExtra,
    PlaceUnreachable,
    RefusedByPolicy,
    ReplicaForked,
    UsageError,
)
from memctl.results.sync import SyncedPlace, SyncReport
from memctl.settings.config import Config
from memctl.store import sync_changes, sync_group, sync_overview
from memctl.store.database import Database
from memctl.store.sync_group import StoredPlace
from memctl.sync import (
    applying,
    forks,
    founding,
    incoming,
    keys,
    lock,
    newcomers,
    outgoing,
    shares,
)
from memctl.sync import (
    meeting as meetings,
)
from memctl.sync.collecting import Collector
from memctl.sync.founding import WantedPlace
from memctl.sync.keys import Keys
from memctl.sync.meeting import Meeting

Progress = Callable[[int, int], None]
# How often a sync begins anew because another store was found at work under the same name.
_MOST_FORKS = 3
# What is wrong with one place, and not with the store.
_OF_A_PLACE = (PlaceUnreachable, RefusedByPolicy, UsageError, MissingExtra)


def sync_places(
    db: Database,
    config: Config,
    wanted: WantedPlace,
    work: BoundedWork,
    progress: Progress = lambda done, total: None,
    *,
    most_bytes: float = float("inf"),
) -> SyncReport:
    """Sync with the places that are wanted, a new one being founded first.

    Where none of them could be reached, raises PlaceUnreachable; where all refuse, their reason.
    """
    with lock.hold_sync(config):
        own = keys.load_keys(config)
        if wanted.text and meetings.find_stored(db, wanted.text) is None:
            own, _ = founding.begin_at_place(db, config, wanted, own)
        elif own is not None and meetings.is_address(wanted.text):
            meetings.use_address(config, wanted.text, own)
        chosen = _choose_places(db, wanted)
        if own is None or not chosen:
            return SyncReport(())
        return _visit(db, config, own, chosen, work, progress, most_bytes)


def _choose_places(db: Database, wanted: WantedPlace) -> list[StoredPlace]:
    if not wanted.text:
        return sync_group.list_places(db)
    found = meetings.find_stored(db, wanted.text)
    return [] if found is None else [found]


def _visit(
    db: Database,
    config: Config,
    own: Keys,
    chosen: Sequence[StoredPlace],
    work: BoundedWork,
    progress: Progress,
    most_bytes: float,
) -> SyncReport:
    """Sync with places one after the other; one that fails stops none of the others."""
    results: list[SyncedPlace] = []
    errors: list[MemctlError] = []
    for stored in chosen:
        meeting = Meeting(db, config, own, stored, work, most_bytes)
        meeting.report_progress = progress
        try:
            results.append(_try_place(meeting))
        except _OF_A_PLACE as error:
            errors.append(error)
            results.append(_note_failure(meeting, error))
        except KeyboardInterrupt as error:
            db.end_interrupted_transaction()
            results.append(meeting.build_result("unfinished", "interrupted; goes on next time"))
            raise InterruptedWithReport(_build_report(db, own, results)) from error
        own = keys.load_keys(config) or own
    if errors and len(errors) == len(results):
        raise _join_errors(errors)
    return _build_report(db, own, results)


def _join_errors(errors: Sequence[MemctlError]) -> MemctlError:
    """What is told where nothing could be done at any place."""
    if any(not isinstance(each, PlaceUnreachable) for each in errors):
        return next(each for each in errors if not isinstance(each, PlaceUnreachable))
    usual = "nothing is lost: the next `memctl sync` or `memctl maintain` goes on"
    hints = dict.fromkeys([usual, *(each.hint for each in errors if each.hint)])
    return PlaceUnreachable("; ".join(map(str, errors)), hint="; ".join(hints))


def _note_failure(meeting: Meeting, error: MemctlError) -> SyncedPlace:
    is_away = isinstance(error, PlaceUnreachable)
    result = meeting.build_result("unreachable" if is_away else "refused", str(error))
    with meeting.db.write():
        sync_group.note_failed(
            meeting.db, meeting.stored.name, str(error), clock.now(), _to_outcome(result)
        )
    return result


def _build_report(db: Database, own: Keys, results: Sequence[SyncedPlace]) -> SyncReport:
    problems = [
        f"{each.name}: {'cannot be reached now: ' if each.state == 'unreachable' else ''}"
        f"{each.reason}"
        for each in results
        if each.state in ("unreachable", "refused")
    ]
    damaged = sum(len(each.damaged) for each in results)
    if damaged:
        sets = "1 change set was" if damaged == 1 else f"{damaged} change sets were"
        problems.append(f"{sets} passed over; each is tried again at every sync")
    waits = sync_overview.count_waits(db)
    return SyncReport(tuple(results), own.member, waits, problems=tuple(problems))


def _try_place(meeting: Meeting) -> SyncedPlace:
    """Sync with one place and note how it went."""
    db, stored = meeting.db, meeting.stored
    for _ in range(_MOST_FORKS):
        try:
            is_whole = sync_place(meeting)
        except ReplicaForked:
            meeting.keys = forks.take_new_replica(db, meeting.config, meeting.keys)
            meeting.counts["renamed"] = 1
            meeting.damaged.clear()
            continue
        result = meeting.build_result(
            "done" if is_whole else "unfinished", None if is_whole else "goes on next time"
        )
        with db.write():
            note = sync_group.note_done if is_whole else sync_overview.note_unfinished
            note(db, stored.name, _to_outcome(result), clock.now())
        return result
    raise MemctlError(
        "other stores keep writing under the name of this one",
        hint="`memctl doctor` says which files are copies",
    )


def _to_outcome(result: SyncedPlace) -> dict[str, int]:
    return {
        "sent": result.sent,
        "received": result.received,
        "bytes_out": result.bytes_out,
        "bytes_in": result.bytes_in,
        **result.counts,
    }


def sync_place(meeting: Meeting) -> bool:
    """Sync with one place; False if it was cut off.

    Raises PlaceUnreachable, and ReplicaForked where another store works under our name.
    """
    db, config = meeting.db, meeting.config
    forks.refuse_copied(db, config, meeting.keys)
    with closing(meetings.open_place(config, meeting.stored, meeting.keys)) as place:
        meeting.place = place
        cards, removals = place.read_cards(), place.read_removals()
        meeting.roster = incoming.read_roster(db, meeting.keys, cards, removals)
        _refuse_removed(meeting)
        incoming.show_group(meeting, cards, removals)
        own, new = incoming.list_new_sets(meeting)
        own = forks.list_ours(meeting, own)
        meeting.collector = Collector(
            db, config, replica=meeting.keys.replica, member=meeting.keys.member
        )
        meeting.collector.collect_all(meeting.work)
        applying.settle_redacted(db, config, meeting.keys.member, meeting.collector)
        lacking = outgoing.count_lacking(meeting, own)
        if lacking:
            meeting.keys = keys.renew_token(db, config, meeting.keys)
        meeting.total = lacking + incoming.count_new(new, sync_changes.read_vector(db))
        meeting.strange += [*meeting.roster.problems, *getattr(place, "problems", ())]
        is_whole = outgoing.write_changes(meeting, own)
        is_whole = incoming.read_sets(meeting, new) and is_whole
        applying.refuse_removed(db, config, meeting.keys.member, meeting.collector, meeting.roster)
        outgoing.show_touched(meeting)
        return is_whole and _send_what_follows(meeting) and _tidy(meeting)


def _send_what_follows(meeting: Meeting) -> bool:
    """Send what taking in led to here, such as words cut out of other records."""
    db, replica = meeting.db, meeting.keys.replica
    before = sync_overview.list_own_streams(db, replica)
    if meeting.received:
        meeting.collector.collect_all(meeting.work)
    if sync_overview.list_own_streams(db, replica) == before:
        return True
    meeting.keys = keys.renew_token(db, meeting.config, meeting.keys)
    return outgoing.write_changes(meeting, incoming.list_own_sets(meeting))


def _refuse_removed(meeting: Meeting) -> None:
    """Stop where this machine was removed: nobody takes in what it sends any more."""
    own = meeting.roster.replicas.get(meeting.keys.replica)
    if own is not None and own.is_removed:
        raise RefusedByPolicy(
            "this machine was removed from its group: what it sends is refused by all",
            hint="`memctl sync leave`, and ask for a new invitation",
        )


def _tidy(meeting: Meeting) -> bool:
    """Let newcomers read, write anew what was erased since, and compact what grew."""
    if not newcomers.serve_newcomers(meeting):
        return False
    name, replica = meeting.stored.name, meeting.keys.replica
    is_erased = bool(sync_overview.list_purged_sets(meeting.db, name, replica))
    if is_erased and not outgoing.rewrite_erased(meeting, incoming.list_own_sets(meeting)):
        return False
    if not meeting.sent:
        return True  # There are no more of them than before.
    return outgoing.compact(meeting, incoming.list_own_sets(meeting))


def plan_sync(db: Database, config: Config, wanted: WantedPlace) -> SyncReport:
    """Say what a sync would send, and for a new place what would travel and what stays at home."""
    own = keys.load_keys(config)
    if wanted.text and meetings.find_stored(db, wanted.text) is None:
        return founding.plan_founding(db, config, wanted, own)
    places = [
        SyncedPlace(
            each.name,
            each.kind,
            "planned",
            is_encrypted=each.is_encrypted,
            sent=0 if own is None else sync_overview.count_unsent(db, each.name, own.replica),
        )
        for each in _choose_places(db, wanted)
    ]
    plan = shares.report_shares(db) if places else None
    return SyncReport(
        tuple(places), own.member if own is not None else None, plan=plan, dry_run=True
    )
