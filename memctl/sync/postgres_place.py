"""A hub as a place of sync: a database of PostgreSQL 13 or newer, with the same signed change sets
as a folder.

Everything here is a short transaction that may be done twice. Numbers of a replica only grow, so
that two writers under one replica are noticed by the second. Who may read and write what is held by
the server (sql/postgres), whatever a client asks for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

from memctl.core.errors import (
    MemctlError,
    PlaceUnreachable,
    RefusedByPolicy,
    ReplicaForked,
    SetDamaged,
    SetGone,
    UsageError,
)
from memctl.core.typing_lite import TYPE_CHECKING
from memctl.settings.config import Config
from memctl.sync import addresses, cards, hub_rows, hub_schema, hub_statements
from memctl.sync.hub_connection import HubConnection
from memctl.sync.hub_schema import HubState
from memctl.sync.place import SearchableRow, SetName
from memctl.sync.signed_texts import BadText

if TYPE_CHECKING:
    from psycopg import Connection

T = TypeVar("T")
# Change sets, and their bytes, that are read at once where several are asked for in turn.
_SETS_AHEAD = 64
_BYTES_AHEAD = 4 << 20
# Rows of records that one transaction writes.
_ROWS_AT_ONCE = 200
_PROJECT = "project:"


class HubUser(Protocol):
    """Who opens a hub: what its own keys say, or its invitation."""

    @property
    def group(self) -> str:
        """The id of the group."""

    @property
    def member(self) -> str:
        """The name of the member."""

    @property
    def replica(self) -> str:
        """The id of the store."""


class PostgresPlace:
    """A hub as one member's login sees it."""

    def __init__(self, hub: HubConnection, state: HubState, replica: str, store: Path) -> None:
        self.name = hub.name
        self.is_encrypted = state.is_encrypted
        self.state = state
        self._hub = hub
        self._replica = replica
        self._store = store
        self._listed: list[SetName] = []
        self._ahead: dict[SetName, bytes] = {}

    def close(self) -> None:
        """Let go of the connection."""
        self._hub.close()

    # -- cards and removals --------------------------------------------------------------------

    def read_cards(self) -> list[bytes]:
        """All cards, unverified."""
        return self._list_bytes("hub_members.read_cards")

    def write_card(self, replica: str, card: bytes) -> None:
        """Put the card of a replica where all see it; only that of the own member is taken.

        With its first card a machine gives its login a password that whoever invited it does not
        know.
        """
        told = {"replica": replica, "card": card}

        def write(connection: Connection) -> bool:
            known = connection.execute(hub_statements.compose("hub_members.has_card"), told)
            is_new = known.fetchone() == (False,)
            connection.execute(hub_statements.compose("hub_members.put_card"), told)
            return is_new

        if self._hub.run(write):
            self._renew_password()

    def read_removals(self) -> list[bytes]:
        """All removals of members, unverified."""
        return self._list_bytes("hub_members.read_removals")

    def write_removal(self, member: str, removal: bytes) -> None:
        """Put a removal where all see it. Where this member may, the logins go as well: all of the
        removed member, or those of the machines that are removed.
        """

        def write(connection: Connection) -> None:
            told: dict[str, object] = {"member": member, "removal": removal}
            told["digest"] = hashlib.sha256(removal).hexdigest()
            connection.execute(hub_statements.compose("hub_members.put_removal"), told)
            if self.state.is_admin or member == self.state.member:
                told["machines"] = _list_machines(removal)
                connection.execute(hub_statements.compose("hub_members.retire"), told)

        self._hub.run(write)

    def retire_members(self, members: Collection[str]) -> None:
        """Take all logins of removed members away: where others than an admin brought the removal.
        Only admins do anything here.
        """
        for member in sorted(members) if self.state.is_admin else ():
            self._do("hub_members.retire", {"member": member, "machines": None})

    # -- change sets ---------------------------------------------------------------------------

    def list_sets(
        self,
        have: Mapping[tuple[str, str], int],
        streams: Collection[str] | None = None,
    ) -> Iterator[SetName]:
        """Every change set with numbers above those in `have`, in order; of some streams, or of all
        that this member takes part in.
        """
        told = {
            "streams": [stream for stream, _ in have],
            "replicas": [replica for _, replica in have],
            "numbers": list(have.values()),
            "wanted": None if streams is None else list(streams),
        }
        statement = hub_statements.compose("hub_sets.list_sets")
        rows = self._hub.run(lambda connection: connection.execute(statement, told).fetchall())
        self._listed = [SetName(*row) for row in rows]
        self._ahead.clear()
        return iter(self._listed)

    def read_set(self, name: SetName) -> bytes:
        """Bytes of a change set. Raises SetDamaged where they are not what its name says."""
        if name not in self._ahead:
            self._read_ahead(name)
        content = self._ahead.pop(name, None)
        if content is None:
            raise SetGone(f"{self.name}: {_tell(name)} is not there any more")
        if not hashlib.sha256(content).hexdigest().startswith(name.digest):
            raise SetDamaged(f"{self.name}: {_tell(name)} is not what its name says")
        return content

    def write_set(self, name: SetName, content: bytes, rows: Sequence[SearchableRow] = ()) -> None:
        """Put a change set there with the state of the records that it changed. Raises
        ReplicaForked where other changes stand under its numbers.
        """

        def write(connection: Connection) -> None:
            told = _to_values(name)
            self._put_stream(connection, name.stream)
            moved = connection.execute(hub_statements.compose("hub_sets.move_head"), told)
            is_new = moved.fetchone() is not None
            if not is_new and not _is_there(connection, name):
                # Numbers may be lacking below the highest, where somebody deleted a set.
                self._refuse_overlap(connection, name)
                is_new = True
            if is_new:
                told["content"] = content
                connection.execute(hub_statements.compose("hub_sets.put_set"), told)
            hub_rows.put_rows(connection, rows, self._replica, self.state.vectors)

        self._hub.run(write)

    def replace_sets(
        self,
        old: Sequence[SetName],
        new: SetName,
        content: bytes,
        rows: Sequence[SearchableRow] = (),
    ) -> None:
        """Put one change set in the place of several of the same replica and stream."""

        def replace(connection: Connection) -> None:
            self._put_stream(connection, new.stream)
            if not _is_there(connection, new):
                drop = hub_statements.compose("hub_sets.drop_set")
                for each in old:
                    connection.execute(drop, _to_values(each))
                told = _to_values(new)
                self._refuse_overlap(connection, new)
                told["content"] = content
                connection.execute(hub_statements.compose("hub_sets.raise_head"), told)
                connection.execute(hub_statements.compose("hub_sets.put_set"), told)
            hub_rows.put_rows(connection, rows, self._replica, self.state.vectors)

        self._hub.run(replace)

    def write_rows(self, rows: Sequence[SearchableRow]) -> None:
        """Put the state of records there; a newer one stays."""
        waiting = iter(rows)
        while some := list(islice(waiting, _ROWS_AT_ONCE)):
            self._hub.run(
                lambda connection, some=some: hub_rows.put_rows(  # type: ignore[misc]
                    connection, some, self._replica, self.state.vectors
                )
            )

    def ask(self, read: Callable[[Connection], T]) -> T:
        """Read something in one transaction."""
        return self._hub.run(read)

    # -- members -------------------------------------------------------------------------------

    def invite_member(
        self, member: str, *, is_admin: bool = False, streams: Sequence[str] | None = None
    ) -> str:
        """Make a login for a member, or for a further machine of one's own; returns the address
        with its password, which is known nowhere else.

        With `streams` the member takes part in these projects alone. Raises RefusedByPolicy.
        """
        login = hub_schema.make_login(f"{self.state.prefix}_", member)
        if streams is not None and any(not each.startswith(_PROJECT) for each in streams):
            raise UsageError("only projects are granted")

        def admit(connection: Connection) -> None:
            told = {
                "login": login.role,
                "verifier": hub_schema.make_verifier(connection, login),
                "member": member,
                "is_admin": is_admin,
                "streams": None if streams is None else list(streams),
            }
            connection.execute(hub_statements.compose("hub_members.admit"), told)

        self._hub.run(admit, is_repeatable=False)
        return addresses.join_password(*hub_schema.name_login(self.name, login))

    def own_address(self) -> str:
        """The address with the password of this login, for a further machine of one's own."""
        return addresses.join_password(self.name, self._hub.password)

    def open_stream(self, stream: str, *, is_open: bool) -> None:
        """Let all members see a project, or only those to whom it is granted. Its founder's and
        admins' to say.
        """
        self._do("hub_members.close_stream", {"stream": stream, "is_open": is_open})

    def grant_stream(self, stream: str, member: str, *, is_granted: bool = True) -> None:
        """Let a member take part in a project, or no longer."""
        name = "hub_members.grant_stream" if is_granted else "hub_members.revoke_stream"
        self._do(name, {"stream": stream, "member": member})

    def _renew_password(self) -> None:
        """Give a login that memctl made another password; a cut anywhere between leaves one that is
        kept.
        """
        role = addresses.find_user(self.name)
        if not role.startswith(f"{self.state.prefix}_"):
            return
        fresh = hub_schema.make_login(f"{self.state.prefix}_", "")
        login = hub_schema.Login(role, fresh.password)
        addresses.keep_password(self._store, addresses.name_next(self.name), login.password)

        def renew(connection: Connection) -> None:
            verifier = hub_schema.compose_verifier(connection, login)
            statement = hub_statements.compose("hub_members.set_password", verifier=verifier)
            connection.execute(statement)
            connection.execute(hub_statements.compose("hub_members.end_other_sessions"))

        self._hub.run(renew)
        self._hub.renew_password(login.password)
        addresses.keep_password(self._store, self.name, login.password)
        addresses.keep_password(self._store, addresses.name_next(self.name), None)

    # -- inside --------------------------------------------------------------------------------

    def _do(self, name: str, values: Mapping[str, object]) -> None:
        statement = hub_statements.compose(name)
        self._hub.run(lambda connection: connection.execute(statement, values) and None)

    def _list_bytes(self, name: str) -> list[bytes]:
        statement = hub_statements.compose(name)
        rows = self._hub.run(lambda connection: connection.execute(statement).fetchall())
        return [bytes(content) for (content,) in rows]

    def _refuse_overlap(self, connection: Connection, name: SetName) -> None:
        """Raise ReplicaForked where other sets of the replica hold some of the same numbers."""
        overlap = hub_statements.compose("hub_sets.list_overlapping")
        if connection.execute(overlap, _to_values(name)).fetchone() is not None:
            raise ReplicaForked(
                f"{self.name}: other changes stand under the numbers of {_tell(name)}"
            )

    def _put_stream(self, connection: Connection, stream: str) -> None:
        """Make a stream of a project known. Raises RefusedByPolicy where this member has none."""
        if not stream.startswith(_PROJECT):
            return
        told = {"stream": stream}
        known = connection.execute(hub_statements.compose("hub_sets.has_stream"), told).fetchone()
        if not (known and known[0]):
            if self.state.is_limited:
                raise RefusedByPolicy(
                    f"{self.name}: this login is limited to some projects, and {stream} is none",
                    hint="`memctl sync share PROJECT --own` keeps it among your own machines",
                )
            connection.execute(hub_statements.compose("hub_sets.put_stream"), told)

    def _read_ahead(self, name: SetName) -> None:
        """Read a change set, and those that were listed behind it, as far as they are small."""
        at = self._listed.index(name) if name in self._listed else -1
        wanted = self._listed[at : at + _SETS_AHEAD] if at >= 0 else [name]

        def read(connection: Connection) -> dict[SetName, bytes]:
            chosen, total = [name], 0
            measure = hub_statements.compose("hub_sets.measure_sets")
            for n, size in sorted(connection.execute(measure, _to_columns(wanted)).fetchall()):
                total += size
                if n > 1 and total <= _BYTES_AHEAD:
                    chosen.append(wanted[n - 1])
            rows = connection.execute(
                hub_statements.compose("hub_sets.read_sets"), _to_columns(chosen)
            ).fetchall()
            return {chosen[n - 1]: bytes(content) for n, content in rows}

        self._ahead = self._hub.run(read)


def open_postgres(
    config: Config,
    address: str,
    keys: HubUser,
    *,
    create: bool = False,
    is_encrypted: bool = False,
) -> PostgresPlace:
    """Open a hub by its address, or by its name where its password is kept.

    With `create` a hub is set up where there is none; then, and where an address names whoever set
    it up, the place has the name of the member's own login. A password that worked is kept. Raises
    PlaceUnreachable, RefusedByPolicy, UsageError, MissingExtra.
    """
    name, password = addresses.split_password(address)
    if password is None:
        name, password = addresses.find_kept(config.db, name)
    kept = addresses.list_kept(config.db)
    others = (kept.get(each) for each in (name, addresses.name_next(name)))
    hub = HubConnection(name, password, *others)
    try:
        state = hub_schema.read_state(hub)
        password = hub.password
        if state is None and not create:
            raise PlaceUnreachable("nobody has set up a hub in this database")
        if state is None:
            login = hub_schema.found_hub(hub, keys.group, keys.member, is_encrypted=is_encrypted)
            if login is not None:
                name, password = hub_schema.name_login(name, login)
        elif state.member is None or state.lacks_migrations():
            name, password = _use_kept_login(config, hub, state, name, password)
        if hub.name != name:
            hub.close()
            hub = HubConnection(name, password)
        state = hub_schema.read_state(hub)
        if state is None:
            raise PlaceUnreachable("nobody has set up a hub in this database")
        hub_schema.check_state(name, state, keys.group)
    except BaseException:
        hub.close()
        raise
    if password is not None:
        addresses.keep_password(config.db, name, password)
    return PostgresPlace(hub, state, keys.replica, config.db)


def _use_kept_login(
    config: Config, hub: HubConnection, state: HubState, name: str, password: str | None
) -> tuple[str, str | None]:
    """Where an address is that of whoever set the hub up, or the hub is older than this memctl:
    bring it up to date if this login may, and go on with the member's own.
    """
    if state.lacks_migrations():
        try:
            hub_schema.upgrade_hub(hub)
        except RefusedByPolicy as error:
            raise MemctlError(
                f"{name}: the hub is older than this memctl",
                hint="whoever set it up brings it up to date: memctl sync ADDRESS",
            ) from error
    if state.member is not None:
        return name, password
    kept = [each for each in addresses.list_kept(config.db) if addresses.is_same_hub(each, name)]
    return (kept[0], addresses.list_kept(config.db)[kept[0]]) if kept else (name, password)


def _list_machines(removal: bytes) -> list[str] | None:
    """The replicas that a removal takes out; None where it is of a whole member."""
    try:
        found = cards.read_removal(removal)
    except BadText:
        return None
    return sorted(found.replicas) if found.root is None else None


def _is_there(connection: Connection, name: SetName) -> bool:
    found = connection.execute(
        hub_statements.compose("hub_sets.has_set"), _to_values(name)
    ).fetchone()
    return bool(found and found[0])


def _to_values(name: SetName) -> dict[str, object]:
    return {
        "stream": name.stream,
        "replica": name.replica,
        "first": name.first,
        "last": name.last,
        "digest": name.digest,
    }


def _to_columns(names: Sequence[SetName]) -> dict[str, list[object]]:
    return {
        "streams": [each.stream for each in names],
        "replicas": [each.replica for each in names],
        "firsts": [each.first for each in names],
        "digests": [each.digest for each in names],
    }


def _tell(name: SetName) -> str:
    return f"the change set {name.first} to {name.last} of {name.replica} for {name.stream}"
