"""Proposals at the inbox of the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memctl import proposals
from memctl.engine import MemoryEngine


def test_the_inbox_takes_ids_of_candidates_and_proposals_in_one_call(here: Callable[..., Any], operator: None) -> None:
    kept = here("ingest", "The ferry leaves at nine", "--json").data["items"][0]["record"]["id"]
    assert here("inbox").stdout == "Nothing here.\n"
    with MemoryEngine.open() as engine:
        asked = proposals.offer(engine._write_db(), "archive", kept, reason="not used", actor="maintain") or ""
    told = here("inbox").stdout
    assert "Proposals:" in told and asked[:10] in told and "The ferry leaves at nine" in told
    assert here("inbox", "--json").data["proposals"][0]["id"] == asked
    done = here("inbox", "--approve", asked[:14], "--json")
    assert done.code == 0 and done.data["proposals"][0]["state"] == "accepted"
    assert here("show", kept, "--json").data["status"] == "archived"
    assert here("inbox", "--approve", "01NOTHING").code == 20


def test_a_review_goes_through_proposals_after_the_candidates(here: Callable[..., Any], pty_memctl: Callable[..., Any]) -> None:
    ids = [
        here("ingest", text, "--json").data["items"][0]["record"]["id"] for text in ("The ferry leaves at nine", "The kiln is lit at dawn")
    ]
    with MemoryEngine.open() as engine:
        asked = [proposals.offer(engine._write_db(), "archive", one, reason="not used for long", actor="maintain") for one in ids]
    prompt = r"\[q\]uit:"
    seen = pty_memctl("inbox", "--review", answers=[(prompt, "a"), (prompt, "r")])
    assert seen.code == 0 and "proposal 2 of 2" in seen.stdout and "not used for long" in seen.stdout
    assert [here("show", one, "--json").data["status"] for one in ids] == ["archived", "active"]
    assert all(asked) and here("inbox", "--json").data["proposals"] == []
