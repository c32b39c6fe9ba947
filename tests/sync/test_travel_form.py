"""What is told of a record in words that mean the same everywhere is what stands here, whatever was
done to it, also by older versions.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bench import Bench

from memctl.core.bounded_work import BoundedWork
from memctl.core.model import Filter
from memctl.settings.config import Config
from memctl.store import entities, projects, records, sync_changes
from memctl.store.database import Database, sqlite_library
from memctl.store.migrate import open_store
from memctl.sync import portable
from memctl.sync.change import Change, decode_change
from memctl.sync.collecting import Collector
from memctl.sync.merging import merge_subject
from memctl.sync.portable import TravelForm
from memctl.sync.project_identity import ProjectClasses, build_card, find_same, take_card
from tests.exchange import houses

STORES = Path(__file__).parents[1] / "store" / "stores"
AT = "2026-03-04T05:06:07.000Z"


def collect(db: Database, config: Config) -> None:
    Collector(db, config, replica="R" * 26, member="ada").collect_all(BoundedWork())


def read_changes(db: Database, subject: str) -> list[Change]:
    stored = sync_changes.list_of_subject(db, subject)
    return [decode_change(each.body) for each in stored if each.body is not None]


def check_all(db: Database) -> int:
    """Check each record that travels against its changes; return how many those are."""
    form, many = TravelForm(db), 0
    for memory in records.select_records(db, Filter()):
        changes = read_changes(db, memory.id)
        if not changes:
            continue
        many += 1
        state = merge_subject(changes)
        assert state.fields == form.read_fields(memory.id)
        rows = {cell: row for cell, row in state.rows.items() if row is not None}
        assert rows == form.read_rows(memory.id)
    return many


@pytest.mark.parametrize("old", sorted(STORES.glob("*.sql")), ids=lambda path: path.stem)
def test_a_store_of_any_version_tells_what_it_holds(tmp_path: Path, old: Path) -> None:
    path = tmp_path / "memory.db"
    raw = sqlite_library().connect(str(path))
    raw.executescript(old.read_text())
    raw.close()
    path.chmod(0o600)
    db = open_store(path, create=False)
    collect(db, houses.settings(path))
    assert check_all(db) >= 2
    db.close()


def test_a_furnished_store_tells_what_it_holds(tmp_path: Path) -> None:
    db = houses.furnished(tmp_path / "memory.db")
    collect(db, houses.settings(db.path))
    assert check_all(db) >= 2
    db.close()


def test_names_with_strokes_and_signs_are_read_back(bench: Bench) -> None:
    bench.placed = True
    memory = bench.put("The kiln burns oak")
    with bench.db.write():
        made = entities.create_entity(bench.db, "person", "a|b%7C|", AT)
    mention = TravelForm(bench.db).name_mention(memory.id, made, "50%|x")
    assert mention is not None
    assert portable.read_mention(mention[0]) == ("person", "a|b%7C|", "50%|x")
    assert portable.read_mention("no item") is None


def test_a_project_of_another_machine_is_known_by_what_both_know(bench: Bench) -> None:
    bench.operator.place_to_write(bench.home)
    with bench.db.write():
        mine = projects.insert(bench.db, "kiln", None, AT)
        projects.add_alias(bench.db, mine.id, "remote", "example.com/kiln", AT)
    classes = ProjectClasses(bench.db)
    card = {"name": "furnace", "aliases": [["remote", "example.com/kiln"], ["marker", "k1"]]}
    there = "0" * 26
    assert find_same(bench.db, classes, there, card) == mine.id
    with bench.db.write():
        assert take_card(bench.db, classes, there, card, AT) == mine.id
    assert classes.find_here(there) == mine.id and classes.get_canonical(mine.id) == there
    assert ["id", there] in build_card(bench.db, classes, mine.id)["aliases"]
    assert projects.by_alias(bench.db, "marker", "k1") == projects.by_alias(
        bench.db, "remote", "example.com/kiln"
    )


def test_a_project_that_nobody_knows_is_made_under_its_id_and_a_free_name(bench: Bench) -> None:
    with bench.db.write():
        mine = projects.insert(bench.db, "kiln", None, AT)
        classes = ProjectClasses(bench.db)
        there = "Z" * 26
        card = {"name": "kiln", "aliases": [["root_commit", "abc"], ["path", "/etc"], ["x"], 3]}
        assert take_card(bench.db, classes, there, card, AT) == there
    made = projects.get(bench.db, there)
    assert made.name == "kiln-2" and made.aliases == (("root_commit", "abc"),)
    assert classes.get_canonical(mine.id) == mine.id


def test_projects_that_are_kept_apart_stay_two(bench: Bench) -> None:
    there = "Z" * 26
    card = {"name": "kiln", "aliases": [["remote", "example.com/kiln"]]}
    with bench.db.write():
        mine = projects.insert(bench.db, "kiln", None, AT)
        projects.add_alias(bench.db, mine.id, "remote", "example.com/kiln", AT)
        projects.keep_apart(bench.db, mine.id, there)
        classes = ProjectClasses(bench.db)
        assert take_card(bench.db, classes, there, card, AT) == there


def test_an_adopted_project_is_called_by_the_smallest_id_of_both(bench: Bench) -> None:
    with bench.db.write():
        first, second = (projects.insert(bench.db, name, None, AT) for name in ("one", "two"))
        projects.adopt(bench.db, first.id, second.id, AT)
    classes = ProjectClasses(bench.db)
    assert {classes.get_canonical(each.id) for each in (first, second)} == {
        min(first.id, second.id)
    }
    assert classes.find_here(first.id) == second.id


def test_moving_a_record_to_an_adopting_project_changes_nothing_elsewhere(bench: Bench) -> None:
    bench.placed = True
    memory = bench.put("The kiln burns oak")
    with bench.db.write():
        projects.insert(bench.db, "yard", None, AT)
    collect(bench.db, bench.config)
    bench.operator.projects.adopt("kiln", "yard")
    collect(bench.db, bench.config)
    assert bench.get(memory).project_id != memory.project_id
    assert check_all(bench.db) == 1


def test_a_copy_of_the_store_tells_nothing_twice(bench: Bench) -> None:
    bench.placed = True
    bench.put("The kiln burns oak")
    collect(bench.db, bench.config)
    path = bench.folder / "copy.db"
    bench.operator.upkeep.backup(path)
    target = bench.folder / "other.db"
    shutil.copyfile(path, target)
    target.chmod(0o600)
    db = open_store(target, create=False)
    before = sync_changes.count_changes(db)
    collect(db, houses.settings(target))
    assert sync_changes.count_changes(db) == before
    db.close()
