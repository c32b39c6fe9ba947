"""The step that writes what changed into a folder of notes.

Nobody is at the terminal, so what was changed in the notes waits for the operator's own
`memctl vault sync`.
"""

from __future__ import annotations

from pathlib import Path

from memctl.core.errors import NotFound, StoreLocked
from memctl.core.model import Actor
from memctl.maintain.run_state import MaintenanceRun

_ACTOR = Actor("maintain")


def write_notes(run: MaintenanceRun) -> None:
    """Counts `notes_written` and `notes_waiting`.

    A folder that is not there now, or that another run is at, stops this step and no other.
    """
    from memctl.vault import folder

    root = Path(run.config["vault.dir"])
    try:
        report = folder.sync_vault(run.db, run.config, _ACTOR, root, dry_run=False)
    except (NotFound, StoreLocked) as error:
        run.stop(why=str(error))
        return
    run.count("notes_written", sum(each.what == "wrote" for each in report.changes))
    run.count("notes_waiting", sum(each.what in ("waits", "conflict") for each in report.changes))
