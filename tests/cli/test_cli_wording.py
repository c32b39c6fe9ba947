"""What is told reads well alone: titles that follow their content, no beginnings of an answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench import jsonl

from memctl.core import timestamps


@pytest.fixture
def project(here: Callable[..., Any], operator: None, home: Path, monkeypatch: Any) -> Path:
    folder = home / "kiln"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert here("init").code == 0
    return folder


def ingest(here: Callable[..., Any], *words: str) -> str:
    done = here("ingest", *words, "--json")
    assert done.code == 0, done.stderr
    return str(done.data["items"][0]["record"]["id"])


def shown(here: Callable[..., Any], record_id: str) -> Any:
    return here("show", record_id, "--json").data


def capture(here: Callable[..., Any], project: Path, *said: str) -> list[Any]:
    """The candidates of a session in which the operator said this."""
    turns = [turn for text in said for turn in (("user", text), ("assistant", "ok"))]
    file = project.parent / "session.jsonl"
    file.write_bytes(jsonl(*turns, cwd=str(project)))
    assert here("capture-session", file).code == 0
    assert here("maintain").code == 0
    found: list[Any] = here("inbox", "--json").data["items"]
    return found


def test_the_title_of_an_extracted_record_follows_its_edited_content(
    here: Callable[..., Any], project: Path
) -> None:
    (made,) = capture(here, project, "From now on, always fire the kiln with oak.")
    assert here("edit", made["id"], "--content", "Always fire the kiln with ash.").code == 0
    now = shown(here, made["id"])
    assert "oak" not in now["title"] + now["summary"]
    assert (now["title"], now["summary"]) == (
        "Always fire the kiln with ash",
        "Always fire the kiln with ash.",
    )


def test_a_title_that_somebody_chose_stays_when_the_content_is_edited(
    here: Callable[..., Any], project: Path
) -> None:
    given = ingest(here, "The kiln burns oak at night", "--title", "Night firing")
    later = ingest(here, "The yard is swept on Mondays")
    assert here("edit", later, "--title", "Sweeping").code == 0
    for record, title in ((given, "Night firing"), (later, "Sweeping")):
        assert here("edit", record, "--content", "It is done by Olga from now on").code == 0
        assert shown(here, record)["title"] == title
        assert shown(here, record)["summary"] == "It is done by Olga from now on"


def test_a_derived_title_follows_every_edit(here: Callable[..., Any], project: Path) -> None:
    record = ingest(here, "The ferry leaves at nine.")
    for content in ("The ferry leaves at ten.", "And never before eleven.", "It leaves at noon"):
        assert here("edit", record, "--content", content).code == 0
        now = shown(here, record)
        assert content.rstrip(".").casefold().endswith(now["title"].rstrip(".").casefold())


def test_a_correction_has_a_title_of_its_own(here: Callable[..., Any], project: Path) -> None:
    record = ingest(here, "The ferry leaves at nine")
    done = here("correct", record, "The ferry leaves at ten", "--json")
    assert done.data["changed"][0]["title"] == "The ferry leaves at ten"


def test_a_chosen_title_is_told_beside_a_summary_at_every_level(
    here: Callable[..., Any], project: Path
) -> None:
    ingest(
        here,
        "The kiln burns oak at night because the yard is quiet",
        *("--title", "Quiet hours", "--summary", "Oak burns at night"),
    )
    for level in ("0", "1", "2"):
        assert "Quiet hours" in here("context", "--level", level).stdout


def test_a_statement_is_told_without_the_words_that_only_answered(
    here: Callable[..., Any], project: Path
) -> None:
    for content, title in (
        ("And never open the kiln while it burns.", "Never open the kiln while it burns"),
        ("No, don't sweep the yard on Sundays.", "Don't sweep the yard on Sundays"),
        ("For the small kiln never use pine.", "Never use pine"),
    ):
        ingest(here, content, "--title", title)
    for level in ("1", "2"):
        told = here("context", "--level", level).stdout
        assert "] And never" not in told and "] No, don't" not in told
        assert "Never open the kiln while it burns" in told
        assert "Don't sweep the yard on Sundays" in told
        # What stands before the title and says something stays.
        assert "For the small kiln never use pine" in told


def test_days_and_times_are_those_of_this_machine(
    here: Callable[..., Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was said at 18:06 UTC was said on the next day in Auckland."""
    file = project.parent / "late.jsonl"
    words = "From tomorrow on, always fire the kiln with oak."
    text = jsonl(("user", words), ("assistant", "ok"), cwd=str(project)).decode()
    file.write_text(text.replace("2026-03-04T05:06", "2026-03-04T18:06"))
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    try:
        assert here("capture-session", file).code == 0
        assert here("maintain").code == 0
        assert "2026-03-05" in here("inbox").stdout
        assert here("inbox", "--approve-all").code == 0
        assert "tomorrow" in here("context").stdout
        assert "(said on 2026-03-05)" in here("context").stdout
        (record,) = here("list", "--type", "project", "--json").data["items"]
        minutes = here("digest", "--peek").stdout
        log = here("digest", "--peek", "--json").data["entries"][0]["at"]
        assert timestamps.to_local_minute(log) in minutes and log[:16] not in minutes
        assert record["observed_at"].startswith("2026-03-04T18:06")
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
