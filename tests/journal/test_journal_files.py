"""A file that a person keeps saving while memctl keeps writing it loses no line of theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bench import Bench

from memctl.core.errors import UsageError
from memctl.journal import journal_files
from memctl.journal.journal_files import ChangedMeanwhile, NoteFile
from memctl.store import journal_folders

# It reads the newest file before each save, as an editor does that asks before it overwrites.
APPENDER = """
import os, sys
path, number = sys.argv[1], 0
for _ in sys.stdin:
    while True:
        try:
            with open(path, encoding="utf-8") as file:
                before, text = os.fstat(file.fileno()).st_ino, file.read()
            with open(path, "r+", encoding="utf-8") as file:
                if os.fstat(file.fileno()).st_ino != before:
                    continue
                file.seek(0, os.SEEK_END)
                file.write(f"mine {number}\\n")
                file.flush()
            if f"mine {number}\\n" in open(path, encoding="utf-8").read():
                break
        except FileNotFoundError:
            continue
    number += 1
"""


@pytest.mark.proof
def test_what_is_saved_between_reading_and_writing_is_kept(bench: Bench, tmp_path: Path) -> None:
    bench.placed = True
    folder = tmp_path / "notes"
    bench.put("The kiln has a door")
    path = Path(str(bench.operator.journal.keep_daily_note(folder=folder).path))
    saves = 0
    with subprocess.Popen(
        [sys.executable, "-c", APPENDER, str(path)], stdin=subprocess.PIPE, text=True
    ) as editor:
        assert editor.stdin is not None
        for number in range(40):
            editor.stdin.write("save\n" * 3)
            editor.stdin.flush()
            saves += 3
            bench.put(f"The kiln has shelf {number} of fired clay")
            bench.operator.journal.keep_daily_note(folder=folder)
        editor.stdin.close()
        assert editor.wait() == 0
    bench.operator.journal.keep_daily_note(folder=folder)
    lines = path.read_text().split("\n")
    assert [line for line in lines if line.startswith("mine ")] == [
        f"mine {number}" for number in range(saves)
    ]


def test_a_file_that_changed_after_it_was_read_is_not_replaced(
    bench: Bench, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    path = folder / "MEMORY.md"
    path.write_text("one\n")
    read = journal_files.read_note(path)
    path.write_text("two\n")
    with pytest.raises(ChangedMeanwhile):
        journal_files.replace_note(bench.config, folder, read, "three\n")
    with pytest.raises(ChangedMeanwhile):
        journal_files.replace_note(bench.config, folder, NoteFile(path, None), "three\n")
    assert path.read_text() == "two\n" and list(folder.iterdir()) == [path]


def test_what_a_killed_run_put_aside_comes_back(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    aside = folder / ".memctl-99999-01JV3KQX2M0000000000000000.MEMORY.md"
    aside.write_text("mine\n")
    assert journal_files.read_note(folder / "MEMORY.md").text == "mine\n"
    assert not aside.exists()


def test_folders_are_noted_before_a_file_is_made_there(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    bench.put("The kiln has a door")
    bench.operator.journal.keep_daily_note(folder=folder)
    assert journal_folders.list_folders(bench.config) == [folder]
    assert [path.parent for path in journal_folders.list_notes(bench.config)] == [folder / "daily"]


def test_a_folder_that_leads_elsewhere_is_refused(bench: Bench, tmp_path: Path) -> None:
    folder, other = tmp_path / "notes", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (folder / "daily").symlink_to(other)
    bench.put("The kiln has a door")
    with pytest.raises(UsageError):
        bench.operator.journal.keep_daily_note(folder=folder)
    assert list(other.iterdir()) == []
