"""A connection to a hub: short transactions, tried again where that may help, bounded in time.

Works through a pooler that gives every transaction another connection: no prepared statements, no
settings that outlive a transaction, no LISTEN. What the server says is told in one line, without a
password.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from memctl.core import clock
from memctl.core.errors import MissingExtra, PlaceUnreachable, RefusedByPolicy
from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.sync import addresses, hub_statements

if TYPE_CHECKING:
    from psycopg import Connection

T = TypeVar("T")
HINT = "pip install 'memctl[postgres]'"
# Seconds until a server that does not answer counts as away.
_CONNECT_SECONDS = 10
# Seconds before each further try of a transaction that others got in the way of, or whose
# connection broke; chosen by hand.
_PAUSES = (0.05, 0.2, 0.8, 2.0)
# A dead peer is noticed in about half a minute: after so many seconds, so many questions.
_ALIVE = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}


class HubConnection:
    """A hub by its name; connects when first needed, and again where a connection broke."""

    def __init__(self, name: str, *passwords: str | None) -> None:
        """`passwords` are tried in turn: one may have been renewed. Raises MissingExtra."""
        self.name = name
        self._others = [each for each in passwords[1:] if each]
        self._password = passwords[0] if passwords else None
        self._open: Connection | None = None
        load_driver()

    def run(self, work: Callable[[Connection], T], *, is_repeatable: bool = True) -> T:
        """Do some work in one transaction, whole or not at all.

        It may be done more than once, also where the first time succeeded and nobody heard of it.
        Raises PlaceUnreachable, RefusedByPolicy.
        """
        from psycopg import InterfaceError, OperationalError, errors

        pauses = iter(_PAUSES if is_repeatable else ())
        while True:
            connection = self._connect()
            try:
                with connection.transaction():
                    connection.execute(hub_statements.compose("hub_setup.limits"))
                    return work(connection)
            except errors.InsufficientPrivilege as error:
                raise RefusedByPolicy(f"{self.name}: {self._tell(error)}") from error
            except (OperationalError, InterfaceError) as error:
                if connection.closed or connection.broken:
                    self.close()
                pause = None if isinstance(error, errors.QueryCanceled) else next(pauses, None)
                if pause is None:
                    raise PlaceUnreachable(self._tell(error)) from error
                clock.sleep(pause)

    def close(self) -> None:
        """Let go of the connection."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _connect(self) -> Connection:
        import psycopg

        if self._open is None or self._open.closed:
            given: dict[str, Any] = {**_ALIVE}
            if self._password:
                given["password"] = self._password
            try:
                self._open = psycopg.connect(
                    self.name,
                    autocommit=True,
                    prepare_threshold=None,
                    connect_timeout=_CONNECT_SECONDS,
                    application_name="memctl",
                    **given,
                )
            except psycopg.Error as error:
                if not self._others:
                    raise self._explain_refusal(self._tell(error)) from error
                self._password = self._others.pop(0)
                return self._connect()
        return self._open

    @property
    def password(self) -> str | None:
        """The one that worked, once something was asked."""
        return self._password

    def renew_password(self, password: str) -> None:
        """Log in with another password from now on."""
        self._password = password

    def _explain_refusal(self, said: str) -> PlaceUnreachable:
        """The error for a server that lets nobody in, or not this login."""
        is_shut_out = "not permitted to log in" in said
        hint = "you may have been removed: `memctl sync leave`, and ask for a new invitation"
        return PlaceUnreachable(
            f"the hub {self.name} cannot be reached: {said}", hint=hint if is_shut_out else None
        )

    def _tell(self, error: Exception) -> str:
        """What an error says, in a line."""
        from psycopg import Error

        if isinstance(error, Error) and error.diag.message_primary:
            return error.diag.message_primary
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        text = lines[-1] if lines else type(error).__name__
        return text.replace(self._password, "***") if self._password else text


def load_driver() -> None:
    """Raises MissingExtra where there is no driver."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise MissingExtra("a hub needs the package psycopg", hint=HINT) from error


def open_connection(name: str, password: str | None) -> HubConnection:
    """A connection by an address without a password. Raises UsageError, MissingExtra."""
    return HubConnection(addresses.hide_password(name), password)
