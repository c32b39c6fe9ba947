"""Where records hold: those that a conversation gives rise to, and those that are moved. Pure.

What belongs to no known project does not hold everywhere: it is private to its session until
somebody says where it belongs.
"""

from __future__ import annotations

from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Candidate, Memory, Place, Scope, Source
from memctl.records.statement import compute_fingerprint

_PRIVATE = ("agent", "session")
_NEEDS_PROJECT = "name it with --project"


@dataclass(frozen=True, slots=True)
class RequestedScope:
    """The scope that somebody asked for when a conversation was captured."""

    scope: Scope
    by_operator: bool


@dataclass(frozen=True, slots=True)
class Destination:
    """Where records are moved to. Without a scope that is all of the project."""

    project_id: str | None = None
    repo_id: str | None = None
    scope: Scope | None = None


def place_candidate(
    candidate: Candidate, source: Source, requested: RequestedScope | None
) -> tuple[Scope, Place]:
    """Choose the scope of what a conversation gives rise to, and whose it is."""
    scope = _choose_scope(candidate, requested)
    if scope in ("project", "repo") and not source.project_id:
        scope = "session"
    if scope == "repo" and not source.repo_id:
        scope = "project"
    return scope, Place(
        None if scope == "global" else source.project_id,
        source.repo_id if scope == "repo" else None,
        source.agent if scope == "agent" else None,
        source.session_id if scope == "session" else None,
    )


def _choose_scope(candidate: Candidate, requested: RequestedScope | None) -> Scope:
    """The scope that was asked for, as far as it may be, else the one that the words give."""
    if requested is None:
        return candidate.scope
    if candidate.type == "episode":
        # What was done is told of its own project; it can only be kept more private.
        return requested.scope if requested.scope in _PRIVATE else candidate.scope
    is_widened = requested.scope == "global" and not requested.by_operator
    # Of the operator's profile nobody else says that it holds everywhere.
    return candidate.scope if is_widened and candidate.type == "profile" else requested.scope


def move_record(memory: Memory, to: Destination, source: Source | None) -> Memory:
    """Return the record as it is in another place, with the fingerprint that it has there.

    `source` is what it was taken from. Raises UsageError where the place is not known.
    """
    scope = to.scope or ("project" if to.project_id else memory.scope)
    project = None if scope == "global" else to.project_id or memory.project_id
    if scope in ("project", "repo") and project is None:
        raise UsageError(f"scope {scope} needs a project", hint=_NEEDS_PROJECT)
    is_same_project = project == memory.project_id
    repo = to.repo_id or (memory.repo_id if is_same_project else None)
    if scope == "repo" and repo is None:
        raise UsageError("scope repo needs a repository", hint="run inside it")
    agent = memory.agent_id or (source.agent if source is not None else None)
    session = memory.session_id or (source.session_id if source is not None else None)
    for name, owner in (("agent", agent), ("session", session)):
        if scope == name and owner is None:
            raise UsageError(
                f"{memory.id} belongs to no {name}",
                hint=f"write it again with `memctl ingest --scope {name}`",
            )
    moved = replace(
        memory,
        scope=scope,
        project_id=project,
        repo_id=repo if scope == "repo" else None,
        agent_id=agent if scope == "agent" else None,
        session_id=session if scope == "session" else None,
    )
    return replace(moved, fingerprint=compute_fingerprint(moved))
