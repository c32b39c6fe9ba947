"""A PostgreSQL server for tests: of the wheel `pgserver`, or one that MEMCTL_TEST_POSTGRES names.

Started once a test session in a temporary folder, on a socket alone, stopped at its end. Members
log in with passwords; the superuser without one.
"""

from __future__ import annotations

import itertools
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

# Seconds; a busy machine is no reason to fail.
PATIENCE = 300
OPTIONS = (
    "-c listen_addresses='' -c fsync=off -c full_page_writes=off -c synchronous_commit=off"
    " -c max_connections=200 -c shared_buffers=32MB"
)
HBA = "local all postgres trust\nlocal all all scram-sha-256\n"
WHY_NOT = (
    "a PostgreSQL server is missing: the wheel `pgserver` brings one (pip install -e '.[test]'; "
    "Linux on x86-64, Python before 3.13). Elsewhere name one that may be filled with databases "
    "and roles, by the address of a superuser, in MEMCTL_TEST_POSTGRES"
)
_numbers = itertools.count()


class Server:
    """A server by the address of its superuser; hands out empty databases."""

    def __init__(self, address: str) -> None:
        self.address = address

    def make_database(self) -> str:
        """The address of a new database, for the superuser."""
        name = f"hub_{os.getpid()}_{next(_numbers)}"
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.replace_database(name)

    def drop_database(self, address: str) -> None:
        name = psycopg.conninfo.conninfo_to_dict(address)["dbname"]
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def replace_database(self, name: str) -> str:
        head, _, query = self.address.partition("?")
        return f"{head.rpartition('/')[0]}/{name}" + (f"?{query}" if query else "")


@contextmanager
def run_server(kept: Path | None = None, more: str = "") -> Iterator[Server]:
    """A server while it is needed, with `more` options; its files stay in `kept`, if that is said.
    Where there can be none, the tests say how there could be.
    """
    if named := os.environ.get("MEMCTL_TEST_POSTGRES"):
        yield Server(named)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pgserver._commands import initdb, pg_ctl
        except ImportError:
            if (
                sys.platform == "linux"
                and platform.machine() == "x86_64"
                and sys.version_info < (3, 13)
            ):
                pytest.fail(WHY_NOT, pytrace=False)
            pytest.skip(f"not run: {WHY_NOT}")
    # A socket's path is short.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    data, user = (kept or folder) / "data", None
    try:
        if os.geteuid() == 0:  # the server refuses to run as root
            user = lend_to_user(folder, *filter(None, (kept,)))
        folder.chmod(0o711)
        quiet = ["-A", "trust", "-E", "utf8", "-U", "postgres", "--no-sync", "--locale=C"]
        if not data.exists():
            initdb(quiet, pgdata=data, user=user, timeout=PATIENCE)
            (data / "pg_hba.conf").write_text(HBA)
        start = [
            "-w",
            "-t",
            str(PATIENCE),
            "-o",
            f"{OPTIONS} {more} -k {folder}",
            "-l",
            str(data / "log"),
        ]
        pg_ctl([*start, "start"], pgdata=data, user=user, timeout=PATIENCE)
        yield Server(f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}")
    finally:
        if (data / "postmaster.pid").exists():
            try:
                pg_ctl(
                    ["-w", "-m", "fast" if kept else "immediate", "stop"],
                    pgdata=data,
                    user=user,
                    timeout=PATIENCE,
                )
            except subprocess.SubprocessError as error:
                raise AssertionError("the test server does not stop") from error
        shutil.rmtree(folder)


def lend_to_user(*folders: Path) -> str:
    """Give folders, and the programs of the server, to a user that is not root."""
    from pgserver import utils
    from pgserver._commands import POSTGRES_BIN_PATH

    user = "pgserver"
    found = utils.ensure_user_exists(user)
    utils.ensure_prefix_permissions(POSTGRES_BIN_PATH)
    utils.ensure_folder_permissions(POSTGRES_BIN_PATH, 0o055)
    utils.ensure_folder_permissions(POSTGRES_BIN_PATH.parent / "lib", 0o044)
    for folder in folders:
        os.chown(folder, found.pw_uid, found.pw_gid)
    return user
