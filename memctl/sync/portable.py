"""What the event log says of a subject, in words that mean the same on every machine.

Ids of records, evidence and votes are the same everywhere; those of projects, repositories, links
and entities are not. So a project is called by the smallest of its ids (`project_identity`), a
repository by its remote, first commit and name, a link by its ends, a mention by the kind and name
of its entity. Left out is what each store computes or counts by itself: fingerprints, hashes,
counters, and whose a record is (its signature says that).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memctl.core.model import Event
from memctl.store import (
    entity_lookup,
    event_log,
    evidence,
    links,
    portable_rows,
    records,
    tombstones,
    tracked_rows,
)
from memctl.store.database import Database
from memctl.sync.change import ChangeEvent
from memctl.sync.project_identity import ProjectClasses

# Verbs of events that leave nothing but the fact.
PURGED = "purged"
# The topic that takes back what another change said (see `merging`).
SCRUB = "scrub"
# Fields of a record that do not travel.
_LEFT_OUT = ("fingerprint", "origin", "repo_id")
_RECORD_FIELDS = frozenset(portable_rows.RECORD_FIELDS)
_LINK_FIELDS = (
    *("from_id", "relation", "to_id", "reason", "confidence", "actor", "resolved_at"),
    "created_at",
)
_TOMBSTONE_FIELDS = ("fingerprint", "verdict", "quote_hash", "reason", "actor", "created_at")
_OUTCOME_FIELDS = ("id", "memory_id", "verdict", "reason", "actor", "created_at")
_State = Mapping[str, Any] | None


class TravelForm:
    """Says in travel form what this store knows. Remembers names while it is used, so one is made
    for each transaction, or renewed.
    """

    def __init__(self, db: Database, classes: ProjectClasses | None = None) -> None:
        self._db = db
        self.classes = classes or ProjectClasses(db)
        self._repos: dict[str, list[str | None] | None] = {}
        self._entities: dict[str, tuple[str, str] | None] = {}

    def renew(self) -> None:
        """Forget the names that were remembered."""
        self.classes.renew()
        self._repos.clear()
        self._entities.clear()

    def convert_events(self, events: Iterable[Event]) -> Iterator[ChangeEvent]:
        """Say in travel form what events of the log about a record, with all that hangs on it, or
        about an entity tell. What has no words any more, and what stays at home, is left out.
        """
        for event in events:
            convert = _CONVERTERS.get(event.topic)
            if convert is not None:
                yield from convert(self, event)

    def describe_state(
        self, memory_id: str, *, verb: str, actor: str, cause: str, at: str
    ) -> list[ChangeEvent]:
        """Say all of a record as it stands here, with what hangs on it, as if it were made now."""
        told = [("record", memory_id, self.read_fields(memory_id))]
        rows = [(*cell, row) for cell, row in self.read_rows(memory_id).items()]
        return [
            ChangeEvent(topic, item, verb, None, state, actor, cause, at)
            for topic, item, state in [*told, *rows]
            if state is not None
        ]

    def read_fields(self, memory_id: str) -> dict[str, Any] | None:
        """The fields of a record as it stands here; None if it is not here."""
        memory = records.find_record(self._db, memory_id)
        return None if memory is None else self.name_fields(records.extract_history_fields(memory))

    def read_rows(self, memory_id: str) -> dict[tuple[str, str], Mapping[str, Any]]:
        """What hangs on a record here, by topic and item."""
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for proof in evidence.list_with_withdrawn(self._db, memory_id):
            found["evidence", proof.id] = portable_rows.tell_evidence(proof)
        for link in links.list_of_memory(self._db, memory_id):
            if link.from_id == memory_id:
                row = {name: getattr(link, name) for name in _LINK_FIELDS}
                found["link", name_link(row)] = row
        for entity_id, name in sorted(tracked_rows.list_mentions_of(self._db, memory_id)):
            mention = self.name_mention(memory_id, entity_id, name)
            if mention is not None:
                found["mention", mention[0]] = mention[1]
        stone = tombstones.find_of_memory(self._db, memory_id)
        if stone is not None:
            found["tombstone", memory_id] = {name: stone[name] for name in _TOMBSTONE_FIELDS}
        for vote in portable_rows.list_votes(self._db, memory_id):
            found["outcome", vote["id"]] = {name: vote[name] for name in _OUTCOME_FIELDS}
        return found

    def name_fields(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a record, some or all, with project and repository as they travel."""
        fields = {
            name: value
            for name, value in told.items()
            if name in _RECORD_FIELDS and name not in _LEFT_OUT
        }
        if fields.get("project_id") is not None:
            fields["project_id"] = self.classes.get_canonical(fields["project_id"])
        if "repo_id" in told:
            fields["repo"] = self._name_repo(told["repo_id"])
        return fields

    def name_mention(
        self, memory_id: str, entity_id: str, name: str
    ) -> tuple[str, dict[str, Any]] | None:
        """A mention as it travels: item and row; None where nobody knows the entity any more."""
        known = self.name_entity(entity_id)
        if known is None:
            return None
        kind, entity = known
        return f"{memory_id}|{kind}|{escape_name(entity)}|{escape_name(name)}", {}

    def name_entity(self, entity_id: str) -> tuple[str, str] | None:
        """Kind and name of an entity; also of one that is gone, as long as the log tells."""
        if entity_id not in self._entities:
            row = entity_lookup.find_by_id(self._db, entity_id)
            told: _State = row if row is not None else self._read_gone("entity", entity_id)
            self._entities[entity_id] = None if told is None else (told["kind"], told["name"])
        return self._entities[entity_id]

    def _read_gone(self, topic: str, item: str, about: str | None = None) -> _State:
        """A row that is gone, by the log."""
        for event in reversed(portable_rows.list_of_item(self._db, about or item, topic, item)):
            told = event.before if event.after is None else event.after
            if told is not None and len(told) > 1 and "created_at" in told:
                return told
        return None

    def _name_repo(self, repo_id: str | None) -> list[str | None] | None:
        if repo_id is None:
            return None
        if repo_id not in self._repos:
            row = portable_rows.find_repo(self._db, repo_id)
            self._repos[repo_id] = (
                None if row is None else [row["remote_url"], row["root_commit"], row["name"]]
            )
        return self._repos[repo_id]

    def _convert_record(self, event: Event) -> Iterator[ChangeEvent]:
        if event.before is None and event.after is None:
            # An entry whose words were erased tells nothing; the erasure itself does.
            if event.verb == PURGED and event.item is None:
                yield _build(event, "record", event.memory_id, None, None)
            return
        if event.after is None:
            return
        before = None if event.before is None else self.name_fields(event.before)
        yield _build(event, "record", event.memory_id, before, self.name_fields(event.after))

    def _convert_link(self, event: Event) -> Iterator[ChangeEvent]:
        ends = self._find_link_ends(event)
        if ends is None:
            return
        before, after = (
            None
            if state is None
            else {name: value for name, value in state.items() if name in _LINK_FIELDS}
            for state in (event.before, event.after)
        )
        if before is not None or after is not None:
            yield _build(event, "link", name_link(ends), before, after)

    def _find_link_ends(self, event: Event) -> _State:
        for state in (event.after, event.before):
            if state is not None and "to_id" in state:
                return state
        item = event.item or ""
        return tracked_rows.find_row(self._db, "link", item) or self._read_gone(
            "link", item, event.memory_id
        )

    def _convert_evidence(self, event: Event) -> Iterator[ChangeEvent]:
        for evidence_id in (event.before or {}).get("ids", ()):
            proof = portable_rows.find_evidence(self._db, evidence_id)
            if event.verb == PURGED or proof is None:
                yield _build(event, "evidence", evidence_id, {}, None)
            else:
                at = proof.withdrawn_at or event.at
                yield _build(
                    event,
                    "evidence",
                    evidence_id,
                    {"withdrawn_at": None},
                    {"withdrawn_at": at},
                )
        for evidence_id in (event.after or {}).get("ids", ()):
            proof = portable_rows.find_evidence(self._db, evidence_id)
            if proof is not None:
                row = {**portable_rows.tell_evidence(proof), "withdrawn_at": None}
                yield _build(event, "evidence", evidence_id, None, row)

    def _convert_mention(self, event: Event) -> Iterator[ChangeEvent]:
        for state, has_come in ((event.before, False), (event.after, True)):
            for entity_id, name in (state or {}).get("mentions", ()):
                mention = self.name_mention(event.memory_id, entity_id, name)
                if mention is not None:
                    item, row = mention
                    before, after = (None, row) if has_come else (row, None)
                    yield _build(event, "mention", item, before, after)

    def _convert_tombstone(self, event: Event) -> Iterator[ChangeEvent]:
        before, after = (
            None
            if state is None
            else {name: value for name, value in state.items() if name in _TOMBSTONE_FIELDS}
            for state in (event.before, event.after)
        )
        if before is not None or after is not None:
            yield _build(event, "tombstone", event.memory_id, before, after)

    def _convert_outcome(self, event: Event) -> Iterator[ChangeEvent]:
        before, after = (
            None
            if state is None
            else {name: value for name, value in state.items() if name in _OUTCOME_FIELDS}
            for state in (event.before, event.after)
        )
        if before is not None or after is not None:
            yield _build(event, "outcome", event.item or "", before, after)

    def _convert_entity(self, event: Event) -> Iterator[ChangeEvent]:
        """Only that one entity was merged into another, or was not any more, travels."""
        if event.before is None or event.after is None or "merged_into" not in event.after:
            return
        known = self.name_entity(event.memory_id)
        if known is None:
            return
        before, after = (
            {"merged_into": self._name_merged(state.get("merged_into"))}
            for state in (event.before, event.after)
        )
        yield _build(event, "entity", name_entity(*known), before, after)

    def _name_merged(self, entity_id: str | None) -> str | None:
        known = None if entity_id is None else self.name_entity(entity_id)
        return None if known is None else name_entity(*known)

    def _convert_alias(self, event: Event) -> Iterator[ChangeEvent]:
        told = event.after if event.after is not None else event.before
        if told is None or "alias" not in told or self.name_entity(event.memory_id) is None:
            return
        row = {"created_at": told["created_at"]}
        before, after = (row, None) if event.after is None else (None, row)
        yield _build(event, "alias", str(told["alias"]), before, after)


_CONVERTERS = {
    "record": TravelForm._convert_record,
    "link": TravelForm._convert_link,
    "evidence": TravelForm._convert_evidence,
    "mention": TravelForm._convert_mention,
    "tombstone": TravelForm._convert_tombstone,
    "outcome": TravelForm._convert_outcome,
    "entity": TravelForm._convert_entity,
    "alias": TravelForm._convert_alias,
}


def name_link(row: Mapping[str, Any]) -> str:
    """A link as it is called everywhere: by its ends and its relation."""
    return f"{row['from_id']}|{row['relation']}|{row['to_id']}"


def escape_name(name: str) -> str:
    """A name as it stands in an item, whose parts are told apart by a stroke."""
    return name.replace("%", "%25").replace("|", "%7C")


def read_mention(item: str) -> tuple[str, str, str] | None:
    """Kind and name of the entity that an item mentions, and the name it uses; None for no item."""
    parts = item.split("|")
    if len(parts) != 4:
        return None
    entity, name = (each.replace("%7C", "|").replace("%25", "%") for each in parts[2:])
    return parts[1], entity, name


def name_project_subject(project_id: str) -> str:
    """The subject that a project is."""
    return f"project:{project_id}"


def name_entity_subject(kind: str, name: str) -> str:
    """The subject that an entity is."""
    return f"entity:{name_entity(kind, name)}"


def name_entity(kind: str, name: str) -> str:
    """An entity as it is called everywhere: its kind, and its name as it is."""
    return f"{kind}|{name}"


def name_source_subject(source_id: str) -> str:
    """The subject that a captured conversation is."""
    return f"source:{source_id}"


def is_record_subject(subject: str) -> bool:
    """Whether a subject is a record: ids have no colon."""
    return ":" not in subject


def tell_source_end(events: Iterable[Event]) -> list[ChangeEvent]:
    """That a captured conversation was erased for good, by what the log says of it."""
    return [
        _build(event, "source", event.memory_id, None, None)
        for event in events
        if event.topic == "record" and event.verb == PURGED
    ]


def list_by_operation(events: Sequence[Event]) -> list[list[Event]]:
    """Events by the operation that they were made in, in the order of their first ones."""
    found: dict[str | int, list[Event]] = {}
    for event in events:
        found.setdefault(event.operation or event.seq, []).append(event)
    return list(found.values())


def read_history(db: Database, memory_id: str, until: int) -> list[Event]:
    """What the log tells of a record with all that hangs on it, up to one change, oldest first."""
    return [
        event for event in event_log.list_of_memory(db, memory_id, whole=True) if event.seq <= until
    ]


def _build(event: Event, topic: str, item: str, before: _State, after: _State) -> ChangeEvent:
    return ChangeEvent(topic, item, event.verb, before, after, event.actor, event.cause, event.at)
