"""The digest: what changed since the operator last read it, by whom and why, with change numbers.

Changes of one operation are one entry. First come the agents' changes to shared records, then those
of maintenance, the operator's, and the agents' changes to their own records. Only the operator can
mark the digest as read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass
from memctl.core.model import Actor, Event, Filter, Memory
from memctl.core.typing_lite import Any
from memctl.curate import entity_reports
from memctl.records import proposals
from memctl.results.history import DigestChange, DigestEntry, DigestReport
from memctl.settings.config import Config
from memctl.store import context_records, entity_lookup, event_log, links, meta, projects, records
from memctl.store import proposals as stored_proposals
from memctl.store.database import Database

# The meta key of the last change that the operator read, and when.
_LAST_READ_KEY = "digested"
SECTIONS = ("shared", "maintenance", "operator", "agents")
# Fields whose change is not listed, because the verb says it or it is of no interest.
_UNLISTED_FIELDS = frozenset(
    (
        "status",
        "status_reason",
        "updated_at",
        "fingerprint",
        "summary",
        "owner",
        "observed_at",
        "confirmed_at",
        "trust",
        "confidence",
        "source_ref",
        "evidence_ref",
        "rule",
        "decay_rate",
        "created_at",
        "id",
    )
)
# Verbs that set the pin fields, and say so.
_PIN_VERBS = ("pinned", "unpinned")
_PIN_FIELDS = frozenset(("always_load", "never_load"))
_LISTED_TOPICS = frozenset(("record", "proposal", "mute"))
# Causes of changes that somebody made to names; a name that comes with a record is not listed.
_NAMING_CAUSES = ("entity alias", "entity split")
# Characters of one value in a change. Chosen by hand.
_MAX_VALUE_LENGTH = 60


@dataclass(frozen=True, slots=True)
class _Subjects:
    """What changes are about: records by id, short ids, and names of entities, rules and pairs."""

    memories: Mapping[str, Memory]
    short_ids: Mapping[str, str]
    names: Mapping[str, str]


def build_digest(
    db: Database,
    config: Config,
    actor: Actor,
    *,
    since: str | None,
    project: str | None,
    limit: int,
    mark: bool,
    format: str = "text",
) -> DigestReport:
    """Report the changes since a time, or since the operator last read the digest.

    `limit` is per section. `mark` notes the digest as read. Raises NotFound, UsageError.
    """
    if mark and not actor.is_operator:
        raise UsageError(
            "only the operator at a terminal can mark a digest as read",
            hint="add --peek, or --since TIME",
        )
    with db.snapshot():
        last, at = _read_last_seq(db), _read_last_time(db)
        place_id = projects.named(db, project).id if project else None
        found = _list_entries(
            db, event_log.iterate_since(db, seq=0 if since else last, at=since), place_id, actor
        )
        head = event_log.get_last_number(db)
        waiting = {
            "inbox": len(
                records.select_records(db, Filter(statuses=("inbox",), project_id=place_id))
            ),
            "conflicts": _count_conflicts(db, place_id),
            "proposals": len(proposals.list_open(db)),
        }
    if mark:
        with db.write():
            meta.put_note(db, _LAST_READ_KEY, f"{max(head, last)} {clock.now()}")
    counts = Counter(change.verb for entry in found for change in entry.changes)
    shown: list[DigestEntry] = []
    for section in SECTIONS:
        shown += [entry for entry in found if entry.section == section][:limit]
    return DigestReport(
        tuple(shown),
        since or at,
        last if not since else None,
        head,
        dict(counts),
        len(found) - len(shown),
        waiting,
        mark,
        format,
    )


def _count_conflicts(db: Database, project_id: str | None) -> int:
    """Count the open contradictions of one project or of all."""
    found = links.list_open_contradictions(db)
    if project_id is None:
        return len(found)
    ends = records.list_by_ids(db, {end for link in found for end in (link.from_id, link.to_id)})
    return sum(
        project_id in (ends[link.from_id].project_id, ends[link.to_id].project_id) for link in found
    )


def count_unread(db: Database) -> dict[str, int]:
    """Count the changes that the operator has not read in a digest."""
    return {"changes": event_log.count_operations_after(db, _read_last_seq(db))}


def _read_last_seq(db: Database) -> int:
    parts = (meta.get_note(db, _LAST_READ_KEY) or "").split()
    return (meta.parse_number(parts[0]) or 0) if parts else 0


def _read_last_time(db: Database) -> str | None:
    parts = (meta.get_note(db, _LAST_READ_KEY) or "").split()
    return parts[1] if len(parts) > 1 and meta.is_time(parts[1]) else None


def _list_entries(
    db: Database, events: Iterable[Event], project_id: str | None, viewer: Actor
) -> list[DigestEntry]:
    """Group the changes by operation, newest first; of what is private to another agent, none."""
    groups = _group_by_operation(events)
    subjects = _read_subjects(db, [event for group in groups for event in group])
    private = {
        memory.id
        for memory in subjects.memories.values()
        if records.is_private_to_another(memory, viewer.name)
    }
    groups = [[each for each in group if each.memory_id not in private] for group in groups]
    groups = [group for group in groups if group]
    entries = [
        _build_entry(group, subjects)
        for group in reversed(groups)
        if _is_of_project(group, subjects.memories, project_id)
    ]
    return [entry for entry in entries if entry.changes]


def _group_by_operation(events: Iterable[Event]) -> list[list[Event]]:
    """The listed changes of each operation, oldest operation first.

    A link is listed only if its operation did nothing else: the rest says more.
    """
    groups: dict[str, list[Event]] = {}
    links_alone: dict[str, Event] = {}
    for event in events:
        operation = event.operation or str(event.seq)
        if _is_listed(event):
            groups.setdefault(operation, []).append(event)
        elif event.topic == "link":
            links_alone[operation] = event
    for operation, event in links_alone.items():
        groups.setdefault(operation, [event])
    return sorted(groups.values(), key=lambda group: group[-1].seq)


def _read_subjects(db: Database, events: Sequence[Event]) -> _Subjects:
    memories = records.list_by_ids(
        db, {each.memory_id for each in events if each.topic in ("record", "proposal", "link")}
    )
    about_names = [event for event in events if event.topic in ("entity", "alias")]
    short_ids = context_records.shorten_ids(db, memories)
    for event in about_names:
        short_ids[event.memory_id] = entity_reports.shorten_id(db, event.memory_id)
    names = dict(_name_proposals(db, (each for each in events if each.topic == "proposal")))
    return _Subjects(memories, short_ids, names | dict(_name_entities(db, about_names)))


def _name_proposals(db: Database, events: Iterable[Event]) -> Iterator[tuple[str, str]]:
    """The subject of each proposal that is not about a record: two entity names, or a rule."""
    for event in events:
        proposal = stored_proposals.find_proposal(db, event.item or "")
        if proposal is not None and proposal.kind != "archive":
            names = proposal.data.get("names", ())
            yield event.memory_id, " and ".join(map(str, names)) or proposal.about


def _is_listed(event: Event) -> bool:
    if event.topic == "entity":
        return event.before is not None and event.after is not None
    if event.topic == "alias":
        return event.cause in _NAMING_CAUSES
    return event.topic in _LISTED_TOPICS and event.verb != "redacted"


def _is_of_project(
    group: Iterable[Event], memories: Mapping[str, Memory], project_id: str | None
) -> bool:
    if project_id is None:
        return True
    about = [memories[event.memory_id] for event in group if event.memory_id in memories]
    return any(memory.project_id == project_id for memory in about)


def _name_entities(db: Database, events: Iterable[Event]) -> Iterator[tuple[str, str]]:
    """The names of the entities that changes are about, and of those they were merged into."""
    for event in events:
        merged = [(row or {}).get("merged_into") for row in (event.before, event.after)]
        for entity_id in filter(None, (event.memory_id, *merged)):
            yield entity_id, entity_lookup.find_display_name(db, entity_id) or entity_id


def _build_entry(group: Sequence[Event], subjects: _Subjects) -> DigestEntry:
    last = group[-1]
    return DigestEntry(
        last.seq,
        _choose_section(group, subjects.memories),
        last.actor,
        last.at,
        _find_reason(group),
        tuple(_build_change(event, subjects) for event in group),
    )


def _choose_section(group: Sequence[Event], memories: Mapping[str, Memory]) -> str:
    actor = group[-1].actor
    if actor == "operator":
        return "operator"
    if not actor.startswith("agent:"):
        return "maintenance"
    owners = {memories[each.memory_id].owner for each in group if each.memory_id in memories}
    return "agents" if owners == {"agent"} else "shared"


def _find_reason(group: Iterable[Event]) -> str | None:
    """The reason that was given; a bare command name is none."""
    return next((event.cause for event in group if " " in event.cause.strip()), None)


def _build_change(event: Event, subjects: _Subjects) -> DigestChange:
    memory = subjects.memories.get(event.memory_id)
    title = memory.title if memory else subjects.names.get(event.memory_id)
    return DigestChange(
        event.seq,
        event.memory_id,
        subjects.short_ids.get(event.memory_id, event.memory_id),
        title or (event.after or event.before or {}).get("about"),
        event.topic,
        event.verb,
        memory.status if memory else None,
        _describe_change(event, subjects.names),
    )


def _describe_change(event: Event, names: Mapping[str, str]) -> tuple[str, ...]:
    if event.topic in ("entity", "alias"):
        return _describe_name_change(event, names)
    if event.topic == "link":
        return _describe_link_change(event)
    return _describe_field_changes(event)


def _describe_name_change(event: Event, names: Mapping[str, str]) -> tuple[str, ...]:
    """The alias that was added or removed, or the entity that one was merged into or from."""
    row = event.after or event.before or {}
    if event.topic == "alias":
        return (str(row["alias"]),)
    if row.get("merged_into"):
        return (f"into {names[row['merged_into']]}",)
    before = (event.before or {}).get("merged_into")
    return (f"from {names[before]}",) if before else ()


def _describe_link_change(event: Event) -> tuple[str, ...]:
    """The relation and the other record of a link; of an updated link, its reason."""
    row = event.after or event.before or {}
    if "relation" in row:
        return (f"{str(row['relation']).replace('_', ' ')} {row['to_id']}",)
    return (_format_value(row["reason"]),) if row.get("reason") else ()


def _describe_field_changes(event: Event) -> tuple[str, ...]:
    """The changed fields of a record, each as `name: old -> new`."""
    if event.topic != "record" or event.before is None or event.after is None:
        return ()
    silent = _UNLISTED_FIELDS | _PIN_FIELDS if event.verb in _PIN_VERBS else _UNLISTED_FIELDS
    names = [
        name
        for name in event.after
        if name not in silent and event.before.get(name) != event.after[name]
    ]
    return tuple(
        f"{name}: {_format_value(event.before.get(name))} -> {_format_value(event.after[name])}"
        for name in names
    )


def _format_value(value: Any) -> str:
    text = "nothing" if value in (None, "", []) else " ".join(str(value).split())
    return text if len(text) <= _MAX_VALUE_LENGTH else text[: _MAX_VALUE_LENGTH - 1].rstrip() + "…"
