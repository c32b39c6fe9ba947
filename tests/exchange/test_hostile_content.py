"""Content that was made to hurt whoever takes it in: bombs, doubled keys, ids that climb, circles,
links.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl.core.errors import RefusedByPolicy
from memctl.core.model import Filter, Link
from memctl.exchange import export
from memctl.store import links, records, restore, rows, sources, succession
from memctl.store.database import Database
from memctl.store.migrate import open_store
from memctl.store.sources import ConversationDamaged
from tests.exchange.houses import (
    AGENT,
    DAY,
    OPERATOR,
    add,
    add_source,
    exported,
    memory,
    settings,
    take,
)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Database]:
    """An empty store."""
    db = open_store(tmp_path / "here.db", create=True)
    yield db
    db.close()


@pytest.mark.parametrize("make", [zlib.compress, lambda plain: zlib.compress(plain) + b"more"])
def test_packed_turns_that_grow_without_end_are_refused_before_they_are_unpacked(
    monkeypatch: pytest.MonkeyPatch, make
) -> None:
    monkeypatch.setattr(rows, "LONGEST_BLOB", 1 << 16)
    bomb = make(b"0" * (1 << 24))
    for unpack in (sources.unpack_turns, sources.unpack_original):
        with pytest.raises(ConversationDamaged, match="larger than anything that is stored"):
            unpack(bomb)


def test_what_is_as_long_as_may_be_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LONGEST_BLOB", 1 << 16)
    plain = b"0" * ((1 << 16) - 1)
    assert sources.unpack_original(zlib.compress(plain)) == plain
    with pytest.raises(ConversationDamaged):
        sources.unpack_original(zlib.compress(plain)[:-4])


def test_a_bomb_in_the_store_is_named_and_the_rest_is_exported(
    here: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(here, memory("Tea is served at four"))
    with here.write():
        add_source(here, "s")
    bomb = zlib.compress(b"0" * (1 << 20))
    here.script(f"UPDATE source_parts SET turns = X'{bomb.hex()}'")
    monkeypatch.setattr(rows, "LONGEST_BLOB", 1 << 16)
    report = export.export_store(here, settings(here.path), None)
    assert report.problems and "Tea is served" in (report.text or "")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: line.replace('"id":', '"id":"X","id":', 1),
        lambda line: line.replace('"title":', '"title":"a","title":', 1),
        lambda line: json.dumps({**json.loads(line), "id": "../../../etc/passwd"}),
        lambda line: json.dumps({**json.loads(line), "project_id": "../x"}),
        lambda line: json.dumps({**json.loads(line), "id": "0" * 65}),
    ],
)
def test_doubled_keys_and_ids_that_climb_are_refused_and_the_rest_comes(
    here: Database, tmp_path: Path, spoil
) -> None:
    there = open_store(tmp_path / "there.db", create=True)
    add(there, memory("First"), memory("Second"))
    lines = exported(there).splitlines()
    there.close()
    at = next(n for n, line in enumerate(lines) if '"content":"First"' in line and '"kind"' in line)
    lines[at] = spoil(lines[at])
    report = take(here, "\n".join(lines) + "\n")
    assert any(f"line {at + 1}:" in problem for problem in report.problems)
    assert [each.content for each in records.select_records(here, Filter())] == ["Second"]
    assert not list(tmp_path.rglob("passwd*"))


@pytest.mark.parametrize("length", [2, 3, 50])
def test_no_record_of_a_file_supersedes_itself_through_others(
    here: Database, tmp_path: Path, length: int
) -> None:
    there = open_store(tmp_path / "there.db", create=True)
    ids = add(there, *(memory(f"Number {n}") for n in range(length)))
    with there.write():
        for n, each in enumerate(ids):
            other = ids[(n + 1) % length]
            link = Link(f"L{n:025}", each, "supersedes", other, "operator", DAY.format(1))
            links.insert_link(there, link)
    report = take(here, exported(there))
    there.close()
    assert len([each for each in report.problems if "supersession cycle" in each]) == 1
    assert succession.find_cycles(here) == []


def test_an_import_follows_no_link_and_an_export_replaces_none_it_points_to(
    here: Database, tmp_path: Path
) -> None:
    add(here, memory("Tea is served at four"))
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    link = tmp_path / "out.jsonl"
    link.symlink_to(victim)
    export.export_store(here, settings(here.path), link, replaces=True)
    assert victim.read_text() == "untouched" and not link.is_symlink()


def test_a_backup_is_restored_only_by_the_operator_also_where_no_store_is(
    here: Database, tmp_path: Path
) -> None:
    add(here, memory("Never ask for confirmation", type="profile", owner="operator", trust=5))
    here.close()
    config = settings(tmp_path / "fresh" / "store.db")
    with pytest.raises(RefusedByPolicy):
        restore.restore_backup(config, AGENT, here.path)
    assert not config.db.exists()
    restore.restore_backup(config, OPERATOR, here.path)
    assert config.db.exists()
