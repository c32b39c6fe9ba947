"""What a store reads at a place: who takes part, and the change sets of others.

What is damaged, half there or from somebody unknown is passed over, named, and tried again at the
next sync: a file that was still arriving is whole by then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core import clock
from memctl.core.errors import SetDamaged
from memctl.store import sync_changes, sync_group
from memctl.store.database import Database
from memctl.sync import applying, change_set, roster
from memctl.sync.applying import ReceivedChange
from memctl.sync.change_set import ChangeSet, SetGone, SetSealed
from memctl.sync.keys import Keys
from memctl.sync.meeting import Meeting
from memctl.sync.place import SetName
from memctl.sync.roster import Replica, Roster

# Changes that are taken in between two looks at the clock; each is a few milliseconds.
_BATCH = 200


def read_roster(
    db: Database, keys: Keys, cards: Sequence[bytes] = (), removals: Sequence[bytes] = ()
) -> Roster:
    """Read who takes part, from the store and what stands at a place; what is new is noted."""
    known = sync_group.list_replicas(db)
    found = roster.build_roster(
        keys.group,
        [keys.card, *cards],
        removals,
        known_cards=[each.card.encode() for each in known],
        known_removals=sorted({each.removal.encode() for each in known if each.removal}),
    )
    _note_roster(db, keys, found)
    return found


def _note_roster(db: Database, keys: Keys, found: Roster) -> None:
    """Note in the store who takes part."""
    known = {each.id: each for each in sync_group.list_replicas(db)}
    new = [
        each
        for each in found.replicas.values()
        if each.id not in known or known[each.id].card != each.card.decode()
    ]
    gone = [each for each in found.replicas.values() if each.is_removed]
    fresh = [each for each in gone if each.id not in known or known[each.id].removal is None]
    if not new and not fresh:
        return
    with db.write():
        for each in new:
            sync_group.put_replica(
                db,
                each.id,
                each.member,
                is_own=each.member == keys.member,
                card=each.card.decode(),
                at=clock.now(),
            )
        for each in fresh:
            removal = _find_removal(found, each)
            if removal is not None:
                sync_group.set_removal(db, each.id, removal.decode())


def _find_removal(found: Roster, gone: Replica) -> bytes | None:
    """The removal by which a replica takes part no longer."""
    return next(
        (
            each.content
            for each in found.removals
            if gone.id in each.replicas or gone.root == each.root
        ),
        None,
    )


def show_group(meeting: Meeting, cards: Sequence[bytes], removals: Sequence[bytes]) -> None:
    """Put our card and the removals that count where all see them, unless they are there."""
    if meeting.keys.card not in cards:
        meeting.place.write_card(meeting.keys.replica, meeting.keys.card)
    for removal in meeting.roster.removals:
        if removal.content not in removals:
            meeting.place.write_removal(removal.member, removal.content)
    if meeting.hub is not None:
        staying = {each.name for each in meeting.roster.list_members() if not each.is_removed}
        gone = {each.member for each in meeting.roster.removals if each.root is not None}
        meeting.hub.retire_members(gone - staying)


def list_own_sets(meeting: Meeting) -> list[SetName]:
    """List our own change sets at the place."""
    have = _read_others_vector(meeting)
    return [each for each in meeting.place.list_sets(have) if each.replica == meeting.keys.replica]


def _read_others_vector(meeting: Meeting) -> dict[tuple[str, str], int]:
    """Up to which number everything of others is here: with it all of ours is listed."""
    vector = sync_changes.read_vector(meeting.db)
    return {key: last for key, last in vector.items() if key[1] != meeting.keys.replica}


def list_new_sets(meeting: Meeting) -> tuple[list[SetName], list[SetName]]:
    """List the change sets at the place: our own, and those of others that are new to us."""
    have = _read_others_vector(meeting)
    seen = {
        SetName(each.stream, each.replica, each.first, each.last, each.digest)
        for each in sync_group.list_sets(meeting.db, meeting.stored.name)
        if each.problem is None
    }
    own: list[SetName] = []
    new: list[SetName] = []
    for name in meeting.place.list_sets(have):
        if name.replica == meeting.keys.replica:
            own.append(name)
        elif name not in seen and _is_for_us(meeting, name):
            new.append(name)
    return own, new


def _is_for_us(meeting: Meeting, name: SetName) -> bool:
    owner = name.stream.removeprefix("own:")
    return owner == name.stream or owner == meeting.keys.member


def count_new(new: Sequence[SetName], have: Mapping[tuple[str, str], int]) -> int:
    """Count the changes that change sets hold and that are not here yet, at most."""
    return sum(
        max(0, each.last - max(each.first - 1, have.get((each.stream, each.replica), 0)))
        for each in new
    )


def read_sets(meeting: Meeting, new: Sequence[SetName]) -> bool:
    """Read change sets of others and take in what they hold; False if it was cut off."""
    for name in new:
        if meeting.must_stop():
            return False
        found = _read_set(meeting, name)
        if found is not None and not _take(meeting, name, found):
            return False
    return True


def _read_set(meeting: Meeting, name: SetName) -> ChangeSet | None:
    """Read one change set; None for one that is passed over."""
    try:
        content = meeting.place.read_set(name)
        meeting.bytes_in += len(content)
        return change_set.decode_set(name, content, meeting.roster, meeting.keys.identities)
    except SetGone:
        return None  # It is part of a larger one by now, which the next listing names.
    except SetSealed:
        # Written before we joined: the next sync of who invited us, or of its writer, opens it.
        meeting.counts["sealed"] += 1
    except SetDamaged as error:
        _pass_over(meeting, name, str(error))
    return None


def _pass_over(meeting: Meeting, name: SetName, why: str) -> None:
    meeting.damaged.append(f"{describe(name)}: {why}")
    meeting.note_set(name.stream, name.replica, name.first, name.last, name.digest, why)


def describe(name: SetName) -> str:
    """A change set as it is named to a person."""
    return f"{name.stream}/{name.replica}/{name.first}-{name.last}"


def _take(meeting: Meeting, name: SetName, found: ChangeSet) -> bool:
    """Take in what a change set holds beyond what is here; False if it was cut off."""
    have = sync_changes.get_contiguous(meeting.db, name.stream, name.replica)
    received = [
        ReceivedChange(name.stream, name.replica, found.first + place, entry)
        for place, entry in enumerate(found.entries)
        if found.first + place > have
    ]
    for start in range(0, len(received), _BATCH):
        if start and meeting.must_stop():
            return False
        batch = received[start : start + _BATCH]
        taken = applying.take_changes(
            meeting.db, meeting.config, meeting.keys.member, meeting.collector, batch
        )
        meeting.counts.update(taken.counts)
        meeting.touched.setdefault(name.stream, set()).update(
            each.entry.subject for each in batch if each.entry.member == meeting.keys.member
        )
        meeting.note_received(len(batch), 0)
    meeting.note_set(name.stream, name.replica, name.first, name.last, name.digest, None)
    return True
