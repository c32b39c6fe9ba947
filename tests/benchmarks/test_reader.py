"""What a perfect reader picks out of invented sessions reaches the inbox, and is counted right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import reader

RULE = "Never round the heights of the gauges"
ASKED = "Shall I store the heights in centimetres?"


def make_turn(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "kind": "text", "text": text, "ts": "2026-03-02T09:00:00.000Z"}


def make_memory(text: str, quote: str, **more: Any) -> dict[str, Any]:
    start = text.index(quote)
    told = {"type": "constraint", "importance": 3, "act": "states", "leans_on": ""}
    told |= {"about": "project", "statement": quote}
    return {"start": start, "end": start + len(quote), "quote": quote, **told, **more}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two labelled sessions: a rule, an assent that leans on the agent's question, a look-alike."""
    said = f"{RULE}, they are checked by hand."
    first = [make_turn("human", said), make_turn("assistant", ASKED), make_turn("human", "yes")]
    second = [make_turn("human", "Always fails here, look at it."), make_turn("assistant", "OK.")]
    sessions = [
        {"sid": "5e551011-0000-4000-8000-00000000000a", "cwd": "/srv/harbor", "turns": first},
        {"sid": "5e551011-0000-4000-8000-00000000000b", "cwd": "/srv/harbor", "turns": second},
    ]
    assent = make_memory("yes", "yes", type="decision", act="assents", leans_on=ASKED)
    labels = [
        {"session": sessions[0]["sid"], "turn": 0, "memories": [make_memory(said, RULE)]},
        {"session": sessions[0]["sid"], "turn": 2, "memories": [assent]},
        {"session": sessions[1]["sid"], "turn": 0, "memories": [], "negative": "a complaint"},
    ]
    for name, lines in (("sessions", sessions), ("labels", labels)):
        text = "\n".join(map(json.dumps, lines)) + "\n"
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("agent", list(reader.PROGRAMS))
def test_all_that_is_labelled_is_found_by_every_agents_stand_in_and_nothing_else(
    agent: str, data: Path, tmp_path: Path
) -> None:
    sessions, labels = reader.read_data(data, None)
    told, score = reader.measure(tmp_path / "run", agent, sessions, labels, rules=False)
    assert (told["memories"], told["recall_3"], told["precision_human"]) == (2, 1.0, 1.0)
    assert told["recall_by_act"] == {"assents": "1/1", "states": "1/1"}
    assert told["negatives_proposed"] == 0.0
    assert (score.lost, told["troubles"]) == ([], [])


def test_each_session_is_in_one_fold(data: Path) -> None:
    parts = [reader.read_data(data, f"{fold}/3")[0] for fold in range(3)]
    assert sorted(each["sid"][-1] for part in parts for each in part) == ["a", "b"]
