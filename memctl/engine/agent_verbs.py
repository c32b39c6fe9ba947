"""The verbs of agents' loops in terms of the engine's own methods: what was asked, what was done.

Nothing here is decided or written; the engine's methods do that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.frozen import dataclass, field, replace
from memctl.core.model import NewMemory, Place, Query
from memctl.core.namespaces import AnyNamespace, Namespace
from memctl.core.typing_lite import Any
from memctl.curate import metadata as metadata_reader
from memctl.results.captures import CaptureReport
from memctl.results.records import ChangeReport, IngestReport, ManagedId
from memctl.text.token_counts import Tokenizer

ACTIONS = ("create", "update", "delete")
# What a flush of no messages reports.
NOTHING_FLUSHED = CaptureReport("unchanged", ())


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A place, and the scope that a namespace named; None where memctl chooses."""

    place: Place
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class ManageRequest:
    """A call of `manage`, checked; `values` are its metadata."""

    action: str
    content: str
    id: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reason(self) -> str | None:
        """Why, in the caller's words."""
        return self.values.get(metadata_reader.REASON)

    @property
    def changes(self) -> dict[str, Any]:
        """The fields that an update changes. Raises UsageError."""
        return metadata_reader.choose_changes(self.values)

    def build(self, where: NamedPlace) -> NewMemory:
        """Build the record that is to be created."""
        place = where.place
        return metadata_reader.build_new_memory(
            self.content,
            self.values,
            scope=where.scope,
            agent_id=place.agent_id,
            session_id=place.session_id,
        )


def read_request(
    content: str | None,
    action: str,
    record_id: str | None,
    scope: AnyNamespace | None,
    metadata: Mapping[str, Any] | None,
    tags: Sequence[str],
) -> ManageRequest:
    """Check a call of `manage`. Raises UsageError."""
    if action not in ACTIONS:
        raise UsageError(f"action is {', '.join(ACTIONS)}, not {action!r:.60}")
    if content is not None and not isinstance(content, str):
        raise UsageError(f"content is a text, not {content!r:.60}")
    values = metadata_reader.read_metadata(metadata)
    if tags:
        listed = metadata_reader.read_texts("tags", tags)
        values["tags"] = tuple(dict.fromkeys((*values.get("tags", ()), *listed)))
    if action == "create":
        if record_id is not None:
            raise UsageError("what is created gets its id", hint="action='update' changes a record")
        return ManageRequest(action, content or "", values=values)
    if not isinstance(record_id, str) or not record_id.strip():
        raise UsageError(f"to {action} a memory, name it by its id")
    if scope is not None:
        raise UsageError(f"to {action} a memory takes no scope: it stays where it belongs")
    if action == "delete" and set(values) - {metadata_reader.REASON}:
        raise UsageError("to delete a memory takes no metadata but a reason")
    return ManageRequest(action, content or "", record_id.strip(), values)


def tell_written(report: IngestReport) -> ManagedId:
    """The id of the one record that was written. Raises RefusedByPolicy."""
    if report.items:
        saved = report.items[0]
        return ManagedId(saved.record.memory.id, saved.outcome, saved.note)
    if report.problems:
        raise RefusedByPolicy(report.problems[0])
    return ManagedId("", "spooled", f"the store is busy; it waits in {report.spool_file}")


def tell_changed(report: ChangeReport) -> ManagedId:
    """The id of the one record that was changed. Raises RefusedByPolicy."""
    if report.refused:
        raise RefusedByPolicy(report.refused[0].reason)
    if report.spool_file is not None:
        return ManagedId("", "spooled", f"the store is busy; it waits in {report.spool_file}")
    memory = report.changed[0].memory
    return ManagedId(memory.id, report.verb, memory.status_reason)


def join_places(start: Place, found: Place, named: Namespace) -> Place:
    """The place that a namespace names, with what it leaves open from where the caller stands."""
    if named.scope == "global":
        return Place(agent_id=start.agent_id)
    return Place(
        found.project_id,
        found.repo_id,
        named.agent or start.agent_id,
        named.session or start.session_id,
    )


def build_query(
    query: Query | str,
    limit: int | None,
    where: NamedPlace | None,
    tags: Sequence[str],
    agent: str | None,
) -> Query:
    """A query of plain words, or one with another limit, place or tags. Raises UsageError."""
    made = Query(query, Place(agent_id=agent)) if isinstance(query, str) else query
    if limit is not None:
        made = replace(made, limit=read_limit("limit", limit, least=1))
    if tags:
        made = replace(made, tags=metadata_reader.read_texts("tags", tags))
    if where is None:
        return made
    scopes = ("global",) if where.scope == "global" else made.scopes
    return replace(made, place=where.place, scopes=scopes)


def choose_capture_scope(scope: str | None) -> str | None:
    """The scope of what comes of a conversation that was held in a namespace.

    A project or session is where it was held, and what comes of it is placed as of any session.
    """
    return None if scope in ("project", "session") else scope


def name_document(where: NamedPlace) -> str:
    """The project of whose memory a document is made. Raises UsageError for another namespace."""
    if where.scope != "project" or where.place.project_id is None:
        raise UsageError("a MEMORY.md is that of a project, or without a scope of every place")
    return where.place.project_id


def read_limit(name: str, value: int | None, *, least: int) -> int | None:
    """A number that limits something, or None. Raises UsageError."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{name} is a whole number from {least}, not {value!r:.60}")
    return value


def refuse_second_budget(max_tokens: int | None, tokenizer: Tokenizer | None) -> None:
    """Raise UsageError for a budget beside a context that was built within one."""
    if max_tokens is not None or tokenizer is not None:
        raise UsageError(
            "this context was built within a budget already",
            hint="give budget and tokenizer to `context_for`",
        )
