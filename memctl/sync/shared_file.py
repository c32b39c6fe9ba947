"""The export of what travels, as a file or as text."""

from __future__ import annotations

import io
from pathlib import Path

from memctl.exchange import export
from memctl.results.store import TransferReport
from memctl.settings.config import Config
from memctl.store import drafts
from memctl.store.database import Database
from memctl.sync import group, shared_export


def export_shared(
    db: Database, config: Config, path: Path | None, *, replaces: bool = False
) -> TransferReport:
    """Write what travels to `path`, or into the report's `text`.

    Raises NotFound where this store follows no other, UsageError for a file that is there already,
    unless it `replaces` that.
    """
    own = group.require_keys(config)
    if path is None:
        text = io.StringIO()
        many = shared_export.write_shared_export(db, own.member, text)
        return TransferReport("", {"memories": {"exported": many}}, text=text.getvalue())
    export.refuse_taken_path(path, config.db, replaces=replaces)
    with drafts.create_private_file(config, path, replaces=replaces) as handle:
        out = io.TextIOWrapper(handle, encoding="utf-8", errors="backslashreplace", newline="\n")
        many = shared_export.write_shared_export(db, own.member, out)
        out.flush()
        out.detach()
    return TransferReport(str(path), {"memories": {"exported": many}})
