"""A copy from before a purge brings nothing of it back, unless the operator says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.engine.memory_engine import MemoryEngine
from memctl.erase import purge_run, returning
from memctl.store import event_log, tombstones, unfinished
from memctl.store.migrate import open_store
from tests.killing import Killed

pytestmark = pytest.mark.usefixtures("operator")

GONE = "The safe of the harbor office opens with the year of the flood"
STAYS = "The tide gauge of the harbor is read at noon"


@pytest.fixture
def copy(here: Callable[..., Any], tmp_path: Path) -> Path:
    """A backup that was made before a record was purged."""
    path = tmp_path / "copy.db"
    for text in (GONE, STAYS):
        assert here("ingest", text, "--type", "profile", "--scope", "global").code == 0
    assert here("backup", path).code == 0
    items = here("list", "--json").data["items"]
    (gone,) = (item["id"] for item in items if item["content"] == GONE)
    assert here("purge", gone, "--yes").code == 0
    return path


def list_contents(here: Callable[..., Any]) -> set[str]:
    return {item["content"] for item in here("list", "--json").data["items"]}


def test_what_was_purged_is_purged_again_and_named(
    here: Callable[..., Any], copy: Path, db: Path
) -> None:
    said = here("restore", copy, "--yes")
    assert said.code == 0 and "was purged again: " in said.stdout
    assert list_contents(here) == {STAYS}
    assert GONE.encode() not in db.read_bytes()
    store = open_store(db, create=False)
    assert tombstones.list_purged(store), "nobody but the operator writes it again"
    assert unfinished.list_operations(store) == [] and event_log.find_broken_links(store) == []
    store.close()


def test_the_operator_may_bring_it_back_and_is_told_how_to_purge_it(
    here: Callable[..., Any], copy: Path
) -> None:
    said = here("restore", copy, "--with-purged", "--yes")
    assert said.code == 0 and "memctl purge ID" in said.stdout
    assert list_contents(here) == {GONE, STAYS}


def test_a_copy_without_anything_purged_says_nothing(
    here: Callable[..., Any], copy: Path, tmp_path: Path
) -> None:
    assert here("backup", tmp_path / "later.db").code == 0
    said = here("restore", tmp_path / "later.db", "--yes")
    assert said.code == 0 and "purged" not in said.stdout


def test_killed_after_the_swap_it_is_a_purge_that_maintenance_finishes(
    here: Callable[..., Any], copy: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def be_killed(*_given: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(returning, "finish", be_killed)
        engine = MemoryEngine.open(db, actor="operator")
        with pytest.raises(Killed):
            engine.upkeep.restore(copy)
        engine.close()
    store = open_store(db, create=False)
    assert [begun.kind for begun in unfinished.list_operations(store, purge_run.KIND)] == ["purge"]
    store.close()
    monkeypatch.setattr(unfinished.process_identity, "is_alive", lambda *_given: False)
    assert here("maintain", "--step", "finish").code in (0, 1)
    assert list_contents(here) == {STAYS} and GONE.encode() not in db.read_bytes()
