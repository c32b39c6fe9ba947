"""Versions of MEMORY.md: kept steady, safe from kills, bounded in time, gone with their project."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import Bench

from memctl.core.bounded_work import BoundedWork
from memctl.core.model import NewMemory
from memctl.journal import dream, nightly
from memctl.results.journal import MemoryDocument
from memctl.store import memory_documents, records


@pytest.fixture
def kiln(bench: Bench) -> Bench:
    """A bench whose records are about the kiln, with a budget for a few of them."""
    bench.placed = True
    bench.settings(journal__zone="UTC", journal__memory_budget=400)
    return bench


def stage(bench: Bench, **given: object) -> MemoryDocument:
    (item,) = bench.operator.journal.dream(stages=True, **given).items  # type: ignore[arg-type]
    return item


def record_lines(item: MemoryDocument) -> list[str]:
    return [line.text for line in item.lines if line.source == "record"]


def test_a_kill_between_the_file_and_the_store_loses_nothing(
    kiln: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kiln.put("The kiln has a door")
    staged = stage(kiln, folder=tmp_path)
    assert staged.id is not None
    with monkeypatch.context() as patch:
        patch.setattr(dream, "_note_present", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            kiln.operator.journal.approve(staged.id, folder=tmp_path)
    path = tmp_path / "projects" / "kiln" / "MEMORY.md"
    written = path.read_text()
    assert stage(kiln, folder=tmp_path).id == staged.id
    (done,) = kiln.operator.journal.approve(staged.id, folder=tmp_path).items
    assert (done.state, path.read_text()) == ("current", written)
    assert stage(kiln, folder=tmp_path).state == "unchanged"


def test_use_alone_does_not_reorder_or_exchange_lines_that_count_alike(kiln: Bench) -> None:
    made = [kiln.put(f"Shelf {n} of the kiln holds pots of glaze number {n}") for n in range(30)]
    first = stage(kiln)
    assert first.id is not None and first.left_out > 0
    kiln.operator.journal.approve(first.id)
    told = {line.ids[0] for line in first.lines if line.source == "record"}
    left = next(memory.id for memory in made if memory.id not in told)
    records.count_access(kiln.db, [left], made[0].created_at)
    assert stage(kiln).state == "unchanged"
    kiln.operator.records.pin([left])
    second = stage(kiln)
    assert any(left in line.ids for line in second.lines)
    assert {entry.change for entry in second.diary} == {"added", "dropped"}
    assert all(entry.why for entry in second.diary)
    assert [line for line in record_lines(first) if line in record_lines(second)] == [
        line for line in record_lines(second) if line in record_lines(first)
    ]


def test_the_order_in_which_records_came_does_not_matter(kiln: Bench) -> None:
    for number in range(5):
        kiln.put(f"Glaze number {number} is fired at night", observed_at="2026-03-01T10:00:00Z")
    assert record_lines(stage(kiln)) == record_lines(kiln.operator.journal.dream().items[0])


def test_duplicates_are_one_line_with_both_ids(kiln: Bench) -> None:
    one = kiln.put("Releases are tagged and signed by the build server every Friday")
    other = kiln.put("Releases are tagged, and signed by the build server every Friday.")
    lines = record_lines(stage(kiln))
    assert len(lines) == 1
    assert kiln.state(one) != "active" or f"`{other.id[:10]}`" in lines[0]


def test_what_comes_from_a_session_is_told_as_far_back_as_was_asked(kiln: Bench) -> None:
    kiln.put("Fired the first batch of tiles", "episode", observed_at="2026-01-05T10:00:00Z")
    kiln.put("The kiln has a door")
    assert not any("batch" in line for line in record_lines(stage(kiln)))
    assert any("batch" in line for line in record_lines(stage(kiln, lookback_days=36500)))


def test_a_night_that_is_cut_short_goes_on_where_it_stopped(kiln: Bench, tmp_path: Path) -> None:
    kiln.settings(journal__dir=str(tmp_path / "notes"))
    kiln.put("The kiln has a door")
    problems: list[str] = []
    work = BoundedWork(lambda: True)
    nightly.keep_journal(kiln.db, kiln.config, work, problems, lambda: None)
    assert work.was_cut and work.counts["days_written"] == 0 and not problems
    work = BoundedWork()
    nightly.keep_journal(kiln.db, kiln.config, work, problems, lambda: None)
    assert work.counts == {"days_written": 1, "documents_staged": 1}


def test_a_project_that_becomes_part_of_another_takes_its_versions_along(kiln: Bench) -> None:
    kiln.put("The kiln has a door")
    staged = stage(kiln)
    other = kiln.folder / "harbour"
    other.mkdir()
    kiln.operator.init(project=other)
    kiln.operator.ingest([NewMemory("project", "Ferries leave at nine", project="harbour")])
    kiln.operator.projects.adopt("kiln", "harbour")
    found = {each.id: each for each in memory_documents.list_documents(kiln.db)}
    assert found[str(staged.id)].state == "withdrawn"
    documents = kiln.operator.journal.dream().items
    assert [item.project for item in documents] == ["harbour"]
    assert any("door" in line for line in record_lines(documents[0]))


def test_a_version_that_is_damaged_is_an_error_and_not_a_crash(kiln: Bench) -> None:
    kiln.put("The kiln has a door")
    stage(kiln)
    kiln.db._conn.execute("UPDATE memory_documents SET lines = '[1, 2'")
    from memctl.core.errors import StoreDamaged

    with pytest.raises(StoreDamaged):
        kiln.operator.journal.list_versions()
