"""Who takes part with which machines, and removing a member or one machine."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

from memctl.core.errors import NotFound, PlaceUnreachable, RefusedByPolicy, UsageError
from memctl.core.frozen import dataclass
from memctl.results.sync import MembersReport, SyncMachine, SyncMember
from memctl.settings.config import Config
from memctl.store import sync_changes, sync_group
from memctl.store.database import Database
from memctl.sync import applying, incoming, keys
from memctl.sync import meeting as meetings
from memctl.sync.collecting import Collector
from memctl.sync.keys import Keys
from memctl.sync.roster import Replica, Roster

# Characters of a machine's id that tell it from others well enough to be typed.
_FEWEST = 4


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a removal is about: `key` is a member's name or the id of a machine."""

    key: str
    member: str
    root: str
    replicas: tuple[Replica, ...]
    is_machine: bool


def describe_members(known: Roster, own: Keys) -> tuple[SyncMember, ...]:
    """All members with their machines, and those who were removed."""
    removed = {each.root: each.created_at for each in known.removals if each.root}
    me = known.replicas[own.replica].root if own.replica in known.replicas else None
    return tuple(
        SyncMember(
            each.name,
            len(each.replicas),
            is_own=each.root == me,
            is_admin=each.is_admin,
            removed_at=removed.get(each.root) if each.is_removed else None,
            devices=tuple(
                SyncMachine(one.id, one.label, one.created_at, is_this=one.id == own.replica)
                for one in each.replicas
            ),
        )
        for each in known.list_members()
    )


def remove(db: Database, config: Config, own: Keys, name: str, *, dry_run: bool) -> MembersReport:
    """Remove a member by name, or one machine by its id or by what it is called. All places that
    can be reached now are told; others hear at the next sync.

    Raises RefusedByPolicy, NotFound, UsageError.
    """
    known = incoming.read_roster(db, own)
    me = known.replicas.get(own.replica)
    if me is None or me.is_removed:
        raise RefusedByPolicy("this store was removed from its group")
    target = find_target(known, me, name)
    if not me.is_admin and target.root != me.root:
        raise RefusedByPolicy("only who may invite others may remove them")
    is_self = not target.is_machine and target.root == me.root
    if is_self or own.replica in (each.id for each in target.replicas):
        raise UsageError("you cannot remove yourself", hint="`memctl sync leave` leaves")
    if dry_run:
        return MembersReport("remove", describe_members(known, own))
    removal = keys.make_removal(own, known, target.key, sync_changes.read_vector(db))
    with db.write():
        for each in target.replicas:
            sync_group.set_removal(db, each.id, removal.decode())
    problems = tell_places(db, config, own, target.member, removal)
    known = incoming.read_roster(db, own)
    collector = Collector(db, config, replica=own.replica, member=own.member)
    applying.refuse_removed(db, config, own.member, collector, known)
    return MembersReport("remove", describe_members(known, own), problems=tuple(problems))


def find_target(known: Roster, me: Replica, name: str) -> Target:
    """Find whom a name stands for: a member, a machine of one's own, or anybody's by its id."""
    for each in known.list_members():
        if each.name.casefold() == name.casefold() and not each.is_removed:
            return Target(each.name, each.name, each.root, each.replicas, False)
    living = [each for each in known.replicas.values() if not each.is_removed]
    found = [each for each in living if len(name) >= _FEWEST and each.id.startswith(name.upper())]
    found = found or [each for each in living if each.root == me.root and each.label == name]
    if not found:
        raise NotFound(
            f"no member and no machine {name[:80]!r} takes part", hint="`memctl sync members`"
        )
    if len(found) > 1:
        raise UsageError(f"{name} stands for {_list_ids(found)}", hint="say which by its id")
    (one,) = found
    return Target(one.id, one.member, one.root, (one,), True)


def _list_ids(found: Iterable[Replica]) -> str:
    return " and ".join(each.id for each in found)


def tell_places(db: Database, config: Config, own: Keys, member: str, removal: bytes) -> list[str]:
    """Tell every place that can be reached; returns those that hear of it at the next sync."""
    problems = []
    for stored in sync_group.list_places(db):
        try:
            with closing(meetings.open_place(config, stored, own)) as place:
                place.write_removal(member, removal)
        except PlaceUnreachable as error:
            problems.append(f"{stored.name} hears of it at the next sync: {error}")
    return problems
