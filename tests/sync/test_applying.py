"""Changes of another machine in a real store: taken, settled, undone, purged, and told of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memctl.core.frozen import replace
from memctl.core.model import Memory, Place, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.store import event_log, projects, sync_changes
from memctl.sync.applying import ReceivedChange
from memctl.sync.stored_graph import build_change
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


def edit(machine: Machine, memory: Memory, content: str) -> None:
    with machine.at_work() as engine:
        engine.records.edit(memory.id, {"content": content})


def find(engine: MemoryEngine, words: str) -> list[str]:
    found = engine.search(Query(words)).items
    return [each.record.memory.id for each in found]


def list_told(machine: Machine, memory: Memory) -> list[tuple[str, str]]:
    events = event_log.list_of_memory(machine.db, memory.id)
    return [(event.verb, event.actor) for event in events]


def test_what_was_said_on_one_machine_is_found_on_the_other(pair: tuple[Machine, Machine]) -> None:
    laptop, desktop = pair
    said = laptop.say("The kiln runs at 900 degrees", tags=("kiln",))
    meet(*pair)
    with desktop.at_work() as engine:
        assert said.id in find(engine, "kiln degrees")
    assert list_told(desktop, said) == [("created", "operator elsewhere")]
    check_equal(*pair)


def test_taking_the_same_again_changes_nothing(pair: tuple[Machine, Machine]) -> None:
    laptop, desktop = pair
    laptop.say("The kiln runs at 900 degrees")
    told = laptop.send()
    desktop.take(told)
    before = event_log.get_last_number(desktop.db)
    assert desktop.take([*told, *told]) == {}
    assert event_log.get_last_number(desktop.db) == before
    assert desktop.send() == []  # Nothing of what came is told as if it had been made there.


def test_a_change_that_comes_before_what_it_follows_waits_for_it(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desktop = pair
    said = laptop.say("The kiln runs at 900 degrees")
    laptop.collect()
    edit(laptop, said, "The kiln runs at 950 degrees")
    first, second = laptop.send()
    assert desktop.take([second]) == {"waiting": 1}
    assert desktop.find(said) is None
    desktop.take([first])
    assert desktop.get(said).content == "The kiln runs at 950 degrees"
    check_equal(*pair)


def test_words_edited_on_two_machines_are_an_open_conflict_that_can_be_settled_on_one(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desktop = pair
    said = laptop.say("The kiln runs at 900 degrees")
    meet(*pair)
    edit(laptop, said, "The kiln runs at 950 degrees")
    edit(desktop, said, "The kiln runs at 1000 degrees")
    meet(*pair)
    check_equal(*pair)
    words = {memory.content for memory in desktop.all("contradicted")}
    assert words == {"The kiln runs at 950 degrees", "The kiln runs at 1000 degrees"}
    with desktop.at_work() as engine:
        pair_ids = sorted(next(iter(desktop.list_conflicts())))
        engine.conflicts.resolve(pair_ids, Place(), keep=said.id)
    meet(*pair)
    check_equal(*pair)
    assert [memory.id for memory in laptop.all("active")] == [said.id]
    assert laptop.list_conflicts() == desktop.list_conflicts() == set()


def test_undo_takes_back_what_was_done_here_and_not_what_came(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desktop = pair
    here = desktop.say("The wheel turns left")
    there = laptop.say("The kiln runs at 900 degrees")
    meet(*pair)
    with desktop.at_work() as engine:
        engine.undo()
    assert desktop.get(here).status == "archived" and desktop.get(there).status == "active"
    meet(*pair)
    check_equal(*pair)
    assert laptop.get(here).status == "archived"


def test_what_came_can_be_reverted_and_that_travels(pair: tuple[Machine, Machine]) -> None:
    laptop, desktop = pair
    said = laptop.say("The kiln runs at 900 degrees")
    meet(*pair)
    edit(laptop, said, "The kiln runs at 950 degrees")
    meet(*pair)
    with desktop.at_work() as engine:
        engine.revert(said.id)
    meet(*pair)
    assert laptop.get(said).content == "The kiln runs at 900 degrees"
    assert list_told(laptop, said)[-1] == ("reverted", "operator elsewhere")
    check_equal(*pair)


def test_a_pair_merged_in_opposite_directions_keeps_one_record_in_force(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desktop = pair
    one, other = laptop.say("The kiln is hot"), laptop.say("The kiln is very hot")
    meet(*pair)
    with laptop.at_work() as engine:
        engine.records.merge(one.id, other.id)
    with desktop.at_work() as engine:
        engine.records.merge(other.id, one.id)
    meet(*pair)
    check_equal(*pair)
    assert [memory.id for memory in laptop.all("active")] == [max(one.id, other.id)]


def test_a_purge_elsewhere_erases_here_and_nothing_brings_it_back(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desktop = pair
    said = laptop.say("The secret of the glaze is borax")
    old = laptop.send()
    desktop.take(old)
    edit(desktop, said, "The secret of the glaze is borax and salt")
    with laptop.at_work() as engine:
        engine.upkeep.purge([said.id])
    meet(*pair)
    laptop.take(old)
    desktop.take(old)
    meet(*pair)
    check_equal(*pair)
    for machine in pair:
        assert machine.find(said) is None
        assert b"borax" not in machine.path.read_bytes()
        assert "borax" not in machine.export()


def test_a_machine_that_was_away_for_a_year_brings_nothing_back(
    world: World,  # noqa: F811
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desktop = pair
    kept, gone, purged = (laptop.say(f"The {name} is old") for name in ("kiln", "wheel", "oven"))
    meet(*pair)
    with laptop.at_work() as engine:
        engine.forget([gone.id])
        engine.upkeep.purge([purged.id])
    edit(laptop, kept, "The kiln is new")
    edit(desktop, purged, "The oven is older still")
    world.pass_time(366 * DAYS)
    meet(*pair)
    check_equal(*pair)
    for machine in pair:
        assert machine.get(kept).content == "The kiln is new"
        assert machine.get(gone).status == "archived" and machine.find(purged) is None


def test_a_store_put_back_from_an_old_backup_brings_nothing_back_and_loses_nothing(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, _ = pair
    kept, purged = laptop.say("The kiln is old"), laptop.say("The oven is old")
    meet(*pair)
    copy = laptop.keep_backup()
    edit(laptop, kept, "The kiln is new")
    with laptop.at_work() as engine:
        engine.upkeep.purge([purged.id])
    later = laptop.say("The wheel turns left")
    meet(*pair)
    written = laptop.send()  # It stands at the place, under the name of before.
    laptop.put_back(copy)
    assert laptop.find(purged) is not None
    fresh = laptop.say("The shelf is full")
    laptop.take(written)
    meet(*pair)
    check_equal(*pair)
    for machine in pair:
        assert machine.find(purged) is None
        assert machine.get(kept).content == "The kiln is new"
        assert machine.find(later) and machine.find(fresh)


def test_the_same_project_under_two_ids_is_one(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    for machine in pair:
        with machine.at_work(), machine.db.write():
            made = projects.insert(machine.db, "kiln", None, "2026-01-01T00:00:00.000Z")
            projects.add_alias(machine.db, made.id, "remote", "git@host:kiln", made.created_at)
    said = [machine.say(f"Said on {machine.name}", project="kiln") for machine in pair]
    meet(*pair, rounds=3)
    check_equal(*pair)
    for machine in pair:
        mine = projects.named(machine.db, "kiln").id
        assert {machine.get(each).project_id for each in said} == {mine}
        assert len(projects.everything(machine.db)) == 1


def test_an_entity_named_on_both_machines_is_one_on_each(pair: tuple[Machine, Machine]) -> None:
    for machine in pair:
        machine.say(f"Ada works on {machine.name}", tags=("potter",))
    meet(*pair)
    check_equal(*pair)
    for machine in pair:
        with machine.at_work() as engine:
            assert dict(engine.records.list_tags().tags) == {"potter": 2}


def test_the_index_knows_what_another_machine_said_anew(pair: tuple[Machine, Machine]) -> None:
    laptop, desktop = pair
    said = laptop.say("The kiln runs at 900 degrees")
    meet(*pair)
    edit(laptop, said, "The furnace is cold")
    meet(*pair)
    with desktop.at_work() as engine:
        assert find(engine, "furnace") == [said.id] and find(engine, "degrees") == []


def test_what_does_not_fit_is_refused_and_stops_nothing(pair: tuple[Machine, Machine]) -> None:
    laptop, desktop = pair
    laptop.say("The kiln runs at 900 degrees")
    good = laptop.say("The wheel turns left")
    first, second = laptop.send()
    event = first.entry.events[0]
    assert event.after is not None
    wrongs: tuple[dict[str, object], ...] = (
        {"trust": 9},
        {"content": ""},
        {"content": "x" * 200_000},
        {"title": "x" * 2_000},
        {"id": "another"},
        {"odd": 1},
    )
    for n, wrong in enumerate(wrongs):
        bad = replace(event, after={**event.after, **wrong})
        change = replace(first.entry, id=f"{n:032}", events=(bad,))
        assert desktop.take([replace(first, entry=change, number=900 + n)]) == {"refused": 1}
    desktop.take([second])
    assert desktop.get(good).content == "The wheel turns left"
    desktop.check()


def test_records_of_a_colleague_wait_and_gain_nothing(open_machine: Open) -> None:  # noqa: F811
    ada, bob = open_machine("ada's"), open_machine("bob's", member="bob")
    said = ada.say("The kiln runs at 900 degrees", always_load=True)
    told = share(ada, bob, said.id)
    bob.take(told)
    came = bob.get(said)
    assert (came.status, came.trust, came.always_load) == ("inbox", 2, False)
    assert came.origin == "ada"
    assert list_told(bob, said)[0] == ("created", "ada's operator")
    with bob.at_work() as engine:
        engine.inbox.decide(approve=[said.id])
    edit(ada, said, "The kiln runs at 950 degrees")
    bob.take(share(ada, bob, said.id))
    came = bob.get(said)
    assert (came.status, came.content) == ("inbox", "The kiln runs at 950 degrees")
    with ada.at_work() as engine:
        engine.forget([said.id])
    bob.take(share(ada, bob, said.id))
    assert bob.get(said).status == "archived"
    bob.check()


def test_a_colleague_cannot_change_what_is_mine(open_machine: Open) -> None:  # noqa: F811
    ada, bob = open_machine("ada's"), open_machine("bob's", member="bob")
    said = ada.say("The kiln runs at 900 degrees")
    bob.take(share(ada, bob, said.id))
    (change,) = ada.send()
    forged = replace(change.entry, id="f" * 32, member="bob", parents=(change.entry.id,))
    ada.take([ReceivedChange("project:global", "replica of bob's", 1, forged)])
    assert ada.get(said).content == "The kiln runs at 900 degrees"
    found = sync_changes.find_change(ada.db, "f" * 32)
    assert found is not None and found.state == "refused"


def share(one: Machine, other: Machine, memory_id: str) -> list[ReceivedChange]:
    """What one member tells another of a record."""
    one.collect()
    return [
        ReceivedChange("project:global", one.replica, number, build_change(each))
        for number, each in enumerate(sync_changes.list_of_subject(one.db, memory_id), 1)
    ]
