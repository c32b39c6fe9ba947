"""Records that age: those not used for long, and projects with more records than allowed."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.frozen import dataclass
from memctl.core.model import OPERATOR_SAID, Memory
from memctl.store.database import Database
from memctl.store.records import from_row
from memctl.store.rows import to_json_array


@dataclass(frozen=True, slots=True)
class Crowd:
    """A project and type with more active records than allowed.

    `type` and `scope` are None for any; `holder` is the agent of an agent's own records.
    """

    type: str | None
    scope: str | None
    project_id: str | None
    holder: str | None
    active: int


def list_untouched(db: Database, types: Iterable[str], before: str) -> list[Memory]:
    """List active, unprotected records of some types not observed, confirmed or used since a time.

    Oldest first.
    """
    return [
        from_row(row)
        for row in db.all("freshness.untouched", types=to_json_array(types) or "[]", before=before)
    ]


def list_crowded(db: Database, type_: str | None, scope: str | None, most: int) -> list[Crowd]:
    """List where more than `most` records of a type (and scope) are active."""
    rows = db.all("freshness.crowded", type=type_, scope=scope, most=most)
    return [Crowd(type_, scope, row["project_id"], row["holder"], row["active"]) for row in rows]


def list_removable(db: Database, of: Crowd) -> list[Memory]:
    """List those of a crowd that may go: not protected, not pinned, not said by the operator."""
    where = {"type": of.type, "scope": of.scope, "project_id": of.project_id, "holder": of.holder}
    return [from_row(row) for row in db.all("freshness.crowd", operator=OPERATOR_SAID, **where)]
