"""Whether a change from another machine can be what it says it is: its values fit their columns.

Pure. What does not fit is refused as a whole, so that nothing of it can stop what comes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memctl.core.model import ENTITY_KINDS, OWNERS, RELATIONS, SCOPES, SOURCE_KINDS, STATUSES, TYPES
from memctl.records.drafts import LONGEST_CONTENT
from memctl.sync.change import Change, ChangeEvent
from memctl.sync.merging import PURGED, SCRUB

ENTITY = "entity:"
PROJECT = "project:"
SOURCE = "source:"
_VERDICTS = ("rejected", "forgotten", "purged")
_VOTES = ("good", "bad")
_ROLES = ("human", "assistant", "tool", "system", "summary")
_Check = Callable[[Any], bool]
# Characters of fields, as of what is written here (see `records.drafts`).
_LONGEST_TITLE = 400
_LONGEST_SUMMARY = 4000


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_up_to(longest: int) -> _Check:
    """What is redacted on the way may be somewhat longer than what could be written."""
    return lambda value: isinstance(value, str) and len(value) <= 2 * longest


_is_long_text = _is_text_up_to(LONGEST_CONTENT)


def _is_filled(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_content(value: Any) -> bool:
    """SQLite counts the characters of a text up to the first that is NUL."""
    return _is_long_text(value) and value.partition("\0")[0] != ""


def _is_optional_text(value: Any) -> bool:
    return value is None or _is_long_text(value)


def _is_optional_number(value: Any) -> bool:
    return value is None or (type(value) is int and 0 <= value < 2**53)


def _is_flag(value: Any) -> bool:
    return type(value) is bool


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1


def _is_rate(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < float("inf")


def _is_trust(value: Any) -> bool:
    return type(value) is int and 1 <= value <= 5


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_repo(value: Any) -> bool:
    is_list = isinstance(value, list) and len(value) == 3
    return value is None or (is_list and all(map(_is_optional_text, value)))


def _is_aliases(value: Any) -> bool:
    return isinstance(value, list) and all(_is_text_list(each) and len(each) == 2 for each in value)


def _is_entity(value: Any) -> bool:
    kind, _, name = value.partition("|") if isinstance(value, str) else ("", "", "")
    return kind in ENTITY_KINDS and name != ""


def _is_optional_entity(value: Any) -> bool:
    return value is None or _is_entity(value)


def _is_one_of(words: tuple[str, ...]) -> _Check:
    return lambda value: isinstance(value, str) and value in words


_RECORD: Mapping[str, _Check] = {
    "id": _is_filled,
    "type": _is_one_of(TYPES),
    "kind": _is_filled,
    "scope": _is_one_of(SCOPES),
    "status": _is_one_of(STATUSES),
    "title": _is_text_up_to(_LONGEST_TITLE),
    "content": _is_content,
    "summary": _is_text_up_to(_LONGEST_SUMMARY),
    "owner": _is_one_of(OWNERS),
    "source_kind": _is_one_of(SOURCE_KINDS),
    "confidence": _is_share,
    "trust": _is_trust,
    "observed_at": _is_text,
    "created_at": _is_text,
    "updated_at": _is_text,
    "alternatives": _is_text_list,
    "decay_rate": _is_rate,
    "protected": _is_flag,
    "always_load": _is_flag,
    "never_load": _is_flag,
    "repo": _is_repo,
    "tags": _is_text_list,
    **dict.fromkeys(
        (
            *("status_reason", "project_id", "agent_id", "session_id", "subject", "rationale"),
            *("valid_from", "valid_until", "source_ref", "evidence_ref", "rule", "confirmed_at"),
        ),
        _is_optional_text,
    ),
}
# Columns of rows by topic, and which of them a whole row must have.
_ROWS: Mapping[str, Mapping[str, _Check]] = {
    "link": {
        "from_id": _is_filled,
        "relation": _is_one_of(RELATIONS),
        "to_id": _is_filled,
        "reason": _is_optional_text,
        "confidence": _is_share,
        "actor": _is_text,
        "resolved_at": _is_optional_text,
        "created_at": _is_text,
    },
    "evidence": {
        "id": _is_filled,
        "memory_id": _is_filled,
        "source_id": _is_optional_text,
        "turn": _is_optional_number,
        "span_start": _is_optional_number,
        "span_end": _is_optional_number,
        "quote": _is_text,
        "role": _is_one_of(_ROLES),
        "speaker": _is_optional_text,
        "trust": _is_trust,
        "observed_at": _is_text,
        "created_at": _is_text,
        "withdrawn_at": _is_optional_text,
    },
    "mention": {},
    "tombstone": {
        "fingerprint": _is_filled,
        "verdict": _is_one_of(_VERDICTS),
        "quote_hash": _is_optional_text,
        "reason": _is_optional_text,
        "actor": _is_text,
        "created_at": _is_text,
    },
    "outcome": {
        "id": _is_filled,
        "memory_id": _is_filled,
        "verdict": _is_one_of(_VOTES),
        "reason": _is_optional_text,
        "actor": _is_text,
        "created_at": _is_text,
    },
}
_OTHERS: Mapping[str, Mapping[str, _Check]] = {
    "project": {"name": _is_text, "aliases": _is_aliases, "adopted_into": _is_optional_text},
    "entity": {"merged_into": _is_optional_entity},
    "alias": {"created_at": _is_text},
}


def is_record(subject: str) -> bool:
    """Whether a subject is a record (and not a project, an entity or a conversation)."""
    return not subject.startswith((ENTITY, PROJECT, SOURCE))


def fits(change: Change) -> bool:
    """Whether every event of a change is about its subject, and its values fit."""
    return all(_fits(change.subject, event) for event in change.events)


def _fits(subject: str, event: ChangeEvent) -> bool:
    if event.topic == SCRUB:
        return True
    if subject.startswith(SOURCE):
        return event.topic == "source"
    if not is_record(subject):
        return _fits_other(subject, event)
    if event.topic == "record":
        return event.item == subject and _fits_record(event)
    is_row = event.topic in _ROWS and _fits_item(subject, event)
    return is_row and _fits_row(event, _ROWS[event.topic])


def _fits_other(subject: str, event: ChangeEvent) -> bool:
    """Whether an event is about a project, or about an entity and its other names."""
    if event.topic not in _OTHERS or (event.topic == "project") != subject.startswith(PROJECT):
        return False
    told = subject.partition(":")[2]
    if event.topic != "project" and not _is_entity(told):
        return False
    if event.topic == "project":
        return event.item == told != "" and _fits_columns(_OTHERS["project"], event.after)
    is_own = event.item == told if event.topic == "entity" else event.item != ""
    return is_own and _fits_row(event, _OTHERS[event.topic])


def _fits_record(event: ChangeEvent) -> bool:
    if event.after is None:
        return event.before is None and event.verb == PURGED
    told_id = event.after.get("id", event.item)
    return told_id == event.item and _fits_columns(_RECORD, event.after)


def _fits_columns(checks: Mapping[str, _Check], row: Mapping[str, Any] | None) -> bool:
    return row is None or all(name in checks and checks[name](row[name]) for name in row)


def _fits_row(event: ChangeEvent, checks: Mapping[str, _Check]) -> bool:
    """A row that begins is whole; later changes tell what differs."""
    is_whole = (
        event.before is not None or event.after is None or checks.keys() <= event.after.keys()
    )
    return is_whole and _fits_columns(checks, event.after)


def _fits_item(subject: str, event: ChangeEvent) -> bool:
    row = event.after or {}
    if event.topic == "link":
        from_id, _, rest = event.item.partition("|")
        relation, _, to_id = rest.partition("|")
        told = [row.get("from_id", from_id), row.get("relation", relation), row.get("to_id", to_id)]
        is_link = from_id == subject != to_id and relation in RELATIONS and to_id != ""
        return is_link and told == [from_id, relation, to_id]
    if event.topic == "mention":
        parts = event.item.split("|")
        is_named = len(parts) == 4 and parts[2] != "" and parts[3] != ""
        return is_named and parts[0] == subject and parts[1] in ENTITY_KINDS
    if event.topic == "tombstone":
        return event.item == subject
    return bool(
        row.get("id", event.item) == event.item and row.get("memory_id", subject) == subject
    )
