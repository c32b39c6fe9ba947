"""Who takes part: joining by an invitation, inviting, removing, leaving."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from memctl.core import clock
from memctl.core.errors import KeysDamaged, NotFound, PlaceUnreachable, RefusedByPolicy, UsageError
from memctl.core.frozen import dataclass
from memctl.results.sync import (
    InviteReport,
    LeaveReport,
    MembersReport,
    SyncedPlace,
    SyncReport,
)
from memctl.settings.config import Config
from memctl.store import files, projects, sync_changes, sync_group, sync_overview
from memctl.store.database import Database
from memctl.store.sync_group import StoredPlace
from memctl.sync import addresses, founding, incoming, keys, lock, members, shares
from memctl.sync import meeting as meetings
from memctl.sync.keys import InvitationCode, Keys
from memctl.sync.meeting import FOLDER, POSTGRES
from memctl.sync.place import SyncPlace
from memctl.sync.project_identity import ProjectClasses
from memctl.sync.sharing import name_project_stream

_NO_GROUP_HINT = "`memctl sync PLACE` begins, `memctl sync join PLACE CODE` joins others"
_OPEN_FOLDER = (
    "{name} is not encrypted: once they have joined, what is for your own machines alone does not "
    "travel there any more, and leaves it with your next sync"
)


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Who is about to join: as a place asks for the keys of a store."""

    group: str
    member: str
    replica: str = ""


def join_group(
    db: Database, config: Config, place: str, code: str, *, dry_run: bool = False
) -> SyncReport:
    """Join the group of an invitation where it meets; nothing but the card is sent.

    Raises UsageError for a code that is none, and where the store belongs to a group already.
    """
    invitation = keys.read_code(code)
    place = place or invitation.place
    if not place:
        raise UsageError("name the place", hint="`memctl sync join PLACE CODE`")
    own = keys.load_keys(config)
    if own is not None:
        raise UsageError(
            f"this store takes part already, as {own.member}",
            hint="`memctl sync leave` first, or `memctl sync PLACE` for one more place",
        )
    with lock.hold_sync(config), closing(_open_as_newcomer(config, place, invitation)) as met:
        planned = _plan_joining(db, met, place, invitation)
        if dry_run:
            return planned
        cards, removals = met.read_cards(), met.read_removals()
        founding.forget_former_group(db)
        own = keys.join_group(db, config, code, cards, removals, founding.find_label())
    stored = _note_place(db, planned.places[0])
    with closing(meetings.open_place(config, stored, own)) as met:
        met.write_card(own.replica, own.card)
        incoming.read_roster(db, own, cards, removals)
    return SyncReport(planned.places, own.member, plan=planned.plan, dry_run=True)


def _open_as_newcomer(config: Config, place: str, invitation: InvitationCode) -> SyncPlace:
    """Open a place before one has keys. Raises PlaceUnreachable, UsageError."""
    who = Newcomer(invitation.group, invitation.member or "")
    if meetings.is_address(place):
        from memctl.sync import postgres_place

        return postgres_place.open_postgres(config, place, who)
    from memctl.sync import folder_place

    path = Path(meetings.name_folder(place))
    marker = folder_place.read_marker(path)
    if marker is None:
        raise PlaceUnreachable(
            f"nobody meets in {path}",
            hint="is it the folder of the invitation, and has it arrived?",
        )
    if marker.group != invitation.group:
        raise UsageError(f"another group than that of the invitation meets in {path}")
    return folder_place.FolderPlace.open(path, who.group, who.replica, marker.is_encrypted)


def _plan_joining(
    db: Database, met: SyncPlace, place: str, invitation: InvitationCode
) -> SyncReport:
    kind = POSTGRES if meetings.is_address(place) else FOLDER
    planned = SyncedPlace(
        met.name,
        kind,
        "planned",
        is_new=True,
        is_encrypted=bool(getattr(met, "is_encrypted", False)),
    )
    return SyncReport((planned,), invitation.member, plan=shares.report_shares(db), dry_run=True)


def _note_place(db: Database, planned: SyncedPlace) -> StoredPlace:
    with db.write():
        sync_group.put_place(
            db, planned.name, planned.kind, is_encrypted=planned.is_encrypted, at=clock.now()
        )
    stored = sync_group.find_place(db, planned.name)
    assert stored is not None
    return stored


def require_keys(config: Config) -> Keys:
    """Load the keys of this store. Raises NotFound where it follows no other."""
    own = keys.load_keys(config)
    if own is None:
        raise NotFound("this store follows no other", hint=_NO_GROUP_HINT)
    return own


def invite(
    db: Database,
    config: Config,
    member: str | None,
    *,
    is_admin: bool = False,
    place: str | None = None,
    only: Sequence[str] = (),
) -> InviteReport:
    """Write an invitation for a new member, or (None) for one more machine of one's own.

    `only` limits a new member of a hub to these projects. Raises RefusedByPolicy where another may
    not be invited, NotFound, UsageError.
    """
    own = require_keys(config)
    stored = _choose_place(db, place)
    streams = _list_streams(db, stored, only, may_limit=member is not None and not is_admin)
    known = incoming.read_roster(db, own)
    if member is not None and not known.replicas[own.replica].is_admin:
        raise RefusedByPolicy(
            "you may invite machines of your own, but nobody else", hint="leave the name out"
        )
    where = stored.name
    if stored.kind == POSTGRES:
        from memctl.sync import postgres_place

        with closing(postgres_place.open_postgres(config, stored.name, own)) as hub:
            where = hub.invite_member(
                member or own.member, is_admin=is_admin, streams=streams or None
            )
    code = keys.make_code(
        own, known, member, is_admin=is_admin, place=where, is_encrypted=stored.is_encrypted
    )
    typed = "" if stored.kind == POSTGRES else f"{shlex.quote(stored.name)} "
    is_open = stored.kind == FOLDER and not stored.is_encrypted and member is not None
    notes = (_OPEN_FOLDER.format(name=stored.name),) if is_open else ()
    return InviteReport(code, f"memctl sync join {typed}CODE", member, is_admin, notes)


def _list_streams(
    db: Database, stored: StoredPlace, only: Sequence[str], *, may_limit: bool
) -> list[str]:
    """The streams of the projects that a new member is limited to. Raises UsageError, NotFound."""
    if not only:
        return []
    if stored.kind != POSTGRES:
        raise UsageError(
            "only a hub limits members to projects",
            hint="a folder can be read whole by who reads it; use one folder for each audience",
        )
    if not may_limit:
        raise UsageError("only a new member who is no administrator can be limited to projects")
    classes = ProjectClasses(db)
    named = (projects.named(db, each).id for each in only)
    return [name_project_stream(classes.get_canonical(each)) for each in named]


def _choose_place(db: Database, place: str | None) -> StoredPlace:
    if place is not None:
        found = meetings.find_stored(db, place)
        if found is None:
            raise NotFound(f"this store does not meet others at {place[:80]}")
        return found
    places = sync_group.list_places(db)
    if not places:
        raise NotFound("this store meets nobody anywhere", hint=_NO_GROUP_HINT)
    return places[0]


def list_members(db: Database, config: Config) -> MembersReport:
    """List who takes part, as far as this store has heard."""
    own = require_keys(config)
    known = incoming.read_roster(db, own)
    return MembersReport("list", members.describe_members(known, own), known.problems)


def remove_member(
    db: Database, config: Config, name: str, *, dry_run: bool = False
) -> MembersReport:
    """Remove a member or one machine; see `members.remove`."""
    return members.remove(db, config, require_keys(config), name, dry_run=dry_run)


def leave(db: Database, config: Config, place: str | None, *, dry_run: bool = False) -> LeaveReport:
    """Leave one place, or the group with all of them. No record goes, here or there.

    Raises NotFound where there is nothing to leave.
    """
    places = sync_group.list_places(db)
    own = _find_keys_to_leave(config) if place is None else require_keys(config)
    if own is None and not places and not files.locate_sync_key(config.db).exists():
        raise NotFound("this store follows no other", hint=_NO_GROUP_HINT)
    left = places if place is None else [_choose_place(db, place)]
    is_whole = place is None
    names = tuple(each.name for each in left)
    stays = tuple(_describe_what_stays(db, left, is_whole=is_whole))
    if dry_run:
        return LeaveReport(names, is_whole, stays, dry_run=True)
    with lock.hold_sync(config):
        if not is_whole:
            with db.write():
                sync_group.drop_place(db, left[0].name)
            addresses.keep_password(config.db, left[0].name, None)
            return LeaveReport(names, is_whole, stays)
        unheard = [] if own is None else _say_goodbye(db, config, own)
        keys.leave_group(config)
        for each in places:
            addresses.keep_password(config.db, each.name, None)
        sync_overview.forget_group(db)
    return LeaveReport(names, is_whole, (*stays, *unheard))


def _find_keys_to_leave(config: Config) -> Keys | None:
    """The keys, to say goodbye with; None where they are gone or damaged: one may leave still."""
    try:
        return keys.load_keys(config)
    except KeysDamaged:
        return None


def _say_goodbye(db: Database, config: Config, own: Keys) -> list[str]:
    """Tell the places that this machine takes part no longer, as far as they can be reached."""
    known = incoming.read_roster(db, own)
    if own.replica not in known.replicas:
        return []
    removal = keys.make_removal(own, known, own.replica, sync_changes.read_vector(db))
    return [
        f"could not be told now, which does no harm: {each}"
        for each in members.tell_places(db, config, own, own.member, removal)
    ]


def _describe_what_stays(db: Database, left: list[StoredPlace], *, is_whole: bool) -> list[str]:
    stays = ["stays here: every record, those of others too"]
    for each in left:
        where = "on that server" if each.kind == POSTGRES else f"in {each.name}"
        stays.append(f"stays {where}: what was sent until now, for those who take part")
    if not is_whole and len(sync_group.list_places(db)) > 1:
        stays.append("the other places go on")
    if is_whole:
        stays.append("to take part again you need a new invitation")
    return stays
