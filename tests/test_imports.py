"""What a cold process imports is what an agent waits for: the hot commands leave the heavy
libraries alone. Each runs as it would.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memctl.core.model import NewMemory
from memctl.engine.memory_engine import MemoryEngine

HEAVY = {
    "pydantic",
    "numpy",
    "sqlite_utils",
    "sqlite_vec",
    "llm",
    "rich",
    "yaml",
    "openai",
    "httpx",
    "asyncio",
    "requests",
}
# A hook runs at every prompt and imports less still: no command line, and none of the machinery of
# the standard dataclasses.
HEAVY_FOR_A_HOOK = HEAVY | {
    "typing",
    "typer",
    "click",
    "dataclasses",
    "inspect",
    "subprocess",
    "tempfile",
    "logging",
    "difflib",
    "hashlib",
}
CAPTURING = {"typing", "hashlib", "inspect", "dataclasses"}
SCRIPT = """
import sys
sys.argv = sys.argv[1:]
from {module} import main
try:
    {before}
    main()
except SystemExit:
    pass
finally:
    report()
"""
REPORT = """
import sys
def report():
    sys.stdout.flush()
    sys.stderr.write("\\n" + " ".join(sorted(name for name in sys.modules if "." not in name)))
    sys.stderr.flush()
"""


@pytest.fixture
def store(db: Path) -> Path:
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.ingest(
            [
                NewMemory(
                    type="project",
                    kind="fact",
                    content="The tide tables are cached in a SQLite file.",
                    scope="global",
                )
            ]
        )
    return db


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    line = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "0b8e7c1a-1111-4222-8333-444455556666",
        "cwd": "/w/app",
        "version": "2.1.2",
        "timestamp": "2026-01-02T03:04:05.000Z",
        "promptSource": "typed",
        "message": {"role": "user", "content": "Use pnpm, not npm"},
    }
    path.write_text(json.dumps(line) + "\n")
    return path


def imported(module: str, *words: str, stdin: bytes = b"") -> tuple[str, set[str]]:
    """What the command printed, and the top-level modules that its process held when it ended."""
    before = "import os; os._exit = lambda code: sys.exit(code)"
    script = REPORT + SCRIPT.format(module=module, before=before)
    done = subprocess.run(
        [sys.executable, "-c", script, "memctl", *words],
        input=stdin,
        capture_output=True,
        check=True,
        timeout=60,
    )
    *said, names = done.stderr.decode().split("\n")
    assert not any(said), said
    assert "memctl" in names.split()
    return done.stdout.decode(), set(names.split())


@pytest.mark.parametrize(
    "words", [("search", "tide tables", "--json"), ("context", "--task", "tide tables", "--json")]
)
def test_reading_commands_import_nothing_heavy(store: Path, words: tuple[str, ...]) -> None:
    said, names = imported("memctl.entry", *words)
    assert "SQLite file" in said
    assert names & HEAVY == set()


def test_capturing_a_session_imports_nothing_heavy(store: Path, transcript: Path) -> None:
    said, names = imported("memctl.entry", "capture-session", str(transcript), "--json")
    assert json.loads(said)["status"] == "ok"
    assert names & HEAVY == set()


def test_the_hook_command_imports_nothing_heavy(store: Path) -> None:
    _, names = imported("memctl.entry", "hook", "claude-code", "SessionStart", stdin=b"{}")
    assert names & HEAVY == set()


def test_a_hook_at_the_start_imports_next_to_nothing(store: Path) -> None:
    said, names = imported("memctl.hook", "claude-code", "SessionStart", stdin=b"{}")
    assert "SQLite file" in said
    assert names & HEAVY_FOR_A_HOOK == set()


def test_a_hook_at_a_prompt_imports_next_to_nothing(store: Path) -> None:
    said, names = imported(
        "memctl.hook",
        "codex",
        "UserPromptSubmit",
        stdin=json.dumps({"prompt": "where are tide tables cached"}).encode(),
    )
    assert "SQLite file" in said
    assert names & HEAVY_FOR_A_HOOK == set()


def test_a_hook_at_the_end_imports_what_a_capture_needs_and_no_more(
    store: Path, transcript: Path
) -> None:
    _, names = imported(
        "memctl.hook",
        "claude-code",
        "SessionEnd",
        stdin=json.dumps({"transcript_path": str(transcript)}).encode(),
    )
    assert "memctl" in names
    assert names & (HEAVY_FOR_A_HOOK - CAPTURING) == set()


@pytest.mark.parametrize(
    ("agent", "event", "given"),
    [
        ("claude-code", "SessionStart", {}),
        ("codex", "UserPromptSubmit", {"prompt": "where are tide tables cached"}),
        ("claude-code", "SessionEnd", {"transcript_path": "session.jsonl"}),
    ],
)
def test_a_hook_of_a_store_that_follows_others_is_far_from_any_network(
    store: Path, tmp_path: Path, transcript: Path, agent: str, event: str, given: dict[str, str]
) -> None:
    with MemoryEngine.open(store, actor="operator") as engine:
        engine.sync.run(str(tmp_path / "shared"), member="Vera")
    if "transcript_path" in given:
        given = {"transcript_path": str(transcript)}
    _, names = imported("memctl.hook", agent, event, stdin=json.dumps(given).encode())
    assert names & {"socket", "ssl", "cryptography", "pyrage", "psycopg", "select"} == set()


def test_the_detector_sees_what_is_imported(store: Path) -> None:
    _, names = imported("memctl.entry", "doctor", "--help")
    assert {"typer", "memctl"} <= names


@pytest.mark.parametrize(
    ("written", "takes_library"), [("search:\n  limit: 5\n", False), ("search: {limit: 5}", True)]
)
def test_yaml_is_imported_where_settings_are_not_plainly_written(
    store: Path, home: Path, written: str, takes_library: bool
) -> None:
    folder = home / ".config" / "memctl"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(written)
    _, names = imported("memctl.entry", "search", "tide", "--json")
    assert ("yaml" in names) is takes_library
