"""The private files in which imports stand while they are applied: `<store>.import-ULID`.

Such a file goes when its import has ended. One that a kill left is finished or removed by
maintenance; until then it holds what it is about to bring.
"""

from __future__ import annotations

from pathlib import Path

from memctl.core.lazy_pattern import compile_later
from memctl.settings.config import Config
from memctl.store import files, unfinished
from memctl.store.database import Database

_NAME = compile_later(r"\.import-[0-9A-HJKMNP-TV-Z]{26}")


def locate_staged(config: Config, operation_id: str) -> Path:
    """Return where the lines of an import stand."""
    return config.db.with_name(f"{config.db.name}.import-{operation_id}")


def list_staged(config: Config) -> list[Path]:
    """List the files of imports that have not ended, or ended without removing theirs."""
    name = config.db.name
    if not config.db.parent.is_dir():
        return []
    return sorted(
        path
        for path in config.db.parent.iterdir()
        if path.name.startswith(name) and _NAME.fullmatch(path.name[len(name) :])
    )


def remove_orphans(db: Database, config: Config) -> int:
    """Overwrite and delete the files of imports that have ended; return how many."""
    # First the files: one is named only after its import has begun.
    found = list_staged(config)
    going_on = {locate_staged(config, each.id) for each in unfinished.list_operations(db, "import")}
    orphans = [path for path in found if path not in going_on]
    for path in orphans:
        files.shred_file(path)
    return len(orphans)
