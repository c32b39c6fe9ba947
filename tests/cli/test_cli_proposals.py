"""Proposals at the inbox of the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memctl.curate import proposal_decisions
from memctl.engine.memory_engine import MemoryEngine
from memctl.records import proposals


def test_the_inbox_takes_ids_of_candidates_and_proposals_in_one_call(
    here: Callable[..., Any], operator: None
) -> None:
    kept = here("ingest", "The ferry leaves at nine", "--json").data["items"][0]["record"]["id"]
    assert here("inbox").stdout == "Nothing here.\n"
    with MemoryEngine.open() as engine:
        asked = (
            proposals.offer_proposal(
                engine.open_to_write(), "archive", kept, reason="not used", actor="maintain"
            )
            or ""
        )
    told = here("inbox").stdout
    assert "Proposals:" in told and asked[:10] in told and "The ferry leaves at nine" in told
    assert here("inbox", "--json").data["proposals"][0]["id"] == asked
    done = here("inbox", "--approve", asked[:14], "--json")
    assert done.code == 0 and done.data["proposals"][0]["state"] == "accepted"
    assert here("show", kept, "--json").data["status"] == "archived"
    assert here("inbox", "--approve", "01NOTHING").code == 20


def test_a_review_goes_through_proposals_after_the_candidates(
    here: Callable[..., Any], pty_memctl: Callable[..., Any]
) -> None:
    ids = [
        here("ingest", text, "--json").data["items"][0]["record"]["id"]
        for text in ("The ferry leaves at nine", "The kiln is lit at dawn")
    ]
    with MemoryEngine.open() as engine:
        asked = [
            proposals.offer_proposal(
                engine.open_to_write(), "archive", one, reason="not used for long", actor="maintain"
            )
            for one in ids
        ]
    prompt = r"\[q\]uit:"
    seen = pty_memctl("inbox", "--review", answers=[(prompt, "a"), (prompt, "r")])
    assert (
        seen.code == 0 and "proposal 2 of 2" in seen.stdout and "not used for long" in seen.stdout
    )
    # Proposals of one millisecond come in any order.
    statuses = [here("show", one, "--json").data["status"] for one in ids]
    assert sorted(statuses) == ["active", "archived"]
    assert all(asked) and here("inbox", "--json").data["proposals"] == []


def test_proposals_of_every_kind_go_into_another_store_with_their_history(
    here: Callable[..., Any], operator: None, tmp_path: Path
) -> None:
    words = ("The ferry leaves at nine", "--entity", "person:Olga", "--entity", "person:Olya")
    kept = here("ingest", *words, "--json").data["items"][0]["record"]["id"]
    pair = [each["id"] for each in here("entity", "list", "--json").data["items"]]
    about = {
        "archive": kept,
        "mute": "operator.statement",
        "merge_entities": " ".join(pair),
        "resolve": f"{kept} {kept}",
    }
    assert about.keys() == proposal_decisions.HANDLERS.keys()
    with MemoryEngine.open() as engine:
        asked = {
            kind: proposals.offer_proposal(
                engine.open_to_write(), kind, each, reason="x", actor="maintain"
            )
            or ""
            for kind, each in about.items()
        }
    assert here("inbox", "--reject", asked["merge_entities"]).code == 0
    exported, other = tmp_path / "all.jsonl", tmp_path / "other.db"
    assert here("export", exported).code == 0
    taken = here("--db", other, "import", exported, "--from", "mine", "--json")
    assert taken.code == 0 and taken.data["problems"] == []
    assert {each["kind"] for each in here("--db", other, "inbox", "--json").data["proposals"]} == {
        "archive",
        "mute",
        "resolve",
    }


def test_that_a_pair_is_proposed_is_undone_once_and_told_by_names(
    here: Callable[..., Any], operator: None
) -> None:
    here(
        "ingest",
        "The ferry leaves at nine",
        "--entity",
        "person:Olga Petrova",
        "--entity",
        "person:Olya Petrova",
    )
    here("maintain")
    either = ("Olga Petrova and Olya Petrova", "Olya Petrova and Olga Petrova")
    assert any(f"merge  {names}" in here("inbox").stdout for names in either)
    entry = here("digest", "--peek", "--json").data["entries"][0]
    assert entry["changes"][0]["title"] in either
    assert (
        here("revert", str(entry["seq"]), "--yes").code == 0
        and here("inbox", "--json").data["proposals"] == []
    )
    assert (
        here("revert", str(entry["seq"]), "--yes").code == 0
        and here("inbox", "--json").data["proposals"] == []
    )


def test_nothing_is_done_where_a_part_of_what_was_asked_cannot_be_done(
    here: Callable[..., Any], operator: None
) -> None:
    ids = [
        here("ingest", text, "--json").data["items"][0]["record"]["id"]
        for text in ("The ferry leaves at nine", "The kiln is lit at dawn")
    ]
    with MemoryEngine.open() as engine:
        one, two = (
            proposals.offer_proposal(
                engine.open_to_write(), "archive", each, reason="not used", actor="maintain"
            )
            or ""
            for each in ids
        )
    assert here("inbox", "--reject", one, "--approve", one).code == 2
    assert here("inbox", "--reject", one, "--approve", "01NOTHING").code == 20
    assert {each["id"] for each in here("inbox", "--json").data["proposals"]} == {one, two}
    assert here("inbox", "--reject", one, "--approve", two).code == 0
    assert [here("show", each, "--json").data["status"] for each in ids] == ["active", "archived"]
