"""Backfill finds each session once, wherever and however its agent keeps it, or says so."""

from __future__ import annotations

import gzip
import importlib
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memctl import MemoryEngine
from memctl.store import sources

Run = Callable[..., Any]
Backfill = Callable[[], Any]
THREAD = "01a0b3da-c522-7af2-8a6d-2e1aed53b2a6"
MOMENT = 1_789_800_000_000


@pytest.fixture
def backfill(here: Run) -> Callable[[], Any]:
    """`backfill()` runs the command in a store that is there; what it returned."""
    assert here("init").code == 0
    return lambda: here("backfill", "--json")


def put(home: Path, place: str, text: str | bytes, *, age: int = 0) -> Path:
    path = home / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    os.utime(path, (MOMENT / 1000 - age, MOMENT / 1000 - age))
    return path


def make_rollout(*prompts: str) -> str:
    lines: list[dict[str, Any]] = [
        {"type": "session_meta", "payload": {"id": THREAD, "cwd": "/srv/lamps", "source": "cli"}}
    ]
    for prompt in prompts:
        lines.append({"type": "event_msg", "payload": {"type": "user_message", "message": prompt}})
    for number, line in enumerate(lines):
        line["timestamp"] = f"2026-05-04T10:00:{number:02}.000Z"
    return "".join(json.dumps(line) + "\n" for line in lines)


def count(done: Any, agent: str) -> dict[str, int]:
    """The counts of an agent that are not zero."""
    (item,) = [item for item in done.data["agents"] if item["agent"] == agent]
    return {name: number for name, number in item.items() if isinstance(number, int) and number}


def list_said(db: Path) -> list[str]:
    """What a person said in all sessions of the store."""
    with MemoryEngine.open(db) as engine:
        store = engine.open_to_write()
        return sorted(
            turn.text
            for row in store.all("sources.everything")
            for turn in sources.read_turns(store, row["id"])
            if turn.role == "human"
        )


def pack(text: str) -> bytes:
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    packed: bytes = importlib.import_module(name).compress(text.encode())
    return packed


def test_rollouts_that_codex_packed_are_read(backfill: Backfill, home: Path, db: Path) -> None:
    folder = f".codex/sessions/2026/05/04/rollout-2026-05-04T10-00-00-{THREAD}.jsonl"
    put(home, f"{folder}.zst", pack(make_rollout("Always store times in UTC.")))
    done = backfill()
    assert (done.code, count(done, "codex")["captured"]) == (0, 1)
    assert list_said(db) == ["Always store times in UTC."]
    assert count(backfill(), "codex") == {"known": 1}


def test_a_packed_rollout_that_was_cut_off_is_read_as_far_as_it_goes(
    here: Run, home: Path, db: Path
) -> None:
    assert here("init").code == 0
    text = make_rollout(*(f"Paint lamp {number} of the pier." for number in range(3000)))
    for ending, packed in (("zst", pack(text)), ("gz", gzip.compress(text.encode()))):
        whole = put(home, f"whole.jsonl.{ending}", packed)
        assert here("capture-session", whole, "--json").data["items"][0]["human_turns"] == 3000
        part = put(home, f"part.jsonl.{ending}", packed[: len(packed) // 2])
        assert here("capture-session", part, "--json").code in (0, 31)


def test_where_nothing_unpacks_a_rollout_it_is_named_with_a_cure_and_read_later(
    backfill: Backfill, home: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(
        home,
        f".codex/archived_sessions/rollout-2026-05-04T10-00-00-{THREAD}.jsonl.zst",
        pack(make_rollout("Always store times in UTC.")),
    )
    with monkeypatch.context() as without:
        for module in ("compression.zstd", "backports.zstd"):
            without.setitem(sys.modules, module, None)
        for _ in range(2):
            done = backfill()
            assert (done.code, count(done, "codex")["refused"]) == (1, 1)
            assert "memctl[zstd]" in done.data["notes"][0]
            assert "zstd -d" in done.data["notes"][0]
    assert count(backfill(), "codex")["captured"] == 1
    assert list_said(db) == ["Always store times in UTC."]


def test_of_a_codex_thread_that_was_reverted_only_what_holds_is_read(
    backfill: Backfill, home: Path, db: Path
) -> None:
    day = ".codex/sessions/2026/05"
    put(
        home,
        f"{day}/04/rollout-2026-05-04T10-00-00-{THREAD}.jsonl",
        make_rollout("Paint the lamps.", "Use red."),
        age=60,
    )
    put(
        home,
        f"{day}/05/rollout-2026-05-05T09-00-00-{THREAD}.jsonl",
        make_rollout("Paint the lamps.", "Use green."),
    )
    done = backfill()
    assert count(done, "codex")["copies"] == 1
    assert list_said(db) == ["Paint the lamps.", "Use green."]


def make_claw(session: str, *prompts: str) -> str:
    lines: list[dict[str, Any]] = [
        {
            "type": "session",
            "version": 3,
            "id": session,
            "timestamp": "2026-05-04T10:00:00.000Z",
            "cwd": "/srv/lamps",
        }
    ]
    for number, prompt in enumerate(prompts):
        content = [{"type": "text", "text": prompt}]
        lines.append(
            {
                "type": "message",
                "id": f"m{number}",
                "parentId": f"m{number - 1}" if number else None,
                "timestamp": f"2026-05-04T10:0{number}:30.000Z",
                "message": {"role": "user", "content": content},
            }
        )
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_sessions_that_openclaw_reset_are_read_and_its_checkpoints_are_no_sessions(
    backfill: Backfill, home: Path, db: Path
) -> None:
    folder = ".openclaw/agents/main/sessions"
    put(home, f"{folder}/one.jsonl", make_claw("one", "Paint the lamps.", "Use green."))
    put(home, f"{folder}/one.checkpoint.3b1f.jsonl", make_claw("one", "Paint the lamps."))
    put(
        home,
        f"{folder}/two.jsonl.reset.2026-05-03T10-00-00.000Z",
        make_claw("two", "Never release without tests."),
    )
    done = backfill()
    assert (done.code, done.data["sessions"]) == (0, 2)
    assert (count(done, "openclaw")["captured"], count(done, "openclaw")["copies"]) == (2, 1)
    said = ["Never release without tests.", "Paint the lamps.", "Use green."]
    assert list_said(db) == said


OPENCODE = """
create table session(id text primary key, project_id text, parent_id text, directory text,
  title text, version text, time_created int, time_updated int);
create table message(id text primary key, session_id text, time_created int, data text);
create table part(id text primary key, message_id text, session_id text, time_created int,
  data text);
"""
OPENCODE_2 = """
create table session_v2(id text primary key, project_id text not null, parent_id text,
  fork_session_id text, directory text not null, title text, version text, time_created int);
create table session_message(id text primary key, session_id text not null, type text not null,
  seq int not null, time_created int, data text not null);
"""


def make_opencode(home: Path, *schemas: str) -> sqlite3.Connection:
    path = home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    made = sqlite3.connect(path)
    made.executescript("".join(schemas))
    return made


def add_older(made: sqlite3.Connection, session: str, *prompts: str) -> None:
    made.execute(
        "insert into session values(?, 'p', null, '/srv/lamps', 'Old', '1.17.0', ?, ?)",
        (session, MOMENT, MOMENT),
    )
    for number, prompt in enumerate(prompts):
        head = json.dumps({"role": "user", "time": {"created": MOMENT + number}})
        body = json.dumps({"type": "text", "text": prompt})
        key = f"msg_{session}{number}"
        made.execute("insert into message values(?, ?, ?, ?)", (key, session, MOMENT, head))
        made.execute(
            "insert into part values(?, ?, ?, ?, ?)", (f"p{key}", key, session, MOMENT, body)
        )


def add_newer(
    made: sqlite3.Connection, session: str, *prompts: str, origin: str | None = None
) -> None:
    made.execute(
        "insert into session_v2 values(?, 'p', null, ?, '/srv/lamps', 'New', '2.0.1', ?)",
        (session, origin, MOMENT),
    )
    rows: list[tuple[str, dict[str, Any]]] = []
    for prompt in prompts:
        rows.append(("user", {"text": prompt}))
        rows.append(("assistant", {"content": [{"type": "text", "text": "Done."}]}))
    rows.append(("idle", {}))
    # Keys that do not sort in the order of the conversation, and one moment for all.
    for number, (kind, data) in enumerate(rows):
        key = f"{session}{99 - number:02}"
        made.execute(
            "insert into session_message values(?, ?, ?, ?, ?, ?)",
            (key, session, kind, number, MOMENT, json.dumps(data)),
        )


def test_an_opencode_store_of_version_2_is_read(backfill: Backfill, home: Path, db: Path) -> None:
    with closing(make_opencode(home, OPENCODE_2)) as made:
        add_newer(made, "ses_a", "Paint the lamps.", "Use green.")
        add_newer(made, "ses_b", "Never release without tests.", origin="ses_a")
        made.commit()
    done = backfill()
    assert (done.code, done.data["sessions"]) == (0, 2)
    assert list_said(db) == ["Never release without tests.", "Paint the lamps.", "Use green."]


def test_an_upgraded_opencode_store_tells_each_session_whole_and_once(
    backfill: Backfill, home: Path, db: Path
) -> None:
    with closing(make_opencode(home, OPENCODE, OPENCODE_2)) as made:
        add_older(made, "ses_only_old", "Count the lamps.")
        add_older(made, "ses_repeated", "Paint the lamps.")
        add_newer(made, "ses_repeated", "Paint the lamps.", "Use green.")
        add_older(made, "ses_goes_on", "Weigh the lamps.")
        add_newer(made, "ses_goes_on", "Use the brass scales.")
        add_newer(made, "ses_only_new", "Never release without tests.")
        made.commit()
    done = backfill()
    assert (done.code, done.data["sessions"]) == (0, 4)
    assert list_said(db) == sorted(
        [
            "Count the lamps.",
            "Paint the lamps.",
            "Use green.",
            "Weigh the lamps.",
            "Use the brass scales.",
            "Never release without tests.",
        ]
    )


@pytest.mark.parametrize(
    ("agent", "place"),
    [
        ("codex", ".codex/sessions/2026-05/thread.jsonl"),
        ("codex", ".codex/threads/one.sqlite"),
        ("cursor", ".cursor/agents/one/log.jsonl"),
        ("claude-code", ".claude/projects/-srv-lamps/new/one.jsonl"),
        ("opencode", ".local/share/opencode/sessions3.db"),
        ("gemini-cli", ".gemini/tmp/lamps/talks/one.json"),
    ],
)
def test_an_agent_whose_folder_is_there_and_nothing_in_it_is_read_is_named(
    here: Run, backfill: Backfill, home: Path, agent: str, place: str
) -> None:
    put(home, place, '{"kind": "nobody knows"}\n')
    done = backfill()
    (problem,) = done.data["problems"]
    assert done.code == 1
    assert problem.startswith(f"{agent}: {home}/")
    assert "1 file that may be a session" in problem
    assert "problem: " in here("backfill").stdout


def test_a_file_that_is_found_and_cannot_be_read_is_named_too(
    backfill: Backfill, home: Path
) -> None:
    put(home, ".claude/projects/-srv-lamps/one.jsonl", '{"kind": "nobody knows"}\n')
    done = backfill()
    assert (done.code, count(done, "claude-code")["refused"]) == (1, 1)
    assert done.data["problems"][0].startswith("claude-code: ")
    # It is tried once for each version; that nothing is read stays a problem.
    again = backfill()
    assert (again.code, count(again, "claude-code")) == (1, {"known": 1})
    assert again.data["problems"] == done.data["problems"]


def test_settings_alone_and_sessions_that_were_left_out_are_no_problem(
    here: Run, backfill: Backfill, home: Path
) -> None:
    put(home, ".claude/settings.json", "{}")
    put(home, ".cursor/mcp.json", "{}")
    assert (backfill().code, backfill().data["problems"]) == (0, [])
    put(home, f".codex/sessions/2026/05/04/rollout-1-{THREAD}.jsonl", make_rollout("Paint it."))
    assert here("backfill", "--since", "2026-11-01").code == 0
    assert here("backfill", "--dry-run").code == 0
    assert backfill().code == 0
    assert backfill().code == 0
