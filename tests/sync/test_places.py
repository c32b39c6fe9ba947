"""What every place of sync does, a folder as well as a hub."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memctl.core.errors import ReplicaForked, SetDamaged, SetGone
from memctl.sync.place import SetName, SyncPlace
from memctl.sync.set_plans import find_gaps
from tests.sync.places import ANNA, BEN, PROJECT, FolderWorld, World, make_set, open_hub_world

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["folder", "hub"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    if request.param == "folder":
        yield FolderWorld(tmp_path / "shared")
        return
    with open_hub_world(request.getfixturevalue("hub_address"), tmp_path) as made:
        yield made


@pytest.fixture
def anna(world: World) -> Iterator[SyncPlace]:
    with closing(world.open(ANNA)) as place:
        yield place


@pytest.fixture
def ben(world: World, anna: SyncPlace) -> Iterator[SyncPlace]:
    with closing(world.open(BEN)) as place:
        yield place


def list_all(place: SyncPlace) -> list[SetName]:
    return [*place.list_sets({})]


def test_cards_are_seen_by_all_and_only_ones_own_is_replaced(
    anna: SyncPlace, ben: SyncPlace
) -> None:
    anna.write_card(ANNA, b"card of anna")
    ben.write_card(BEN, b"card of ben")
    assert {b"card of anna", b"card of ben"} <= {*anna.read_cards()}
    anna.write_card(ANNA, b"newer card of anna")
    seen = ben.read_cards()
    assert b"newer card of anna" in seen and b"card of ben" in seen
    assert b"card of anna" not in seen


def test_removals_are_seen_by_all_and_stay(anna: SyncPlace, ben: SyncPlace) -> None:
    for _ in range(2):
        anna.write_removal("cleo", b"removal of cleo")
    anna.write_removal("dan", b"removal of dan")
    assert sorted(ben.read_removals()) == [b"removal of cleo", b"removal of dan"]


def test_an_empty_place_lists_nothing(anna: SyncPlace) -> None:
    assert list_all(anna) == [] and anna.read_removals() == []


def test_a_set_comes_back_as_it_was_written(anna: SyncPlace, ben: SyncPlace) -> None:
    name, content = make_set(ANNA, 1, 3, content=bytes(range(256)) * 20_000)
    anna.write_set(name, content)
    assert list_all(ben) == [name]
    assert ben.read_set(name) == content


def test_writing_a_set_again_does_nothing(anna: SyncPlace) -> None:
    name, content = make_set(ANNA, 1, 3)
    for _ in range(3):
        anna.write_set(name, content)
    assert list_all(anna) == [name]


def test_sets_are_listed_by_stream_replica_and_number(anna: SyncPlace, ben: SyncPlace) -> None:
    made = [
        (place, make_set(replica, first, first, stream=stream))
        for stream in ("project:02Q", PROJECT, "project:global")
        for place, replica in ((ben, BEN), (anna, ANNA))
        for first in (12, 2, 1)
    ]
    for place, (name, content) in sorted(made, key=lambda each: each[1][0].first):
        place.write_set(name, content)
    names = [name for _, (name, _) in made]
    expected = sorted(names, key=lambda each: (each.stream, each.replica, each.first))
    assert list_all(anna) == expected == list_all(ben)


def test_what_a_store_has_is_not_listed_for_it(anna: SyncPlace, ben: SyncPlace) -> None:
    for first, last in ((1, 4), (5, 5), (6, 9)):
        anna.write_set(*make_set(ANNA, first, last))
    have = {(PROJECT, ANNA): 5, (PROJECT, BEN): 3, ("project:02Q", ANNA): 99}
    assert [each.first for each in ben.list_sets(have)] == [6]
    assert [each.first for each in ben.list_sets({(PROJECT, ANNA): 4})] == [5, 6]
    assert [each.first for each in ben.list_sets({(PROJECT, ANNA): 3})] == [1, 5, 6]
    assert [*ben.list_sets({(PROJECT, ANNA): 9})] == []


def test_a_copy_of_a_store_is_noticed_before_anything_is_lost(
    anna: SyncPlace, world: World
) -> None:
    first, other = make_set(ANNA, 1, 3), make_set(ANNA, 1, 3, content=b"of a copy")
    anna.write_set(*first)
    with closing(world.open(ANNA)) as copy:
        try:
            copy.write_set(*other)
            seen = {first[0], other[0]}
        except ReplicaForked:
            seen = {first[0]}
        assert {*copy.list_sets({})} == seen == {*anna.list_sets({})}
        assert copy.read_set(first[0]) == first[1]


def test_several_sets_become_one_however_often_that_is_tried(
    anna: SyncPlace, ben: SyncPlace
) -> None:
    old = [make_set(ANNA, number, number) for number in (1, 2, 3)]
    for name, content in old:
        anna.write_set(name, content)
    new, whole = make_set(ANNA, 1, 3)
    for _ in range(2):
        anna.replace_sets([name for name, _ in old], new, whole)
    assert list_all(ben) == [new]
    assert ben.read_set(new) == whole
    with pytest.raises(SetGone):
        ben.read_set(old[0][0])


def test_one_set_is_replaced_by_another_of_the_same_numbers(
    anna: SyncPlace, ben: SyncPlace
) -> None:
    old, content = make_set(ANNA, 1, 3)
    new, fresh = make_set(ANNA, 1, 3, content=b"without what was purged")
    anna.write_set(old, content)
    anna.replace_sets([old], new, fresh)
    assert list_all(ben) == [new] and ben.read_set(new) == fresh


def test_a_set_that_was_never_there_is_gone(anna: SyncPlace) -> None:
    with pytest.raises(SetDamaged):
        anna.read_set(make_set(BEN, 1, 1)[0])


def test_two_replicas_write_at_once_and_nothing_is_lost(
    world: World, anna: SyncPlace, ben: SyncPlace
) -> None:
    count = 23
    writers = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.sync.place_writer",
                *world.describe(replica),
                str(count),
            ],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"},
        )
        for replica in (ANNA, BEN)
    ]
    assert [each.wait(timeout=120) for each in writers] == [0, 0]
    for replica in (ANNA, BEN):
        names = [each for each in list_all(anna) if each.replica == replica]
        assert find_gaps(names, count) == []
        assert len(names) == count // 5 + count % 5
        for name in names:
            assert ben.read_set(name) == make_set(replica, name.first, name.last)[1]
