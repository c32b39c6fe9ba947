"""A group that meets at a hub, for tests: its founder, and members as they come."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from memctl.settings.config import Config, load_config
from memctl.sync import addresses
from memctl.sync.place import SetName
from memctl.sync.postgres_place import PostgresPlace, open_postgres

GROUP = "a-group"


@dataclass(frozen=True, slots=True)
class User:
    """Who opens a hub."""

    group: str
    member: str
    replica: str


class HubGroup:
    """A hub with members, each with a store folder of its own."""

    def __init__(self, address: str, folder: Path, group: str = "") -> None:
        self.address = address
        self.group = group or f"{GROUP} {address}"
        self._folder = folder
        self._open: list[PostgresPlace] = []
        self.founder = self.join("anna", "A1", address, create=True)

    def config(self, member: str, replica: str) -> Config:
        folder = self._folder / f"{member}-{replica}"
        folder.mkdir(exist_ok=True)
        return load_config(folder / "memory.db")

    def join(self, member: str, replica: str, address: str, **how: Any) -> PostgresPlace:
        """Open the hub as a member, and put its card there."""
        user = User(self.group, member, replica)
        place = open_postgres(self.config(member, replica), address, user, **how)
        self._open.append(place)
        place.write_card(replica, f"card of {replica}".encode())
        return place

    def invite(self, member: str, replica: str, **how: Any) -> PostgresPlace:
        """Let the founder invite a member, who then joins."""
        return self.join(member, replica, self.founder.invite_member(member, **how))

    def connect(self, place: PostgresPlace) -> psycopg.Connection:
        """A raw connection with a member's own login."""
        return psycopg.connect(place.own_address(), autocommit=True)

    def close(self) -> None:
        for place in self._open:
            place.close()


@contextmanager
def make_group(address: str, folder: Path) -> Iterator[HubGroup]:
    group = HubGroup(address, folder)
    try:
        yield group
    finally:
        group.close()


def make_set(
    stream: str, replica: str, first: int, last: int, content: bytes | None = None
) -> tuple[SetName, bytes]:
    """A change set, as far as a place looks at it."""
    content = content or f"{stream} {replica} {first}".encode()
    digest = hashlib.sha256(content).hexdigest()[:16]
    return SetName(stream, replica, first, last, digest), content


def name_of(address: str) -> str:
    return addresses.hide_password(address)
