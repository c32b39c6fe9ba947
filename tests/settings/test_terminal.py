"""Whether the operator's own hand is on a call: only at a controlling terminal, in the
foreground, with no agent around.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from memctl.settings import config, terminal

SHOW = (
    "from memctl.settings import config, terminal; print('actor=' + "
    "terminal.find_actor(config.load_config()).name + '.')"
)


@pytest.fixture
def at_a_terminal() -> Iterator[Callable[..., str]]:
    """Runs a shell line at a pseudo terminal of its own; `{}` stands for the program that tells
    who acts.
    """
    children: list[pexpect.spawn] = []

    def run(line: str = "{}", **env: str) -> str:
        child = pexpect.spawn(
            "/bin/sh",
            ["-c", line.format(f'{sys.executable} -c "{SHOW}"')],
            encoding="utf-8",
            timeout=30,
            env={**os.environ, **env},  # type: ignore[arg-type]
        )
        children.append(child)
        child.expect(r"actor=([^.]*)\.")
        assert child.match is not None
        return str(child.match.group(1))

    yield run
    for child in children:
        child.close(force=True)


def test_who_sits_at_the_terminal_is_the_operator(at_a_terminal: Callable[..., str]) -> None:
    assert at_a_terminal() == "operator"


def test_piping_in_or_out_at_the_terminal_is_still_the_operator(
    at_a_terminal: Callable[..., str],
) -> None:
    assert at_a_terminal("echo x | {}") == "operator"
    assert at_a_terminal("{} | cat") == "operator"


@pytest.mark.parametrize(
    "mark", ["CLAUDECODE", "GEMINI_CLI", "CODEX_SANDBOX", "CURSOR_AGENT", "MEMCTL_AGENT"]
)
def test_an_agents_shell_at_the_terminal_is_the_agent(
    at_a_terminal: Callable[..., str], mark: str
) -> None:
    assert at_a_terminal(**{mark: "1"}).startswith("agent:")


def test_a_process_that_left_the_terminal_is_not_the_operator(
    at_a_terminal: Callable[..., str],
) -> None:
    assert at_a_terminal("setsid {} < /dev/null 2>/dev/null | cat") == "agent:unknown"
    assert at_a_terminal("{} < /dev/null 2> /dev/null | cat") == "agent:unknown"


def test_a_process_in_the_background_is_not_the_operator(at_a_terminal: Callable[..., str]) -> None:
    assert at_a_terminal("set -m; {} & wait") == "agent:unknown"


def test_without_a_terminal_it_is_an_agent() -> None:
    settings = config.load_config()
    assert terminal.find_actor(settings).name == "agent:unknown"


def test_the_agent_says_who_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCTL_AGENT", "aider")
    assert terminal.find_actor(config.load_config()).name == "agent:aider"


def test_the_operators_config_may_lift_the_need_of_a_terminal_but_not_for_an_agent(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home / ".config" / "memctl" / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("operator:\n  require_terminal: false\n")
    assert terminal.find_actor(config.load_config()).name == "operator"
    monkeypatch.setenv("CLAUDECODE", "1")
    assert terminal.find_actor(config.load_config()).name == "agent:claude-code"
