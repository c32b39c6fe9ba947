"""The reader of vibe keeps the contract and reads the file beside the messages."""

import json
from pathlib import Path

from contract import SAMPLES, ReaderContract

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.vibe import READER


class TestVibe(ReaderContract):
    module = "vibe"


def read_with(folder: Path, meta: dict[str, object]) -> Transcript:
    path = folder / "messages.jsonl"
    path.write_bytes((SAMPLES / "vibe" / "messages.jsonl").read_bytes())
    (folder / "meta.json").write_text(json.dumps(meta))
    (transcript,) = READER.read(Input(path=path))
    return transcript


def test_the_file_beside_the_messages_names_the_session(tmp_path: Path) -> None:
    environment = {"working_directory": "/w/harbor"}
    transcript = read_with(
        tmp_path,
        {
            "session_id": "v-9",
            "parent_session_id": "v-8",
            "environment": environment,
            "git_branch": "tide",
        },
    )
    assert (transcript.session_id, transcript.parent_session_id) == ("v-9", "v-8")
    assert (transcript.cwd, transcript.git_branch) == ("/w/harbor", "tide")
    assert any(turn.role == "human" for turn in transcript.turns), (
        "a session that goes on from another one is a person's"
    )


def test_what_a_helper_was_asked_is_nobodys(tmp_path: Path) -> None:
    transcript = read_with(
        tmp_path, {"session_id": "v-9", "parent_session_id": "v-8", "kind": "subagent"}
    )
    assert not any(turn.role == "human" for turn in transcript.turns)


def test_a_broken_file_beside_the_messages_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    path.write_bytes((SAMPLES / "vibe" / "messages.jsonl").read_bytes())
    (tmp_path / "meta.json").write_text('{"session_id": [')
    (transcript,) = READER.read(Input(path=path))
    assert transcript.turns and transcript.session_id
