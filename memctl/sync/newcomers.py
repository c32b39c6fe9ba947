"""A replica that joins later can read what was encrypted before.

Each replica encrypts its own change sets anew, and whoever invited the newcomer also those of
others: their machines may never come back.
"""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core.errors import SetDamaged
from memctl.store import meta
from memctl.store.rows import parse_json_column, to_canonical_json
from memctl.sync import change_set
from memctl.sync.meeting import Meeting
from memctl.sync.place import SetName
from memctl.sync.roster import Replica

# Which replicas can read our change sets at each place.
_SERVED = "sync.served"


def serve_newcomers(meeting: Meeting) -> bool:
    """Encrypt for replicas that joined since; False if it was cut off."""
    if not meeting.stored.is_encrypted:
        return True
    known = parse_json_column(meta.get_note(meeting.db, _SERVED) or "{}")
    served = known.get(meeting.stored.name, [])
    there = {each.id: each for each in meeting.roster.replicas.values() if not each.is_removed}
    newcomers = [each for key, each in there.items() if key not in served]
    others = [each for each in newcomers if each.id != meeting.keys.replica]
    if not newcomers:
        return True
    if others and not _encrypt_anew(meeting, others):
        return False
    with meeting.db.write():
        told = {**known, meeting.stored.name: sorted(there)}
        meta.put_note(meeting.db, _SERVED, to_canonical_json(told))
    return True


def _encrypt_anew(meeting: Meeting, newcomers: Sequence[Replica]) -> bool:
    own = meeting.keys.replica
    invited = [each for each in newcomers if each.issuer == own]
    for name in list(meeting.place.list_sets({})):
        wanted = newcomers if name.replica == own else invited
        if not _is_read_by_any(meeting, name, wanted):
            continue
        if meeting.must_stop():
            return False
        _encrypt_set(meeting, name)
    return True


def _is_read_by_any(meeting: Meeting, name: SetName, wanted: Sequence[Replica]) -> bool:
    readers = {each.id for each in meeting.roster.list_readers(name.stream)}
    return not readers.isdisjoint(each.id for each in wanted)


def _encrypt_set(meeting: Meeting, name: SetName) -> None:
    try:
        content = meeting.place.read_set(name)
        recipients = meeting.roster.list_recipients(name.stream)
        fresh, sealed = change_set.recode_set(content, meeting.keys, recipients)
    except SetDamaged:
        return  # Nobody can read it, or it is not ours to read.
    meeting.bytes_in += len(content)
    meeting.bytes_out += len(sealed)
    if name.replica == meeting.keys.replica:
        meeting.place.replace_sets([name], fresh, sealed)
    else:
        meeting.place.write_set(fresh, sealed)
    meeting.note_set(fresh.stream, fresh.replica, fresh.first, fresh.last, fresh.digest, None)
