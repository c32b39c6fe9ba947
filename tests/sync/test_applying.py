"""Changes of another machine in a real store."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.sync.machines import Machine, World, meet, open_machine, world  # noqa: F401

DAYS = 86400.0
Open = Callable[..., Machine]


@pytest.fixture
def pair(open_machine: Open) -> tuple[Machine, Machine]:  # noqa: F811
    return open_machine("laptop"), open_machine("desktop", offset=-5 * DAYS)


def check_equal(*machines: Machine) -> None:
    for each in machines:
        each.check()
    first, *others = [each.export() for each in machines]
    for other in others:
        assert other == first


def test_what_was_said_on_one_machine_is_on_the_other(pair: tuple[Machine, Machine]) -> None:
    laptop, desktop = pair
    said = laptop.say("The kiln runs at 900 degrees", tags=("kiln",))
    meet(*pair)
    assert desktop.get(said).content == said.content
    assert desktop.get(said).status == "active"
    check_equal(*pair)
