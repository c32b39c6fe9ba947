"""The automatic copies of the store: one every few days in which anything happened, checked, the newest kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl.maintain.run_state import Run
from memctl.store import backup as copies

# So fast is a store copied and checked, at least; nothing can stop that in the middle.
_BYTES_A_SECOND = 20e6
_LEAST_SECONDS = 0.5


def backup(run: Run) -> Mapping[str, Any]:
    """Copy the store, unless the time that is left will not be enough."""
    needed = _LEAST_SECONDS + run.db.path.stat().st_size / _BYTES_A_SECOND
    if run.left() < needed:
        run.stop(why=f"a copy takes about {needed:.0f} s, and {run.left():.0f} s were left")
        return {}
    head = run.db.value("steps.head")
    made = copies.backup(run.db, run.config, None)
    return {"backups": 1, "head": head, "path": made.path}
