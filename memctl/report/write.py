"""Write the report of a store into a private file, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.report.page import write_page
from memctl.report.read import read_material
from memctl.results.store import ReportFile
from memctl.settings.config import Config
from memctl.store import drafts
from memctl.store.database import Database

# The report that nobody named a file for: beside the store, made anew each time.
NAME = "report.html"


def write_report(
    db: Database, config: Config, path: Path | None, *, replaces: bool = False
) -> ReportFile:
    """Write the page. Raises UsageError for a file that is there already, unless it `replaces`
    that.
    """
    target = path or config.db.with_name(NAME)
    if path is not None and path.exists() and not replaces:
        raise UsageError(
            f"{path} is there already", hint="name another file, or replace it with --force"
        )
    data = write_page(read_material(db, clock.now())).encode("utf-8", "replace")
    replaced = target.exists()
    with drafts.create_private_file(config, target, replaces=replaced) as handle:
        handle.write(data)
    return ReportFile(str(target.absolute()), len(data))
