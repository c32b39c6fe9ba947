"""What a store that follows others is asked at a glance: what would travel, what waits, what is
still to be sent; and how it forgets all of it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.store import chunks, sync_changes
from memctl.store.database import Database
from memctl.store.rows import to_canonical_json
from memctl.store.sync_group import SeenSet

# Why a change set of our own is not as it was written: it holds what was erased since.
PURGED = "purged"
# Rows that are forgotten in one go; some hundred of them are a few milliseconds.
_ROWS = 500
_LONG_TABLES = ("drop_numbers", "drop_changes", "drop_subjects", "drop_sets")
_SHORT_TABLES = ("drop_vector", "drop_shares", "drop_projects", "drop_places", "drop_notes")


@dataclass(frozen=True, slots=True)
class RecordCount:
    """How many records of a project have a scope, a type and a status; `is_foreign`: others made
    them.
    """

    project: str | None
    scope: str
    type: str
    status: str
    is_foreign: bool
    many: int


def count_records(db: Database) -> list[RecordCount]:
    """Count all records by project, scope, type and status."""
    return [
        RecordCount(
            row["project_id"],
            row["scope"],
            row["type"],
            row["status"],
            bool(row["is_foreign"]),
            row["many"],
        )
        for row in db.all("sync_overview.records")
    ]


def count_waits(db: Database) -> dict[str, int]:
    """Count the candidates that other members made, by their name."""
    rows = db.all("sync_overview.waits")
    return {row["member"]: int(row["many"]) for row in rows}


def count_refused(db: Database) -> int:
    """Count the changes that were refused."""
    return int(db.value("sync_overview.refused"))


def list_own_streams(db: Database, replica: str) -> dict[str, int]:
    """Return up to which number this replica has numbered its changes, by stream."""
    rows = db.all("sync_overview.own_streams", replica=replica)
    return {row["stream"]: int(row["last"]) for row in rows}


def count_unsent(db: Database, place: str, replica: str) -> int:
    """Count the changes of this replica that a place has not got yet, over all streams."""
    return sum(
        last - sum(end - first + 1 for first, end in _merge_ranges(db, place, stream, replica))
        for stream, last in list_own_streams(db, replica).items()
    )


def _merge_ranges(db: Database, place: str, stream: str, replica: str) -> Iterator[tuple[int, int]]:
    """The numbers that a place has, as ranges that do not overlap."""
    reached = 0
    for row in db.all("sync_overview.written", place=place, stream=stream, replica=replica):
        first, last = max(row["first"], reached + 1), row["last"]
        if first <= last:
            yield first, last
            reached = last


def list_purged_sets(db: Database, place: str, replica: str) -> list[SeenSet]:
    """List the change sets of this replica at a place that hold what was erased since."""
    return [
        SeenSet(
            place,
            row["stream"],
            row["replica"],
            row["first"],
            row["last"],
            row["digest"],
            row["problem"],
            row["seen_at"],
        )
        for row in db.all("sync_overview.purged_sets", place=place, replica=replica)
    ]


def list_problems(db: Database, place: str | None = None) -> list[str]:
    """Name the change sets that were passed over, each with the reason."""
    return [
        f"{row['stream']}/{row['replica']}/{row['first']}-{row['last']} at {row['place']}: "
        f"{row['problem']}"
        for row in db.all("sync_overview.problems", place=place)
    ]


def note_unfinished(db: Database, place: str, outcome: Mapping[str, Any], at: str) -> None:
    """Note that a sync of a place was cut off by its time or traffic: nothing is wrong there."""
    told = to_canonical_json(outcome)
    db.run("sync_overview.note_unfinished", name=place, outcome=told, at=at)


def renumber(db: Database, stream: str, old: str, new: str, *, after: int, last: int) -> int:
    """Give what one replica numbered after a number the next numbers of another; count it."""
    numbers = list(range(after + 1, last + 1))

    def move(number: int) -> None:
        n = sync_changes.find_numbered(db, stream, old, number)
        db.run("sync_overview.drop_number", stream=stream, replica=old, number=number)
        if n is not None:
            sync_changes.number_change(db, stream, new, n)

    with db.write():
        db.run("sync_overview.end_vector", stream=stream, replica=old, last=after)
    return chunks.change_in_chunks(db, numbers, move)


def forget_group(db: Database) -> None:
    """Forget the group: its members, places and all that travelled. No record is touched."""
    for name in _LONG_TABLES:
        while _drop_some(db, name):
            chunks.pause_between_chunks()
    with db.write():
        for name in _SHORT_TABLES:
            db.run(f"sync_overview.{name}")
        db.run("sync_group.drop_replicas")


def _drop_some(db: Database, name: str) -> bool:
    with db.write():
        return db.run(f"sync_overview.{name}", limit=_ROWS) > 0
