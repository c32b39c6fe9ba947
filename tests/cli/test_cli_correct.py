"""Why something was decided goes with the words that it was said of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cli.conftest import Said

Here = Callable[..., Said]
OLD, NEW = "Tides are cached in SQLite", "Tides are cached in Postgres"
pytestmark = pytest.mark.usefixtures("operator")


def decide(here: Here, content: str = OLD, rationale: str = "one file is enough") -> str:
    done = here(
        "ingest", content, "--type", "decision", "--rationale", rationale, "--scope", "global",
        "--json",
    )  # fmt: skip
    told: str = done.data["items"][0]["record"]["id"]
    return told


def tell_rationale(here: Here, said: Said) -> str | None:
    told: str | None = said.data["changed"][0]["rationale"]
    return told


def test_a_decision_is_not_corrected_with_the_rationale_of_the_old_words(here: Here) -> None:
    record = decide(here)
    refused = here("correct", record, NEW)
    assert refused.code == 2 and "'one file is enough'" in refused.stderr
    assert "--keep-rationale" in refused.stderr
    assert OLD in here("list").stdout and NEW not in here("list").stdout


@pytest.mark.parametrize(
    ("options", "rationale"),
    [
        (("--rationale", "several machines write"), "several machines write"),
        (("--reason", "several machines write"), "several machines write"),
        (("--keep-rationale",), "one file is enough"),
    ],
)
def test_it_is_corrected_with_one_that_is_said_or_kept_by_name(
    here: Here, options: tuple[str, ...], rationale: str
) -> None:
    done = here("correct", decide(here), NEW, *options, "--json")
    assert done.code == 0 and tell_rationale(here, done) == rationale


def test_what_is_no_decision_loses_the_reason_of_its_old_words(here: Here) -> None:
    said = ("ingest", "I like UTC", "--type", "profile", "--rationale", "local times repeat")
    record = here(*said, "--json").data["items"][0]["record"]
    assert record["rationale"] == "local times repeat"
    done = here("correct", record["id"], "I like seconds since 1970", "--json")
    assert done.code == 0 and tell_rationale(here, done) is None


def test_to_say_and_to_keep_it_exclude_each_other(here: Here) -> None:
    both = ("--rationale", "x", "--keep-rationale")
    assert here("correct", decide(here), NEW, *both).code == 2


def test_approving_all_goes_on_behind_a_decision_without_a_rationale_and_names_it(
    here: Here, candidates: list[dict[str, Any]]
) -> None:
    here("ingest", "Gauges answer at ten", "--type", "decision", "--scope", "global")
    done = here("inbox", "--approve-all", "--all")
    assert done.code == 1 and done.stdout.count("approved  ") > 1
    assert "only with a rationale" in done.stdout
    left = [item["content"] for item in here("inbox", "--all", "--json").data["items"]]
    assert "Gauges answer at ten" in left and len(left) < len(candidates)
