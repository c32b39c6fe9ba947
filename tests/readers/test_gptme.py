"""The reader of gptme keeps the contract of all readers."""

from pathlib import Path

from contract import SAMPLES, ReaderContract

from memctl.readers.base import Input
from memctl.readers.gptme import READER


class TestGptme(ReaderContract):
    module = "gptme"


def test_what_a_helper_was_asked_is_nobodys(tmp_path: Path) -> None:
    path = tmp_path / "2026-03-01-subagent-tides" / "conversation.jsonl"
    path.parent.mkdir()
    path.write_bytes((SAMPLES / "gptme" / "conversation.jsonl").read_bytes())
    (transcript,) = READER.read(Input(path=path))
    assert "human" not in {turn.role for turn in transcript.turns}
