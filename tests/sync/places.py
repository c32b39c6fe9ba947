"""Places for the tests of what a folder and a hub both do, each with two members."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from memctl.sync.change_set import compute_digest
from memctl.sync.folder_place import FolderPlace
from memctl.sync.place import SetName, SyncPlace
from tests.sync.hub_group import HubGroup, make_group

GROUP = "abcdefghijklmnopqrstuvwxyz234567"
ANNA = "0ANNA000000000000000000000"
BEN = "0BEN0000000000000000000000"
PROJECT = "project:01P"


class World(Protocol):
    """A place as its members open it, each call like a process of its own."""

    def open(self, replica: str) -> SyncPlace:
        """Open the place as ANNA or BEN."""

    def describe(self, replica: str) -> list[str]:
        """What another process needs to open it (see `place_writer`)."""


class FolderWorld:
    """A folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        FolderPlace.create(path, GROUP, ANNA, is_encrypted=False).close()

    def open(self, replica: str) -> FolderPlace:
        return FolderPlace.open(self.path, GROUP, replica)

    def describe(self, replica: str) -> list[str]:
        return ["folder", str(self.path), replica]


class HubWorld:
    """A hub."""

    def __init__(self, group: HubGroup) -> None:
        self._group = group
        self._addresses = {
            ANNA: group.founder.own_address(),
            BEN: group.founder.invite_member("ben"),
        }

    def open(self, replica: str) -> SyncPlace:
        member = {ANNA: "anna", BEN: "ben"}[replica]
        return self._group.join(member, replica, self._addresses[replica])

    def describe(self, replica: str) -> list[str]:
        member = {ANNA: "anna", BEN: "ben"}[replica]
        place = self._group.join(member, replica, self._addresses[replica])
        config = self._group.config(member, replica)
        return ["hub", place.name, replica, str(config.db), self._group.group]


@contextmanager
def open_hub_world(address: str, folder: Path) -> Iterator[HubWorld]:
    with make_group(address, folder) as group:
        yield HubWorld(group)


def make_set(
    replica: str, first: int, last: int, *, stream: str = PROJECT, content: bytes = b""
) -> tuple[SetName, bytes]:
    """A change set, as far as a place looks at it."""
    content = content or f"{stream} {replica} {first} {last}".encode()
    return SetName(stream, replica, first, last, compute_digest(content)), content
