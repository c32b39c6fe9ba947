"""What a store knows of the group it belongs to: replicas, places, what travels, what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.results.store import SyncPlaceState
from memctl.store.database import Database, Row
from memctl.store.rows import parse_json_column, to_canonical_json


@dataclass(frozen=True, slots=True)
class StoredReplica:
    """A store of the group. `card` is signed text; `removal` the signed removal of its member."""

    id: str
    member: str
    is_own: bool
    card: str
    removal: str | None
    created_at: str


@dataclass(frozen=True, slots=True)
class StoredPlace:
    """A folder or a hub. `done_at` is when all was last exchanged there, `error` why the last try
    did not end, `failing_since` since when none did, `outcome` what the last try moved.
    """

    name: str
    kind: str
    is_encrypted: bool
    tried_at: str | None
    done_at: str | None
    error: str | None
    failing_since: str | None
    outcome: Mapping[str, Any]
    created_at: str


@dataclass(frozen=True, slots=True)
class StoredShare:
    """What of a project travels (all of it where `types` is None), and to whom: `group`, `own` or
    `never`. The project '' is what holds everywhere.
    """

    project: str
    audience: str
    types: tuple[str, ...] | None = None
    with_candidates: bool = False
    with_turns: bool = False


@dataclass(frozen=True, slots=True)
class SeenSet:
    """A change set that was read or written at a place; `problem` says why it could not be read."""

    place: str
    stream: str
    replica: str
    first: int
    last: int
    digest: str
    problem: str | None
    seen_at: str


def put_replica(
    db: Database, replica: str, member: str, *, is_own: bool, card: str, at: str
) -> None:
    """Note a replica of the group, or its newer card."""
    db.run(
        "sync_group.put_replica", id=replica, member=member, is_own=int(is_own), card=card, at=at
    )


def find_replica(db: Database, replica: str) -> StoredReplica | None:
    """Return one replica, or None."""
    row = db.one("sync_group.replica", id=replica)
    return None if row is None else _to_replica(row)


def list_replicas(db: Database) -> list[StoredReplica]:
    """List the replicas of the group, this store among them."""
    return [_to_replica(row) for row in db.all("sync_group.replicas")]


def set_removal(db: Database, replica: str, removal: str | None) -> None:
    """Note the signed removal of the member of a replica, or that it takes part again."""
    db.run("sync_group.set_removal", id=replica, removal=removal)


def drop_replicas(db: Database) -> None:
    """Forget all replicas: the store belongs to no group any more."""
    db.run("sync_group.drop_replicas")


def put_place(db: Database, name: str, kind: str, *, is_encrypted: bool, at: str) -> None:
    """Note a place where others are met; `kind` is folder or postgres."""
    db.run("sync_group.put_place", name=name, kind=kind, is_encrypted=int(is_encrypted), at=at)


def find_place(db: Database, name: str) -> StoredPlace | None:
    """Return one place, or None."""
    row = db.one("sync_group.place", name=name)
    return None if row is None else _to_place(row)


def list_places(db: Database) -> list[StoredPlace]:
    """List the places where others are met, the oldest first."""
    return [_to_place(row) for row in db.all("sync_group.places")]


def list_place_states(db: Database) -> tuple[SyncPlaceState, ...]:
    """List the places where this store meets others, with how the last syncs there went."""
    return tuple(
        SyncPlaceState(
            each.name,
            each.kind,
            each.is_encrypted,
            each.done_at,
            each.tried_at,
            each.failing_since,
            each.error,
        )
        for each in list_places(db)
    )


def note_done(db: Database, name: str, outcome: Mapping[str, Any], at: str) -> None:
    """Note that all was exchanged at a place, and what it moved."""
    db.run("sync_group.note_done", name=name, outcome=to_canonical_json(outcome), at=at)


def note_failed(
    db: Database, name: str, error: str, at: str, outcome: Mapping[str, Any] | None = None
) -> None:
    """Note that not all could be exchanged at a place, and why."""
    told = to_canonical_json(outcome or {})
    db.run("sync_group.note_failed", name=name, error=error, outcome=told, at=at)


def drop_place(db: Database, name: str) -> bool:
    """Forget a place and the change sets seen there; False if it is not known."""
    drop_sets(db, name)
    return db.run("sync_group.drop_place", name=name) > 0


def put_share(db: Database, share: StoredShare, at: str) -> None:
    """Say what of a project travels, and to whom."""
    db.run(
        "sync_group.put_share",
        project=share.project,
        audience=share.audience,
        types=None if share.types is None else to_canonical_json(list(share.types)),
        with_candidates=int(share.with_candidates),
        with_turns=int(share.with_turns),
        at=at,
    )


def list_shares(db: Database) -> dict[str, StoredShare]:
    """Return what was said of projects, by project."""
    found = (_to_share(row) for row in db.all("sync_group.shares"))
    return {share.project: share for share in found}


def drop_share(db: Database, project: str) -> bool:
    """Forget what was said of a project; False if nothing was."""
    return db.run("sync_group.drop_share", project=project) > 0


def put_set(
    db: Database,
    place: str,
    *,
    stream: str,
    replica: str,
    first: int,
    last: int,
    digest: str,
    at: str,
    problem: str | None = None,
) -> None:
    """Note a change set that was read or written at a place, or could not be read."""
    db.run(
        "sync_group.put_set",
        place=place,
        stream=stream,
        replica=replica,
        first=first,
        last=last,
        digest=digest,
        problem=problem,
        at=at,
    )


def list_sets(db: Database, place: str) -> list[SeenSet]:
    """List the change sets of a place that were read or written, by stream, replica and number."""
    return [_to_set(row, place) for row in db.all("sync_group.sets", place=place)]


def list_sets_of(db: Database, place: str, stream: str, replica: str) -> list[SeenSet]:
    """List the change sets of one replica in a stream at a place."""
    rows = db.all("sync_group.sets_of", place=place, stream=stream, replica=replica)
    return [_to_set(row, place) for row in rows]


def list_damaged_sets(db: Database) -> list[SeenSet]:
    """List the change sets that could not be read, at all places."""
    return [_to_set(row, row["place"]) for row in db.all("sync_group.damaged_sets")]


def drop_set(db: Database, seen: SeenSet) -> None:
    """Forget a change set of a place: it is not there any more."""
    db.run(
        "sync_group.drop_set",
        place=seen.place,
        stream=seen.stream,
        replica=seen.replica,
        first=seen.first,
        last=seen.last,
        digest=seen.digest,
    )


def drop_sets(db: Database, place: str) -> int:
    """Forget all change sets of a place, so that all is read anew; return how many."""
    return db.run("sync_group.drop_sets", place=place)


def map_project(db: Database, there: str, here: str) -> bool:
    """Note that a project of another machine is one of this store's; False if that is known."""
    return db.run("sync_group.put_project", there=there, here=here) > 0


def find_project(db: Database, there: str) -> str | None:
    """Return the project of this store that one of another machine is, or None."""
    here: str | None = db.value("sync_group.project", there=there)
    return here


def list_projects(db: Database) -> dict[str, str]:
    """Return which project of this store each project of other machines is."""
    return {row["there"]: row["here"] for row in db.all("sync_group.projects")}


def move_projects(db: Database, here: str, into: str) -> int:
    """Let the projects of other machines that were one of this store's be another one of it."""
    return db.run("sync_group.move_projects", here=here, into=into)


def forget_project(db: Database, project_id: str) -> None:
    """Forget what projects of other machines were one that is erased, and what of it travels."""
    db.run("sync_group.forget_project", here=project_id)
    drop_share(db, project_id)


def add_project(db: Database, project_id: str, name: str, at: str) -> None:
    """Add a project of another machine under its id there; it has no folder here."""
    db.run(
        "projects.insert",
        id=project_id,
        name=name,
        root_path=None,
        adopted_into=None,
        created_at=at,
        updated_at=at,
    )


def read_adoptions(db: Database) -> dict[str, str | None]:
    """Return every project of this store, and which one it became part of."""
    return {row["id"]: row["adopted_into"] for row in db.all("sync_group.adoptions")}


def read_identities(db: Database) -> dict[str, list[tuple[str, str]]]:
    """Return by what every project is known on any machine (kind, value), by project."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row in db.all("sync_group.identities"):
        found.setdefault(row["project_id"], []).append((row["kind"], row["value"]))
    return found


def _to_replica(row: Row) -> StoredReplica:
    return StoredReplica(
        row["id"],
        row["member"],
        bool(row["is_own"]),
        row["card"],
        row["removal"],
        row["created_at"],
    )


def _to_place(row: Row) -> StoredPlace:
    return StoredPlace(
        row["name"],
        row["kind"],
        bool(row["is_encrypted"]),
        row["tried_at"],
        row["done_at"],
        row["error"],
        row["failing_since"],
        parse_json_column(row["outcome"]),
        row["created_at"],
    )


def _to_share(row: Row) -> StoredShare:
    types: Sequence[str] | None = None if row["types"] is None else parse_json_column(row["types"])
    return StoredShare(
        row["project"],
        row["audience"],
        None if types is None else tuple(types),
        bool(row["with_candidates"]),
        bool(row["with_turns"]),
    )


def _to_set(row: Row, place: str) -> SeenSet:
    return SeenSet(
        place,
        row["stream"],
        row["replica"],
        int(row["first"]),
        int(row["last"]),
        row["digest"],
        row["problem"],
        row["seen_at"],
    )
