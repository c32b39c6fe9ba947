"""How far the episodes of older versions of the extraction were told again.

Apart from the step itself, which loads the extraction.
"""

from __future__ import annotations

import json

from memctl.core import clock
from memctl.core.version import EXTRACT_VERSION
from memctl.store import meta, records
from memctl.store.database import Database

# The key of the note in the store that says how far this came, and the rule that tells episodes.
_NOTE = "episodes_retold"
RULE = "episode"
# More than are counted for a plan.
_MOST_COUNTED = 1000


def count_retellable(db: Database) -> int:
    """How many episodes of older versions were not told again yet."""
    after, _ = read_position(db)
    return len(records.list_retellable(db, RULE, EXTRACT_VERSION, after=after, limit=_MOST_COUNTED))


def read_position(db: Database) -> tuple[str, str]:
    """The id after which to go on, and the operation; from the start for another version."""
    try:
        note = json.loads(meta.get_note(db, _NOTE) or "{}")
        if note["version"] == EXTRACT_VERSION:
            return str(note["after"]), str(note["operation"])
    except (ValueError, KeyError, TypeError):
        pass
    return "", clock.new_id()


def note_position(db: Database, after: str, operation: str) -> None:
    """Note how far the operation came; inside a transaction."""
    note = {"version": EXTRACT_VERSION, "after": after, "operation": operation}
    meta.put_note(db, _NOTE, json.dumps(note))
