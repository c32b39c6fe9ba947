"""Two stores that work under one name: a copy, or a store that was restored from a backup.

The numbers of a replica must never be given out twice. A store that finds itself copied or put back
goes on under a new name. What it sent under the old one comes back by reading, like anybody's; what
it had numbered and not sent is numbered anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from memctl.core import clock, timestamps
from memctl.core.errors import PlaceUnreachable, ReplicaForked, SetDamaged
from memctl.settings.config import Config
from memctl.store import meta, sync_changes, sync_group, sync_overview
from memctl.store.database import Database
from memctl.store.rows import parse_json_column, to_canonical_json
from memctl.sync import change_set, incoming, keys
from memctl.sync import meeting as meetings
from memctl.sync.keys import Keys
from memctl.sync.meeting import FOLDER, Meeting
from memctl.sync.place import SetName, SyncPlace
from memctl.sync.roster import Roster

# What is left to be done after a store took another name: its former one, and what was sent.
_FORKED = "sync.forked"
# When our change sets in each folder were last read again: a disk, or whatever carries the folder,
# may have damaged one, which only readers would notice. Chosen by hand.
_LOOKED = "sync.looked"
_LOOK_SECONDS = 72000.0


def refuse_copied(db: Database, config: Config, own: Keys) -> None:
    """Raise ReplicaForked where this store is a copy, or was restored from a backup; finish what a
    kill left of an earlier such case.
    """
    why = keys.find_fork(db, config, own)
    if why is not None:
        raise ReplicaForked(why)
    finish_fork(db, own)


def list_ours(meeting: Meeting, own: Sequence[SetName]) -> list[SetName]:
    """Return those of the change sets under our name that are ours and whole; the others count as
    not there, so that their numbers are written again.

    Raises ReplicaForked where another store wrote one: only its key can have signed it.
    """
    known = {
        SetName(each.stream, each.replica, each.first, each.last, each.digest)
        for each in sync_group.list_sets(meeting.db, meeting.stored.name)
        if each.replica == meeting.keys.replica
    }
    looks_again = meeting.stored.kind == FOLDER and _is_look_due(meeting)
    ours = [
        each
        for each in own
        if (each in known and not looks_again) or _is_ours(meeting, each, is_known=each in known)
    ]
    if looks_again:
        _note_look(meeting)
    return ours


def _is_ours(meeting: Meeting, name: SetName, *, is_known: bool) -> bool:
    """Whether a change set is whole and ours; one that is new here was written before a kill."""
    try:
        content = meeting.place.read_set(name)
        found = change_set.decode_set(name, content, meeting.roster, meeting.keys.identities)
    except SetDamaged as error:  # It got damaged, or somebody else put it there.
        if not is_known:
            meeting.damaged.append(f"{incoming.describe(name)}: {error}")
        return False
    if is_known:
        return True
    ours = sync_changes.list_range(meeting.db, name.stream, name.replica, name.first, name.last)
    if [each.id for each in ours] != [each.id for each in found.entries]:
        raise ReplicaForked(f"{incoming.describe(name)} was written by another state of this store")
    meeting.note_set(name.stream, name.replica, name.first, name.last, name.digest, None)
    return True


def _is_look_due(meeting: Meeting) -> bool:
    looked = parse_json_column(meta.get_note(meeting.db, _LOOKED) or "{}")
    before = timestamps.add_seconds(clock.now(), seconds=-_LOOK_SECONDS)
    return str(looked.get(meeting.stored.name, "")) < before


def _note_look(meeting: Meeting) -> None:
    looked = parse_json_column(meta.get_note(meeting.db, _LOOKED) or "{}")
    with meeting.db.write():
        told = {**looked, meeting.stored.name: clock.now()}
        meta.put_note(meeting.db, _LOOKED, to_canonical_json(told))


def take_new_replica(db: Database, config: Config, own: Keys) -> Keys:
    """Go on under a new name; what was numbered and is at no place is numbered anew.

    What is to be done is noted first: the next sync finishes what a kill cut off.
    """
    sent = _read_sent(db, config, own)
    with db.write():
        meta.put_note(db, _FORKED, to_canonical_json({"old": own.replica, "sent": sent}))
    taken = keys.take_new_replica(db, config, own)
    finish_fork(db, taken)
    return taken


def finish_fork(db: Database, own: Keys) -> None:
    """Number anew what a store had numbered under its former name, unless that is done."""
    noted = parse_json_column(meta.get_note(db, _FORKED) or "{}")
    if not noted or noted["old"] == own.replica:
        return
    _number_anew(db, noted["old"], own.replica, noted["sent"])
    with db.write():
        meta.put_note(db, _FORKED, "")


def _read_sent(db: Database, config: Config, own: Keys) -> dict[str, int]:
    """Up to which number our changes stand under our name at some place, by stream."""
    sent: dict[str, int] = {}
    foreign: dict[str, int] = {}
    known = incoming.read_roster(db, own)
    for stored in sync_group.list_places(db):
        seen = {
            SetName(each.stream, each.replica, each.first, each.last, each.digest)
            for each in sync_group.list_sets(db, stored.name)
            if each.replica == own.replica
        }
        try:
            with closing(meetings.open_place(config, stored, own)) as place:
                there = [each for each in place.list_sets({}) if each.replica == own.replica]
                for name in there:
                    if name not in seen:
                        _compare_set(db, own, known, place, name, foreign)
        except PlaceUnreachable:
            there = list(seen)
        for name in there:
            sent[name.stream] = max(sent.get(name.stream, 0), name.last)
    for stream, number in foreign.items():
        sent[stream] = min(sent.get(stream, 0), number - 1)
    return sent


def _compare_set(
    db: Database,
    own: Keys,
    known: Roster,
    place: SyncPlace,
    name: SetName,
    foreign: dict[str, int],
) -> None:
    """Note from which number on a set under our name holds other changes than ours."""
    try:
        found = change_set.decode_set(name, place.read_set(name), known, own.identities)
    except SetDamaged:
        foreign[name.stream] = min(foreign.get(name.stream, name.first), name.first)
        return
    ours = {
        each.number: each.id
        for each in sync_changes.list_range(db, name.stream, name.replica, name.first, name.last)
    }
    for number, entry in enumerate(found.entries, name.first):
        if number in ours and ours[number] != entry.id:
            foreign[name.stream] = min(foreign.get(name.stream, number), number)
            return


def _number_anew(db: Database, old: str, new: str, sent: dict[str, int]) -> None:
    """Give what was numbered under the old name and not sent the next numbers of the new one."""
    for stream, last in sync_overview.list_own_streams(db, old).items():
        sync_overview.renumber(db, stream, old, new, after=sent.get(stream, 0), last=last)
