"""Why an agent is not told a record at a prompt or at a start, through the real command: what it
says is what the hook does.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl import hook

Here = Callable[..., Any]
PROMPT = "pull up my notes on Windrose before the call"


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch, operator: None) -> None:
    """No vectors, whatever is installed: what is printed must not depend on it."""
    monkeypatch.setenv("MEMCTL_EMBEDDING_MODEL", "none")


def wrote(here: Here, content: str, *options: str) -> str:
    """The id of a record that was written by hand."""
    where = () if {"--project", "--scope"} & set(options) else ("--global",)
    return str(here("ingest", content, *where, *options, "--json").data["items"][0]["record"]["id"])


def prompted(prompt: str, session: str = "s1") -> str:
    """What the hook tells an agent at a prompt."""
    payload = {
        "session_id": session,
        "cwd": str(Path.cwd()),
        "prompt": prompt,
        "hook_event_name": "UserPromptSubmit",
    }
    return hook.run_hook("claude-code", "UserPromptSubmit", json.dumps(payload).encode())


def why(here: Here, record: str, way: str, *words: str) -> Any:
    """What the command says of a record."""
    return here("search", *words, "--why-not", record, "--as", way, "--json").data


def test_a_record_that_the_hook_tells_is_said_to_be_told(here: Here) -> None:
    record = wrote(here, "Windrose closes its books on the 25th")
    assert record[:10] in prompted(PROMPT)
    answer = why(here, record, "prompt", PROMPT)
    assert (answer["reason"], answer["way"]) == ("returned", "prompt")
    assert answer["sentence"] == "The agent is told it, in the section task."


def test_a_record_found_by_a_search_but_not_called_for_names_the_threshold(here: Here) -> None:
    record = wrote(here, "Functions above a complexity of fifteen are split")
    prompt = "call the other function twice"
    assert prompted(prompt) == ""
    assert why(here, record, "search", prompt)["reason"] == "returned"
    answer = why(here, record, "prompt", prompt)
    assert answer["reason"] == "below_floor"
    assert "0.50 is needed (context.prompt_threshold)" in answer["sentence"]
    assert "It shares 'function' with the prompt." in answer["sentence"]


def test_idle_words_are_named_as_the_reason(here: Here) -> None:
    record = wrote(here, "Windrose closes its books on the 25th")
    assert prompted("yes, go ahead") == ""
    sentence = why(here, record, "prompt", "yes, go ahead")["sentence"]
    assert sentence == "The prompt has only words that nearly every one has, and asks nothing."


def test_a_record_of_another_project_is_said_to_be_of_it(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mill", "harbour"):
        subprocess.run(["git", "init", "-q", str(tmp_path / name)], check=True)
    monkeypatch.chdir(tmp_path / "harbour")
    record = wrote(here, "Windrose closes its books on the 25th", "--scope", "project")
    monkeypatch.chdir(tmp_path / "mill")
    assert prompted(PROMPT) == ""
    answer = why(here, record, "prompt", PROMPT)
    assert answer["reason"] == "other_project"
    assert answer["sentence"] == "It is of the project harbour, which is not linked with this one."


def test_what_the_session_was_told_before_is_said_to_be(here: Here) -> None:
    record = wrote(here, "Windrose closes its books on the 25th")
    assert record[:10] in prompted(PROMPT)
    assert prompted(PROMPT) == ""
    session = ("--session", "s1", "--agent", "claude-code")
    answer = why(here, record, "prompt", PROMPT, *session)
    assert answer["reason"] == "told_before"
    assert "(context.omit_already_served)" in answer["sentence"]


def test_what_finds_no_room_names_the_budget(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    record = wrote(here, "Windrose closes its books on the 25th")
    monkeypatch.setenv("MEMCTL_CONTEXT_PROMPT_BUDGET", "1")
    assert prompted(PROMPT) == ""
    answer = why(here, record, "prompt", PROMPT)
    assert answer["reason"] == "no_room"
    assert "the budget is 1 tokens (context.prompt_budget)" in answer["sentence"]


def test_what_is_pinned_is_left_to_the_start(here: Here) -> None:
    record = wrote(here, "Windrose closes its books on the 25th", "--always-load")
    assert prompted(PROMPT) == ""
    assert why(here, record, "prompt", PROMPT)["reason"] == "pinned"
    assert why(here, record, "start")["reason"] == "returned"


def test_a_rejected_record_is_said_to_be_rejected_at_every_way(here: Here) -> None:
    record = wrote(here, "Windrose closes its books on the 25th")
    here("forget", record, "--reason", "sold")
    for way, words in (("prompt", [PROMPT]), ("start", []), ("search", [PROMPT])):
        answer = why(here, record, way, *words)
        assert answer["reason"] == "archived" and "sold" in answer["sentence"]


def test_a_start_says_that_others_are_stronger(here: Here) -> None:
    weak = wrote(here, "The old crane is yellow", "--confidence", "0.3", "--kind", "idea")
    for number in range(12):
        wrote(here, f"Crane number {number} lifts {number} tons of grain", "--global")
    answer = why(here, weak, "start")
    assert answer["reason"] in ("not_chosen", "returned")
    told = here("context", "--json").data
    is_told = any(weak == item["id"] for section in told["sections"] for item in section["items"])
    assert (answer["reason"] == "returned") == is_told


def test_the_way_is_of_use_only_with_a_record(here: Here) -> None:
    said = here("search", "redis", "--as", "prompt")
    assert said.code == 2 and "--as belongs to --why-not" in said.stderr


def test_a_prompt_to_be_explained_has_words(here: Here) -> None:
    record = wrote(here, "Windrose closes its books on the 25th")
    assert here("search", "--why-not", record, "--as", "prompt").code == 2
