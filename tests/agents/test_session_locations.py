"""Where agents keep their sessions: found by pattern, never through a link, whatever cannot be
listed is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from memctl.agents import session_locations


@pytest.fixture
def environ(home: Path) -> Mapping[str, str]:
    return {"HOME": str(home), "PATH": str(home / "bin")}


def put(path: Path, text: str = "{}") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


# One session file of each agent, as it stands below HOME, and what the session is called.
PLACES = [
    ("claude-code", ".claude/projects/-w-app/5f1d.jsonl", "5f1d"),
    ("claude-code", ".claude/projects/-w-app/5f1d/subagents/agent-a1.jsonl", "agent-a1"),
    (
        "codex",
        ".codex/sessions/2026/03/01/rollout-2026-03-01T09-00-00-ab.jsonl",
        "rollout-2026-03-01T09-00-00-ab",
    ),
    ("codex", ".codex/archived_sessions/rollout-x.jsonl", "rollout-x"),
    (
        "gemini-cli",
        ".gemini/tmp/ab/chats/session-2026-03-01T09-00-12345678.json",
        "session-2026-03-01T09-00-12345678",
    ),
    ("qwen", ".qwen/projects/app/chats/q1.jsonl", "q1"),
    ("iflow", ".iflow/projects/app/i1.jsonl", "i1"),
    ("opencode", ".local/share/opencode/storage/session/p1/ses_1.json", "ses_1"),
    ("opencode", ".local/share/opencode/opencode.db", None),
    ("kilo", ".local/share/kilo/kilo.db", None),
    ("cursor", ".cursor/projects/w-app/agent-transcripts/c1/c1.jsonl", "c1"),
    ("cursor", ".cursor/projects/w-app/agent-transcripts/c2.txt", "c2"),
    ("cursor", ".cursor/chats/ab/c3/store.db", None),
    ("cursor", ".config/Cursor/User/globalStorage/state.vscdb", None),
    ("cursor", "Library/Application Support/Cursor/User/globalStorage/state.vscdb", None),
    (
        "cline",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/17/ui_messages.json",
        "17",
    ),
    (
        "cline",
        ".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/tasks/17/ui_messages.json",
        "17",
    ),
    (
        "cline",
        ".local/share/code-server/User/globalStorage/saoudrizwan.claude-dev/tasks/17/ui_messages.json",
        "17",
    ),
    ("cline", ".cline/data/tasks/1.messages.json", "1.messages"),
    ("cursor", ".config/Cursor/User/workspaceStorage/ab/state.vscdb", None),
    (
        "roo",
        ".config/VSCodium/User/globalStorage/rooveterinaryinc.roo-cline/tasks/18/ui_messages.json",
        "18",
    ),
    (
        "kilo-code",
        ".config/Code/User/globalStorage/kilocode.kilo-code/tasks/19/ui_messages.json",
        "19",
    ),
    ("copilot-cli", ".copilot/session-state/s1/events.jsonl", "s1"),
    ("copilot-cli", ".copilot/session-state/s2.jsonl", "s2"),
    ("vscode-copilot", ".config/Code/User/workspaceStorage/ab/chatSessions/v1.json", "v1"),
    ("goose", ".local/share/goose/sessions/sessions.db", None),
    ("llm", ".config/io.datasette.llm/logs.db", None),
    ("llm", "Library/Application Support/io.datasette.llm/logs.db", None),
    ("goose", ".local/share/goose/sessions/g1.jsonl", "g1"),
    ("amp", ".local/share/amp/threads/T-1.json", "T-1"),
    ("pi", ".pi/agent/sessions/--w-app--/2026_p1.jsonl", "2026_p1"),
    ("openclaw", ".openclaw/agents/main/sessions/o1.jsonl", "o1"),
    ("droid", ".factory/sessions/-w-app/d1.jsonl", "d1"),
    ("kimi", ".kimi/sessions/ab/k1/wire.jsonl", "k1"),
    ("grok", ".grok/sessions/%2Fw%2Fapp/r1/chat_history.jsonl", "r1"),
    ("vibe", ".vibe/logs/session/v1/messages.jsonl", "v1"),
    ("hermes", ".hermes/sessions/h1.jsonl", "h1"),
    ("hermes", ".hermes/state.db", None),
    ("gptme", ".local/share/gptme/logs/2026-tides/conversation.jsonl", "2026-tides"),
    ("antigravity", ".gemini/antigravity/brain/b1/logs/transcript.jsonl", "b1"),
]


@pytest.mark.parametrize(
    ("agent", "place", "session"),
    PLACES,
    ids=[f"{agent} {Path(place).name}" for agent, place, _ in PLACES],
)
def test_a_past_session_is_found_where_its_agent_keeps_it(
    home: Path, environ: Mapping[str, str], agent: str, place: str, session: str | None
) -> None:
    path = put(home / place)
    (found,) = session_locations.find_past_sessions(agent, environ)
    assert (found.agent, found.path, found.session_id, found.size) == (agent, path, session, 2)
    assert found.is_database == (session is None)
    assert found.changed == path.stat().st_mtime
    others = [
        other
        for other in session_locations.AGENTS
        if other != agent and list(session_locations.find_past_sessions(other, environ))
    ]
    assert others == [], "no file belongs to two agents"


def test_every_agent_with_places_is_tried_above() -> None:
    assert {agent for agent, *_ in PLACES} == {
        home.agent for home in session_locations.HOMES if home.sessions or home.databases
    }


def test_an_agent_is_installed_if_its_folder_or_its_program_is_here(
    home: Path, environ: Mapping[str, str]
) -> None:
    assert [
        agent
        for agent in session_locations.AGENTS
        if session_locations.is_installed(agent, environ)
    ] == []
    (home / ".claude").mkdir()
    program = put(home / "bin" / "codex")
    assert not session_locations.is_installed("codex", environ), "not a program yet"
    program.chmod(0o755)
    assert [
        agent
        for agent in session_locations.AGENTS
        if session_locations.is_installed(agent, environ)
    ] == ["claude-code", "codex"]
    assert not session_locations.is_installed("nobody", environ)


@pytest.mark.parametrize(
    ("variable", "agent", "place"),
    [
        ("CLAUDE_CONFIG_DIR", "claude-code", "projects/p/s.jsonl"),
        ("CODEX_HOME", "codex", "sessions/2026/03/01/rollout-x.jsonl"),
        ("COPILOT_HOME", "copilot-cli", "session-state/s/events.jsonl"),
        ("XDG_DATA_HOME", "amp", "amp/threads/T-1.json"),
        ("APPDATA", "vscode-copilot", "Code/User/workspaceStorage/ab/chatSessions/v1.json"),
    ],
)
def test_a_variable_moves_an_agents_folder(
    tmp_path: Path, environ: Mapping[str, str], variable: str, agent: str, place: str
) -> None:
    put(tmp_path / "moved" / place)
    assert (
        len(
            list(
                session_locations.find_past_sessions(
                    agent, {**environ, variable: str(tmp_path / "moved")}
                )
            )
        )
        == 1
    )
    assert list(session_locations.find_past_sessions(agent, environ)) == []


def test_links_lead_nowhere_but_the_users_own_folder_may_be_one(
    home: Path, tmp_path: Path, environ: Mapping[str, str]
) -> None:
    outside = put(tmp_path / "outside" / "secret.jsonl")
    project = home / ".claude" / "projects" / "p"
    own = put(project / "own.jsonl")
    (project / "file.jsonl").symlink_to(outside)
    (project.parent / "linked").symlink_to(outside.parent)
    assert [
        found.path for found in session_locations.find_past_sessions("claude-code", environ)
    ] == [own]
    (home / ".claude").rename(tmp_path / "dotfiles")
    (home / ".claude").symlink_to(tmp_path / "dotfiles")
    assert [
        found.path for found in session_locations.find_past_sessions("claude-code", environ)
    ] == [own]


def test_empty_files_folders_and_places_that_cannot_be_listed_are_passed_over(
    home: Path, environ: Mapping[str, str]
) -> None:
    project = home / ".claude" / "projects" / "p"
    put(project / "empty.jsonl", "")
    (project / "folder.jsonl").mkdir()
    put(home / ".codex" / "sessions")
    assert (
        list(session_locations.find_past_sessions("claude-code", environ))
        == list(session_locations.find_past_sessions("codex", environ))
        == []
    )
    put(project / "own.jsonl")
    os.chmod(project.parent, 0)
    try:
        assert len(list(session_locations.find_past_sessions("claude-code", environ))) == (
            os.geteuid() == 0
        )
    finally:
        os.chmod(project.parent, 0o755)


def test_aider_left_its_history_in_the_folders_it_worked_in(
    tmp_path: Path, environ: Mapping[str, str]
) -> None:
    path = put(tmp_path / "app" / session_locations.AIDER_HISTORY)
    assert [
        found.path
        for found in session_locations.find_past_sessions(
            "aider", environ, [tmp_path / "app", tmp_path / "other"]
        )
    ] == [path]
    assert list(session_locations.find_past_sessions("nobody", environ)) == []
