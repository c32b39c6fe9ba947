"""Let a configured model word and join lines of MEMORY.md; what no record says is refused."""

from __future__ import annotations

from memctl.journal.proposal import Wording
from memctl.settings.config import Config
from memctl.store.database import Database


def make_wording(db: Database, config: Config) -> Wording | None:
    """Who words lines; None where no model is configured for it."""
    return None
