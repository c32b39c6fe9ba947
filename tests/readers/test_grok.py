"""The reader of grok keeps the contract and reads the file beside the messages."""

import json
from pathlib import Path

from contract import SAMPLES, ReaderContract

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.grok import READER

SUMMARY: dict[str, object] = {
    "info": {"id": "g-9", "cwd": "/w/harbor"},
    "generated_title": "Tides",
    "git_remotes": ["ssh://git.example/harbor"],
    "head_branch": "tide",
}


class TestGrok(ReaderContract):
    module = "grok"


def read_with(folder: Path, summary: dict[str, object]) -> Transcript:
    path = folder / "chat_history.jsonl"
    path.write_bytes((SAMPLES / "grok" / "newer.jsonl").read_bytes())
    (folder / "summary.json").write_text(json.dumps(summary))
    (transcript,) = READER.read(Input(path=path))
    return transcript


def test_the_file_beside_the_messages_names_the_session(tmp_path: Path) -> None:
    transcript = read_with(tmp_path, SUMMARY)
    assert (transcript.session_id, transcript.cwd, transcript.title, transcript.git_branch) == (
        "g-9",
        "/w/harbor",
        "Tides",
        "tide",
    )
    assert transcript.remote == "ssh://git.example/harbor"


def test_what_a_helper_was_asked_is_nobodys(tmp_path: Path) -> None:
    transcript = read_with(
        tmp_path, {**SUMMARY, "session_kind": "subagent", "parent_session_id": "g-8"}
    )
    assert transcript.parent_session_id == "g-8"
    assert not any(turn.role == "human" for turn in transcript.turns)
