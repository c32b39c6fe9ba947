"""Entities that another machine merged, split or named: brought into the tables of this store.

An entity is known everywhere by its kind and name; its id is this store's own.
"""

from __future__ import annotations

from collections.abc import Callable

from memctl.core import clock
from memctl.store import arrived_rows, entity_lookup, event_log, tracked_rows
from memctl.store.database import Database
from memctl.sync.local_rows import Teller
from memctl.sync.merging import ChangeGraph, read_state


def settle_entity(db: Database, graph: ChangeGraph, make_teller: Callable[[], Teller]) -> None:
    """Bring an entity, and by which other names it is known, to what its changes come to."""
    tell = make_teller()
    subject = graph.changes[0].subject if graph.changes else ""
    kind, _, name = subject.partition(":")[2].partition("|")
    if not name:
        return
    with event_log.group_changes(db):
        entity_id = arrived_rows.ensure_entity(db, kind, name, clock.now())  # type: ignore[arg-type]
        touched = set(tracked_rows.list_records_of_entity(db, entity_id))
        for (topic, item), row in sorted(read_state(graph).rows.items()):
            told = tell((topic, item))
            if topic == "alias":
                key = f"{item}|{entity_id}"
                here = tracked_rows.find_row(db, "alias", key)
                if (here is None) == (row is None):
                    continue
                alias = {
                    "alias": item,
                    "entity_id": entity_id,
                    "source_ref": None,
                    "created_at": clock.now() if row is None else row["created_at"],
                }
                arrived_rows.change_row(db, "alias", here, None if row is None else alias, told)
            elif topic == "entity":
                into = None if row is None else row["merged_into"]
                _merge_entity(db, entity_id, into, tell, (topic, item))
        tracked_rows.reindex_memories(db, touched)


def _merge_entity(
    db: Database, entity_id: str, into: str | None, tell: Teller, cell: tuple[str, str]
) -> None:
    """Let an entity stand for another one, or for itself; never for itself through others."""
    here = tracked_rows.find_row(db, "entity", entity_id)
    target = None
    if into is not None:
        kind, _, name = into.partition("|")
        target = arrived_rows.ensure_entity(db, kind, name, clock.now())  # type: ignore[arg-type]
        row = entity_lookup.find_by_id(db, target)
        if target == entity_id or (
            row is not None and entity_lookup.resolve_merged(db, row) == entity_id
        ):
            return
    if here is not None and here["merged_into"] != target:
        arrived_rows.change_row(db, "entity", here, {**here, "merged_into": target}, tell(cell))
