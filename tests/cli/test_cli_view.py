"""`memctl view`, and `--view` of a search and a context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def filled(here: Run, operator: None) -> None:
    """Records of three kinds, one of them global."""
    for words in (
        ("Never run the kiln unattended", "--kind", "constraint"),
        ("The kiln is fired with gas", "--kind", "fact"),
        ("Kiln logs are kept for ever", "--kind", "convention"),
        ("A kiln needs a licence", "--kind", "fact", "--global"),
    ):
        assert here("ingest", *words).code == 0


def found(here: Run, *words: str) -> set[str]:
    said = here("search", *words, "--json")
    assert said.code == 0, said.stdout
    return {item["kind"] for item in said.data["items"]}


def test_a_search_begins_from_its_view(here: Run, filled: None) -> None:
    assert (
        here("view", "save", "rules", "kiln", "--kind", "constraint", "--kind", "convention").code
        == 0
    )
    assert found(here, "--view", "rules") == {"constraint", "convention"}
    assert found(here, "kiln") == {"constraint", "convention", "fact"}


def test_words_beside_a_view_are_added_and_options_count_more(here: Run, filled: None) -> None:
    here("view", "save", "rules", "kiln", "--kind", "constraint", "--limit", "1")
    assert (
        here("search", "--view", "rules", "unattended", "--json").data["query"] == "kiln unattended"
    )
    assert found(here, "--view", "rules", "--kind", "fact") == {"fact"}
    assert (
        len(
            here("search", "--view", "rules", "--kind", "fact", "--limit", "5", "--json").data[
                "items"
            ]
        )
        == 2
    )


def test_a_view_without_words_waits_for_them(here: Run, filled: None) -> None:
    here("view", "save", "facts", "--kind", "fact")
    assert found(here, "--view", "facts", "kiln") == {"fact"}
    missing = here("search", "--view", "facts")
    assert (
        missing.code == 2
        and "QUERY" in missing.stderr
        and "see: memctl search --help" in missing.stderr
    )


def scopes(here: Run, *words: str) -> set[str]:
    """Whose records a search finds, seen from where it stands."""
    return {item["matched_scope"] for item in here("search", *words, "--json").data["items"]}


def test_the_place_of_the_command_line_counts_more_than_the_views(here: Run, filled: None) -> None:
    here("view", "save", "everywhere", "kiln", "--global")
    assert scopes(here, "--view", "everywhere") == {"global", "other project"}
    assert scopes(here, "--view", "everywhere", "--project", "work") == {"global", "project"}
    here("view", "save", "elsewhere", "kiln", "--project", "no-such-project")
    assert here("search", "--view", "elsewhere").code == 20
    assert scopes(here, "--view", "elsewhere", "--global") == {"global", "other project"}


def test_a_span_means_each_time_the_days_before(here: Run, filled: None) -> None:
    saved_view = here("view", "save", "news", "kiln", "--since", "7d", "--json")
    assert saved_view.data["items"][0]["options"]["since"] == "7d"
    assert found(here, "--view", "news")
    assert found(here, "--view", "news", "--since", "2099-01-01") == set()
    assert here("view", "save", "never", "kiln", "--since", "yesterday-ish").code == 2


def test_a_context_begins_from_its_view(here: Run, filled: None) -> None:
    made = here(
        "view",
        "save",
        "start",
        "--context",
        "--phase",
        "plan",
        "--budget",
        "300",
        "--level",
        "0",
        "--format",
        "xml",
    )
    assert (
        made.code == 0
        and "start  context --phase plan --budget 300 --level 0 --format xml" in made.stdout
    )
    report = here("context", "--view", "start", "--json").data
    assert [report[key] for key in ("phase", "budget", "level", "format")] == [
        "plan",
        300,
        0,
        "xml",
    ]
    report = here("context", "--view", "start", "--phase", "work", "--level", "2", "--json").data
    assert [report[key] for key in ("phase", "budget", "level", "format")] == [
        "work",
        300,
        2,
        "xml",
    ]
    assert here("context", "--view", "start").stdout.startswith("<memctl-context")


def test_level_nought_on_the_command_line_counts_more_than_the_views(
    here: Run, filled: None
) -> None:
    here("view", "save", "full", "--context", "--level", "2")
    assert here("context", "--view", "full", "--level", "0", "--json").data["level"] == 0


def test_what_goes_wrong_with_a_view_is_said_with_its_code(here: Run, filled: None) -> None:
    assert (here("search", "--view", "nope").code, here("context", "--view", "nope").code) == (
        20,
        20,
    )
    assert (here("view", "show", "nope").code, here("view", "delete", "nope").code) == (20, 20)
    here("view", "save", "rules", "kiln")
    assert (
        here("view", "save", "rules", "kiln").code,
        here("view", "save", "rules", "oven", "--replace").code,
    ) == (2, 0)
    assert here("context", "--view", "rules").code == 2
    assert here("view", "save", "rules", "kiln", "--budget", "3", "--replace").code == 2
    assert here("view", "save", "other", "kiln", "--context").code == 2


def test_views_are_shown_as_they_would_be_typed(here: Run, filled: None) -> None:
    assert here("view", "list").stdout == "No saved views.\n"
    here("view", "save", "rules", "kiln door", "--kind", "a b", "--all-projects", "--global")
    assert (
        here("view", "list").stdout
        == "rules  search 'kiln door' --kind 'a b' --global --all-projects\n"
    )
    assert here("view", "show", "rules", "--json").data["items"][0]["options"] == {
        "query": "kiln door",
        "kinds": ["a b"],
        "everywhere": True,
        "all_projects": True,
    }
    assert here("view", "delete", "rules").stdout.startswith("deleted  rules")
