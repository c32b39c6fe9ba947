"""Rows that an older version wrote get their checksums, in short transactions."""

from __future__ import annotations

from memctl.maintain.run_state import MaintenanceRun
from memctl.store import checksums, row_checks


def fill_checksums(run: MaintenanceRun) -> None:
    """Give every row its checksum, table by table; it goes on at the table it came to.

    Counts `checksums`.
    """
    first = checksums.TABLES.index(run.position) if run.position in checksums.TABLES else 0
    for table in checksums.TABLES[first:]:
        for rows in row_checks.iterate_fills(run.db, table):
            run.count("checksums", rows)
            if run.must_stop():
                run.stop(table)
                return
    with run.db.write():
        row_checks.note_complete(run.db)
