"""Changes that were made here, as they are kept and numbered; and what is to be said anew."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from memctl.core.frozen import dataclass
from memctl.store import sync_changes
from memctl.store.database import Database
from memctl.store.rows import to_json_array


@dataclass(frozen=True, slots=True)
class NewChange:
    """A change that was made here: what it says is in `body`. `writer` numbers it in `streams`.

    `is_head` is false for one that another new one follows.
    """

    id: str
    writer: str
    replica: str
    member: str
    subject: str
    stamp: int
    parents: Sequence[str]
    body: bytes
    is_head: bool
    streams: Sequence[str]


def append_changes(db: Database, new: Iterable[NewChange]) -> int:
    """Keep changes in their order and number them; return how many were not here already."""
    told = list(new)
    known = sync_changes.find_numbers(db, (change.id for change in told))
    first = sync_changes.get_last_number(db) + 1
    fresh = list(enumerate((each for each in told if each.id not in known), first))
    own = {change.id for change in told}
    ended = {parent for _, change in fresh for parent in change.parents} - own
    if ended:
        db.run("sync_changes.end_heads", ids=to_json_array(sorted(ended)))
    db.run_many("sync_appending.append", [_to_row(n, change) for n, change in fresh])
    numbered: dict[tuple[str, str], list[int]] = {}
    for n, change in fresh:
        for stream in change.streams:
            numbered.setdefault((stream, change.writer), []).append(n)
    number_changes(db, numbered)
    return len(fresh)


def number_changes(db: Database, numbered: Mapping[tuple[str, str], Sequence[int]]) -> None:
    """Give changes (by their numbers in this store) the next numbers, by stream and replica."""
    for (stream, replica), ns in numbered.items():
        last = sync_changes.get_highest(db, stream, replica)
        is_whole = sync_changes.get_contiguous(db, stream, replica) == last
        rows = [
            {"stream": stream, "replica": replica, "number": number, "change_n": n}
            for number, n in enumerate(ns, last + 1)
        ]
        db.run_many("sync_changes.put_number", rows)
        if is_whole:
            db.run("sync_changes.put_vector", stream=stream, replica=replica, last=last + len(ns))


def list_unnumbered(
    db: Database, subject: str, member: str, streams: Iterable[str]
) -> dict[str, list[int]]:
    """Return by stream the changes of a subject by a member that have no number in it yet."""
    found: dict[str, list[int]] = {}
    for stream in streams:
        rows = db.all("sync_appending.unnumbered", subject=subject, member=member, stream=stream)
        if rows:
            found[stream] = [int(row["n"]) for row in rows]
    return found


def list_projects_of(db: Database, member: str) -> dict[str, list[str]]:
    """Return the projects of a member that travel, as subjects, with their streams."""
    found: dict[str, list[str]] = {}
    for row in db.all("sync_appending.projects_of", member=member):
        streams = found.setdefault(row["subject"], [])
        if row["stream"]:
            streams.append(row["stream"])
    return found


def note_rewritten(db: Database, subject: str) -> None:
    """Note that changes of a subject lost their words here: all that holds is to be said anew."""
    db.run("sync_appending.note_rewritten", subject=subject)


def scrub_naming(db: Database, subject: str, name: str) -> int:
    """Leave nothing of those changes of a subject that name a record; what holds of the subject is
    said anew. Returns how many changes that were.
    """
    mark = name.encode()
    named = [
        change.id
        for change in sync_changes.list_of_subject(db, subject)
        if change.body is not None and mark in change.body
    ]
    if named:
        note_rewritten(db, subject)
    return sync_changes.scrub_changes(db, named)


def list_rewritten(db: Database, limit: int) -> list[str]:
    """List subjects that are to be said anew."""
    return [row["subject"] for row in db.all("sync_appending.rewritten", limit=limit)]


def drop_rewritten(db: Database, subject: str | None = None) -> None:
    """Forget that a subject, or every one, is to be said anew."""
    if subject is None:
        db.run("sync_appending.drop_all_rewritten")
    else:
        db.run("sync_appending.drop_rewritten", subject=subject)


def list_bodiless(db: Database, subject: str) -> list[str]:
    """List the changes of a subject of which nothing is left."""
    return [row["id"] for row in db.all("sync_appending.bodiless", subject=subject)]


def _to_row(n: int, change: NewChange) -> dict[str, object]:
    return {
        "n": n,
        "id": change.id,
        "replica": change.replica,
        "member": change.member,
        "subject": change.subject,
        "stamp": change.stamp,
        "parents": json.dumps(list(change.parents)),
        "is_head": int(change.is_head),
        "body": sync_changes.pack_body(change.body),
    }
