"""`memctl conflicts` and `memctl resolve`, and how other commands print superseded records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from bench import Bench

from memctl.cli.text import renderers


@pytest.fixture
def pair(here: Callable[..., Any], operator: None) -> tuple[str, str]:
    """The ids of two records of the operator that cannot both hold."""
    said = [
        here("ingest", f"The default branch is {name}", "--global", "--json")
        for name in ("main", "trunk")
    ]
    one, other = (run.data["items"][0]["record"]["id"] for run in said)
    return one, other


def test_both_sides_come_with_the_commands_that_settle_it(
    here: Callable[..., Any], pair: tuple[str, str]
) -> None:
    [item] = here("conflicts", "--json").data["items"]
    assert [side["id"] for side in item["sides"]] == list(pair)
    assert {"short", "text", "trust", "observed_at", "evidence", "status", "type"} <= set(
        item["sides"][0]
    )
    assert (item["newer"], item["sides"][0]["trust"]) == (pair[1], "operator_said")
    for command in item["commands"]:
        assert here(*command.split()[1:], "--dry-run", "--json").code == 0, command
    assert here(*item["commands"][0].split()[1:]).code == 0
    assert here("conflicts", "--json").data["items"] == []


def test_each_way_is_said_with_its_own_options(
    here: Callable[..., Any], pair: tuple[str, str]
) -> None:
    one, other = pair
    for wrong in (
        ["resolve", one, other],
        ["resolve", one, other, "--keep", one, "--dismiss"],
        ["resolve", one, other, "--both", "--scope", one],
        ["resolve", one, other, "--both", "--until", f"{one}=whenever"],
        ["resolve"],
    ):
        assert here(*wrong).code == 2, wrong
    assert here("resolve", "01NOBODY", "--dismiss").code == 20
    assert here("resolve", one, other, "--both", "--scope", f"{one}=galaxy").code == 2


def test_without_a_terminal_what_the_operator_said_is_only_proposed(
    here: Callable[..., Any], pair: tuple[str, str], monkeypatch: Any
) -> None:
    monkeypatch.delenv("MEMCTL_OPERATOR_REQUIRE_TERMINAL", raising=False)
    monkeypatch.delenv("MEMCTL_CONFIG", raising=False)
    asked = here("resolve", *pair, "--keep", pair[0], "--json")
    assert asked.code == 0 and asked.data["proposed"] and asked.data["proposal"]
    assert {view["status"] for view in asked.data["changed"]} == {"contradicted"}
    assert here("resolve", *pair, "--keep", pair[0], "--json").data["proposal"] is None


def test_a_person_is_told_short_ids_of_what_a_candidate_replaces_and_contradicts(
    bench: Bench,
) -> None:
    active = bench.put("The default branch is main")
    proposed = bench.agent.records.correct(active.id, "The default branch is trunk")
    page = "\n".join(renderers.render(bench.operator.inbox.list()))
    assert (
        f"replaces {bench.operator.records.show(active.id).short}" in page and active.id not in page
    )
    bench.operator.promote([proposed.changed[0].memory.id])
    bench.operator.records.correct(proposed.changed[0].memory.id, "The default branch is develop")
    shown = bench.operator.records.show(active.id)
    told = "\n".join(renderers.render(shown))
    assert (
        f"superseded by: {shown.shorts[shown.superseded_by or '']}"
        f" (over {proposed.changed[0].short})" in told
    )
