"""What is piped into a capture is a hook's JSON or a transcript; they are told apart by keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memctl.capture.piped_session import find_piped_session, is_hook_payload
from memctl.core.errors import UsageError


@pytest.mark.parametrize(
    ("keys", "is_hook"),
    [
        (["transcript_path"], True),
        (["hook_event_name", "messages"], True),
        (["sessionId"], True),
        (["session_id", "turns"], False),
        (["messages"], False),
        ([], False),
    ],
)
def test_a_hook_is_told_from_a_transcript_of_one_object(keys: list[str], is_hook: bool) -> None:
    assert is_hook_payload(dict.fromkeys(keys, "x")) is is_hook


@pytest.mark.parametrize("raw", [b"User: hello", b"[1, 2]", b'{"messages": []}', b'{"a": '])
def test_anything_else_is_a_transcript_itself(raw: bytes) -> None:
    piped = find_piped_session(raw, {}, agent="codex", session_id="s", cwd=Path("/w"))
    assert piped.source.data == raw
    assert (piped.agent, piped.session_id, piped.cwd) == ("codex", "s", Path("/w"))


def test_the_transcript_that_a_hook_names_is_found_and_the_caller_has_precedence(
    tmp_path: Path,
) -> None:
    transcript = tmp_path / "session.jsonl"
    transcript.write_text("{}\n")
    payload = {"transcript_path": str(transcript), "session_id": "theirs", "cwd": "/w/app"}
    raw = json.dumps(payload).encode()
    piped = find_piped_session(raw, {}, agent=None, session_id="ours", cwd=None)
    assert piped.source.path == transcript
    assert (piped.session_id, piped.cwd) == ("ours", Path("/w/app"))


def test_a_transcript_that_does_not_exist_is_wrong_usage(tmp_path: Path) -> None:
    raw = json.dumps({"transcript_path": str(tmp_path / "none.jsonl")}).encode()
    with pytest.raises(UsageError, match=r"the transcript is not there: .*none\.jsonl"):
        find_piped_session(raw, {"HOME": str(tmp_path)}, agent=None, session_id=None, cwd=None)
