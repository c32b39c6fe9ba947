"""One sync of one place while it lasts: who meets there, what was moved, and how much more may be.

A place is a folder, or a hub with an address (`postgresql://...`). Folders are named by their whole
path, hubs by their address without a password.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import cast

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import PlaceUnreachable, UsageError
from memctl.results.sync import SyncedPlace
from memctl.settings.config import Config
from memctl.store import sync_group
from memctl.store.database import Database
from memctl.store.sync_group import StoredPlace
from memctl.sync.collecting import Collector
from memctl.sync.keys import Keys
from memctl.sync.place import SearchablePlace, SyncPlace
from memctl.sync.roster import Roster

FOLDER = "folder"
POSTGRES = "postgres"
_ADDRESSES = ("postgresql://", "postgres://")


class Meeting:
    """The store, the place and the group of one sync; counts what was moved."""

    def __init__(
        self,
        db: Database,
        config: Config,
        keys: Keys,
        stored: StoredPlace,
        work: BoundedWork,
        most_bytes: float = float("inf"),
    ) -> None:
        """`most_bytes` may be written and read together."""
        self.db = db
        self.config = config
        self.keys = keys
        self.stored = stored
        self.work = work
        self.place: SyncPlace
        self.roster: Roster
        self.collector: Collector
        self.counts = Counter[str]()
        self.damaged: list[str] = []
        # What lies at the place and does not count, with why.
        self.strange: list[str] = []
        # Own subjects that changes came for, by stream: what a hub shows of them follows.
        self.touched: dict[str, set[str]] = {}
        self.sent = self.received = self.bytes_out = self.bytes_in = 0
        self.report_progress: Callable[[int, int], None] = lambda done, total: None
        self.total = 0
        self._most_bytes = most_bytes

    @property
    def hub(self) -> SearchablePlace | None:
        """The place, if it can be searched."""
        is_hub = self.stored.kind == POSTGRES and not self.stored.is_encrypted
        return cast("SearchablePlace", self.place) if is_hub else None

    def must_stop(self) -> bool:
        """Whether the time or the traffic of this sync is used up. Ask with more to do."""
        if self.bytes_out + self.bytes_in >= self._most_bytes:
            self.work.was_cut = True
        return self.work.must_stop()

    def note_sent(self, changes: int, many: int) -> None:
        """Count changes that were written, and their bytes."""
        self.sent += changes
        self.bytes_out += many
        self._tell()

    def note_received(self, changes: int, many: int) -> None:
        """Count changes that were read, and their bytes."""
        self.received += changes
        self.bytes_in += many
        self._tell()

    def note_set(
        self, stream: str, replica: str, first: int, last: int, digest: str, problem: str | None
    ) -> None:
        """Note a change set of the place, and why it was passed over."""
        with self.db.write():
            sync_group.put_set(
                self.db,
                self.stored.name,
                stream=stream,
                replica=replica,
                first=first,
                last=last,
                digest=digest,
                problem=problem,
                at=clock.now(),
            )

    def build_result(self, state: str, reason: str | None = None) -> SyncedPlace:
        """Tell what was moved."""
        return SyncedPlace(
            self.stored.name,
            self.stored.kind,
            state,
            reason,
            is_encrypted=self.stored.is_encrypted,
            sent=self.sent,
            received=self.received,
            bytes_out=self.bytes_out,
            bytes_in=self.bytes_in,
            counts={name: many for name, many in self.counts.items() if many},
            damaged=tuple(self.damaged),
            strange=tuple(self.strange),
        )

    def _tell(self) -> None:
        done = self.sent + self.received
        self.report_progress(done, max(done, self.total))


def is_address(text: str) -> bool:
    """Whether this is the address of a hub."""
    return text.startswith(_ADDRESSES)


def name_folder(text: str) -> str:
    """Return the name of a folder as a place: its real path. Raises UsageError."""
    if "://" in text:
        raise UsageError(
            f"{text[:60]!r} is no place", hint="a folder, or an address that begins postgresql://"
        )
    if "/" not in text and not text.startswith(("~", ".")) and not os.path.isdir(text):
        raise UsageError(
            f"{text[:60]!r} is no place, and no command of `memctl sync`",
            hint=f"a new folder is written with a slash: ./{text[:60]}",
        )
    return os.path.realpath(Path(text).expanduser())


def hide_password(address: str) -> str:
    """An address as it may be shown and stored."""
    from memctl.sync import addresses

    return addresses.hide_password(address)


def find_stored(db: Database, text: str) -> StoredPlace | None:
    """Return the place that is meant, if this store knows it; of a hub, whatever login is told."""
    if not is_address(text):
        return sync_group.find_place(db, name_folder(text))
    from memctl.sync import addresses

    name = addresses.hide_password(text)
    hubs = [each for each in sync_group.list_places(db) if each.kind == POSTGRES]
    same = [each for each in hubs if addresses.is_same_hub(each.name, name)]
    return next((each for each in same if each.name == name), same[0] if same else None)


def use_address(config: Config, text: str, keys: Keys) -> None:
    """Open a known hub by the address that was typed: its password is kept, and one of whoever set
    the hub up brings it up to date. Raises PlaceUnreachable, RefusedByPolicy, MissingExtra.
    """
    from memctl.sync import postgres_place

    postgres_place.open_postgres(config, text, keys, create=True).close()


def open_place(config: Config, stored: StoredPlace, keys: Keys) -> SyncPlace:
    """Open a place that is known. Raises PlaceUnreachable, MissingExtra."""
    if stored.kind == POSTGRES:
        from memctl.sync import postgres_place

        return postgres_place.open_postgres(config, stored.name, keys)
    from memctl.sync.folder_place import FolderPlace

    return FolderPlace.open(Path(stored.name), keys.group, keys.replica, stored.is_encrypted)


def require_parent(folder: str) -> None:
    """Raise PlaceUnreachable where the folder that shall hold a new one is not there."""
    path = Path(folder)
    if not path.is_dir() and not path.parent.is_dir():
        raise PlaceUnreachable(
            f"{path.parent} is not there", hint="make it first, or mount what holds it"
        )
