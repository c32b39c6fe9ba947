"""Which way upkeep runs, and when it last did, as `status` and `doctor` say it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.records import upkeep

Run = Callable[..., Any]


def line(here: Run) -> str:
    return next(each for each in here("status").stdout.splitlines() if "upkeep:" in each)


def check(here: Run) -> str:
    found = here("doctor", "--json").data["checks"]
    return str(next(each["detail"] for each in found if each["name"] == "maintenance"))


def connect(db: Path, agent: str, path: str, editor: str = "hooks") -> None:
    """Note what setup would have written."""
    entry: dict[str, Any] = {
        "agent": agent,
        "path": path,
        "editor": editor,
        "before": "",
        "after": "",
        "spans": [],
        "made": [],
    }
    whole = {"version": 1, "entries": [entry], "folders": []}
    db.with_name(f"{db.name}.setup.json").write_text(json.dumps(whole))


def test_where_nothing_starts_it_both_say_so_and_how_to_change_that(here: Run) -> None:
    here("init")
    assert line(here) == "upkeep: nothing starts it (memctl setup timer); never ran"
    assert check(here) == "maintenance never ran; nothing starts it by itself"
    here("maintain")
    assert "nothing starts it" in line(here) and "last ran" in line(here)
    assert here("status", "--json").data["maintained_by"] is None


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("crontab", "cron"),
        ("/home/you/.config/systemd/user/memctl-maintain.timer", "systemd"),
        ("/Users/you/Library/LaunchAgents/memctl.maintain.plist", "launchd"),
    ],
)
def test_a_timer_that_setup_installed_is_named(here: Run, db: Path, path: str, kind: str) -> None:
    here("init")
    connect(db, "timer", path)
    assert line(here).startswith(f"upkeep: every 15 minutes by {kind}; never ran")
    assert f"{kind} starts it" in check(here)


def test_hooks_start_it_where_an_agent_is_connected_and_no_timer_is(
    here: Run, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_MAINTAIN_AUTO", "true")
    here("init")
    connect(db, "claude-code", "/home/you/.claude/settings.json")
    assert line(here).startswith("upkeep: by hooks, after a session")
    assert "hooks start it after a session" in check(here)


def test_hooks_that_may_not_start_it_are_no_way(
    here: Run, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here("init")
    connect(db, "claude-code", "/home/you/.claude/settings.json")
    monkeypatch.setenv("MEMCTL_MAINTAIN_AUTO", "false")
    assert "nothing starts it" in line(here)


def test_an_agent_that_is_only_told_of_the_server_starts_nothing(here: Run, db: Path) -> None:
    here("init")
    connect(db, "claude-code", "/home/you/.claude.json", editor="mcp-json")
    assert "nothing starts it" in line(here)


def test_a_crontab_of_ones_own_is_known_by_its_runs(
    here: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    here("init")
    with monkeypatch.context() as patch:
        patch.setenv(upkeep.BY_TIMER, "1")
        here("maintain", "--quiet")
    assert "every 15 minutes by cron" in line(here) and "started by cron" in line(here)


def test_the_run_of_a_hook_is_told_beside_the_timer(
    here: Run, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here("init")
    connect(db, "timer", "crontab")
    with monkeypatch.context() as patch:
        patch.setenv(upkeep.BY_HOOK, "1")
        here("maintain", "--quiet")
    assert "by cron" in line(here) and line(here).endswith("started by a hook")
    assert "started by a hook; cron starts it" in check(here)


def test_what_systemd_started_is_known_and_what_came_of_it_is_not() -> None:
    assert upkeep.name_starter({"SYSTEMD_EXEC_PID": str(os.getpid())}, os.getpid()) == "systemd"
    assert upkeep.name_starter({"SYSTEMD_EXEC_PID": "1"}, os.getpid()) == ""
    assert upkeep.name_starter({"XPC_SERVICE_NAME": "memctl.maintain"}, 7) == "launchd"


def test_a_run_with_its_log_is_one_of_a_timer(memctl: Run, db: Path) -> None:
    memctl("init")
    memctl("maintain", "--log")
    assert memctl("status", "--json").data["maintained_by"] == "cron"
