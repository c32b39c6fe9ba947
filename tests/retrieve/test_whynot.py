"""Absence is explained: each reason for which a record may be missing is named."""

from __future__ import annotations

from typing import Any

import pytest
from invented import House

from memctl import clock
from memctl.model import Place
from memctl.store import tombstones


def test_a_record_among_the_results_is_returned(house: House) -> None:
    assert house.why_not("kiln", house.add("Kiln")).reason == "returned"


@pytest.mark.parametrize(
    ("changed", "wanted", "reason"),
    [
        ({"status": "inbox"}, {}, "inbox"),
        ({"status": "archived"}, {}, "archived"),
        ({"status": "superseded"}, {}, "superseded"),
        ({"scope": "agent", "agent_id": "codex"}, {}, "private"),
        ({"scope": "session", "session_id": "s"}, {}, "private"),
        ({}, {"types": ("decision",)}, "filtered"),
        ({}, {"kinds": ("todo",)}, "filtered"),
        ({}, {"scopes": ("global",)}, "filtered"),
        ({}, {"since": "2026-05-01"}, "filtered"),
        ({}, {"min_confidence": 0.95}, "filtered"),
        ({"valid_until": "2021-01-01T00:00:00.000Z"}, {}, "expired"),
        ({"valid_from": "2999-01-01T00:00:00.000Z"}, {}, "expired"),
        ({"created_at": "2026-03-01T09:00:00.000Z"}, {"as_of": "2025-01-01"}, "not_yet"),
    ],
)  # fmt: skip
def test_a_record_that_may_not_appear_says_so(house: House, changed: dict[str, Any], wanted: dict[str, Any], reason: str) -> None:
    answer = house.why_not("kiln", house.add("Kiln", **changed), **wanted)
    assert answer.reason == reason and answer.sentence.endswith((".", ":"))


def test_what_superseded_a_record_is_named(house: House) -> None:
    old, new = house.add("Kiln old", status="superseded"), house.add("Kiln new")
    house.link(new, "supersedes", old)
    assert new.id[:10] in house.why_not("kiln", old).sentence


def test_a_rejected_record_is_told_from_an_archived_one(house: House) -> None:
    memory = house.add("Kiln", status="archived", status_reason="wrong kiln")
    with house.db.write():
        tombstones.add(
            house.db, memory_id=memory.id, fingerprint=memory.fingerprint, verdict="rejected", quote=None, reason="wrong kiln",
            actor="operator", at=clock.now(),
        )  # fmt: skip
    answer = house.why_not("kiln", memory)
    assert answer.reason == "rejected" and "wrong kiln" in answer.sentence


def test_a_record_without_the_words_matches_nothing(house: House) -> None:
    assert house.why_not("zeppelin", house.add("Kiln")).reason == "no_match"


def test_a_weak_match_is_below_the_floor_and_shows_its_parts(house: House) -> None:
    answer = house.why_not(
        "kiln zeppelin harbour mast rope anchor canvas gondola", house.add("Bricks " * 60 + "kiln", title="B", summary="B")
    )
    assert answer.reason == "below_floor" and 0 < answer.parts["lexical"] < 0.06 and answer.score


def test_a_fair_match_in_another_project_is_told_from_a_weak_one(house: House) -> None:
    other = house.project("bakery")
    memory = house.add("Sourdough waits fourteen hours", project_id=other.id)
    assert house.why_not("sourdough delivery truck", memory).reason == "other_project"
    assert house.why_not("sourdough", memory, place=Place(other.id)).reason == "returned"


def test_a_folded_record_names_the_one_that_stands_for_it(house: House) -> None:
    best = house.add("The kiln must cool for six hours before the door is opened by anyone")
    same = house.add("The kiln must cool for six hours before the door is opened by anyone here", trust=2)
    answer = house.why_not("kiln cool door", same)
    assert answer.reason == "folded" and best.id[:10] in answer.sentence


def test_a_record_after_the_last_place_is_beyond_the_limit(house: House) -> None:
    house.add("Kiln one")
    assert house.why_not("kiln", house.add("Kiln two words", confidence=0.1), limit=1).reason == "beyond_limit"
