"""The reader of kimi keeps the contract and takes from its folders what the log lacks."""

import json
from pathlib import Path

import pytest
from contract import SAMPLES, ReaderContract

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.kimi import READER

STATE = {
    "title": "Ropes",
    "workDir": "/w/harbor",
    "agents": {"main": {"type": "main"}, "agent-0": {"type": "sub"}},
}


class TestKimi(ReaderContract):
    module = "kimi"


def read_as(session: Path, agent: str) -> Transcript:
    path = session / "agents" / agent / "wire.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes((SAMPLES / "kimi" / "undone.jsonl").read_bytes())
    (session / "state.json").write_text(json.dumps(STATE))
    (transcript,) = READER.read(Input(path=path))
    return transcript


def test_the_state_of_a_session_names_it(tmp_path: Path) -> None:
    transcript = read_as(tmp_path / "session_k-9", "main")
    assert (transcript.session_id, transcript.parent_session_id) == ("k-9", None)
    assert (transcript.cwd, transcript.title) == ("/w/harbor", "Ropes")


def test_what_a_helper_was_asked_is_nobodys(tmp_path: Path) -> None:
    transcript = read_as(tmp_path / "session_k-9", "agent-0")
    assert (transcript.session_id, transcript.parent_session_id) == ("k-9/agent-0", "k-9")
    assert not any(turn.role == "human" for turn in transcript.turns)


@pytest.mark.parametrize("count", [0, -1, None, "1", 1.5, 10**9])
def test_an_undo_takes_back_as_many_prompts_as_it_says_and_no_more_than_there_are(
    count: object,
) -> None:
    prompt = {
        "type": "context.append_message",
        "message": {"role": "user", "content": "Coil the ropes"},
    }
    lines = [prompt, {"type": "context.undo", "count": count}]
    (transcript,) = READER.read(Input(data="\n".join(map(json.dumps, lines)).encode()))
    assert len(transcript.turns) == (0 if count == 10**9 else 1)
