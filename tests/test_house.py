"""The empty house that every test runs in is really empty."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pexpect
import pytest
from conftest import QUIET_HOOKS


def test_home_is_empty_and_not_the_operators(home: Path) -> None:
    assert Path.home() == home
    assert list(home.iterdir()) == []


def test_no_setting_of_memctl_or_an_agent_shines_through() -> None:
    strangers = [
        name
        for name in os.environ
        if name.startswith(("MEMCTL_", "CLAUDE", "CODEX", "GEMINI", "COPILOT"))
        and name not in QUIET_HOOKS
    ]
    assert strangers == []


def test_the_network_is_out_of_reach() -> None:
    with pytest.raises(AssertionError, match="network"):
        socket.create_connection(("192.0.2.1", 80))


def test_a_pty_gives_the_child_a_controlling_terminal() -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-c", "open('/dev/tty').close(); print('has a terminal')"],
        encoding="utf-8",
    )
    child.expect("has a terminal")
