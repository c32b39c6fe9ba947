"""What the operator says beside his tasks is never passed over where a record answers it: said
again, it confirms the record and nobody is asked; another answer waits in the inbox with both
sides. What he says on two days is asked about. Questions, guesses, pasted words and an agent's own
do none of that.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from claude_lines import make_lines

Run = Callable[..., Any]
Hold = Callable[..., list[dict[str, Any]]]
RULE = "From now on uploads are stored in R2."


@pytest.fixture
def hold(here: Run, tmp_path: Path, operator: None) -> Hold:
    """`hold(*words, day=N)` holds a session of many typed turns; returns the inbox afterwards."""
    assert here("init").code == 0
    project = tmp_path / "harbor"
    project.mkdir()

    def take(*words: str | tuple[str, str], day: int) -> list[dict[str, Any]]:
        path = tmp_path / f"{day}.jsonl"
        told = ("fix the footer of the start page", *words, "thanks", "now run the tests again")
        path.write_text("\n".join(map(json.dumps, make_lines(told, day, str(project)))) + "\n")
        assert here("capture-session", path, "--agent", "claude-code").code == 0
        assert here("maintain", "--quiet").code == 0
        found: list[dict[str, Any]] = here("inbox", "--all", "--json").data["items"]
        return found

    return take


def approve_all(here: Run, items: list[dict[str, Any]]) -> str:
    """The id of the one record that was approved."""
    [one] = items
    assert here("inbox", "--json", "--approve", one["id"]).code == 0
    assert here("maintain", "--quiet").code == 0
    return str(one["id"])


def list_quotes(here: Run, record: str) -> list[str]:
    return [item["quote"] for item in here("show", record, "--json").data["evidence"]]


@pytest.mark.parametrize(
    "words",
    [
        "uploads are stored in R2 as before",
        "uploads are stored in R2, that hasn't changed",
        "R2 stores the uploads",
    ],
)
def test_what_is_said_again_confirms_its_record_and_nobody_is_asked(
    here: Run, hold: Hold, words: str
) -> None:
    record = approve_all(here, hold(RULE, day=1))
    assert hold(f"rename the button to Send. {words}", day=4) == []
    assert words in list_quotes(here, record)
    assert here("show", record, "--json").data["confirmed_at"].startswith("2026-05-04")


@pytest.mark.parametrize(
    "words",
    [
        "uploads are stored in Backblaze now",
        "the uploads are in Backblaze now, not R2",
    ],
)
def test_another_answer_waits_in_the_inbox_against_its_record(
    here: Run, hold: Hold, words: str
) -> None:
    record = approve_all(here, hold(RULE, day=1))
    [waiting] = hold(f"rename the button to Send. {words}", day=4)
    assert words in waiting["content"]
    assert record in json.dumps(here("show", waiting["id"], "--json").data["links"])
    assert here("show", record, "--json").data["status"] != "superseded"


@pytest.mark.parametrize(
    "words",
    [
        "are uploads stored in R2",
        "should uploads be stored in Backblaze?",
        "maybe uploads should be stored in Backblaze",
        "if uploads are stored in Backblaze we save money",
        "for this one test uploads are stored in Backblaze",
        "a friend keeps his uploads in Backblaze",
        "the upload of the big file is still broken",
        "> uploads are stored in Backblaze",
        ("what do you see?", "Uploads are stored in Backblaze."),
    ],
)
def test_what_is_no_statement_of_the_operator_says_nothing_of_a_record(
    here: Run, hold: Hold, words: str | tuple[str, str]
) -> None:
    record = approve_all(here, hold(RULE, day=1))
    before = list_quotes(here, record)
    said = words if isinstance(words, tuple) else f"rename the button to Send. {words}"
    assert [one for one in hold(said, day=4) if "Backblaze" in one["content"]] == []
    assert list_quotes(here, record) == before


def test_what_is_said_on_two_days_is_asked_about_once(here: Run, hold: Hold) -> None:
    fact = "the ferry terminal has two gates"

    def look_for_patterns() -> list[dict[str, Any]]:
        assert here("maintain", "--step", "patterns", "--quiet").code == 0
        found: list[dict[str, Any]] = here("inbox", "--all", "--json").data["items"]
        return found

    hold(f"rename the button to Send. {fact}", day=1)
    assert look_for_patterns() == []
    hold(f"show the logs of last night. {fact.capitalize()}", day=4)
    [waiting] = look_for_patterns()
    assert waiting["content"].lower().rstrip(".") == fact
    assert len(list_quotes(here, waiting["id"])) == 2
    assert here("inbox", "--reject", waiting["id"], "--json").code == 0
    hold(f"make the page wider. {fact}", day=9)
    assert look_for_patterns() == []
