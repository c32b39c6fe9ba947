"""One sync of a store at a time."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from memctl.settings.config import Config
from memctl.store.lock_file import hold_lock


def hold_sync(config: Config) -> AbstractContextManager[None]:
    """Keep other syncs of this store out. Raises StoreLocked."""
    return hold_lock(
        name_lock(config), "another sync of this store is running", hint="it ends soon"
    )


def name_lock(config: Config) -> Path:
    """Return the lock of a store's syncs, which is empty."""
    return config.db.with_name(f"{config.db.name}.sync.lock")
