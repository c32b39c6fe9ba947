"""Tags, by the real command: given, taken off, undone, found, counted, carried to another store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Here = Callable[..., Any]

TIDES = "Tide tables come from the harbour office"


def list_tags(here: Here, *more: object) -> dict[str, int]:
    """The tags in use with their numbers of records."""
    found: dict[str, int] = here("list", "--tags", "--json", *more).data["tags"]
    return found


@pytest.fixture
def tagged(here: Here, operator: None) -> str:
    """A record with two tags, and one without any; returns the id of the first."""
    assert here("init").code == 0
    done = here("ingest", TIDES, "--tag", "Tides", "--tag", "#data/Open Sources", "--json")
    assert done.code == 0, done.stderr
    assert here("ingest", "The cache of the office is redis").code == 0
    return str(done.data["items"][0]["record"]["id"])


def test_a_tag_has_one_spelling_and_is_shown_counted_and_searched(here: Here, tagged: str) -> None:
    assert here("show", tagged, "--json").data["tags"] == ["data/open-sources", "tides"]
    assert "tags: #data/open-sources #tides" in here("show", tagged).stdout
    assert list_tags(here) == {"data/open-sources": 1, "tides": 1}
    assert [item["id"] for item in here("list", "--tag", "TIDES", "--json").data["items"]] == [
        tagged
    ]
    both = here("list", "--tag", "tides", "--tag", "nothing", "--json").data["items"]
    assert both == [], "of several tags it has all"
    found = here("search", "office", "--tag", "tides", "--json").data["items"]
    assert [hit["id"] for hit in found] == [tagged]
    assert len(here("search", "office", "--json").data["items"]) == 2


def test_a_record_is_found_by_the_words_of_its_tags(here: Here, operator: None) -> None:
    here("init")
    made = here("ingest", TIDES, "--tag", "oceanography", "--json").data["items"][0]["record"]["id"]
    found = here("search", "oceanography", "--json").data["items"]
    assert [hit["id"] for hit in found] == [made]


def test_tags_are_no_entities_to_who_reads(here: Here, tagged: str) -> None:
    assert here("entity", "list", "--json").data["items"] == []
    assert here("show", tagged, "--json").data["entities"] == []


def test_what_is_tagged_by_hand_is_undone_by_its_number(here: Here, tagged: str) -> None:
    assert here("edit", tagged, "--tag", "sea", "--untag", "tides").code == 0
    assert here("show", tagged, "--json").data["tags"] == ["data/open-sources", "sea"]
    change = here("log", "changes", "--json").data["changes"][0]
    assert (change["before"]["tags"], change["after"]["tags"]) == (
        ["data/open-sources", "tides"],
        ["data/open-sources", "sea"],
    )
    assert here("revert", change["seq"], "--yes").code == 0
    assert here("show", tagged, "--json").data["tags"] == ["data/open-sources", "tides"]
    assert here("show", tagged, "--json").data["status"] == "active"


def test_a_list_of_a_past_time_knows_the_tags_of_then(here: Here, tagged: str) -> None:
    at = here("list", "--json").data["items"][0]["updated_at"]  # of the record written after it
    assert here("edit", tagged, "--untag", "tides").code == 0
    then = here("list", "--tag", "tides", "--as-of", at, "--json").data["items"]
    assert [item["id"] for item in then] == [tagged]
    assert here("list", "--tag", "tides", "--json").data["items"] == []


@pytest.mark.parametrize("text", ["", "#", "a b!", "2026", "x" * 61, "a//b", "/a", "sk-", "🙂"])
def test_what_is_no_tag_is_refused_and_nothing_written(here: Here, tagged: str, text: str) -> None:
    refused = here("edit", tagged, "--tag", text)
    assert refused.code == 2 and "tag" in refused.stderr
    assert here("show", tagged, "--json").data["tags"] == ["data/open-sources", "tides"]


def test_a_candidate_is_filed_as_it_is_approved(
    here: Here, operator: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    here("init")
    with monkeypatch.context() as patch:
        patch.delenv("MEMCTL_CONFIG")
        done = here("ingest", "Run make check", "--kind", "command", "--tag", "ci", "--json")
    waiting = done.data["items"][0]["record"]["id"]
    assert here("show", waiting, "--json").data["status"] == "inbox"
    listed = here("inbox", "--tag", "ci", "--json").data["items"]
    assert [item["id"] for item in listed] == [waiting]
    assert here("inbox", "--approve", waiting, "--tag", "Build").code == 0
    shown = here("show", waiting, "--json").data
    assert (shown["status"], shown["tags"]) == ("active", ["build", "ci"])


def test_two_stores_keep_the_tags_of_both_but_those_that_one_took_off(
    here: Here, tagged: str, tmp_path: Path
) -> None:
    other = ("--db", tmp_path / "other.db")
    assert here("init", *other).code == 0

    def carry(source: tuple[object, ...], target: tuple[object, ...], name: str) -> None:
        assert here("export", tmp_path / name, *source).code == 0
        assert here("import", tmp_path / name, "--from", "mine", *target).code == 0

    carry((), other, "one")
    assert list_tags(here, *other) == {"data/open-sources": 1, "tides": 1}
    assert here("edit", tagged, "--tag", "there", *other).code == 0
    assert here("edit", tagged, "--untag", "tides", "--tag", "mine").code == 0
    carry((), other, "two")
    carry(other, (), "three")
    wanted = {"data/open-sources": 1, "there": 1, "mine": 1}
    assert list_tags(here) == list_tags(here, *other) == wanted
    carry((), other, "four")
    assert list_tags(here, *other) == wanted, "an older file brings nothing back"
    assert here("edit", tagged, "--tag", "tides").code == 0
    carry((), other, "five")
    assert list_tags(here, *other) == {**wanted, "tides": 1}


def test_what_is_purged_leaves_no_tag(here: Here, tagged: str, db: Path) -> None:
    assert here("edit", tagged, "--tag", "xylophonist").code == 0
    assert here("purge", tagged, "--yes").code == 0
    assert list_tags(here) == {}
    assert b"xylophonist" not in db.read_bytes()
