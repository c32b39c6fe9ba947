"""What a word that is being typed may become: ids of records, names of projects and views."""

from __future__ import annotations

from memctl.store import context_records
from memctl.store.database import Database

KINDS = ("ids", "projects", "views")
# How many words a shell is offered: more do not fit a screen. Chosen by hand.
_LIMIT = 50


def list_words(db: Database, kind: str, prefix: str) -> list[str]:
    """List up to 50 words of a kind that begin with a prefix; none for an unknown kind.

    An agent is offered no id of a record that is private to another.
    """
    if kind == "ids":
        return _list_ids(db, prefix)
    if kind not in KINDS:
        return []
    return [row["word"] for row in db.all(f"completion.{kind}", prefix=prefix, limit=_LIMIT)]


def _list_ids(db: Database, prefix: str) -> list[str]:
    """The ids as short as they are shown, in the capitals that were typed."""
    begun, actor = prefix.upper(), db.acting[0]
    viewer = actor.removeprefix("agent:") if actor.startswith("agent:") else None
    rows = db.all(
        "completion.ids", prefix=begun, upper=f"{begun}\U0010ffff", viewer=viewer, limit=_LIMIT
    )
    shorts = context_records.shorten_ids(db, [row["id"] for row in rows])
    words = [
        shorts[row["id"]] if len(shorts[row["id"]]) >= len(begun) else row["id"] for row in rows
    ]
    return [word.lower() for word in words] if prefix != begun else words
