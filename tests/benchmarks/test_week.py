"""The invented week is told as the agents write it, and its lines are judged by place."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from benchmarks.week_files import WeekTranscript
from benchmarks.week_judge import LineLabels, normalise, split_lines
from benchmarks.week_talk import read_week

WEEK = Path(__file__).resolve().parents[2] / "benchmarks/week"


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli"])
def test_every_prompt_of_a_session_is_read_from_its_file(
    agent: str, tmp_path: Path, memctl: Callable[..., Any]
) -> None:
    talk = next(each for each in read_week(WEEK) if each.agent == agent)
    start = datetime.fromisoformat(talk.start).replace(tzinfo=UTC)
    transcript = WeekTranscript(talk, tmp_path, tmp_path / "home", start)
    transcript.begin("")
    for turn in talk.turns:
        transcript.add_prompt(turn, "")
        transcript.add_deeds(turn)
    assert memctl("init").code == 0
    captured = memctl("capture-session", transcript.path, "--cwd", tmp_path)
    assert captured.code == 0
    exported = memctl("export")
    assert all(turn.prompt.splitlines()[0][:40] in exported.stdout for turn in talk.turns)


def test_the_week_is_long_and_of_three_agents_and_projects() -> None:
    week = read_week(WEEK)
    assert len(week) >= 30
    assert {each.agent for each in week} == {"claude-code", "codex", "gemini-cli"}
    assert all(len(each.turns) >= 4 for each in week)


def test_all_labels_can_be_read() -> None:
    assert LineLabels.read(WEEK / "labels.tsv")


def test_a_line_is_judged_by_where_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    path.write_text("harbor\tuseful\tneutral\ts02.3=useful,s05+=stale\tfact: The port is 80\n")
    labels = LineLabels.read(path)
    line = "The port is 80 (2026-11-16; claimed by an agent)"
    judge = labels.judge
    assert judge(line, "harbor", "s01", 0) == "useful"
    assert judge(line, "harbor", "s02", 2) == "neutral"
    assert judge(line, "harbor", "s02", 3) == "useful"
    assert judge(line, "harbor", "s06", 0) == "stale"
    assert judge(line, "tides", "s01", 0) == "foreign"
    assert judge("The port is 81", "harbor", "s01", 0) == "unlabelled"


def test_a_label_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    path.write_text("all\tgreat\tneutral\t-\tThe port is 80\n")
    with pytest.raises(ValueError, match="great"):
        LineLabels.read(path)


def test_the_lines_of_a_context_are_read_without_their_ids() -> None:
    text = "<memctl-context>\n## What holds here\n- [01M8JD74E3] command: Run `x`\n- More\n"
    assert list(split_lines(text)) == [
        ("What holds here", "command: Run `x`"),
        ("What holds here", "More"),
    ]


def test_a_text_is_known_again_in_other_signs() -> None:
    assert normalise("Tests:  `make test`.") == normalise("tests make TEST")
