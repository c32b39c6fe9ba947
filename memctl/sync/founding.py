"""A place that this store does not know yet: a group is founded there, or its group meets there
too.
"""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from memctl.core import clock
from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.frozen import dataclass
from memctl.results.sync import SyncedPlace, SyncReport
from memctl.settings.config import Config, find_login_name
from memctl.settings.policy import AT_A_TERMINAL
from memctl.store import sync_group, sync_overview
from memctl.store.database import Database
from memctl.store.sync_group import StoredPlace
from memctl.sync import keys, member_names, shares
from memctl.sync import meeting as meetings
from memctl.sync.keys import Keys
from memctl.sync.meeting import FOLDER, POSTGRES

_ASK_TO_JOIN = (
    "ask somebody in it for an invitation (`memctl sync invite`), then `memctl sync join`"
)


@dataclass(frozen=True, slots=True)
class NewPlace:
    """What is asked for: a place that is new here. `exists` says that its group meets there."""

    name: str
    kind: str
    is_encrypted: bool
    exists: bool


@dataclass(frozen=True, slots=True)
class WantedPlace:
    """A place as it was typed, or "" for all; and for a new one, who founds a group there, and
    whether it is to be encrypted (None: as the settings say).
    """

    text: str = ""
    member: str | None = None
    encrypt: bool | None = None
    is_operator: bool = False


def plan_founding(
    db: Database, config: Config, wanted: WantedPlace, own: Keys | None
) -> SyncReport:
    """Say what would begin at a new place: who one is there, what would travel, what stays."""
    _require_operator(wanted)
    new = _look_at(config, wanted, own)
    member = own.member if own is not None else choose_member(config, wanted.member)
    told = "it holds the group's changes already" if new.exists else None
    place = SyncedPlace(
        new.name, new.kind, "planned", told, is_new=True, is_encrypted=new.is_encrypted
    )
    return SyncReport((place,), member, plan=shares.report_shares(db), dry_run=True)


def begin_at_place(
    db: Database, config: Config, wanted: WantedPlace, own: Keys | None
) -> tuple[Keys, StoredPlace]:
    """Found a group at a new place, or let the store's group meet there too; note the place."""
    _require_operator(wanted)
    new = _look_at(config, wanted, own)
    is_first = own is None
    if own is None:
        member = choose_member(config, wanted.member)
        forget_former_group(db)
        own = keys.found_group(db, config, member, find_label())
    try:
        name = _make_place(config, wanted, new, own)
    except BaseException:
        if is_first:  # Who could not begin has not begun: next time the name may be another.
            keys.leave_group(config)
        raise
    with db.write():
        sync_group.put_place(db, name, new.kind, is_encrypted=new.is_encrypted, at=clock.now())
    stored = sync_group.find_place(db, name)
    assert stored is not None
    return own, stored


def _make_place(config: Config, wanted: WantedPlace, new: NewPlace, own: Keys) -> str:
    """Make a place, or look whether it can be used; returns its name."""
    if new.kind == POSTGRES:
        from memctl.sync import postgres_place

        with closing(postgres_place.open_postgres(config, wanted.text, own, create=True)) as hub:
            return hub.name
    if not new.exists:
        from memctl.sync.folder_place import FolderPlace

        meetings.require_parent(new.name)
        FolderPlace.create(
            Path(new.name), own.group, own.replica, is_encrypted=new.is_encrypted
        ).close()
    return new.name


def _look_at(config: Config, wanted: WantedPlace, own: Keys | None) -> NewPlace:
    """See what is at a place. Raises UsageError where another group meets there."""
    if own is not None and wanted.member is not None and wanted.member != own.member:
        raise UsageError(f"you take part as {own.member} already", hint="leave --as out")
    if meetings.is_address(wanted.text):
        return NewPlace(meetings.hide_password(wanted.text), POSTGRES, False, False)
    from memctl.sync import folder_place

    name = meetings.name_folder(wanted.text)
    _refuse_own_folder(config, name)
    marker = folder_place.read_marker(Path(name))
    if marker is None:
        encrypt = config["sync.encrypt"] if wanted.encrypt is None else wanted.encrypt
        return NewPlace(name, FOLDER, bool(encrypt), False)
    if own is None:
        raise UsageError(f"others meet in {name} already", hint=_ASK_TO_JOIN)
    if marker.group != own.group:
        raise UsageError(
            f"another group meets in {name}: a store belongs to one group",
            hint="choose another folder, or `memctl sync leave` first",
        )
    return NewPlace(name, FOLDER, marker.is_encrypted, True)


def _refuse_own_folder(config: Config, name: str) -> None:
    """Raise UsageError for a folder that holds the store itself, which must stay on its machine."""
    if Path(name) in Path(os.path.realpath(config.db)).parents:
        raise UsageError(
            f"the store itself lies in {name}", hint="choose a folder that reaches other machines"
        )


def forget_former_group(db: Database) -> None:
    """Forget a group of which the keys are gone: the store came from a backup to another machine,
    and what it had not sent can only be sent anew, under new keys.
    """
    if sync_group.list_replicas(db) or sync_group.list_places(db):
        sync_overview.forget_group(db)


def choose_member(config: Config, named: str | None) -> str:
    """Choose under which name a founder takes part. Raises UsageError for one that cannot be."""
    if named is not None:
        return member_names.check_name(" ".join(named.split()))
    for name in (*config["operator.names"][:1], find_login_name()):
        if name and member_names.find_fault(name) is None:
            return str(name)
    raise UsageError("say under which name you take part", hint="--as NAME, such as --as Ines")


def find_label() -> str:
    """What this machine is called, for lists of machines."""
    return os.uname().nodename


def _require_operator(wanted: WantedPlace) -> None:
    if not wanted.is_operator:
        raise RefusedByPolicy(f"to begin at a new place {AT_A_TERMINAL}")
