"""Setting up a hub in a database, and bringing its tables up to date.

Whoever may create roles makes a hub for a group: tables that belong to a role of their own, and the
founder's login. Whoever may only create a schema gets a hub for the machines of one person.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence

from memctl.core.errors import MemctlError, PlaceUnreachable, RefusedByPolicy, StoreTooNew
from memctl.core.frozen import dataclass
from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.sync import addresses, hub_statements
from memctl.sync.hub_connection import HubConnection

if TYPE_CHECKING:
    from psycopg import Connection

# The migration from which a hub knows vectors; it is left out where the server does not.
VECTORS = 2
# Letters of the name of a login that tell whose it is.
_SLUG_LETTERS = 20
_RANDOM_BYTES = 4
_PASSWORD_BYTES = 24


@dataclass(frozen=True, slots=True)
class HubState:
    """What a hub says of itself, and whose this login is (None: nobody's of its group)."""

    group: str
    prefix: str
    is_encrypted: bool
    versions: tuple[int, ...]
    member: str | None
    is_admin: bool
    is_limited: bool
    vectors: str | None

    def lacks_migrations(self) -> bool:
        """Whether this memctl knows migrations that the hub has not had and could have."""
        known = {number for number, _ in hub_statements.list_migrations()} - {VECTORS}
        return not known <= set(self.versions)


@dataclass(frozen=True, slots=True)
class Login:
    """A login role and its password."""

    role: str
    password: str


def read_state(hub: HubConnection) -> HubState | None:
    """What is there; None if the database has no hub. Raises PlaceUnreachable, RefusedByPolicy."""

    def read(connection: Connection) -> HubState | None:
        if not _ask(connection, "hub_setup.is_there"):
            return None
        if not _ask(connection, "hub_setup.may_use"):
            raise RefusedByPolicy(
                f"{hub.name}: this login takes no part in the hub",
                hint="ask who set it up for an invitation",
            )
        row = connection.execute(hub_statements.compose("hub_setup.read_hub")).fetchone()
        if row is None:
            return None
        group, prefix, is_encrypted, versions, member, is_admin, is_limited = row
        vectors = _ask(connection, "hub_setup.has_extension") if VECTORS in versions else None
        return HubState(
            group, prefix, is_encrypted, tuple(versions), member, is_admin, is_limited, vectors
        )

    state = hub.run(read)
    newest = max(version for version, _ in hub_statements.list_migrations())
    if state is not None and max(state.versions) > newest:
        raise StoreTooNew(f"{hub.name}: the hub was set up by a newer memctl", hint="update memctl")
    return state


def found_hub(hub: HubConnection, group: str, member: str, *, is_encrypted: bool) -> Login | None:
    """Make a hub for a group. Returns the founder's own login; None if it is the one that was used.
    Raises RefusedByPolicy, PlaceUnreachable.
    """
    prefix = draw_prefix()
    login = make_login(prefix, member)

    def found(connection: Connection) -> Login | None:
        role, _, makes_roles, makes_schemas = _read_role(connection)
        if not makes_schemas:
            raise RefusedByPolicy(
                f"{hub.name}: {role} may not create a schema in this database",
                hint="give an address whose user may; it is needed this once",
            )
        names = {"owner": role, "members": role}
        if makes_roles:
            names = {"owner": f"{prefix}owner", "members": f"{prefix}members"}
            _do(connection, "hub_setup.make_roles", **names)
        _do(connection, "hub_setup.make_schema", owner=names["owner"])
        vectors = _install_vectors(connection)
        if makes_roles:
            _do(connection, "hub_setup.become_owner", owner=names["owner"])
        _migrate(connection, (), {**names, "vectors": vectors})
        told = {
            "group": group,
            "prefix": prefix.rstrip("_"),
            "members": names["members"],
            "is_encrypted": is_encrypted,
        }
        connection.execute(hub_statements.compose("hub_setup.note_group"), told)
        if makes_roles:
            verifier = compose_verifier(connection, login)
            _do(
                connection,
                "hub_setup.make_founder",
                login=login.role,
                verifier=verifier,
                members=names["members"],
            )
        noted = {"role": login.role if makes_roles else role, "member": member}
        connection.execute(hub_statements.compose("hub_setup.note_founder"), noted)
        if makes_roles:
            _do(connection, "hub_setup.become_oneself")
            _do(connection, "hub_setup.hide_owner", owner=names["owner"])
        return login if makes_roles else None

    return hub.run(found, is_repeatable=False)


def upgrade_hub(hub: HubConnection) -> bool:
    """Bring the tables of a hub up to date, where this login may; whether there was anything to do.
    Raises RefusedByPolicy, PlaceUnreachable.
    """

    def upgrade(connection: Connection) -> bool:
        (owner, _) = _read_row(connection, "hub_setup.find_owner")
        role, *_ = _read_role(connection)
        vectors = _install_vectors(connection)
        if owner != role:
            _do(connection, "hub_setup.show_owner", owner=owner)
            _do(connection, "hub_setup.become_owner", owner=owner)
        (_, _, _, versions, *_) = _read_row(connection, "hub_setup.read_hub")
        (members,) = _read_row(connection, "hub_setup.read_members_role")
        done = _migrate(
            connection, versions, {"owner": owner, "members": members, "vectors": vectors}
        )
        if owner != role:
            _do(connection, "hub_setup.become_oneself")
            _do(connection, "hub_setup.hide_owner", owner=owner)
        return done

    return hub.run(upgrade, is_repeatable=False)


def draw_prefix() -> str:
    """With which the names of a hub's roles begin, drawn at random.

    Roles belong to a server, not to a database: the group may have had another database there.
    """
    return f"memctl_{os.urandom(_RANDOM_BYTES).hex()}_"


def make_login(prefix: str, member: str) -> Login:
    """A new login for a member, its name and password drawn at random."""
    letters = "".join(each for each in member.lower() if each.isascii() and each.isalnum())
    role = f"{prefix}{letters[:_SLUG_LETTERS]}_{os.urandom(_RANDOM_BYTES).hex()}"
    return Login(role, base64.urlsafe_b64encode(os.urandom(_PASSWORD_BYTES)).decode())


def make_verifier(connection: Connection, login: Login) -> str:
    """What the server compares a password with, so that the password itself is never sent."""
    made = connection.pgconn.encrypt_password(
        login.password.encode(), login.role.encode(), b"scram-sha-256"
    )
    return made.decode()


def compose_verifier(connection: Connection, login: Login) -> Any:
    """The same, to be put into a statement."""
    return _literal(make_verifier(connection, login))


def check_state(name: str, state: HubState, group: str) -> HubState:
    """A hub that is this group's, and whose login is a member's. Raises MemctlError."""
    if state.group != group:
        raise MemctlError(
            f"{name}: another group meets there", hint="a group has a database of its own"
        )
    if state.member is None:
        raise RefusedByPolicy(
            f"{name}: this login is no member of the group, or no longer",
            hint="ask an admin for an invitation",
        )
    return state


def name_login(name: str, login: Login) -> tuple[str, str]:
    """The name of the hub for a login, and its password."""
    return addresses.replace_user(name, login.role), login.password


def _install_vectors(connection: Connection) -> str | None:
    """The schema of the extension of vectors, installed if possible; None without it."""
    from psycopg import Error

    if found := _ask(connection, "hub_setup.has_extension"):
        return str(found)
    if not _ask(connection, "hub_setup.offers_extension"):
        return None
    try:
        with connection.transaction():
            _do(connection, "hub_setup.install_extension")
    except Error:
        return None
    return str(_ask(connection, "hub_setup.has_extension"))


def _migrate(connection: Connection, versions: Sequence[int], names: dict[str, str | None]) -> bool:
    """Do the migrations that a hub has not had."""
    from psycopg import Error

    known = {key: name for key, name in names.items() if name is not None}
    todo = [
        (number, path)
        for number, path in hub_statements.list_migrations()
        if number not in versions and (number != VECTORS or "vectors" in known)
    ]
    for number, path in todo:
        try:
            with connection.transaction():
                connection.execute(hub_statements.put_names_in(path.read_text("utf-8"), **known))
                told = {"version": number, "name": path.stem}
                connection.execute(hub_statements.compose("hub_setup.note_version"), told)
        except Error:
            if number != VECTORS:
                raise  # an extension that is too old, or not the one that is meant, is no obstacle
    return bool(todo)


def _read_role(connection: Connection) -> tuple[str, bool, bool, bool]:
    name, is_super, makes_roles, makes_schemas = _read_row(connection, "hub_setup.describe_role")
    return name, is_super, makes_roles, makes_schemas


def _read_row(connection: Connection, name: str) -> tuple[Any, ...]:
    row = connection.execute(hub_statements.compose(name)).fetchone()
    if row is None:
        raise PlaceUnreachable("the hub is not set up whole")
    return tuple(row)


def _ask(connection: Connection, name: str) -> Any:
    """The one value that a statement answers with, or None."""
    row = connection.execute(hub_statements.compose(name)).fetchone()
    return row[0] if row else None


def _do(connection: Connection, name: str, **names: Any) -> None:
    connection.execute(hub_statements.compose(name, **names))


def _literal(text: str) -> Any:
    from psycopg import sql

    return sql.Literal(text)
