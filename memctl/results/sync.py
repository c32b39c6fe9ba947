"""Stores that follow one another: what travelled, who takes part, and what would travel."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.results.store import SyncPlaceState


@dataclass(frozen=True, slots=True)
class SharedProject:
    """What of one project travels, and to whom. `project` is None for what holds everywhere.

    `audience` is `group` (all who take part), `own` (only one's own machines) or `never`. `types`
    is None for all types of records.
    """

    project: str | None
    name: str
    audience: str
    records: int
    types: tuple[str, ...] | None = None
    with_candidates: bool = False
    with_turns: bool = False


@dataclass(frozen=True, slots=True)
class ShareReport:
    """What travels by project, and what stays at home: how many records, by the reason.

    `changed` is the project of which it was just said anew.
    """

    shares: tuple[SharedProject, ...]
    home: Mapping[str, int] = field(default_factory=dict)
    changed: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncedPlace:
    """One sync of one place. state: `done`, `unfinished`, `unreachable`, `refused` or `planned`.

    `sent` and `received` count changes, `bytes_out` and `bytes_in` what they were in change sets.
    `counts` says what became of them here, `damaged` names change sets that were passed over, and
    `strange` what else lies there and does not count, such as copies that another program made.
    """

    name: str
    kind: str
    state: str
    reason: str | None = None
    is_new: bool = False
    is_encrypted: bool = False
    sent: int = 0
    received: int = 0
    bytes_out: int = 0
    bytes_in: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncReport:
    """A sync of one or more places. `waits` counts records of others in the inbox, by their name.

    With `dry_run` nothing was moved: `plan` says what would travel, `unsent` how many changes have
    not been sent to each place yet. `problems` are what needs a look.
    """

    places: tuple[SyncedPlace, ...]
    member: str | None = None
    waits: Mapping[str, int] = field(default_factory=dict)
    plan: ShareReport | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class SyncMachine:
    """A machine that takes part, and since when; `is_this` is the one that answers."""

    id: str
    label: str
    since: str
    is_this: bool = False


@dataclass(frozen=True, slots=True)
class SyncMember:
    """Somebody who takes part: their name, how many machines they have and which (`devices`), and
    whether they were removed.
    """

    name: str
    machines: int
    is_own: bool = False
    is_admin: bool = False
    removed_at: str | None = None
    devices: tuple[SyncMachine, ...] = ()


@dataclass(frozen=True, slots=True)
class MembersReport:
    """Who takes part. action: `list` or `remove`; `problems` name places not told of a removal."""

    action: str
    members: tuple[SyncMember, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InviteReport:
    """An invitation: `code` is for whoever joins, and `command` what they type.

    `member` is None where it is for another machine of one's own.
    """

    code: str
    command: str
    member: str | None = None
    is_admin: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncStatusReport:
    """Where this store meets others and how it stands there.

    `unsent` counts changes that no place has yet, `waiting` changes whose forerunners have not come
    yet, `not_taken` changes of somebody who was removed; `damaged` names change sets.
    """

    member: str | None
    group: str | None = None
    machine: str | None = None
    is_admin: bool = False
    members: tuple[SyncMember, ...] = ()
    places: tuple[SyncPlaceState, ...] = ()
    shares: tuple[SharedProject, ...] = ()
    home: Mapping[str, int] = field(default_factory=dict)
    unsent: int = 0
    waiting: int = 0
    not_taken: int = 0
    damaged: tuple[str, ...] = ()
    waits: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LeaveReport:
    """What was left, and what stays where. `has_left_group` is false where only one place was."""

    places: tuple[str, ...]
    has_left_group: bool
    stays: tuple[str, ...] = ()
    dry_run: bool = False
