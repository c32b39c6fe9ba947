"""Backfill: what agents left is taken in once, newest first, whatever interrupts it; what cannot
be read stops nothing.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bench import jsonl

from memctl import MemoryEngine
from memctl.agents import session_locations
from memctl.capture import known_files
from memctl.capture import session as capture
from memctl.core import timestamps
from memctl.core.errors import NotFound, StoreLocked, UsageError
from memctl.core.frozen import replace
from memctl.results.backfill import BackfillAgent, BackfillReport
from memctl.results.captures import CaptureReport
from memctl.store import meta, sources

Run = Callable[..., Any]
DAY = 86400
SAMPLES = Path(__file__).parents[1] / "readers" / "samples"
# A sample of each agent's sessions, and where the agent would have left it.
LEFT = [
    ("claude-code", "claude_code/main.jsonl", ".claude/projects/-w/5f1d.jsonl"),
    (
        "codex",
        "codex/rollout.jsonl",
        ".codex/sessions/2026/03/01/rollout-2026-03-01T09-00-00-ab.jsonl",
    ),
    (
        "gemini-cli",
        "gemini/session.json",
        ".gemini/tmp/ab/chats/session-2026-03-01T09-00-12345678.json",
    ),
    ("qwen", "qwen/chat.jsonl", ".qwen/projects/w/chats/q1.jsonl"),
    ("iflow", "claude_code/iflow.jsonl", ".iflow/projects/w/session-1.jsonl"),
    ("cursor", "cursor/agent.jsonl", ".cursor/projects/w/agent-transcripts/c1/c1.jsonl"),
    ("cursor", "cursor_text/agent.txt", ".cursor/projects/w/agent-transcripts/c2.txt"),
    (
        "cline",
        "cline_ui/ui_messages.json",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/17/ui_messages.json",
    ),
    ("copilot-cli", "copilot_cli/events.jsonl", ".copilot/session-state/s1/events.jsonl"),
    (
        "vscode-copilot",
        "vscode_chat/session.json",
        ".config/Code/User/workspaceStorage/ab/chatSessions/v1.json",
    ),
    ("goose", "goose/session.jsonl", ".local/share/goose/sessions/g1.jsonl"),
    ("amp", "amp/T-one.json", ".local/share/amp/threads/T-1.json"),
    ("pi", "pi/branched.jsonl", ".pi/agent/sessions/--w--/2026_p1.jsonl"),
    ("openclaw", "pi/channel.jsonl", ".openclaw/agents/main/sessions/o1.jsonl"),
    ("droid", "droid/store.jsonl", ".factory/sessions/-w/d1.jsonl"),
    ("kimi", "kimi/older.jsonl", ".kimi/sessions/ab/k1/wire.jsonl"),
    ("grok", "grok/newer.jsonl", ".grok/sessions/w/r1/chat_history.jsonl"),
    ("vibe", "vibe/messages.jsonl", ".vibe/logs/session/v1/messages.jsonl"),
    ("hermes", "hermes/lines.jsonl", ".hermes/sessions/h1.jsonl"),
    ("gptme", "gptme/conversation.jsonl", ".local/share/gptme/logs/2026-tides/conversation.jsonl"),
    (
        "antigravity",
        "antigravity/transcript.jsonl",
        ".gemini/antigravity/brain/b1/transcript.jsonl",
    ),
]


def session(
    home: Path,
    name: str,
    *,
    text: str = "Use pnpm here",
    age: int = 0,
    cwd: str | None = None,
    folder: str = "-w",
) -> Path:
    """One Claude Code session below HOME, so many days old."""
    path = home / ".claude" / "projects" / folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsonl(("user", text), ("assistant", "Done."), session=name, cwd=cwd))
    os.utime(path, (time.time() - age * DAY,) * 2)
    return path


@pytest.fixture
def engine(db: Path) -> Any:
    with MemoryEngine.open(db) as engine:
        yield engine


def told(engine: MemoryEngine) -> list[str]:
    """The sessions in the store, in the order in which they came."""
    return [
        source.session_id
        for source in map(sources.from_row, engine.open_to_write().all("sources.everything"))
    ]


def of(report: BackfillReport, agent: str = "claude-code") -> BackfillAgent:
    return next(item for item in report.agents if item.agent == agent)


def test_the_newest_sessions_come_first_and_only_once(home: Path, engine: MemoryEngine) -> None:
    for name, age in (("old", 9), ("new", 1), ("middle", 5)):
        session(home, name, age=age)
    report = engine.setup.backfill()
    assert (report.sessions, of(report).captured, report.problems) == (3, 3, ())
    assert told(engine) == ["new", "middle", "old"]
    again = engine.setup.backfill()
    assert (again.sessions, again.files, of(again).known) == (0, 0, 3)


def test_every_agents_sessions_are_taken_in_from_where_it_leaves_them(
    home: Path, engine: MemoryEngine
) -> None:
    for _, sample, place in LEFT:
        path = home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((SAMPLES / sample).read_bytes())
    report = engine.setup.backfill()
    assert (report.notes, report.problems) == ((), ())
    assert {item.agent: item.captured for item in report.agents} == Counter(
        agent for agent, *_ in LEFT
    )
    found = list(map(sources.from_row, engine.open_to_write().all("sources.everything")))
    assert {source.agent for source in found} == {agent for agent, *_ in LEFT}
    own = [source for source in found if source.parent_session_id is None]
    assert all(
        any(turn.role == "human" for turn in sources.read_turns(engine.open_to_write(), source.id))
        for source in own
    )


def test_what_the_operator_wants_ignored_is_passed_over_and_named(
    home: Path, engine: MemoryEngine
) -> None:
    session(home, "one", cwd="/clients/kiln/src")
    session(home, "two", cwd="/w/harbor")
    left_out = {"projects": [], "paths": ["/clients/*"], "patterns": []}
    engine.config = replace(
        engine.config, values={**engine.config.values, "capture.ignore": left_out}
    )
    report = engine.setup.backfill()
    assert (of(report).ignored, told(engine), report.problems) == (1, ["two"], ())
    assert report.notes[0].startswith("ignored: ") and "/clients/*" in report.notes[0]


def test_a_session_that_grew_is_read_again_and_adds_what_is_new(
    home: Path, engine: MemoryEngine
) -> None:
    path = session(home, "one")
    engine.setup.backfill()
    path.write_bytes(
        jsonl(
            ("user", "Use pnpm here"), ("assistant", "Done."), ("user", "And lint"), session="one"
        )
    )
    report = engine.setup.backfill()
    assert (of(report).grown, told(engine)) == (1, ["one"])


def test_a_session_that_a_hook_took_in_before_is_not_taken_in_again(
    home: Path, engine: MemoryEngine
) -> None:
    engine.capture_session(session(home, "one"), agent="claude-code")
    assert of(engine.setup.backfill()).unchanged == 1
    assert told(engine) == ["one"]


def test_a_plan_reads_and_writes_nothing(home: Path, engine: MemoryEngine) -> None:
    session(home, "one")
    plan = engine.setup.backfill(dry_run=True)
    assert (plan.files, plan.sessions, plan.dry_run, told(engine)) == (1, 0, True, [])
    assert plan.bytes == of(plan).bytes > 0 and plan.estimate_seconds >= 0


def test_since_limit_and_agent_narrow_what_is_read(home: Path, engine: MemoryEngine) -> None:
    for name, age in (("old", 90), ("new", 1), ("newer", 0)):
        session(home, name, age=age)
    report = engine.setup.backfill(since=timestamps.format_iso(time.time() - 30 * DAY), limit=1)
    assert (of(report).older, of(report).over_limit, told(engine)) == (1, 1, ["newer"])
    assert engine.setup.backfill(agents=["codex"]).agents == ()
    with pytest.raises(UsageError, match="nobody"):
        engine.setup.backfill(agents=["nobody"])


def test_only_one_projects_sessions_are_read(
    home: Path, tmp_path: Path, engine: MemoryEngine
) -> None:
    for name in ("harbor", "kiln"):
        (tmp_path / name / "src").mkdir(parents=True)
        session(home, name, cwd=str(tmp_path / name / "src"))
    session(home, "nowhere")
    engine.init(project=tmp_path / "harbor")
    report = engine.setup.backfill(project="harbor")
    assert (told(engine), of(report).elsewhere) == (["harbor"], 2)
    with pytest.raises(NotFound):
        engine.setup.backfill(project="nothing")


def test_a_project_may_be_given_by_a_folder_that_the_store_never_heard_of(
    home: Path, tmp_path: Path, engine: MemoryEngine
) -> None:
    for name in ("harbor", "kiln"):
        (tmp_path / "src" / name / "lib").mkdir(parents=True)
        session(home, name, cwd=str(tmp_path / "src" / name / "lib"))
    (tmp_path / "src" / "harbor" / ".git").mkdir()
    session(home, "gone", cwd=str(tmp_path / "src" / "no-more"))
    report = engine.setup.backfill(project=str(tmp_path / "src" / "harbor"))
    assert (told(engine), of(report).elsewhere) == (["harbor"], 2)
    engine.setup.backfill(project=str(tmp_path / "src"))
    assert sorted(told(engine)) == ["gone", "harbor", "kiln"], (
        "a folder without a repository has all that no repository below it has"
    )


def two_in_a_database(home: Path, tmp_path: Path) -> Path:
    """OpenCode's database with a session in each of two folders, of which one is a year older."""
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE session (id, project_id, parent_id, directory, title, time_created);"
            "CREATE TABLE message (id, session_id, data); CREATE TABLE part (id, message_id, "
            "session_id, data)"
        )
        for name, year in (("harbor", 2025), ("kiln", 2026)):
            at = int(timestamps.parse_iso(f"{year}-03-01T09:00:00Z") * 1000)
            db.execute(
                "INSERT INTO session VALUES (?, 'p', NULL, ?, NULL, ?)",
                (name, str(tmp_path / name), at),
            )
            message = json.dumps({"role": "user", "time": {"created": at}})
            db.execute("INSERT INTO message VALUES (?, ?, ?)", (f"m-{name}", name, message))
            text = json.dumps({"type": "text", "text": f"Paint the {name}"})
            db.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?)", (f"p-{name}", f"m-{name}", name, text)
            )
        db.commit()
    return path


def test_of_a_database_only_the_sessions_that_are_asked_for_come_in(
    home: Path, tmp_path: Path, engine: MemoryEngine
) -> None:
    for name in ("harbor", "kiln", "other"):
        (tmp_path / name / ".git").mkdir(parents=True)
    two_in_a_database(home, tmp_path)
    assert of(engine.setup.backfill(project=str(tmp_path / "other")), "opencode").elsewhere == 1
    assert told(engine) == []
    engine.setup.backfill(since="2026-01-01T00:00:00Z")
    assert told(engine) == ["kiln"]
    assert engine.setup.backfill(project=str(tmp_path / "harbor")).sessions == 1
    assert of(engine.setup.backfill(), "opencode").unchanged == 1, (
        "only a run that asked for all of it need not read it again"
    )
    assert of(engine.setup.backfill(), "opencode").known == 1
    assert sorted(told(engine)) == ["harbor", "kiln"]


def test_a_history_in_the_folder_it_is_about_belongs_to_that_folders_project(
    tmp_path: Path, engine: MemoryEngine
) -> None:
    for name in ("harbor", "kiln"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / session_locations.AIDER_HISTORY).write_text(
            f"# aider chat started at 2026-03-01 09:00:00\n\n#### Paint the {name}\n\nI paint the "
            f"{name}.\n"
        )
        engine.init(project=tmp_path / name)
    report = engine.setup.backfill(project="harbor")
    assert (of(report, "aider").elsewhere, report.sessions) == (1, 1)
    (source,) = map(sources.from_row, engine.open_to_write().all("sources.everything"))
    assert source.project_id == engine.place(project="harbor").project_id


def test_what_sub_agents_did_is_left_to_their_parents_outcome(
    home: Path, engine: MemoryEngine
) -> None:
    session(home, "one")
    session(home, "agent-a1", folder="-w/one/subagents")
    report = engine.setup.backfill()
    assert (of(report).sub_agents, told(engine)) == (1, ["one"])


def test_a_session_in_a_folder_called_like_those_of_sub_agents_is_a_session(
    home: Path, engine: MemoryEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "subagents" / "home"
    session(elsewhere, "one")
    monkeypatch.setenv("HOME", str(elsewhere))
    assert of(engine.setup.backfill()).captured == 1


def test_other_content_of_the_same_size_and_time_is_read(home: Path, engine: MemoryEngine) -> None:
    session(home, "one", text="Use pnpm here", age=3)
    engine.setup.backfill()
    path = home / ".claude" / "projects" / "-w" / "one.jsonl"
    before = path.stat()
    time.sleep(0.02)
    path.write_bytes(path.read_bytes().replace(b"Use pnpm", b"Use yarn"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert engine.setup.backfill().sessions == 1


def test_a_session_from_before_1970_is_no_older_than_was_asked_for(
    home: Path, engine: MemoryEngine
) -> None:
    os.utime(session(home, "one"), (-5 * DAY, -5 * DAY))
    assert of(engine.setup.backfill()).captured == 1


def test_empty_and_foreign_files_are_named_and_stop_nothing(
    home: Path, engine: MemoryEngine
) -> None:
    empty = session(home, "empty")
    empty.write_text('{"type":"mode","sessionId":"empty"}\n' * 3)
    odd = session(home, "odd")
    odd.write_text("not a session at all")
    session(home, "fine", age=2)
    report = engine.setup.backfill()
    assert told(engine) == ["fine"]
    assert [note.partition(":")[0] for note in report.notes] == ["refused"] * of(report).refused
    assert of(report).empty + of(report).refused == 2
    assert report.problems == () and engine.upkeep.status().queue.get("failed", 0) == 0, (
        "nothing waits to fail again"
    )


def test_a_file_that_cannot_be_read_is_a_problem(
    home: Path, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(home, "one")
    session(home, "two", age=1)
    real = capture.capture

    def capture_or_fail(open_db: Any, config: Any, request: Any) -> Any:
        if request.source.path.stem == "one":
            raise PermissionError("no")
        return real(open_db, config, request)

    monkeypatch.setattr(capture, "capture", capture_or_fail)
    report = engine.setup.backfill()
    assert (of(report).failed, len(report.problems), told(engine)) == (1, 1, ["two"])


def test_a_disk_without_room_ends_the_run(
    home: Path, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*given: Any) -> CaptureReport:
        raise OSError(errno.ENOSPC, "no room")

    for name in ("one", "two"):
        session(home, name)
    monkeypatch.setattr(capture, "capture", no_room)
    report = engine.setup.backfill()
    assert (of(report).failed, len(report.problems), report.bytes_read) == (1, 2, 0)
    assert "continues from here" in report.problems[-1]


def test_a_store_that_takes_nothing_for_long_is_left_alone(
    home: Path, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        session(home, f"s{number}")
    with monkeypatch.context() as busy:
        busy.setattr(capture, "capture", lambda *given: CaptureReport("spooled"))
        report = engine.setup.backfill()
    assert (of(report).spooled, report.files) == (3, 5)
    assert "continues from here" in report.problems[0]
    assert engine.setup.backfill().sessions == 5


def test_what_cannot_be_noted_as_done_is_read_again_and_stops_nothing(
    home: Path, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*given: Any) -> None:
        raise StoreLocked("busy")

    for name in ("one", "two"):
        session(home, name)
    with monkeypatch.context() as noting:
        noting.setattr(meta, "put_note", busy)
        assert engine.setup.backfill().sessions == 2
    assert of(engine.setup.backfill()).unchanged == 2
    assert of(engine.setup.backfill()).known == 2


def test_a_later_version_looks_again_at_what_was_empty(
    home: Path, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(home, "empty").write_text('{"type":"mode","sessionId":"empty"}\n' * 3)
    session(home, "full")
    engine.setup.backfill()
    assert of(engine.setup.backfill()).known == 2
    monkeypatch.setattr(known_files, "__version__", "next")
    report = engine.setup.backfill()
    assert (of(report).known, of(report).empty) == (1, 1)


def test_a_folder_that_cannot_be_listed_is_named(
    home: Path, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(home, "one")
    closed, scandir = session(home, "two", folder="-closed").parent, os.scandir

    def scan(folder: Any) -> Any:
        if Path(folder) == closed:
            raise PermissionError("closed")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", scan)
    report = engine.setup.backfill()
    assert (told(engine), report.notes, report.problems) == (
        ["one"],
        (f"cannot be listed: {closed}",),
        (),
    )


def test_a_database_of_no_agent_is_refused_with_what_is_in_it(
    home: Path, engine: MemoryEngine
) -> None:
    path = home / ".hermes" / "state.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE unknown (a)")
        db.commit()
    report = engine.setup.backfill(agents=["hermes"])
    assert (of(report, "hermes").refused, len(report.problems)) == (1, 1)
    assert "its tables: unknown" in report.notes[0]


def test_an_interrupt_gives_the_report_so_far_and_the_next_run_goes_on(
    home: Path, engine: MemoryEngine
) -> None:
    for number in range(4):
        session(home, f"s{number}", age=number)

    def stop_after_two(done: int, total: int) -> None:
        if done > total // 3:
            raise KeyboardInterrupt

    report = engine.setup.backfill(progress=stop_after_two)
    assert report.interrupted and report.sessions == 2
    assert engine.setup.backfill().sessions == 2
    assert told(engine) == ["s0", "s1", "s2", "s3"]


def test_a_backfill_that_is_killed_at_any_moment_goes_on_and_takes_nothing_in_twice(
    home: Path, engine: MemoryEngine, db: Path
) -> None:
    names = [f"s{number:03}" for number in range(60)]
    for number, name in enumerate(names):
        session(home, name, text=f"Prompt {number} " + "word " * 2000, age=number)
    for wait in (0.15, 0.25, 0.35):
        child = subprocess.Popen(
            [sys.executable, "-m", "memctl", "backfill"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(wait)
        child.kill()
        child.wait()
    engine.setup.backfill()
    assert sorted(told(engine)) == names
    rows = engine.open_to_write().all("sources.everything")
    assert {
        sum(1 for _ in sources.read_turns(engine.open_to_write(), row["id"])) for row in rows
    } == {2}


def test_two_backfills_at_the_same_time_take_each_session_in_once(
    home: Path, engine: MemoryEngine
) -> None:
    names = [f"s{number:02}" for number in range(40)]
    for number, name in enumerate(names):
        session(home, name, age=number)
    engine.init()
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "memctl", "backfill", "--json"], stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    reports = [json.loads(child.communicate()[0])["data"] for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert sorted(told(engine)) == names
    assert sum(report["sessions"] for report in reports) == len(names)


def test_an_interrupted_command_says_what_it_did_and_ends_with_130(
    home: Path, db: Path, engine: MemoryEngine
) -> None:
    for number in range(400):
        session(home, f"s{number:03}", text=f"Prompt {number} " + "word " * 4000, age=number)
    engine.init()
    child = subprocess.Popen(
        [sys.executable, "-m", "memctl", "backfill", "--json"],
        stdout=subprocess.PIPE,
        # A run in the background of a shell ignores it, and so would this child.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while child.poll() is None and not told(engine):
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    report = json.loads(child.communicate()[0])
    assert (child.returncode, report["data"]["interrupted"]) == (130, True)
    assert 0 < report["data"]["sessions"] <= len(told(engine)) < 400


def test_the_command_shows_the_plan_and_what_it_did(home: Path, memctl: Run) -> None:
    session(home, "one")
    plan = memctl("backfill", "--dry-run")
    assert plan.code == 0 and "would read 1 file," in plan.stdout
    done = memctl("backfill", "--json")
    assert (done.code, done.data["sessions"], done.data["agents"][0]["agent"]) == (
        0,
        1,
        "claude-code",
    )
    assert memctl("backfill", "--agent", "nobody").code == 2


def test_where_there_is_nothing_that_is_said(memctl: Run) -> None:
    assert "No sessions" in memctl("backfill").stdout


def test_refused_files_do_not_stand_in_the_way_of_a_limit(home: Path, engine: MemoryEngine) -> None:
    for number in range(3):
        session(home, f"odd{number}").write_text("not a session at all")
    session(home, "fine", age=5)
    for _ in range(4):
        engine.setup.backfill(limit=1)
    assert told(engine) == ["fine"]
