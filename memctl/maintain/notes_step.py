"""Read the files of notes again that were changed since they were imported.

Only files that somebody imported are looked at, and only changed ones are read, one by one.
"""

from __future__ import annotations

from pathlib import Path

from memctl import importers
from memctl.capture import import_memories, known_memory_files
from memctl.capture.memory_files import FileToImport
from memctl.curate.propose import ACTOR
from memctl.maintain.run_state import MaintenanceRun
from memctl.results.backfill import MemoryFile

# What is counted of each file.
_COUNTED = ("new", "changed", "moved", "gone", "back")


def read_changed_notes(run: MaintenanceRun) -> None:
    """Import the files that were changed.

    Counts `files_read`, `files_missing`, and of their lines `new`, `changed`, `moved`, `gone` and
    `back`. A file that cannot be read is a problem, and its records stay as they are.
    """
    known = known_memory_files.list_known_files(run.db)
    changed = list(known_memory_files.find_changed(known))
    for done, path in enumerate(changed):
        if run.must_stop():
            return
        importer = importers.get_importer(known[path][0].agent)
        file = FileToImport(Path(path), importer)
        for item in import_memories.import_file(
            run.db, run.config, ACTOR, file, known=known, dry_run=False
        ):
            _count_item(run, item)
        run.count("files_read")
        run.report_progress(done + 1, len(changed))
    run.count("files_missing", sum(map(known_memory_files.is_missing, known)))


def _count_item(run: MaintenanceRun, item: MemoryFile) -> None:
    if item.problem:
        run.problems.append(f"{item.path}: {item.problem}")
    for name in _COUNTED:
        run.count(f"lines_{name}", getattr(item, name))
