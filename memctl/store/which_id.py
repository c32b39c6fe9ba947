"""What an id is the id of, and which command takes it: for whoever gave it to another command."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.errors import StoreDamaged
from memctl.store.database import Database, Row

# Of a session no more than these characters are looked for.
_LONGEST = 200
# Fewer characters begin too many ids to say anything.
_SHORTEST = 4
# The largest number that SQLite takes.
_LARGEST = 2**63 - 1
# What each kind is called, and the command for it; `{id}` is its own id, `{owner}` that of what it
# belongs to.
_PLACES: Mapping[str, tuple[str, str]] = {
    "record": ("a record", "memctl show {id}"),
    "conversation": ("a captured conversation", "memctl source show {id}"),
    "capture": ("a capture", "memctl source show {id}"),
    "retrieval": ("a retrieval", "memctl explain {id}"),
    "entity": ("an entity", "memctl entity show {id}"),
    "proposal": ("a proposal", "memctl inbox --approve {id}, or --reject"),
    "project": ("a project", "memctl project show {id}"),
    "repository": ("a repository of a project", "memctl project show {owner}"),
    "quote": ("a quote of a record", "memctl explain {owner}"),
    "link": ("a link of a record", "memctl show {owner}"),
    "vote": ("feedback on a record", "memctl explain {owner}"),
    "run": ("a maintenance run", "memctl maintain --steps"),
    "session": ("a session", "memctl source show {id}"),
    "change": ("a change", "memctl revert {id}, or memctl explain {owner}"),
    "operation": ("an operation", "memctl revert {owner}"),
}


def describe_id(db: Database, text: str, besides: str = "") -> str | None:
    """Say what an id or its beginning is the id of, and which command takes it; None if of nothing.

    `besides` is the kind that was looked for already.
    """
    wanted = text.strip()
    # What is not printable is no id, and half of a character pair is no text to SQLite.
    if len(wanted) > _LONGEST or not wanted or not wanted.isprintable():
        return None
    try:
        rows = _find_rows(db, wanted)
    except StoreDamaged:
        return None
    for row in rows:
        if row["kind"] != besides:
            what, command = _PLACES[row["kind"]]
            return f"{wanted} is {what}: {command.format(id=row['id'], owner=row['owner'])}"
    return None


def _find_rows(db: Database, wanted: str) -> list[Row]:
    prefix = wanted.upper()
    number = int(wanted) if wanted.isascii() and wanted.isdigit() else -1
    is_id = len(prefix) >= _SHORTEST and prefix.isascii() and prefix.isalnum()
    rows = db.all("which_id.beginning", prefix=prefix, upper=prefix + "\uffff") if is_id else []
    return [*rows, *db.all("which_id.whole", text=wanted, number=min(number, _LARGEST))]
