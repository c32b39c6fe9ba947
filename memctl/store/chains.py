"""Chains of supersession, followed from their newest record down."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.store.database import Database, Row
from memctl.store.rows import to_json_array


def list_predecessors(
    db: Database, ids: Iterable[str], at: str | None = None
) -> dict[str, list[Row]]:
    """Return what each record superseded, directly or through others, nearest first.

    Records that superseded nothing are left out.
    """
    found: dict[str, dict[str, Row]] = {}
    for row in db.all("chains.below", ids=to_json_array(ids) or "[]", at=at):
        found.setdefault(row["head"], {}).setdefault(row["id"], row)
    return {head: list(rows.values()) for head, rows in found.items()}
