"""What is erased on one machine leaves every other one, and nothing of it is left anywhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memctl.core.frozen import replace
from memctl.core.model import Memory
from memctl.erase.rewrite import StoreRewrite, list_spots
from memctl.erase.word_cutter import WordCutter
from memctl.store import projects, sync_changes
from tests.sync.machines import Machine, meet, open_machine, world  # noqa: F401

Open = Callable[..., Machine]
NAME = "Anselm Quillfeather"
SECRET = "QQZX-3141"


@pytest.fixture
def pair(open_machine: Open) -> tuple[Machine, Machine]:  # noqa: F811
    return open_machine("laptop"), open_machine("desktop", offset=-400000.0)


def list_holding(machine: Machine, words: str) -> list[str]:
    """Where a store holds words, by kind of row."""
    return [
        each.place
        for each in list_spots(StoreRewrite(machine.db, WordCutter([words])).find_edits())
    ]


def check_equal(*machines: Machine) -> None:
    for each in machines:
        each.check()
    assert len({each.export() for each in machines}) == 1


def edit(machine: Machine, memory: Memory, content: str) -> None:
    with machine.at_work() as engine:
        engine.records.edit(memory.id, {"content": content})


def test_words_that_are_purged_leave_every_machine(pair: tuple[Machine, Machine]) -> None:
    laptop, desktop = pair
    about = laptop.say(f"The kiln is tended by {NAME}")
    changed = laptop.say(f"The wheel of {NAME} turns left")
    linked = laptop.say("The yard is paved")
    with laptop.at_work() as engine:
        engine.records.link(linked.id, "related_to", changed.id, reason=f"{NAME} said so")
    meet(*pair)
    edit(laptop, changed, "The wheel turns left")
    meet(*pair)
    with laptop.at_work() as engine:
        engine.upkeep.purge(match=NAME)
    assert list_holding(laptop, NAME) == []
    meet(*pair)
    assert list_holding(desktop, NAME) == []
    assert laptop.find(about) is None and desktop.find(about) is None
    assert desktop.get(linked).content == "The yard is paved"
    check_equal(*pair)


def test_a_machine_that_was_away_cannot_bring_purged_words_back(
    open_machine: Open,  # noqa: F811
) -> None:
    laptop, desktop, stick = map(open_machine, ("laptop", "desktop", "stick"))
    said = laptop.say(f"The kiln is tended by {NAME}")
    meet(laptop, desktop, stick)
    edit(stick, said, f"The kiln was tended by {NAME} for years")
    with laptop.at_work() as engine:
        engine.upkeep.purge(match=NAME)
    meet(laptop, desktop)
    meet(laptop, desktop, stick)
    for machine in (laptop, desktop, stick):
        assert machine.find(said) is None
        assert list_holding(machine, NAME) == []
    check_equal(laptop, desktop, stick)


def test_secrets_that_are_redacted_later_leave_every_machine(pair: tuple[Machine, Machine]) -> None:
    laptop, desktop = pair
    said = laptop.say(f"The door opens with {SECRET}")
    meet(*pair)
    assert SECRET in desktop.get(said).content
    ignored = {"projects": [], "paths": [], "patterns": [r"QQZX-\d{4}"]}
    values = {**laptop.config.values, "capture.ignore": ignored}
    laptop.config = laptop.engine.config = replace(laptop.config, values=values)
    with laptop.at_work() as engine:
        engine.upkeep.redact_secrets()
    meet(*pair)
    assert list_holding(laptop, SECRET) == [] and list_holding(desktop, SECRET) == []
    assert desktop.get(said).content == laptop.get(said).content
    check_equal(*pair)


def test_a_purged_project_leaves_every_machine(pair: tuple[Machine, Machine]) -> None:
    laptop, desktop = pair
    with laptop.at_work(), laptop.db.write():
        made = projects.insert(laptop.db, "furnace", None, laptop.world.now)
    said = laptop.say("The kiln burns oak", project="furnace")
    meet(*pair)
    assert desktop.get(said).project_id == made.id
    with laptop.at_work() as engine:
        engine.upkeep.purge(project="furnace")
    meet(*pair)
    assert desktop.find(said) is None
    for machine in pair:
        bodies = b"".join(each.body or b"" for each in sync_changes.list_after(machine.db, 0, 999))
        assert b"furnace" not in bodies and b"oak" not in bodies
    assert "furnace" not in projects.names(desktop.db).values()
    check_equal(*pair)
