"""Purge, the search for secrets, maintenance and doctor know what killed commands left, and the
copies that were asked for, wherever they are.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import Bench

from memctl.erase import leftovers
from memctl.settings import config
from memctl.store import drafts, file_register, spool
from tests.killing import play_another_process
from tests.store.test_file_register import kill_in_the_middle

# In the shape of a token; it opens nothing.
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
WORDS = "the vault below the kiln opens with the word Bluebird-4711"


def find_holding(folder: Path, words: str) -> list[Path]:
    """The files below a folder that hold some words as they are."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and words.encode() in path.read_bytes()
    ]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("killed", ["backup", "own", "export", "restore"])
def test_a_purge_leaves_nothing_of_what_a_killed_command_left(
    bench: Bench, elsewhere: Path, killed: str
) -> None:
    gone = bench.put(WORDS)
    target = elsewhere / "copy.db"
    if killed == "restore":
        bench.operator.upkeep.backup(target)
    bench.operator.close()
    kill_in_the_middle(bench.config, killed, target)
    assert [path for path in find_holding(bench.folder, WORDS) if path.name.endswith(".tmp")]
    report = bench.operator.upkeep.purge([gone.id])
    assert report.rewritten["leftover"] == 1 and report.notes == ()
    bench.operator.close()
    bench.agent.close()
    assert [path for path in find_holding(bench.folder, WORDS) if path != target] == []
    assert report.backups == ((str(target),) if killed == "restore" else ())


def test_words_that_only_a_leftover_holds_are_purged(bench: Bench) -> None:
    bench.put("the tide tables are printed on Mondays")
    bench.config.spool.mkdir()
    (bench.config.spool / "01JV3KQX2M.capture.999999999.partial").write_text(WORDS)
    report = bench.operator.upkeep.purge(match="Bluebird-4711")
    bench.operator.close()
    bench.agent.close()
    assert report.rewritten["leftover"] == 1 and find_holding(bench.folder, "Bluebird") == []


def test_a_file_that_is_being_written_is_named_by_a_purge(bench: Bench, elsewhere: Path) -> None:
    gone = bench.put(WORDS)
    with drafts.write_draft(bench.config, elsewhere / "copy.db") as draft:
        report = bench.operator.upkeep.purge([gone.id])
    [note] = report.notes
    assert str(draft) in note and "being written" in note


def test_a_file_that_is_being_written_is_named_where_secrets_are_replaced(
    bench: Bench, elsewhere: Path
) -> None:
    bench.put(WORDS)
    with drafts.write_draft(bench.config, elsewhere / "copy.db") as draft:
        report = bench.operator.upkeep.redact_secrets()
    [note] = report.notes
    assert str(draft) in note and "being written" in note
    assert bench.operator.upkeep.redact_secrets().notes == ()


def test_backups_and_exports_that_were_asked_for_are_named_wherever_they_are(
    bench: Bench, elsewhere: Path
) -> None:
    gone = bench.put(WORDS)
    stick = elsewhere / "stick"
    stick.mkdir()
    bench.operator.upkeep.backup(elsewhere / "copy.db")
    bench.operator.export(elsewhere / "all.jsonl")
    bench.operator.upkeep.backup(stick / "copy.db")
    stick.rename(elsewhere / "pulled")
    report = bench.operator.upkeep.purge([gone.id])
    assert set(report.backups) == {str(elsewhere / "copy.db"), str(elsewhere / "all.jsonl")}
    [note] = report.notes
    assert str(stick / "copy.db") in note and "not here" in note


def test_a_note_of_a_copy_whose_path_holds_the_words_goes(bench: Bench, elsewhere: Path) -> None:
    bench.put(WORDS)
    bench.operator.export(elsewhere / "Bluebird-4711.jsonl")
    report = bench.operator.upkeep.purge(match="Bluebird-4711")
    assert report.rewritten["note"] == 1
    assert find_holding(bench.path.parent, "Bluebird") == []


def test_secrets_in_leftovers_are_found_and_removed(bench: Bench, elsewhere: Path) -> None:
    bench.put(WORDS)
    bench.operator.close()
    kill_in_the_middle(bench.config, "backup", elsewhere / "copy.db")
    [draft] = elsewhere.glob(".*.tmp")
    with draft.open("ab") as file:
        file.write(f"\nthe key is {KEY}\n".encode())
    found = bench.operator.upkeep.scan_for_secrets()
    assert [(item.place, item.id) for item in found.items] == [("leftover", draft.name)]
    assert draft.exists()
    bench.operator.upkeep.redact_secrets()
    assert not draft.exists()


def test_maintenance_removes_leftovers_at_once_and_says_so(bench: Bench, elsewhere: Path) -> None:
    bench.put(WORDS)
    bench.maintain()
    bench.operator.close()
    kill_in_the_middle(bench.config, "backup", elsewhere / "copy.db")
    report = bench.maintain()
    [step] = [step for step in report.steps if step.name == "retention"]
    assert step.counts == {"drafts_removed": 1}
    assert list(elsewhere.iterdir()) == [] and file_register.list_leftovers(bench.config) == []


def test_a_purge_that_was_cut_off_after_its_words_were_cut_from_one_file_cuts_the_rest(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = bench.put(WORDS)
    for number in range(2):
        about = {"path": f"/{number}/{WORDS}", "agent": None, "session_id": None, "trigger": "t"}
        spool.write_file(bench.config, "request", about)
    write_file = leftovers._write_file
    written: list[Path] = []

    def cut_off(path: Path, content: bytes) -> None:
        if written:
            raise KeyboardInterrupt
        written.append(path)
        write_file(path, content)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        play_another_process(patched)
        patched.setattr(leftovers, "_write_file", cut_off)
        bench.operator.upkeep.purge([gone.id])
    assert find_holding(bench.config.spool, WORDS)
    bench.operator.close()
    assert any("was finished" in line for line in bench.operator.maintain().problems)
    bench.operator.close()
    bench.agent.close()
    assert find_holding(bench.path.parent, WORDS) == []


def test_doctor_names_leftovers_and_copies_that_nothing_removes(
    bench: Bench, elsewhere: Path
) -> None:
    bench.put(WORDS)
    copy = Path(bench.operator.upkeep.backup(elsewhere / "copy.db").path)
    bench.operator.upkeep.restore(copy)
    bench.operator.close()
    kill_in_the_middle(bench.config, "export", elsewhere / "all.jsonl")
    [draft] = elsewhere.glob(".*.tmp")
    said = {check.name: check for check in bench.operator.upkeep.doctor().checks}
    assert str(draft) in said["files"].detail and said["files"].cure
    assert "copies from before a restore: 1" in said["kept_copies"].detail


def test_doctor_makes_every_file_of_the_data_folder_private(bench: Bench) -> None:
    bench.put(WORDS)
    bench.operator.upkeep.backup()
    copy = Path(bench.operator.upkeep.backup(bench.path.parent / "asked.db").path)
    bench.operator.upkeep.restore(copy)
    shared = [path for path in bench.path.parent.rglob("*") if path.is_file()]
    for path in shared:
        path.chmod(0o644)
    bench.operator.upkeep.doctor(repair=True)
    assert [path for path in shared if path.exists() and path.stat().st_mode & 0o077] == []


def test_what_lies_beside_a_linked_store_is_found_by_every_name_of_it(
    tmp_path: Path,
) -> None:
    real, link = tmp_path / "real" / "m.db", tmp_path / "ln" / "m.db"
    for folder in (link.parent, real.parent):
        folder.mkdir()
    link.symlink_to("../real/m.db")
    by_link, by_name = config.load_config(link), config.load_config(real)
    assert (by_link.db, by_link.spool, by_link.backups) == (
        by_name.db,
        by_name.spool,
        by_name.backups,
    )
    assert by_link.db == real
