"""Proposals of maintenance that the operator decides: asked once, settled once, each in the
event log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core import clock
from memctl.core.errors import NotFound
from memctl.core.frozen import replace
from memctl.core.typing_lite import Any
from memctl.results.records import Proposal
from memctl.store import event_log, tracked_rows
from memctl.store.context_records import shorten_among
from memctl.store.database import Database, Row
from memctl.store.rows import (
    build_from_row,
    parse_json_column,
    resolve_id,
    to_canonical_json,
    to_json_array,
)


def insert_proposal(
    db: Database, kind: str, about: str, *, reason: str, data: Mapping[str, Any], actor: str
) -> str:
    """Ask the operator something; return the id of the proposal."""
    row = {
        "id": clock.new_id(),
        "kind": kind,
        "about": about,
        "data": to_canonical_json(dict(data)),
        "reason": reason,
    }
    row |= {"state": "open", "actor": actor, "created_at": clock.now()}
    db.run("proposals.insert", **row)
    event_log.append_related(
        db,
        "proposal",
        tracked_rows.find_subject("proposal", row),
        row["id"],
        None,
        {**row, "decided_at": None},
        verb="proposed",
    )
    return row["id"]


def settle_proposal(db: Database, asked: Proposal, state: str) -> Proposal:
    """Set the state of a proposal: `accepted`, `declined`, `withdrawn`, or `open` again."""
    now = None if state == "open" else clock.now()
    db.run("proposals.decide", id=asked.id, state=state, decided_at=now)
    before = {"state": asked.state, "decided_at": asked.decided_at}
    about = tracked_rows.find_subject(
        "proposal", {"id": asked.id, "kind": asked.kind, "about": asked.about}
    )
    event_log.append_related(
        db, "proposal", about, asked.id, before, {"state": state, "decided_at": now}, verb=state
    )
    return replace(asked, state=state, decided_at=now)


def find_latest(db: Database, kind: str, about: str) -> Proposal | None:
    """Return the latest proposal about one thing, in whatever state."""
    row = db.one("proposals.latest", kind=kind, about=about)
    return None if row is None else _from_row(db, row)


def list_open(db: Database, kind: str | None = None) -> list[Proposal]:
    """List the open proposals, oldest first."""
    return [_from_row(db, row) for row in db.all("proposals.open", kind=kind)]


def resolve_proposal(db: Database, text: str) -> Proposal:
    """Return one proposal by its id or a unique prefix of it. Raises NotFound."""
    return get_proposal(db, resolve_id(db, "proposals.by_prefix", text, "proposal"))


def get_proposal(db: Database, id: str) -> Proposal:
    """Return one proposal by its full id. Raises NotFound."""
    row = db.one("proposals.by_id", id=id)
    if row is None:
        raise NotFound(f"no proposal has the id {id}")
    return _from_row(db, row)


def find_proposal(db: Database, id: str) -> Proposal | None:
    """Return one proposal by its full id, or None."""
    row = db.one("proposals.by_id", id=id)
    return None if row is None else _from_row(db, row)


def resolve_named(db: Database, texts: Iterable[str]) -> list[str]:
    """Return the proposals among some ids or prefixes; those of records are left out."""
    return [
        text
        for text in texts
        if _is_prefix_of_one(db, "proposals.by_prefix", text)
        and not _is_prefix_of_one(db, "records.by_prefix", text)
    ]


def _is_prefix_of_one(db: Database, statement: str, text: str) -> bool:
    prefix = text.strip().upper()
    return bool(prefix) and bool(db.all(statement, prefix=prefix, upper=prefix + "\uffff"))


def _from_row(db: Database, row: Row) -> Proposal:
    short = shorten_among(db.all("proposals.neighbours", ids=to_json_array([row["id"]])))[row["id"]]
    return build_from_row(Proposal, row, short=short, data=parse_json_column(row["data"]))
