"""What changed since the operator last looked: by whom, why, with the numbers that undo it.

Changes that were made as one are told as one. What agents changed of what is shared comes first, since they may change it without asking;
then what maintenance did, what the operator did, and what agents keep for themselves. Only the operator's own reading counts as looking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.core.model import Actor, Event, Filter, Memory
from memctl.curate import entity_reports
from memctl.records import proposals
from memctl.results.history import DigestChange, DigestEntry, DigestReport
from memctl.settings.config import Config
from memctl.store import (context_records, entity_lookup, event_log, links, meta, projects, records)
from memctl.store import proposals as stored_proposals
from memctl.store.database import Database

_LAST_READ_KEY = "digested"
SECTIONS = ("shared", "maintenance", "operator", "agents")
# What a change did besides what its verb says is seldom worth a word.
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
# To pin is to set these.
_PIN_VERBS, _PIN_FIELDS = ("pinned", "unpinned"), frozenset(("always_load", "never_load"))
_LISTED_TOPICS = frozenset(("record", "proposal", "mute"))
# Names that somebody gave or took; those that a record brings along are told with it.
_NAMING_CAUSES = ("entity alias", "entity split")
_MAX_VALUE_LENGTH = 60


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
    """The changes since a time, else since the operator last looked; `mark` notes that now is that time. Raises NotFound, UsageError."""
    if mark and not actor.is_operator:
        raise UsageError(
            "only the operator at a terminal notes a digest as read",
            hint="add --peek, or --since TIME",
        )
    with db.snapshot():
        last, at = _read_last_seq(db), _read_last_time(db)
        place_id = projects.named(db, project).id if project else None
        found = _list_entries(db, event_log.since(db, seq=0 if since else last, at=since), place_id)
        head = event_log.head(db)
        waiting = {
            "inbox": len(records.select(db, Filter(statuses=("inbox",), project_id=place_id))),
            "conflicts": _count_conflicts(db, place_id),
            "proposals": len(proposals.list_open(db)),
        }
    if mark:
        with db.write():
            meta.put(db, _LAST_READ_KEY, f"{max(head, last)} {clock.now()}")
    counts = Counter(change.verb for entry in found for change in entry.changes)
    shown = [
        entry
        for section in SECTIONS
        for entry in [each for each in found if each.section == section][:limit]
    ]
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
    """Open contradictions, of one project or of all."""
    found = links.open_contradictions(db)
    if project_id is None:
        return len(found)
    ends = records.by_ids(db, {end for link in found for end in (link.from_id, link.to_id)})
    return sum(
        project_id in (ends[link.from_id].project_id, ends[link.to_id].project_id) for link in found
    )


def count_unread(db: Database) -> dict[str, int]:
    """How many changes the operator has not looked at yet."""
    return {"changes": event_log.told_after(db, _read_last_seq(db))}


def _read_last_seq(db: Database) -> int:
    return int((meta.get(db, _LAST_READ_KEY) or "0").split()[0])


def _read_last_time(db: Database) -> str | None:
    parts = (meta.get(db, _LAST_READ_KEY) or "").split()
    return parts[1] if len(parts) > 1 else None


def _list_entries(
    db: Database, events: Iterable[Event], project_id: str | None
) -> list[DigestEntry]:
    """The changes grouped as they were made, newest first."""
    groups: dict[str, list[Event]] = {}
    bare: dict[str, Event] = {}
    for event in events:
        if _is_listed(event):
            groups.setdefault(event.operation or str(event.seq), []).append(event)
        elif event.topic == "link":
            bare[event.operation or str(event.seq)] = event
    # A link stands for itself where nothing else was done: what it brought about says more.
    groups |= {name: [event] for name, event in bare.items() if name not in groups}
    groups = dict(sorted(groups.items(), key=lambda pair: pair[1][-1].seq))
    ids = {
        event.memory_id
        for group in groups.values()
        for event in group
        if event.topic in ("record", "proposal", "link")
    }
    known = records.by_ids(db, ids)
    about_names = [
        event for group in groups.values() for event in group if event.topic in ("entity", "alias")
    ]
    shorts = context_records.short_ids(db, known) | {
        event.memory_id: entity_reports.shorten_id(db, event.memory_id) for event in about_names
    }
    asked = dict(
        _name_proposals(
            db, (event for group in groups.values() for event in group if event.topic == "proposal")
        )
    )
    called = asked | dict(_name_entities(db, about_names))
    made = [
        _build_entry(group, known, shorts, called)
        for group in reversed(groups.values())
        if _is_of_project(group, known, project_id)
    ]
    return [entry for entry in made if entry.changes]


def _name_proposals(db: Database, events: Iterable[Event]) -> Iterator[tuple[str, str]]:
    """What proposals are about, by what their changes are about: the names of two, a rule; a record speaks for itself."""
    for event in events:
        proposal = stored_proposals.find(db, event.item or "")
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
    group: Iterable[Event], known: Mapping[str, Memory], project_id: str | None
) -> bool:
    return project_id is None or any(
        known[e.memory_id].project_id == project_id for e in group if e.memory_id in known
    )


def _name_entities(db: Database, events: Iterable[Event]) -> Iterator[tuple[str, str]]:
    """The names of the entities that changes are about, and of those that they were merged into."""
    for event in events:
        for each in filter(
            None,
            (
                event.memory_id,
                (event.after or {}).get("merged_into"),
                (event.before or {}).get("merged_into"),
            ),
        ):
            yield each, entity_lookup.find_display_name(db, each) or each


def _build_entry(
    group: list[Event],
    known: Mapping[str, Memory],
    shorts: Mapping[str, str],
    called: Mapping[str, str],
) -> DigestEntry:
    changes = tuple(
        _build_change(event, known.get(event.memory_id), shorts.get(event.memory_id), called)
        for event in group
    )
    last = group[-1]
    return DigestEntry(
        last.seq, _choose_section(group, known), last.actor, last.at, _find_reason(group), changes
    )


def _choose_section(group: Iterable[Event], known: Mapping[str, Memory]) -> str:
    events = list(group)
    actor = events[-1].actor
    if actor == "operator":
        return "operator"
    if not actor.startswith("agent:"):
        return "maintenance"
    owned = {known[event.memory_id].owner for event in events if event.memory_id in known}
    return "agents" if owned == {"agent"} else "shared"


def _find_reason(group: Iterable[Event]) -> str | None:
    """The reason given, where it says more than which command it was."""
    return next((event.cause for event in group if " " in event.cause.strip()), None)


def _build_change(
    event: Event, memory: Memory | None, short: str | None, called: Mapping[str, str]
) -> DigestChange:
    title = (
        memory.title
        if memory
        else called.get(event.memory_id) or (event.after or event.before or {}).get("about")
    )
    return DigestChange(
        event.seq,
        event.memory_id,
        short or event.memory_id,
        title,
        event.topic,
        event.verb,
        memory.status if memory else None,
        _describe_name_change(event, called)
        if event.topic in ("entity", "alias")
        else _describe_link_change(event)
        if event.topic == "link"
        else _describe_field_changes(event),
    )


def _describe_name_change(event: Event, called: Mapping[str, str]) -> tuple[str, ...]:
    """What a name is now, or what one is called."""
    row = event.after or event.before or {}
    if event.topic == "alias":
        return (str(row["alias"]),)
    into, from_ = row.get("merged_into"), (event.before or {}).get("merged_into")
    return (f"into {called[into]}",) if into else (f"from {called[from_]}",) if from_ else ()


def _describe_link_change(event: Event) -> tuple[str, ...]:
    """Which relation a link says, to which record; of one that was set anew, what was."""
    row = event.after or event.before or {}
    if "relation" in row:
        return (f"{str(row['relation']).replace('_', ' ')} {row['to_id']}",)
    return (_format_value(row["reason"]),) if row.get("reason") else ()


def _describe_field_changes(event: Event) -> tuple[str, ...]:
    """The columns of a record that were changed, as `name: old -> new`."""
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
