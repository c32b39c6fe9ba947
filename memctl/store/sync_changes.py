"""The changes that travel between stores: as they travelled, in order, by subject and by stream.

A change is kept by its id. `state` says what became of it: `taken` (it counts), `waiting` (a parent
has not come yet), `derived` (it follows from two others) or `refused`. A head is a change that
counts and that no other one which counts names as its parent. Each replica numbers what it sends
in a stream from 1 on without gaps; the vector says up to which number everything is here.

What a change says is kept compressed; nothing is left of it once it was scrubbed, and its place in
the order remains.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memctl.core.errors import StoreDamaged
from memctl.core.frozen import dataclass
from memctl.store.database import Database, Row
from memctl.store.rows import LONGEST_BLOB, parse_json_column, to_json_array

# What counts in the graph of changes.
COUNTING = ("taken", "derived")
# What is erased for good.
_PURGED_TOPICS = ("record", "source", "project")
# What most changes have in common, with the commonest last. Stored changes and change sets are
# compressed with it, so it never changes; zlib notes its checksum in each of them.
SHARED_WORDS = (
    b'"linked",null,{"actor":"operator","confidence":1.0,"created_at":"2026-01-01T00:00:00.000Z",'
    b'"from_id":"01K","reason":null,"relation":"derived_from","resolved_at":null,"to_id":"01K"},'
    b'["mention","|tag|","mentions",null,{}],["evidence","01K","created",null,{"created_at":"2026-'
    b'","id":"01K","memory_id":"01K","observed_at":"2026-","quote":"","quote_hash":"","role":'
    b'"assistant","source_id":null,"span_end":null,"span_start":null,"speaker":null,"trust":3,'
    b'"turn":null,"withdrawn_at":null},"operator","remember",{"status":"inbox","status_reason":'
    b'null,"updated_at":"2026-01-01T00:00:00.000Z"},{"status":"active","status_reason":"approved",'
    b'"approved",["record","01K","created",null,{"agent_id":null,"alternatives":[],"always_load":'
    b'false,"confidence":0.7,"confirmed_at":null,"content":"","created_at":"2026-01-01T00:00:00.'
    b'000Z","decay_rate":0.01,"evidence_ref":null,"id":"01K","kind":"fact","never_load":false,'
    b'"observed_at":"2026-01-01T00:00:00.000Z","origin":null,"owner":"shared","project_id":"01K",'
    b'"protected":false,"rationale":null,"repo":null,"rule":null,"scope":"project","session_id":'
    b'null,"source_kind":"conversation","source_ref":"01K","status":"inbox","status_reason":null,'
    b'"subject":null,"summary":"","title":"","trust":3,"type":"project","updated_at":"2026-01-01T'
    b'00:00:00.000Z","valid_from":null,"valid_until":null},'
)


@dataclass(frozen=True, slots=True)
class StoredChange:
    """A change as kept here: `n` is its number in this store, `body` what it says (None once it was
    scrubbed), `number` the one that it was looked up by in a stream, else 0.
    """

    n: int
    id: str
    replica: str
    member: str
    subject: str
    stamp: int
    parents: tuple[str, ...]
    is_head: bool
    state: str
    body: bytes | None
    number: int = 0


@dataclass(frozen=True, slots=True)
class Numbering:
    """The number of a change in the sequence of a replica for a stream."""

    stream: str
    replica: str
    number: int


def insert_change(
    db: Database,
    *,
    id: str,
    replica: str,
    member: str,
    subject: str,
    stamp: int,
    parents: Sequence[str],
    body: bytes | None,
    state: str = "taken",
) -> int | None:
    """Keep a change and return its number in this store; None if it is here already.

    One that counts becomes a head, unless one that counts follows it, and ends those it follows.
    """
    counts = state in COUNTING
    n = db.value(
        "sync_changes.insert",
        id=id,
        replica=replica,
        member=member,
        subject=subject,
        stamp=stamp,
        parents=json.dumps(list(parents)),
        is_head=int(counts and not is_followed(db, subject, id)),
        state=state,
        body=None if body is None else pack_body(body),
    )
    if n is not None and counts:
        _end_heads(db, parents)
    return None if n is None else int(n)


def is_followed(db: Database, subject: str, change_id: str) -> bool:
    """Whether a change that counts names this one as its parent."""
    return bool(db.value("sync_changes.is_followed", subject=subject, id=change_id))


def let_count(db: Database, change: StoredChange) -> None:
    """Let a change that waited count, now that its parents are here."""
    is_head = not is_followed(db, change.subject, change.id)
    db.run("sync_changes.set_state", n=change.n, state="taken", is_head=int(is_head))
    _end_heads(db, change.parents)


def set_refused(db: Database, change: StoredChange) -> None:
    """Let a change count for nothing, and nothing be left of what it says."""
    db.run("sync_changes.refuse", n=change.n)


def find_change(db: Database, change_id: str) -> StoredChange | None:
    """Return a change by its id, or None."""
    row = db.one("sync_changes.get", id=change_id)
    return None if row is None else _from_row(row)


def find_numbers(db: Database, ids: Iterable[str]) -> dict[str, int]:
    """Return which of some changes are here, with their numbers in this store."""
    rows = db.all("sync_changes.known", ids=to_json_array(ids) or "[]")
    return {row["id"]: int(row["n"]) for row in rows}


def list_heads(db: Database, subject: str) -> dict[str, int]:
    """Return the heads of a subject by id, with their stamps."""
    rows = db.all("sync_changes.heads", subject=subject)
    return {row["id"]: int(row["stamp"]) for row in rows}


def list_heads_of_each(db: Database, subjects: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return the heads of some subjects by subject and id, with their stamps."""
    found: dict[str, dict[str, int]] = {}
    rows = db.all("sync_changes.heads_of_each", subjects=to_json_array(subjects) or "[]")
    for row in rows:
        found.setdefault(row["subject"], {})[row["id"]] = int(row["stamp"])
    return found


def list_of_subject(db: Database, subject: str) -> list[StoredChange]:
    """List all changes of a subject by stamp and id, whatever became of them."""
    return [_from_row(row) for row in db.all("sync_changes.of_subject", subject=subject)]


def list_ready(db: Database, limit: int) -> list[StoredChange]:
    """List changes that waited and whose parents all count now, the earliest here first."""
    return [_from_row(row) for row in db.all("sync_changes.ready", limit=limit)]


def count_waiting(db: Database) -> int:
    """Count the changes that wait for a parent."""
    return int(db.value("sync_changes.waiting_count"))


def count_changes(db: Database) -> int:
    """Count all changes."""
    return int(db.value("sync_changes.count"))


def get_last_number(db: Database) -> int:
    """Return the number in this store of the change that came last; 0 if there is none."""
    return int(db.value("sync_changes.last"))


def list_after(db: Database, n: int, limit: int) -> list[StoredChange]:
    """List the next changes after a number in this store."""
    return [_from_row(row) for row in db.all("sync_changes.read_after", n=n, limit=limit)]


def get_latest_stamp(db: Database, ids: Iterable[str]) -> int:
    """Return the latest stamp of some changes; 0 for none."""
    return int(db.value("sync_changes.stamp_of", ids=to_json_array(ids) or "[]"))


def number_change(db: Database, stream: str, replica: str, n: int) -> int:
    """Give a change the next number of a replica in a stream, and return it."""
    number = get_highest(db, stream, replica) + 1
    note_number(db, stream, replica, number, n)
    return number


def note_number(db: Database, stream: str, replica: str, number: int, n: int) -> bool:
    """Note the number that a change has in a stream; False if the number is taken, maybe by it."""
    if not db.run(
        "sync_changes.put_number", stream=stream, replica=replica, number=number, change_n=n
    ):
        return False
    if number == get_contiguous(db, stream, replica) + 1:
        last = db.value("sync_changes.first_gap", stream=stream, replica=replica, number=number)
        db.run("sync_changes.put_vector", stream=stream, replica=replica, last=last)
    return True


def find_numbered(db: Database, stream: str, replica: str, number: int) -> int | None:
    """Return the change (by its number in this store) that has a number in a stream, or None."""
    n: int | None = db.value(
        "sync_changes.number_at", stream=stream, replica=replica, number=number
    )
    return n


def get_highest(db: Database, stream: str, replica: str) -> int:
    """Return the highest number of a replica in a stream; 0 if there is none."""
    return int(db.value("sync_changes.highest", stream=stream, replica=replica))


def get_contiguous(db: Database, stream: str, replica: str) -> int:
    """Return up to which number everything of a replica is here in a stream."""
    return int(db.value("sync_changes.vector_at", stream=stream, replica=replica) or 0)


def read_vector(db: Database) -> dict[tuple[str, str], int]:
    """Return up to which number everything is here, by stream and replica."""
    rows = db.all("sync_changes.vector")
    return {(row["stream"], row["replica"]): int(row["last"]) for row in rows}


def read_highest(db: Database) -> dict[tuple[str, str], int]:
    """Return the highest number that is here, by stream and replica; reads all numbers."""
    rows = db.all("sync_changes.highest_of_each")
    return {(row["stream"], row["replica"]): int(row["number"]) for row in rows}


def list_range(
    db: Database, stream: str, replica: str, first: int, last: int, *, limit: int = -1
) -> list[StoredChange]:
    """List the changes of a replica in a stream between two numbers, both included, in order."""
    rows = db.all(
        "sync_changes.range", stream=stream, replica=replica, first=first, last=last, limit=limit
    )
    return [_from_row(row, number=row["number"]) for row in rows]


def measure_range(db: Database, stream: str, replica: str, first: int, last: int) -> int:
    """Bytes that the changes between two numbers take here, each compressed by itself."""
    return int(
        db.value("sync_changes.range_bytes", stream=stream, replica=replica, first=first, last=last)
    )


def list_numberings(db: Database, n: int) -> list[Numbering]:
    """List the numbers that a change has in streams."""
    return [_to_numbering(row) for row in db.all("sync_changes.streams_of", change_n=n)]


def list_numberings_of_subject(db: Database, subject: str) -> list[Numbering]:
    """List the numbers that the changes of a subject have in streams."""
    return [
        _to_numbering(row) for row in db.all("sync_changes.numbers_of_subject", subject=subject)
    ]


def scrub_subject(db: Database, subject: str) -> int:
    """Leave nothing of what the changes of a subject say, but that it was erased for good; return
    how many said something.
    """
    rows = db.all("sync_changes.with_body", subject=subject)
    return _scrub(db, [row for row in rows if not tells_purge(_from_row(row))])


def tells_purge(change: StoredChange) -> bool:
    """Whether a change says that its subject was erased for good."""
    if change.body is None or b'"purged"' not in change.body:
        return False
    *_, events = json.loads(change.body)
    return any(
        (topic, verb, before, after) in ((each, "purged", None, None) for each in _PURGED_TOPICS)
        for topic, _, verb, before, after, *_ in events
    )


def scrub_changes(db: Database, ids: Iterable[str]) -> int:
    """Leave nothing of what some changes say; return how many said something."""
    wanted = to_json_array(ids)
    return _scrub(db, db.all("sync_changes.with_body_of", ids=wanted)) if wanted else 0


def _scrub(db: Database, rows: Sequence[Row]) -> int:
    """Scrub changes; sets of this store that hold them are to be written anew everywhere."""
    for row in rows:
        db.run("sync_changes.scrub", n=row["n"])
        db.run("sync_changes.mark_sets", n=row["n"])
    return len(rows)


def put_subject(db: Database, subject: str, stream: str, member: str) -> bool:
    """Note that a subject travels in a stream, and whose it is; False if that is known."""
    return db.run("sync_changes.put_subject", subject=subject, stream=stream, member=member) > 0


def find_subject(db: Database, subject: str) -> tuple[str | None, tuple[str, ...]]:
    """Return whose a subject is and in which streams it travels; None and none if it does not."""
    rows = db.all("sync_changes.subject", subject=subject)
    return (rows[0]["member"] if rows else None), tuple(row["stream"] for row in rows)


def find_subjects(
    db: Database, subjects: Iterable[str]
) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Return the same for several, by subject; one that does not travel is left out."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for row in db.all("sync_changes.subjects", subjects=to_json_array(subjects) or "[]"):
        streams = found[row["subject"]][1] if row["subject"] in found else ()
        found[row["subject"]] = row["member"], (*streams, row["stream"])
    return found


def iterate_subjects(db: Database, stream: str, *, size: int = 500) -> Iterator[tuple[str, str]]:
    """Yield the subjects of a stream and whose they are, in order."""
    after = ""
    while rows := db.all("sync_changes.subjects_of_stream", stream=stream, after=after, limit=size):
        for row in rows:
            yield row["subject"], row["member"]
        after = rows[-1]["subject"]


def drop_subject(db: Database, subject: str, stream: str) -> None:
    """Note that a subject does not travel in a stream any more."""
    db.run("sync_changes.drop_subject", subject=subject, stream=stream)


def pack_body(body: bytes) -> bytes:
    """Compress what a change says, for the store."""
    packer = zlib.compressobj(zdict=SHARED_WORDS)
    return packer.compress(body) + packer.flush()


def unpack_body(packed: bytes) -> bytes:
    """Read back what a change says. Raises StoreDamaged."""
    stream = zlib.decompressobj(zdict=SHARED_WORDS)
    try:
        body = stream.decompress(packed, LONGEST_BLOB)
    except zlib.error as error:
        raise StoreDamaged(
            "a change that travelled cannot be read any more",
            hint="`memctl doctor` says what is damaged",
        ) from error
    if not stream.eof:
        raise StoreDamaged("a change that travelled breaks off")
    return body


def _end_heads(db: Database, parents: Iterable[str]) -> None:
    ended = to_json_array(parents)
    if ended is not None:
        db.run("sync_changes.end_heads", ids=ended)


def _to_numbering(row: Row) -> Numbering:
    return Numbering(row["stream"], row["replica"], int(row["number"]))


def _from_row(row: Row, *, number: int = 0) -> StoredChange:
    body: Any = row["body"]
    return StoredChange(
        int(row["n"]),
        row["id"],
        row["replica"],
        row["member"],
        row["subject"],
        int(row["stamp"]),
        tuple(parse_json_column(row["parents"])),
        bool(row["is_head"]),
        row["state"],
        None if body is None else unpack_body(body),
        number,
    )
