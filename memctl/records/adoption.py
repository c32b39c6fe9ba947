"""One project becomes part of another, for good.

The first transaction lets the other project stand for it, so that whatever is written from then on
goes there; its records follow in short ones. A kill leaves the rest in the ledger of unfinished
operations.
"""

from __future__ import annotations

from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.core.model import Actor, Filter, Project
from memctl.records import drafts
from memctl.records import projects as places
from memctl.results.projects import ProjectReport
from memctl.store import (
    chunks,
    event_log,
    memory_documents,
    projects,
    records,
    tombstones,
    unfinished,
)
from memctl.store.database import Database

# The kind of these operations in the ledger of unfinished ones.
ADOPTION = "adopt"


def adopt_project(db: Database, actor: Actor, name: str, into: str) -> ProjectReport:
    """Make one project part of another: aliases, repos, sources and records move; the old name
    becomes an alias. Raises RefusedByPolicy.

    The first transaction lets the other project stand for it; its records follow in short ones.
    """
    places.require_operator(actor)
    child, parent = projects.named(db, name), projects.named(db, into)
    if child.id == parent.id:
        raise UsageError(f"{name} and {into} are one project")
    unite_projects(db, actor.name, child, parent)
    return places.report_projects(db, parent.id)


def unite_projects(db: Database, actor: str, child: Project, parent: Project) -> None:
    """Let one project stand for another, then move its records there."""
    at = clock.now()
    data = {"child": child.id, "parent": parent.id, "cause": f"project adopt {child.name}"}
    running = unfinished.RunningOperation(db, ADOPTION, data, actor=actor)
    with db.write():
        projects.adopt(db, child.id, parent.id, at)
        memory_documents.move_place(db, child.id, parent.id)
        projects.add_alias(db, parent.id, "name", child.name.casefold(), at)
        running.note(is_done=False)
    _move_records(db, running)


def finish_adoptions(db: Database) -> None:
    """Finish what was cut off and is worked on by nobody."""
    for begun in unfinished.list_abandoned(db, ADOPTION):
        if "child" not in begun.data:
            continue  # Merged entities stand there too.
        with db.write():
            is_ours = unfinished.claim_abandoned(db, begun)
        if is_ours:
            _move_records(
                db,
                unfinished.RunningOperation(
                    db, ADOPTION, begun.data, actor=begun.actor, id=begun.id, begun=True
                ),
            )


def _move_records(db: Database, running: unfinished.RunningOperation) -> None:
    """Move the records of an adopted project, as one operation, and end it."""
    child, parent, cause = (str(running.data[name]) for name in ("child", "parent", "cause"))

    def move(memory_id: str) -> None:
        memory = records.get_record(db, memory_id)
        if memory.project_id != child:
            return
        # The fingerprint is the content in its place: what was forgotten there stays forgotten
        # here.
        changed = replace(memory, project_id=parent, updated_at=clock.now())
        moved = drafts.set_fingerprint(changed)
        with event_log.group_changes(db, actor=running.actor, cause=cause, operation=running.id):
            records.replace_record(
                db, memory, moved, verb="moved", actor=running.actor, cause=cause
            )
            tombstones.move_tombstone(db, memory.id, memory.fingerprint, moved.fingerprint)

    while found := records.select_records(db, Filter(project_id=child)):
        ids = [memory.id for memory in found]
        chunks.change_in_chunks(db, ids, move, note=lambda done: running.note(is_done=False))
    running.end()
