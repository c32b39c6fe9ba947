"""`memctl setup` and the agent that reads for `maintain`: asked for, written, taken out."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Ran
from houses import snapshot

Memctl = Callable[..., Ran]
BLOCK = """\
# mine
maintain:
  # how long
  source_seconds: 60  # kept
capture:
  keep_raw: true
"""


# What is asked before, and the answer that leaves it as it is.
_NO_SERVER = ("Add memctl's MCP server", "")


@pytest.fixture
def programs(home: Path) -> Path:
    """A folder of programs on the PATH, in which stand-ins of two agents stand."""
    folder = home / "programs"
    folder.mkdir()
    for name in ("claude", "codex"):
        program = folder / name
        program.write_text(f"#!{sys.executable}\nraise SystemExit(1)\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.fixture
def env(programs: Path, system_path: str) -> dict[str, str]:
    """An environment with these programs and the system's."""
    return {"PATH": f"{programs}:{system_path}"}


@pytest.fixture
def memctl(memctl: Memctl, env: dict[str, str]) -> Memctl:
    def run(*args: object, **options: Any) -> Ran:
        return memctl("setup", *args, **{"env": env, **options})

    return run


@pytest.fixture
def settings(home: Path) -> Path:
    return home / ".config" / "memctl" / "config.yaml"


def test_the_reader_is_written_with_its_program_and_its_daily_budget_and_taken_out_again(
    memctl: Memctl, home: Path, settings: Path, programs: Path
) -> None:
    assert memctl("--yes").code == 0
    before = snapshot(home)
    ran = memctl("--reader", "agent:claude-code", "--yes")
    assert ran.code == 0
    assert "costs what your account with Claude Code costs" in ran.stdout
    assert "at most 100 questions and 1 US dollar a day" in ran.stdout
    assert yaml.safe_load(settings.read_text()) == {
        "maintain": {
            "model": "agent:claude-code",
            "model_program": str(programs / "claude"),
            "model_cost_a_day": 1.0,
        }
    }
    again = memctl("--reader", "agent:claude-code", "--yes")
    assert again.code == 0 and "reader: connected\n" in again.stdout
    assert "agent:claude-code reads" in memctl("--status").stdout
    assert memctl("reader", "--undo", "--yes").code == 0
    assert snapshot(home) == before


def test_undoing_everything_undoes_the_reader_too(
    memctl: Memctl, home: Path, settings: Path
) -> None:
    memctl("--reader", "agent:codex", "--yes")
    assert "model_tokens_a_day: 300000" in settings.read_text()
    assert memctl("--undo", "--yes").code == 0
    assert not settings.exists()


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        BLOCK.replace("\n", "\r\n"),
        "maintain: {source_seconds: 60}\n",
        "maintain:\ncapture:\n  keep_raw: true\n",
        "maintain: {}",
        'maintain:\n    model: ""   # none\n    source_seconds: 60\n',
        "# nothing yet",
        "maintain:\n  model_cost_a_day: 0.25\n  model_program: ''\n",
    ],
    ids=["block", "crlf", "one-line", "empty", "braces", "no-model", "comment", "own-budget"],
)
def test_comments_order_and_other_settings_stay_and_come_back_to_the_byte(
    memctl: Memctl, settings: Path, text: str
) -> None:
    settings.parent.mkdir(parents=True)
    settings.write_bytes(text.encode())
    assert memctl("--reader", "agent:claude-code", "--yes").code == 0
    written = settings.read_bytes().decode()
    told, was = yaml.safe_load(written), yaml.safe_load(text) or {}
    assert told["maintain"]["model"] == "agent:claude-code"
    assert told["maintain"]["model_cost_a_day"] == (0.25 if "0.25" in text else 1.0)
    assert {**told, "maintain": None} == {**was, "maintain": None}
    comments = [line for line in text.splitlines() if "#" in line and "model" not in line]
    assert all(line in written for line in comments)
    assert memctl("reader", "--undo", "--yes").code == 0
    assert settings.read_bytes().decode() == text


def test_what_was_changed_beside_it_stays_when_it_is_taken_out(
    memctl: Memctl, settings: Path
) -> None:
    settings.parent.mkdir(parents=True)
    settings.write_text(BLOCK)
    memctl("--reader", "agent:claude-code", "--yes")
    settings.write_text(settings.read_text().replace("60", "90") + "# later\n")
    assert memctl("reader", "--undo", "--yes").code == 0
    assert settings.read_text() == BLOCK.replace("60", "90") + "# later\n"


def test_a_model_that_is_named_already_is_left(memctl: Memctl, settings: Path) -> None:
    settings.parent.mkdir(parents=True)
    settings.write_text("maintain:\n  model: gpt-4.1-mini\n")
    ran = memctl("--reader", "agent:codex", "--yes")
    assert ran.code == 1 and "'gpt-4.1-mini' already" in ran.stdout
    assert settings.read_text() == "maintain:\n  model: gpt-4.1-mini\n"


def test_a_program_that_is_not_there_is_said_and_nothing_written(
    memctl: Memctl, settings: Path
) -> None:
    ran = memctl("--reader", "agent:gemini-cli", "--yes")
    assert ran.code == 1 and "Gemini CLI: its program is not found" in ran.stdout
    assert not settings.exists()


@pytest.mark.parametrize("name", ["claude", "agent:cursor", "agent:", "gpt-4.1-mini"])
def test_a_name_of_no_reader_is_wrong_usage(memctl: Memctl, settings: Path, name: str) -> None:
    ran = memctl("--reader", name, "--yes")
    assert ran.code == 2 and "agent:claude-code" in ran.stderr and not settings.exists()


def test_yes_alone_and_nobody_to_ask_turn_no_reader_on(memctl: Memctl, settings: Path) -> None:
    assert memctl("--yes").code == 0
    assert memctl().code == 0
    named = memctl("reader")
    assert named.code == 1 and "--reader agent:claude-code chooses" in named.stdout
    assert not settings.exists()


@pytest.mark.parametrize(
    ("answer", "model"),
    [("", None), ("no", None), ("y", None), ("codex", "agent:codex"), ("Claude-Code", "claude")],
)
def test_at_a_terminal_it_says_the_costs_first_and_asks_and_no_is_the_default(
    pty_memctl: Callable[..., Ran],
    memctl: Memctl,
    settings: Path,
    env: dict[str, str],
    answer: str,
    model: str | None,
) -> None:
    memctl("--yes")
    ran = pty_memctl(
        "setup",
        answers=[_NO_SERVER, ("Which one should read them", answer)],
        env=env,
    )
    assert ran.code == 0
    said = ran.stdout
    assert said.index("It costs what your account") < said.index("Which one should read them")
    assert settings.exists() == (model is not None)
    assert model is None or model in settings.read_text()


def test_one_agent_alone_is_asked_about_by_its_name(
    pty_memctl: Callable[..., Ran],
    memctl: Memctl,
    settings: Path,
    programs: Path,
    env: dict[str, str],
) -> None:
    (programs / "codex").unlink()
    memctl("--yes")
    pty_memctl("setup", answers=[_NO_SERVER, ("Let Claude Code read them", "")], env=env)
    assert not settings.exists()
    pty_memctl("setup", answers=[_NO_SERVER, ("Let Claude Code read them", "y")], env=env)
    assert "agent:claude-code" in settings.read_text()
    assert pty_memctl("setup", answers=[_NO_SERVER], env=env).code == 0


def test_where_no_program_is_or_none_is_said_nothing_is_asked(
    pty_memctl: Callable[..., Ran], memctl: Memctl, programs: Path, env: dict[str, str]
) -> None:
    memctl("--yes")
    assert "read them" not in pty_memctl("setup", "--reader", "none", env=env).stdout
    for program in programs.iterdir():
        program.unlink()
    assert "read them" not in pty_memctl("setup", answers=[_NO_SERVER], env=env).stdout
