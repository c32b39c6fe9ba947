"""Checks of work that takes several transactions: what a kill cut off is named until it is done."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core import clock, process_identity
from memctl.maintain.checks.finding import Finding, make_note, make_ok, make_problem
from memctl.settings.config import Config
from memctl.store import unfinished
from memctl.store.database import Database

# What an operation does, by its kind.
_DOINGS = {
    "import": "an import",
    "ingest": "an ingest of many records",
    "purge": "a purge or redaction",
    "revert": "an undoing",
    "adopt": "the adoption of a project or the merging of two entities",
    "upgrade": "an upgrade",
}
# So often taken over and not ended, an operation cannot be finished as it is. Chosen by hand.
_TOO_MANY_CLAIMS = 3


def check_operations(db: Database, _config: Config) -> Iterator[Finding]:
    """No operation of several transactions was cut off."""
    now = clock.now()
    begun = unfinished.list_operations(db)
    if not begun:
        yield make_ok("unfinished", "nothing was cut off half-way")
    for each in begun:
        what = f"{_DOINGS[each.kind]} by {each.actor} that began at {each.started_at}"
        if process_identity.is_alive(each.worker, now):
            yield make_note("unfinished", f"{what} is at work")
        elif each.claims >= _TOO_MANY_CLAIMS:
            cure = "look at what `memctl maintain --step finish` says"
            detail = f"{what} was cut off, and taken up {each.claims} times in vain"
            yield make_problem("unfinished", detail, cure)
        else:
            cure = "`memctl maintain --step finish` finishes it"
            yield make_problem("unfinished", f"{what} was cut off", cure)
