"""Why a search answered as it did, through the real command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Here = Callable[..., Any]


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch, operator: None) -> None:
    """No vectors, whatever is installed: what is printed must not depend on it."""
    monkeypatch.setenv("MEMCTL_EMBEDDING_MODEL", "none")


def wrote(here: Here, content: str, *options: str) -> str:
    """The id of a record that holds everywhere, or where the options say."""
    where = () if {"--project", "--scope"} & set(options) else ("--global",)
    return str(here("ingest", content, *where, *options, "--json").data["items"][0]["record"]["id"])


def asked(here: Here, *words: str) -> str:
    """The id of the retrieval that a search or context was."""
    return str(here(*words, "--json").data["retrieval_id"])


def test_an_explained_search_says_how_each_score_came_about(here: Here) -> None:
    best, same = (
        wrote(here, "Bake the bricks twice in the old kiln at night"),
        wrote(here, "Kiln doors are green"),
    )
    said = here("search", "bake bricks twice kiln", "--limit", "1", "--explain").stdout.splitlines()
    assert (
        said[0].endswith("Bake the bricks twice in the old kiln at night") and best[:10] in said[0]
    )
    assert said[2].strip().startswith("lexical 0.") and said[2].endswith("scope global")
    assert (
        said[3].strip().startswith("relevance 0.") and "words bake, bricks, twice, kiln" in said[3]
    )
    assert '"Bake the bricks twice in the old kiln at night" (you said it, 20' in said[4]
    assert (
        said[5].startswith("Relevance thresholds: 0.")
        and "(search.relevance_threshold is 0.08, search.other_project_threshold is 0.45)."
        in said[5]
    )
    assert said[6] == "Just missed:" and said[7].strip().startswith(
        "beyond the limit  relevance 0."
    )
    assert said[7].endswith(f"{same[:10]}  Kiln doors are green")
    assert said[8] == "(word matches only; embedding.model is none)"


def test_an_explained_search_has_the_same_as_json(here: Here) -> None:
    wrote(here, "Bake the bricks twice in the old kiln at night")
    wrote(here, "Kiln doors are green")
    plain, found = (
        here("search", "kiln", "--limit", "1", "--json").data,
        here("search", "kiln", "--limit", "1", "--explain", "--json").data,
    )
    assert plain["thresholds"] == {} and plain["near_misses"] == []
    assert set(found["thresholds"]) == {
        "relevance_threshold",
        "other_project_threshold",
        "search.relevance_threshold",
        "search.other_project_threshold",
    }
    (miss,) = found["near_misses"]
    assert (miss["reason"], miss["title"]) == (
        "beyond_limit",
        "Bake the bricks twice in the old kiln at night",
    )
    assert found["items"][0]["matched"] == ["kiln"] and found["items"][0]["relevance"] > 0.1


def test_a_long_quote_is_cut_and_many_are_counted(here: Here) -> None:
    wrote(here, f"Kiln {'and the bricks ' * 30}")
    said = here("search", "kiln", "--explain").stdout
    quote = next(line for line in said.splitlines() if line.strip().startswith('"'))
    assert quote.endswith("…") and len(quote) < 130


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("forget", "--reason", "not so"), "It was forgotten: not so."),
        (
            ("edit", "--valid-until", "2020-01-01T00:00:00Z"),
            "It was valid until 2020-01-01T00:00:00.000Z.",
        ),
        (
            ("edit", "--content", "Nothing of the sort", "--title", "Other", "--summary", "Other"),
            "It holds none of the query's words."
            " Semantic similarity was not compared: this search had no vectors.",
        ),
    ],
)
def test_absence_has_its_sentence(here: Here, change: tuple[str, ...], sentence: str) -> None:
    some_id = wrote(here, "Kiln bricks")
    verb, *options = change
    assert here(verb, some_id, *options).code == 0
    assert sentence in here("search", "kiln", "--why-not", some_id[:12]).stdout.splitlines()[1]


def test_a_corrected_record_names_what_holds_now(here: Here) -> None:
    first = wrote(here, "Kiln bricks are red")
    second = here("correct", first, "Kiln bricks are blue", "--json").data["changed"][0]["id"]
    third = here("correct", second, "Kiln bricks are green", "--json").data["changed"][0]["id"]
    assert here("search", "kiln", "--why-not", first).stdout.splitlines()[1] == (
        f"  It was superseded by {second[:10]} “Kiln bricks are blue”,"
        f" and that by {third[:10]} “Kiln bricks are green”, which holds now."
    )


def test_the_limit_and_a_filter_and_another_project_have_their_sentences(here: Here) -> None:
    weak = wrote(
        here, "Kiln bricks and much else that is not asked for here", "--confidence", "0.1"
    )
    wrote(here, "Kiln bricks")
    assert (
        "It is number 2 of 2, beyond the limit of 1, with a score of 0."
        in here("search", "kiln bricks", "--limit", "1", "--why-not", weak).stdout
    )
    assert (
        "The filter on type leaves it out: it has project."
        in here("search", "kiln", "--type", "decision", "--why-not", weak).stdout
    )
    assert "It is among the results." in here("search", "kiln bricks", "--why-not", weak).stdout


def test_an_agent_learns_nothing_of_anothers_note(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here("init")
    some_id = wrote(here, "The kiln is haunted", "--scope", "agent", "--agent", "codex")
    assert "haunted" in here("search", "kiln", "--agent", "codex").stdout
    monkeypatch.setenv("MEMCTL_AGENT", "gemini-cli")
    said = here("search", "kiln", "--why-not", some_id)
    assert said.code == 20 and "codex" not in said.stdout + said.stderr, "as if there were none"
    assert "haunted" not in here("search", "kiln", "--why-not", some_id, "--json").stdout


def test_a_past_search_is_shown_with_all_that_was_asked_and_found(here: Here) -> None:
    wrote(here, "Bake the bricks twice in the old kiln at night")
    some_id = asked(
        here, "search", "bake bricks twice kiln", "--min-confidence", "0.2", "--limit", "3"
    )
    said = here("explain", some_id).stdout.splitlines()
    assert (
        said[0].startswith(f"search {some_id} at 20")
        and said[1] == "  query: bake bricks twice kiln"
    )
    assert said[2] == "  filters: limit 3, min_confidence 0.2"
    assert (
        said[3].startswith("  asked at 20")
        and "and 0.45 in other projects, word matches only" in said[3]
    )
    assert said[4] == "(word matches only; embedding.model is none)"
    assert (
        "  returned  " in said[5]
        and "scope global" in said[6]
        and "words bake, bricks, twice, kiln" in said[7]
    )
    run = here("explain", some_id, "--json").data["retrieval"]["filters"]["run"]
    assert (
        run["model"] is None and run["other_project_floor"] == 0.45 and run["now"].startswith("20")
    )


def test_a_past_context_is_shown_with_its_lines(here: Here) -> None:
    wrote(here, "Bake the bricks twice", "--kind", "constraint")
    wrote(here, "Use lime", "--type", "decision", "--rationale", "it breathes")
    some_id = asked(
        here,
        "context",
        "--task",
        "bake the bricks",
        "--phase",
        "plan",
        "--level",
        "1",
        "--session",
        "s-1",
    )
    said = here("explain", some_id).stdout
    assert (
        "phase plan" in said
        and "budget 2000" in said
        and "session s-1" in said
        and "It returned 2 lines:" in said
    )
    assert "  decisions  01" in said


def test_a_replay_says_what_differs_and_changes_nothing(here: Here) -> None:
    old = wrote(here, "Kiln bricks are red")
    some_id = asked(here, "search", "kiln bricks")
    assert here("explain", some_id, "--replay").stdout.splitlines()[-1] == (
        "Nothing would differ: 1 record, in the same order, with the same scores."
    )
    new = here("correct", old, "Kiln bricks are blue", "--json").data["changed"][0]["id"]
    lines = len(here("log", "retrievals", "--json").data["retrievals"])
    said = here("explain", some_id, "--replay").stdout.splitlines()
    assert said[2].startswith(f"missing  1 -> -  {old[:10]}") and said[3].strip().startswith(
        f"It was superseded by {new[:10]}"
    )
    assert said[5].startswith(f"new  - -> 1  {new[:10]}") and said[6].strip().startswith(
        "It was stored on 20"
    )
    assert said[-1] == "1 record then, 1 now."
    data = here("explain", some_id, "--replay", "--json").data
    assert [change["what"] for change in data["changes"]] == ["missing", "new"] and not data["same"]
    assert data["records"][old]["status"] == "superseded"
    assert len(here("log", "retrievals", "--json").data["retrievals"]) == lines


def test_a_replay_names_settings_that_differ(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    wrote(here, "Kiln bricks are red and blue and green")
    some_id = asked(here, "search", "kiln zeppelin")
    monkeypatch.setenv("MEMCTL_SEARCH_OTHER_PROJECT_THRESHOLD", "0.6")
    said = here("explain", some_id, "--replay").stdout.splitlines()
    assert said[-2] == "threshold in other projects: 0.45 then, 0.6 now"
    assert (
        said[-1]
        == "The answer would be the same: 1 record, in the same order, with the same scores."
    )


def test_only_a_retrieval_can_be_replayed(here: Here) -> None:
    said = here("explain", wrote(here, "Kiln bricks"), "--replay")
    assert said.code == 20 and "no retrieval begins with" in said.stderr
