"""Episodes that an older version told are told again from the stored sessions, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench import jsonl

from memctl.core.frozen import replace
from memctl.core.model import Candidate, Transcript
from memctl.extract import extract
from memctl.maintain import ingestion_jobs

OLD = "Asked: Mend the kiln door. Done: Done: it shuts."


def tell_as_before(transcript: Transcript) -> list[Candidate]:
    """The candidates as an older version found them: the episode in other words."""
    return [
        replace(one, content=OLD, summary=OLD) if one.type == "episode" else one
        for one in extract(transcript)
    ]


@pytest.fixture
def sessions(
    here: Callable[..., Any], operator: None, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three sessions that an older version read."""
    (home / "kiln" / ".git").mkdir(parents=True)
    monkeypatch.chdir(home / "kiln")
    for number in range(3):
        file = home / f"{number}.jsonl"
        asked = ("user", f"Mend door {number} of the kiln.")
        done = ("assistant", f"Done! I have fixed door {number} of the kiln, it shuts.")
        file.write_bytes(
            jsonl(
                asked,
                done,
                session=f"5e551011-0000-4000-8000-00000000000{number}",
                cwd=str(home / "kiln"),
            )
        )
        assert here("capture-session", file).code == 0
    with monkeypatch.context() as older:
        older.setattr(ingestion_jobs, "extract", tell_as_before)
        older.setattr(ingestion_jobs, "extract_version", "0")
        assert here("maintain", "--step", "extract").code == 0
    assert [item["content"] for item in episodes(here)] == [OLD] * 3


def episodes(here: Callable[..., Any]) -> list[Any]:
    found: list[Any] = here("list", "--type", "episode", "--json").data["items"]
    return sorted(found, key=lambda item: str(item["id"]))


def retold(here: Callable[..., Any]) -> int:
    steps = here("maintain", "--step", "retell", "--json").data["steps"]
    return int(steps[0]["counts"].get("retold", 0))


def test_episodes_of_an_older_version_are_told_again_once(
    here: Callable[..., Any], sessions: None
) -> None:
    assert retold(here) == 3
    told = [item["content"] for item in episodes(here)]
    assert told == [
        f"Asked: Mend door {number} of the kiln. "
        f"Done: I have fixed door {number} of the kiln, it shuts."
        for number in range(3)
    ]
    assert retold(here) == 0


def test_telling_again_is_undone_at_once_and_not_done_again(
    here: Callable[..., Any], sessions: None
) -> None:
    assert retold(here) == 3
    entries = here("digest", "--peek", "--json").data["entries"]
    entry = next(each for each in entries if "retold" in str(each["changes"]))
    assert here("revert", str(entry["seq"]), "--yes").code == 0
    assert [item["content"] for item in episodes(here)] == [OLD] * 3
    assert retold(here) == 0


def test_what_was_edited_archived_or_forgotten_is_not_told_again(
    here: Callable[..., Any], sessions: None
) -> None:
    edited, forgotten, plain = (item["id"] for item in episodes(here))
    assert here("edit", edited, "--content", "The door shuts.").code == 0
    assert here("forget", forgotten).code == 0
    assert retold(here) == 1
    assert here("show", edited, "--json").data["content"] == "The door shuts."
    assert here("show", forgotten, "--json").data["content"] == OLD
    assert "I have fixed door 2" in here("show", plain, "--json").data["content"]


def test_what_was_purged_does_not_come_back_by_telling_again(
    here: Callable[..., Any], sessions: None
) -> None:
    assert here("purge", "--match", "door 1 of the kiln", "--yes").code == 0
    retold(here)
    assert not any("door 1 of the kiln" in item["content"] for item in episodes(here))
