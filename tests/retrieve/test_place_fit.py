"""What of a person's profile comes up unasked in a project, and commands that say the same."""

from __future__ import annotations

from typing import Any

import pytest
from invented import House, told

MILES: dict[str, Any] = {"type": "profile", "kind": "preference", "scope": "global"}


def start(house: House) -> list[str]:
    """What a session is told at its start."""
    return told(house.context(session_start=True))


def test_what_is_about_a_matter_that_the_project_does_not_know_is_not_told_there(
    house: House,
) -> None:
    house.add("Log lines are pushed in batches of 500")
    wish = house.add("I always want kilometres, no miles", **MILES, project_id=None)
    assert wish.id not in start(house)
    house.add("The van drives at most 300 kilometres a day")
    assert wish.id in start(house)


@pytest.mark.parametrize(
    "text",
    [
        "Short answers please, no emoji",
        "My editor is Helix",
        "I test mobile things on a Pixel phone",
        "Commit messages in the imperative",
        "I prefer pytest over unittest",
        "Explain each diagram in a sentence",
    ],
)
def test_how_somebody_works_is_told_in_every_project(house: House, text: str) -> None:
    house.add("Log lines are pushed in batches of 500")
    wish = house.add(text, **MILES, project_id=None)
    assert wish.id in start(house)


def test_what_is_pinned_or_forbids_is_told_everywhere(house: House) -> None:
    house.add("Log lines are pushed in batches of 500")
    pinned = house.add("I am vegetarian", **MILES, project_id=None, always_load=True)
    rule = house.add("Never book a flight", **{**MILES, "kind": "constraint"}, project_id=None)
    assert {pinned.id, rule.id} <= set(start(house))


def test_a_command_is_told_once_in_whatever_words(house: House) -> None:
    first = house.add("Tests: `make test`", kind="command")
    second = house.add("Verify with `make test`", kind="command")
    other = house.add("Tests of the whole: `make test-all`", kind="command")
    said = start(house)
    assert len({first.id, second.id} & set(said)) == 1
    assert other.id in said


def test_a_command_that_says_more_than_another_is_told_beside_it(house: House) -> None:
    plain = house.add("Tests: `make test`", kind="command")
    more = house.add(
        "`make test` needs the database of the harbour office running on this machine",
        kind="command",
    )
    assert {plain.id, more.id} <= set(start(house))
