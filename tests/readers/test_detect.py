"""Formats are told by content; a hint breaks ties; what nobody knows is said plainly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memctl.core.errors import UnknownFormat
from memctl.readers import READER_OF_AGENT, READERS, load_reader
from memctl.readers.base import HEAD_BYTES, Input
from memctl.readers.detect import detect_reader

CLAUDE = json.dumps(
    {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "hello"}}
).encode()


def test_every_registered_reader_has_a_name_and_an_agent() -> None:
    for reader in map(load_reader, READERS):
        assert reader.name
        assert reader.agent


def test_every_agent_that_hooks_has_a_reader() -> None:
    for agent, name in READER_OF_AGENT.items():
        assert name in READERS, agent


def test_content_wins_over_the_hint_and_over_the_file_name(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2026.jsonl"
    path.write_bytes(CLAUDE + b"\n")
    assert detect_reader(Input(path=path), agent="codex").name == "claude-code"


def test_a_byte_order_mark_does_not_hide_a_format() -> None:
    assert detect_reader(Input(data=b"\xef\xbb\xbf" + CLAUDE)).name == "claude-code"


def test_a_first_line_longer_than_the_head_is_still_told() -> None:
    long = CLAUDE.replace(b"hello", b"x" * 100_000)
    assert detect_reader(Input(data=long + b"\n")).name == "claude-code"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"SQLite format 3\0\0\0", "binary"),
        (b'{"a": 1}', "begins with '{\"a\": 1}'"),
    ],
)
def test_what_no_reader_knows_is_refused_with_the_reason(data: bytes, says: str) -> None:
    with pytest.raises(UnknownFormat, match="input") as refused:
        detect_reader(Input(data=data))
    assert says in str(refused.value)
    assert "claude-code" in (refused.value.hint or "")


def test_a_hook_that_names_its_agent_imports_no_other_reader(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        b'{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x"}}\n'
    )
    script = (
        "import sys, pathlib;"
        "from memctl.readers.base import Input;"
        "from memctl.readers.detect import detect_reader;"
        f"detect_reader(Input(path=pathlib.Path({str(path)!r})), agent='codex');"
        "print(*[m for m in sys.modules if m.startswith('memctl.readers.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "memctl.readers.codex" in loaded
    assert {name for name in READERS if f"memctl.readers.{name}" in loaded} == {"codex"}


@pytest.mark.parametrize(
    ("agent", "opening"),
    [
        ("vibe", {"role": "system", "content": "x" * 200_000, "message_id": "m1"}),
        (
            "pi",
            {
                "type": "session",
                "id": "s1",
                "timestamp": "2026-03-01T09:00:00Z",
                "about": "x" * 200_000,
            },
        ),
        ("kimi", {"type": "metadata", "protocol_version": "1.0", "about": "x" * 200_000}),
        ("codex", {"type": "session_meta", "payload": {"id": "s1", "instructions": "x" * 200_000}}),
        (
            "claude-code",
            {
                "type": "user",
                "cwd": "/" + "x/" * 100_000,
                "sessionId": "s1",
                "message": {"role": "user", "content": "Hi"},
            },
        ),
    ],
)
def test_a_first_line_longer_than_the_head_is_looked_at_whole(
    agent: str, opening: dict[str, object]
) -> None:
    assert detect_reader(Input(data=json.dumps(opening).encode() + b"\n")).agent == agent


def test_a_very_long_first_line_is_looked_at_whole_with_its_strings_cut(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(b'{"a": "' + b"x" * 5_000_000 + b'", "sessionId": "s1"}\n')
    head = Input(path=path).read_head()
    assert head == Input(data=path.read_bytes()).read_head()
    assert len(head) < HEAD_BYTES and json.loads(head)["sessionId"] == "s1"


def test_of_one_long_line_without_an_end_only_the_beginning_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(b'{"a": "' + b"x" * 5_000_000 + b'"}')
    assert len(Input(path=path).read_head()) == HEAD_BYTES


@pytest.mark.parametrize(
    ("beside", "session"),
    [
        (
            {"session_id": "v1", "environment": {"working_directory": "/w"}, "stats": {}},
            "messages.jsonl",
        ),
        (
            {"info": {"id": "g1"}, "session_summary": "Tides", "num_messages": 2},
            "chat_history.jsonl",
        ),
        ({"turnCount": 1, "userMessageCount": 1, "assistantMessageCount": 1}, "chat_history.jsonl"),
        ({"agents": {"main": {}}, "workDir": "/w", "lastPrompt": "Hi"}, "wire.jsonl"),
    ],
)
def test_a_file_that_stands_beside_a_session_is_refused_with_what_to_give(
    tmp_path: Path, beside: dict[str, object], session: str
) -> None:
    path = tmp_path / "copy.json"
    path.write_text(json.dumps(beside))
    with pytest.raises(UnknownFormat, match=session):
        detect_reader(Input(path=path))


def test_an_encrypted_conversation_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "one.pb"
    path.write_bytes(b"\x8a\x00\xff")
    with pytest.raises(UnknownFormat, match="encrypted"):
        detect_reader(Input(path=path))
