"""`memctl setup` as it is called: what it prints, asks, writes and exits with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran
from houses import snapshot

from memctl.engine.memory_engine import MemoryEngine

Memctl = Callable[..., Ran]


@pytest.fixture
def memctl(memctl: Memctl, home: Path, system_path: str) -> Memctl:
    """The command on a machine where only what is in the home folder is there."""
    for name in (".claude", ".gemini"):
        (home / name).mkdir()
    (home / ".claude" / "settings.json").write_text('{\n  "model": "x" // mine\n}\n')

    def run(*args: object, **options: Any) -> Ran:
        return memctl("setup", *args, **{"env": {"PATH": system_path}, **options})

    return run


def test_with_nobody_to_ask_the_plan_is_shown_and_nothing_written(
    memctl: Memctl, home: Path
) -> None:
    before = snapshot(home)
    ran = memctl()
    assert ran.code == 1 and snapshot(home) == before
    assert "claude-code: to be connected" in ran.stdout and '+  "hooks": {' in ran.stdout
    assert "there is no terminal to ask at. --yes writes it." in ran.stdout


def test_a_dry_run_is_no_problem_and_writes_nothing(memctl: Memctl, home: Path) -> None:
    before = snapshot(home)
    ran = memctl("--dry-run")
    assert ran.code == 0 and "this is the plan" in ran.stdout and snapshot(home) == before


def test_yes_writes_and_again_changes_nothing_and_undo_leaves_no_trace(
    memctl: Memctl, home: Path
) -> None:
    MemoryEngine.open(actor="operator").init()  # setup makes the store, and undoing keeps it
    before = snapshot(home)
    assert memctl("--yes").code == 0
    written = snapshot(home)
    again = memctl("--yes")
    assert (
        again.code == 0 and "claude-code: connected\n" in again.stdout and snapshot(home) == written
    )
    undone = memctl("--undo", "--yes")
    assert undone.code == 0 and "gemini-cli: removed" in undone.stdout
    assert snapshot(home) == before
    assert "Nothing is set up." in memctl("--undo", "--yes").stdout


def test_a_setup_that_has_nothing_to_do_asks_nobody(memctl: Memctl) -> None:
    memctl("--yes")
    assert memctl().code == 0


def test_status_says_who_is_connected(memctl: Memctl, home: Path) -> None:
    memctl("claude-code", "--yes")
    ran = memctl("--status", "--json")
    assert ran.code == 0
    assert {item["agent"]: item["state"] for item in ran.data["items"]} == {
        "claude-code": "connected",
        "gemini-cli": "absent",
        "timer": "absent",
    }
    said = memctl("--status").stdout
    assert (
        "claude-code: connected" in said and "nothing of memctl in" in said and "absent" not in said
    )


def test_what_may_not_be_taken_out_is_not_said_to_be_nothing(memctl: Memctl, home: Path) -> None:
    memctl("claude-code", "--yes")
    (home / ".claude" / "settings.json").chmod(0o444)
    ran = memctl("claude-code", "--undo", "--yes")
    assert (
        ran.code == 1
        and "claude-code: not removed" in ran.stdout
        and "it is read-only" in ran.stdout
    )


def test_json_has_the_plan_with_every_change(memctl: Memctl) -> None:
    ran = memctl("--json")
    assert (ran.code, ran.json["status"]) == (1, "problems") and ran.data["unanswered"] is True
    assert "--yes" in ran.json["errors"][0]["hint"]
    (file,) = ran.data["items"][0]["files"]
    assert (
        file["action"] == "change"
        and file["path"].endswith("/.claude/settings.json")
        and "SessionStart" in file["diff"]
    )


def test_a_file_that_is_left_alone_is_a_problem_of_the_whole(memctl: Memctl, home: Path) -> None:
    (home / ".claude" / "settings.json").write_text("{")
    ran = memctl("--yes")
    assert ran.code == 1 and "left as it is" in ran.stdout and "line 1 is not JSON" in ran.stdout
    assert "gemini-cli: connected now" in ran.stdout
    assert (home / ".claude" / "settings.json").read_text() == "{"


def test_an_agent_that_was_not_found_is_set_up_when_named(memctl: Memctl, home: Path) -> None:
    ran = memctl("cursor", "--yes")
    assert (
        ran.code == 0
        and "not found on this machine" in ran.stdout
        and (home / ".cursor" / "hooks.json").exists()
    )


def test_short_names_of_agents_are_taken(memctl: Memctl, home: Path) -> None:
    assert memctl("claude", "gemini", "copilot", "--yes").code == 0
    assert (home / ".copilot" / "hooks" / "memctl.json").exists()


def test_all_means_those_that_are_here(memctl: Memctl) -> None:
    assert [item["agent"] for item in memctl("--all", "--dry-run", "--json").data["items"]] == [
        "claude-code",
        "gemini-cli",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["emacs"], "cannot be set up"),
        (["--all", "codex"], "exclude each other"),
        (["--status", "--undo"], "exclude each other"),
        (["timer", "--kind", "at"], "is not one of"),
        (["timer", "--project"], "no repository"),
    ],
)
def test_words_that_do_not_fit_are_refused(memctl: Memctl, words: list[str], said: str) -> None:
    ran = memctl(*words, "--yes")
    assert ran.code == 2 and said in ran.stderr


def test_no_agent_at_all_is_said(memctl: Memctl, tmp_path: Path, system_path: str) -> None:
    (tmp_path / "bare").mkdir()
    ran = memctl(
        "--yes",
        env={
            "PATH": system_path,
            "HOME": str(tmp_path / "bare"),
            "XDG_CONFIG_HOME": "",
            "XDG_DATA_HOME": "",
        },
    )
    assert ran.code == 0 and "No agent was found" in ran.stdout


def test_a_written_command_really_answers_the_agent(memctl: Memctl, home: Path) -> None:
    import subprocess

    memctl("--yes")
    text = (home / ".claude" / "settings.json").read_text().replace("// mine", "")
    (group,) = json.loads(text)["hooks"]["SessionStart"]
    given = json.dumps(
        {
            "session_id": "5f1d2c3b",
            "hook_event_name": "SessionStart",
            "source": "startup",
            "cwd": str(home),
        }
    )
    done = subprocess.run(
        ["/bin/sh", "-c", group["hooks"][0]["command"]],
        input=given,
        env={"HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 130), ("", 130)])
def test_a_person_sees_the_plan_and_decides(
    pty_memctl: Callable[..., Ran], home: Path, answer: str, code: int
) -> None:
    (home / ".claude").mkdir()
    ran = pty_memctl("setup", "claude-code", answers=[("Write this", answer)])
    assert ".claude/settings.json" in ran.stdout.partition("Write this")[0]
    assert ("connected now" if code == 0 else "nothing was changed") in ran.stdout
    assert (ran.code, (home / ".claude" / "settings.json").exists()) == (code, code == 0)
