"""`memctl maintain` for a person and for cron: plan, single steps, budget, output, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Memctl = Callable[..., Any]


@pytest.fixture
def here(memctl: Memctl, db: Path) -> Memctl:
    """The command on a store with one session in it."""
    assert memctl("init").code == 0
    chat = (
        "User: We decided to use SQLite because one file is easy to copy.\n"
        "Assistant: Done, the tests pass.\n"
    )
    assert memctl("capture-conversation", stdin=chat).code == 0
    return memctl


def test_the_plan_is_shown_with_its_reasons(here: Memctl) -> None:
    text = here("maintain", "--dry-run").stdout
    assert text.startswith("would take these steps:\n")
    assert "  extract      1 waiting\n" in text and "  optimise     never done yet\n" in text
    assert (
        "not take_in: nothing waiting\n" in text
        and "not model: maintain.model names none\n" in text
    )


def test_a_dry_run_under_a_budget_shows_what_each_step_is_sure_of(here: Memctl) -> None:
    steps = here("maintain", "--dry-run", "--budget", "1m", "--json").data["steps"]
    assert 0 < sum(step["reserved_seconds"] for step in steps) <= 30.001
    assert {step["state"] for step in steps} <= {"planned", "perhaps", "skipped"}


def test_each_step_that_did_something_has_a_line_and_the_next_run_is_quiet(here: Memctl) -> None:
    first = here("maintain")
    assert first.code == 0 and "extract " in first.stdout and "candidate proposed" in first.stdout
    assert "backup " in first.stdout and "age " not in first.stdout
    assert "extract" not in here("maintain").stdout


def test_json_has_the_totals_and_every_step(here: Memctl) -> None:
    data = here("maintain", "--json").data
    extract = next(step for step in data["steps"] if step["name"] == "extract")
    assert data["jobs_done"] == extract["counts"]["jobs_done"] == 1
    assert set(extract) == {
        "name",
        "state",
        "reason",
        "counts",
        "seconds",
        "position",
        "waiting",
        "reserved_seconds",
    }


def test_a_step_taken_alone(here: Memctl) -> None:
    data = here("maintain", "--step", "extract", "--step", "retention", "--json").data
    assert [(step["name"], step["state"]) for step in data["steps"]] == [
        ("extract", "done"),
        ("retention", "done"),
    ]


def test_an_unknown_step_is_wrong_usage_with_a_suggestion(here: Memctl) -> None:
    done = here("maintain", "--step", "extrakt")
    assert done.code == 2 and "did you mean extract?" in done.stderr


@pytest.mark.parametrize("span", ["soon", "0s", "-3s", "5"])
def test_a_budget_is_a_span_of_time(here: Memctl, span: str) -> None:
    assert here("maintain", f"--budget={span}").code == 2


def test_the_list_of_steps_tells_what_each_is_for_and_how_it_fared(here: Memctl) -> None:
    assert "never ran" in here("maintain", "--steps").stdout
    assert here("maintain", "--budget", "5m").code == 0
    text = here("maintain", "--steps").stdout
    assert "extract      propose memories from captured sessions" in text
    items = {
        item["name"]: item
        for item in json.loads(here("maintain", "--steps", "--json").stdout)["data"]["items"]
    }
    assert items["extract"]["state"] == "done" and items["extract"]["counts"]["jobs_done"] == 1
