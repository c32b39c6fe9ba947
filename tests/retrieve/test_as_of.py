"""The past can be asked: what was true then appears as it was, what came later does not."""

from __future__ import annotations

import pytest
from invented import House

from memctl.records.as_of import parse_moment

JAN, FEB, MARCH = "2026-01-10T00:00:00.000Z", "2026-02-10T00:00:00.000Z", "2026-03-10T00:00:00.000Z"


def test_what_was_created_later_vanishes(house: House) -> None:
    house.add("Kiln early", at=JAN)
    house.add("Kiln late", at=MARCH)
    assert house.found("kiln", as_of=FEB) == ["Kiln early"]


def test_what_is_superseded_now_but_was_active_then_appears(house: House) -> None:
    old = house.add("Kiln burns wood", at=JAN)
    house.change(old, MARCH, status="superseded")
    house.add("Kiln burns gas", at=MARCH)
    assert house.found("kiln", as_of=FEB) == ["Kiln burns wood"]
    assert house.found("kiln") == ["Kiln burns gas"]


def test_what_is_active_now_but_waited_then_does_not_appear(house: House) -> None:
    house.change(house.add("Kiln burns wood", at=JAN, status="inbox"), MARCH, status="active")
    assert house.found("kiln", as_of=FEB) == []


def test_words_are_those_of_then_and_are_found_by_them(house: House) -> None:
    memory = house.add("Kiln burns wood", at=JAN)
    house.change(
        memory, MARCH, content="Furnace runs on gas", title="Furnace", summary="Furnace runs on gas"
    )
    assert house.found("kiln wood", as_of=FEB) == ["Kiln burns wood"]
    assert house.found("furnace gas", as_of=FEB) == []
    assert house.found("furnace gas") == ["Furnace runs on gas"]


def test_validity_is_judged_at_that_time(house: House) -> None:
    house.add("Kiln closed", at=JAN, valid_until=MARCH)
    assert house.found("kiln", as_of=FEB) == ["Kiln closed"]
    assert house.found("kiln", as_of="2026-03-11") == []


def test_a_link_made_later_is_not_shown(house: House) -> None:
    a, b = house.add("Kiln burns wood", at=JAN), house.add("Kiln burns gas", at=JAN)
    house.link(a, "contradicts", b, at=MARCH)
    assert all(hit.record.contradicted_by == () for hit in house.search("kiln", as_of=FEB).items)


def test_private_notes_stay_private_in_the_past(house: House) -> None:
    house.change(
        house.add("Kiln secret", at=JAN, scope="agent", agent_id="codex"),
        MARCH,
        content="Kiln public",
    )
    assert house.found("kiln secret", as_of=FEB) == []


@pytest.mark.parametrize(
    ("text", "end", "wanted"),
    [
        ("2026-01-31", False, "2026-01-31T00:00:00.000Z"),
        ("2026-01-31", True, "2026-01-31T23:59:59.999Z"),
        ("2026-01-31T10:00:00+02:00", True, "2026-01-31T08:00:00.000Z"),
    ],
)
def test_a_date_alone_is_its_first_moment_or_its_last(text: str, end: bool, wanted: str) -> None:
    assert parse_moment(text, end_of_day=end) == wanted
