"""Fixtures of the tests of sync: a PostgreSQL server, and empty databases of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sync.postgres_server import Server, run_server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """One server for all tests of this process."""
    with run_server() as server:
        yield server


@pytest.fixture
def hub_address(postgres_server: Server) -> Iterator[str]:
    """The superuser's address of an empty database."""
    address = postgres_server.make_database()
    yield address
    postgres_server.drop_database(address)
