"""What a store writes to a place: its changes as change sets, fewer of them in time, and anew what
was erased since.

Which numbers a place lacks is found out from what lies there, so that a new place, a file that
somebody deleted and a sync that was cut off are one case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from memctl.core import clock
from memctl.core.errors import RefusedByPolicy
from memctl.store import meta, sync_changes, sync_group, sync_overview
from memctl.store.database import Database
from memctl.store.rows import parse_json_column, to_canonical_json
from memctl.store.sync_changes import StoredChange
from memctl.sync import change_set, set_plans
from memctl.sync.folder_place import FolderPlace
from memctl.sync.meeting import FOLDER, Meeting
from memctl.sync.place import SearchableRow, SetName

# Changes that are read from the store at once.
_PAGE = 250
# Where the digest over the ids of a stream stands, by stream: its last number and the digest.
_CHAINS = "sync.chains"


def write_changes(meeting: Meeting, own: Sequence[SetName]) -> bool:
    """Write what the place lacks of our changes; False if it was cut off.

    `own` names our change sets that are there.
    """
    for stream, last in sync_overview.list_own_streams(meeting.db, meeting.keys.replica).items():
        there = [each for each in own if each.stream == stream]
        if not may_hold(meeting, stream):
            _withdraw(meeting, there)
            continue
        for first, end in set_plans.find_gaps(there, last):
            if not _write_range(meeting, stream, first, end):
                return False
    return True


def _withdraw(meeting: Meeting, there: Sequence[SetName]) -> None:
    """Take away what was written before somebody else took part, and is for own machines alone."""
    if there and isinstance(meeting.place, FolderPlace):
        meeting.place.remove_sets(there)
        meeting.counts["withdrawn"] += len(there)


def count_lacking(meeting: Meeting, own: Sequence[SetName]) -> int:
    """Count the changes that the place lacks."""
    lacking = 0
    for stream, last in sync_overview.list_own_streams(meeting.db, meeting.keys.replica).items():
        if may_hold(meeting, stream):
            there = [each for each in own if each.stream == stream]
            lacking += sum(end - first + 1 for first, end in set_plans.find_gaps(there, last))
    return lacking


def may_hold(meeting: Meeting, stream: str) -> bool:
    """Whether a stream may be written to the place: not what is for own machines alone, in plain
    text, to a folder that several people read.
    """
    if not stream.startswith("own:") or meeting.stored.kind != FOLDER:
        return True
    people = {each.member for each in meeting.roster.replicas.values() if not each.is_removed}
    return meeting.stored.is_encrypted or len(people) < 2


def _write_range(meeting: Meeting, stream: str, first: int, last: int) -> bool:
    """Write our changes between two numbers, in change sets of a bounded size."""
    for batch in _split_range(meeting, stream, first, last):
        if meeting.must_stop():
            return False
        _write_set(meeting, stream, batch)
    return True


def _split_range(
    meeting: Meeting, stream: str, first: int, last: int
) -> Iterator[list[StoredChange]]:
    """Yield our changes between two numbers in parts for one change set each.

    Few are read at once: each may be a whole conversation.
    """
    held: list[StoredChange] = []
    while first <= last:
        page = sync_changes.list_range(
            meeting.db, stream, meeting.keys.replica, first, last, limit=_PAGE
        )
        if not page:
            break
        held += page
        first = page[-1].number + 1
        *whole, (begin, end) = set_plans.split_entries([len(each.body or b"") for each in held])
        for start, stop in whole:
            yield held[start:stop]
        held = held[begin:end]
    if held:
        yield held


def _write_set(meeting: Meeting, stream: str, batch: Sequence[StoredChange]) -> None:
    name, content = _encode(meeting, stream, batch)
    if meeting.hub is not None:
        meeting.hub.write_set(name, content, _build_rows(meeting, stream, batch))
    else:
        meeting.place.write_set(name, content)
    meeting.note_set(stream, name.replica, name.first, name.last, name.digest, None)
    meeting.note_sent(len(batch), len(content))


def _build_rows(
    meeting: Meeting, stream: str, batch: Sequence[StoredChange]
) -> list[SearchableRow]:
    """What a hub shows of the records that some changes are about."""
    from memctl.sync import hub_records  # folders do without

    subjects = [each.subject for each in batch]
    return hub_records.build_rows(meeting.db, meeting.keys.member, stream, subjects)


def show_touched(meeting: Meeting) -> None:
    """Let the hub show our records as they are after changes came from other machines of ours."""
    from memctl.sync import hub_records

    if meeting.hub is None:
        return
    for stream, subjects in sorted(meeting.touched.items()):
        rows = hub_records.build_rows(meeting.db, meeting.keys.member, stream, sorted(subjects))
        if rows:
            meeting.hub.write_rows(rows)


def _encode(meeting: Meeting, stream: str, batch: Sequence[StoredChange]) -> tuple[SetName, bytes]:
    first = batch[0].number
    recipients: Sequence[str] = ()
    if meeting.stored.is_encrypted:
        recipients = meeting.roster.list_recipients(stream)
        if not recipients:  # Without one it would be written in plain text.
            raise RefusedByPolicy(
                "this store was removed from its group, so nothing can be encrypted for it",
                hint="`memctl sync leave`, and ask for a new invitation",
            )
    previous = compute_chain(meeting.db, stream, meeting.keys.replica, first - 1)
    entries = [change_set.to_entry(each) for each in batch]
    return change_set.encode_set(meeting.keys, stream, first, previous, entries, recipients)


def compute_chain(db: Database, stream: str, replica: str, last: int) -> str:
    """Compute the digest over the ids of our changes of a stream up to a number."""
    known = parse_json_column(meta.get_note(db, _CHAINS) or "{}")
    key = f"{replica}/{stream}"
    number, digest = 0, ""
    if key in known and known[key][0] <= last:
        number, digest = int(known[key][0]), str(known[key][1])
    start = number
    while number < last:
        upto = min(last, number + _PAGE)
        found = sync_changes.list_range(db, stream, replica, number + 1, upto)
        digest = change_set.extend_chain(digest, [each.id for each in found])
        number = upto
    if number > start:
        with db.write():
            meta.put_note(db, _CHAINS, to_canonical_json({**known, key: [number, digest]}))
    return digest


def rewrite_erased(meeting: Meeting, own: Sequence[SetName]) -> bool:
    """Write our change sets anew that hold what was erased since; False if it was cut off."""
    there = set(own)
    for seen in sync_overview.list_purged_sets(
        meeting.db, meeting.stored.name, meeting.keys.replica
    ):
        if meeting.must_stop():
            return False
        old = SetName(seen.stream, seen.replica, seen.first, seen.last, seen.digest)
        if old in there:
            _replace(meeting, [old])
            meeting.counts["rewritten"] += 1
        with meeting.db.write():
            sync_group.drop_set(meeting.db, seen)
    return True


def compact(meeting: Meeting, own: Sequence[SetName]) -> bool:
    """Put few large change sets of ours in the place of many small ones."""
    for old in _plan_compaction(meeting, own):
        if meeting.must_stop():
            return False
        _replace(meeting, old)
    return True


def _plan_compaction(meeting: Meeting, own: Sequence[SetName]) -> Iterator[Sequence[SetName]]:
    for stream in sorted({each.stream for each in own}):
        measure = partial(sync_changes.measure_range, meeting.db, stream, meeting.keys.replica)
        there = [each for each in own if each.stream == stream]
        yield from set_plans.plan_compaction(there, measure)


def _replace(meeting: Meeting, old: Sequence[SetName]) -> None:
    """Put one change set, made from the store as it is now, in the place of some of ours."""
    stream, first, last = old[0].stream, old[0].first, max(each.last for each in old)
    batch = sync_changes.list_range(meeting.db, stream, meeting.keys.replica, first, last)
    if not batch:
        return
    name, content = _encode(meeting, stream, batch)
    if name in old:
        return
    if meeting.hub is not None:
        erased = [each for each in batch if each.body is None]
        meeting.hub.replace_sets(old, name, content, _build_rows(meeting, stream, erased))
    else:
        meeting.place.replace_sets(old, name, content)
    meeting.bytes_out += len(content)
    with meeting.db.write():
        for each in sync_group.list_sets_of(
            meeting.db, meeting.stored.name, stream, meeting.keys.replica
        ):
            if SetName(each.stream, each.replica, each.first, each.last, each.digest) in old:
                sync_group.drop_set(meeting.db, each)
        sync_group.put_set(
            meeting.db,
            meeting.stored.name,
            stream=stream,
            replica=name.replica,
            first=name.first,
            last=name.last,
            digest=name.digest,
            at=clock.now(),
        )
