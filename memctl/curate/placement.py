"""Records whose place is said: the project of a session that had none, a record that is moved.

Where a record belongs is the operator's to say. One answer settles a whole session of an agent: its
other candidates, its episode, and what it says later; a chat may be about many projects, so there
it settles what was asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memctl.core import clock
from memctl.core.errors import NotFound, UsageError
from memctl.core.frozen import replace
from memctl.core.model import SCOPES, Actor, Memory, Place, Scope, Source
from memctl.core.typing_lite import cast
from memctl.records import drafts
from memctl.records import projects as places
from memctl.records.scopes import Destination, move_record
from memctl.records.unplaced import suggest_project
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import chunks, event_log, projects, records, sources, tombstones
from memctl.store.database import Database

CAUSE = "place"
MAINTAIN = Actor("maintain")
_LIVING_STATUSES = ("active", "contradicted", "inbox")
_KNOWN_AS_REJECTED = "the same was rejected or forgotten there"


def find_destination(
    db: Database,
    config: Config,
    actor: Actor,
    memories: Sequence[Memory],
    *,
    project: str | None,
    scope: str | None,
    place: Place | None = None,
    dry_run: bool = False,
) -> Destination | None:
    """Find where the operator wants records to be; None where nothing is said.

    A project that only the sessions of these records name is added. `place` is the caller's, for
    the repository. Raises UsageError, NotFound, RefusedByPolicy.
    """
    if project is None and scope is None:
        return None
    places.require_operator(actor)
    if scope is not None:
        drafts.require_one_of(scope, SCOPES, "scope")
    if project is not None and scope == "global":
        raise UsageError("what holds everywhere belongs to no project", hint="name only one")
    project_id = (
        None if project is None else _find_project(db, config, memories, project, dry_run=dry_run)
    )
    is_here = place is not None and place.project_id == project_id
    repo_id = place.repo_id if place is not None and (is_here or project_id is None) else None
    return Destination(project_id, repo_id, cast("Scope | None", scope))


def _find_project(
    db: Database, config: Config, memories: Sequence[Memory], name: str, *, dry_run: bool
) -> str:
    """The id of a project by name or id; the operator confirms by it what a session claims."""
    try:
        return projects.named(db, name).id
    except NotFound as error:
        claimed = (suggest_project(db, memory) for memory in memories if memory.is_unplaced)
        if name.casefold() not in {each.casefold() for each in claimed if each}:
            hint = "`memctl project list` shows them; `memctl init DIR` makes a folder one"
            raise NotFound(str(error), hint=hint) from error
    if dry_run:
        return name
    with db.write():
        name = drafts.clean_line(name, make_redactor(config))
        return projects.insert(db, projects.find_free_name(db, name), None, clock.now()).id


def draft_moved(db: Database, memory: Memory, to: Destination) -> Memory:
    """The record as it will be there. Raises UsageError."""
    source = sources.find_source(db, memory.source_ref) if memory.source_ref else None
    return move_record(memory, to, source)


def move(db: Database, memory: Memory, moved: Memory, *, actor: Actor, cause: str) -> Memory:
    """Store a record in its new place; what was rejected of it there stays known."""
    moved = replace(moved, updated_at=clock.now())
    records.replace_record(db, memory, moved, verb="moved", actor=actor.name, cause=cause)
    tombstones.move_tombstone(db, memory.id, memory.fingerprint, moved.fingerprint)
    return moved


def relate_moved(db: Database, config: Config, moved: Memory, *, actor: Actor, cause: str) -> None:
    """Compare a moved record with what is there already, as if it had been written there."""
    if moved.type == "episode" or moved.status not in _LIVING_STATUSES:
        return
    from memctl.consolidate import apply, new_records  # here, because few records are moved

    if moved.status != "inbox":
        new_records.relate_new_record(db, config, moved, actor=actor, cause=cause)
        return
    for step in apply.plan_records(db, [moved]):
        apply.carry_out_step(db, step, actor=MAINTAIN.name, cause=cause)


def settle_sessions_of(
    db: Database, config: Config, memories: Iterable[Memory], to: Destination
) -> list[str]:
    """Say of the agents' sessions that these records were taken from where they belong.

    Returns the ids of the other records that went along.
    """
    if to.project_id is None:
        return []
    refs = dict.fromkeys(each.source_ref for each in memories if each.source_ref)
    found = [source for ref in refs if (source := sources.find_source(db, ref)) is not None]
    return settle_sessions(db, config, [each for each in found if not each.is_chat], to)


def settle_sessions(
    db: Database,
    config: Config,
    found: Iterable[Source],
    to: Destination,
    *,
    actor: Actor = MAINTAIN,
) -> list[str]:
    """Give sessions without a project theirs, with everything unplaced that came of them.

    Returns the ids of the records that went along.
    """
    went: list[str] = []
    versions = {
        version.id: version
        for source in found
        for version in sources.list_of_session(db, source.agent, source.session_id) or [source]
    }
    with db.write():
        for source in versions.values():
            sources.place_source(db, source.id, to.project_id, to.repo_id, clock.now())

    def go_along(memory_id: str) -> None:
        memory = records.get_record(db, memory_id)
        if not memory.is_unplaced or memory.status not in _LIVING_STATUSES:
            return
        with event_log.group_changes(db, actor=actor.name, cause=CAUSE):
            _move_along(db, config, memory, to, actor)
        went.append(memory_id)

    ids = [memory.id for ref in versions for memory in records.list_by_source(db, ref)]
    chunks.change_in_chunks(db, ids, go_along)
    return went


def _move_along(
    db: Database, config: Config, memory: Memory, to: Destination, actor: Actor
) -> None:
    """Move what nobody asked about one by one; what was rejected there is not asked again."""
    drafted = draft_moved(db, memory, to)
    is_dead = tombstones.find_tombstone(db, drafted.fingerprint, []) is not None
    if is_dead and memory.status == "inbox":
        drafted = replace(drafted, status="archived", status_reason=_KNOWN_AS_REJECTED)
    moved = move(db, memory, drafted, actor=actor, cause=CAUSE)
    relate_moved(db, config, moved, actor=actor, cause=CAUSE)
