"""Copies, retention, indexing and what `doctor` says of it all."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from bench import Bench

from memctl.core import clock, timestamps
from memctl.core.errors import StoreDamaged
from memctl.maintain import doctor
from memctl.results.maintenance import MaintainReport, StepReport
from memctl.results.store import Check
from memctl.store import backup, maintenance_steps, meta

FACT = ("user", "fact the kiln is oil fired")


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let time pass."""

    def days(many: float) -> None:
        then = timestamps.add_seconds(clock.now(), seconds=many * 86400)
        monkeypatch.setattr(clock, "now", lambda: then)

    return days


def named(report: MaintainReport, name: str) -> StepReport:
    return next(one for one in report.steps if one.name == name)


def copies(bench: Bench) -> list[str]:
    return sorted(path.name for path in bench.config.backups.glob("*"))


# -- copies --


def test_a_copy_is_made_once_a_day_if_anything_happened_and_the_newest_are_kept(
    bench: Bench, wait: Callable[..., None]
) -> None:
    bench.settings(backup__every_days=1, backup__keep=2)
    for day in range(4):
        bench.put(f"The kiln number {day} is fired on day {day}")
        gone = {"backups_removed": 1} if day >= 2 else {}
        assert named(bench.maintain(), "backup").counts == {"backups": 1, **gone}
        assert "not due until" in named(bench.maintain(), "backup").reason
        wait(1)
    assert len(copies(bench)) == 2
    kept = copies(bench)
    wait(1)
    bench.maintain()
    wait(1)
    assert named(bench.maintain(), "backup").reason == "nothing waiting"
    assert len(copies(bench)) == 2 and copies(bench)[0] >= kept[0]


def test_a_copy_that_is_gone_is_made_again(bench: Bench, wait: Callable[..., None]) -> None:
    bench.settings(backup__every_days=1)
    bench.maintain()
    for path in bench.config.backups.glob("*"):
        path.unlink()
    wait(1)
    assert named(bench.maintain(), "backup").counts == {"backups": 1}


def test_copies_can_be_turned_off_and_are_private_and_whole(bench: Bench) -> None:
    assert named(bench.maintain(), "backup").reason == "backup.every_days is 0"
    bench.settings(backup__every_days=7)
    bench.put("The kiln is oil fired")
    bench.maintain()
    path = bench.config.backups / copies(bench)[0]
    assert path.stat().st_mode & 0o077 == 0
    assert backup.normalise_copy(path)["memories"] == 1


def test_a_copy_that_is_not_sound_replaces_none(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, wait: Callable[..., None]
) -> None:
    bench.settings(backup__every_days=1, backup__keep=1)
    bench.maintain()
    before = copies(bench)
    wait(2)
    bench.put("The kiln is oil fired")

    def damaged(_db: object) -> None:
        raise StoreDamaged("bits have flipped")

    monkeypatch.setattr(backup, "verify_backup", damaged)
    with pytest.raises(StoreDamaged):
        bench.operator.maintain()
    assert copies(bench) == before


def test_a_copy_for_which_there_is_no_time_is_left_for_the_next_run(bench: Bench) -> None:
    bench.settings(backup__every_days=1)
    report = bench.operator.maintain(steps=["backup"], budget=0.2)
    assert (named(report, "backup").state, report.problems) == ("unfinished", ())
    assert "a copy takes about" in named(report, "backup").reason
    assert named(bench.maintain(), "backup").counts == {"backups": 1}


# -- what is dropped --


def test_accounts_of_maintenance_go_after_a_season_but_for_the_last_of_each(
    bench: Bench, wait: Callable[..., None]
) -> None:
    bench.put("The kiln is oil fired")
    bench.maintain(steps=["optimise"])
    wait(1)
    bench.maintain(steps=["optimise", "age"])
    wait(91)
    assert named(bench.maintain(steps=["retention"]), "retention").counts["steps_pruned"] == 1
    assert (
        len(maintenance_steps.list_latest(bench.db, "optimise", 9)) == 1
        and len(maintenance_steps.list_latest(bench.db, "age", 9)) == 1
    )


def test_files_that_were_never_finished_go_after_a_day(bench: Bench) -> None:
    bench.put("The kiln is oil fired")
    bench.config.spool.mkdir(exist_ok=True)
    old, new = (
        bench.config.spool / "01A.capture.partial",
        bench.config.spool / "01B.capture.partial",
    )
    for path in (old, new):
        path.write_text("half")
    os.utime(old, (1, 1))
    assert named(bench.maintain(steps=["retention"]), "retention").counts == {"drafts_removed": 1}
    assert (old.exists(), new.exists()) == (False, True)


# -- the index --


def test_an_index_is_built_anew_in_pieces_and_what_has_no_record_goes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memctl.maintain.index_step._BATCH", 2)
    kept = [bench.put(f"The shelf number {number} is made of oak") for number in range(5)]
    bench.db.script(
        "DELETE FROM memories_fts; INSERT INTO memories_fts (rowid, title) VALUES (999, 'ghost')"
    )
    assert bench.maintain(reindex=True).reindexed == 5
    assert bench.db.value("lexical.size") == len(kept)
    bench.check()


def test_building_the_index_anew_goes_on_where_it_stopped(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memctl.maintain.index_step._BATCH", 2)
    for number in range(6):
        bench.put(f"The shelf number {number} is made of oak")
    bench.db.script("DELETE FROM memories_fts")
    asked = iter([False, False, True])
    with monkeypatch.context() as patch:
        patch.setattr(
            "memctl.maintain.run_state.MaintenanceRun._is_time_over", lambda run: next(asked, True)
        )
        assert named(bench.operator.maintain(steps=["index"]), "index").state == "unfinished"
    assert bench.db.value("lexical.size") == 4
    assert named(bench.maintain(), "index").counts == {"reindexed": 2}
    assert bench.db.value("lexical.size") == 6


def test_the_pieces_of_the_index_are_put_together(bench: Bench) -> None:
    for number in range(40):
        bench.put(f"The shelf number {number} is made of oak and stands in room {number}")
    bench.maintain(steps=["optimise"])
    assert "merges" not in named(bench.maintain(steps=["optimise"]), "optimise").counts
    bench.check()


# -- what doctor says --


def looked(bench: Bench) -> Check:
    return next(
        one for one in doctor.doctor(bench.config, repair=False).checks if one.name == "steps"
    )


def test_doctor_tells_when_each_step_was_last_done(bench: Bench) -> None:
    bench.put("The kiln is oil fired")
    assert looked(bench) == Check("steps", "ok", "no maintenance step failed")
    bench.take(FACT)
    assert looked(bench).state == "ok" and "extract 20" in looked(bench).detail


def test_doctor_names_a_step_that_fails(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memctl.maintain.tidy_step.archive_unused", lambda run: 1 / 0)
    assert bench.operator.maintain().problems == (
        "age failed: ZeroDivisionError: division by zero",
    )
    assert looked(bench).state == "problem" and "age failed at" in looked(bench).detail
    monkeypatch.setattr("memctl.maintain.tidy_step.archive_unused", lambda run: None)
    bench.maintain()
    assert looked(bench).state == "ok"


def test_doctor_names_a_step_that_never_comes_to_its_end(bench: Bench) -> None:
    with bench.db.write():
        for number in range(3):
            at = timestamps.add_seconds(clock.now(), seconds=number)
            maintenance_steps.begin_step(
                bench.db, f"run{number}", "embed", holder={}, position=None, at=at
            )
            maintenance_steps.end_step(bench.db, f"run{number}", "embed", "unfinished", at=at)
    assert looked(bench).state == "note" and "embed was cut off 3 times" in looked(bench).detail


def test_comparing_goes_on_where_it_stopped_and_looks_at_each_record_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memctl.maintain.compare_step._BATCH", 2)
    for number in range(5):
        bench.put(f"The {'abcde'[number] * 5} service listens on another port every day")
    asked = iter([False, True])
    with monkeypatch.context() as patch:
        patch.setattr(
            "memctl.maintain.run_state.MaintenanceRun._is_time_over", lambda run: next(asked, True)
        )
        first = named(bench.operator.maintain(steps=["consolidate"]), "consolidate")
    assert (first.state, first.counts["compared"]) == ("unfinished", 2)
    assert meta.get_note(bench.db, "consolidated_until") == first.position
    assert named(bench.maintain(steps=["consolidate"]), "consolidate").counts["compared"] == 3


def test_a_night_in_which_nothing_happened_loads_neither_extraction_nor_vectors(
    bench: Bench,
) -> None:
    import subprocess
    import sys

    bench.put("The kiln is oil fired")
    bench.maintain()
    with bench.db.write():
        meta.put_note(bench.db, "consolidated_until", clock.now())
    code = f"""
import sys
from memctl.core.frozen import replace
from memctl.engine.memory_engine import MemoryEngine
with MemoryEngine.open({str(bench.path)!r}) as engine:
    values = {{**engine.config.values, "backup.every_days": 0}}
    engine.config = replace(engine.config, values=values)
    did = [step.name for step in engine.maintain().steps if step.state != "skipped"]
heavy = ("memctl.extract", "memctl.embed.", "memctl.exchange", "llm")
print(did, sorted({{name for name in sys.modules if name.startswith(heavy)}}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] []\n", done.stdout
