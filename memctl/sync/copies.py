"""Words of a record that were changed on two machines at once: those that lost become a copy. Pure.

A copy is a record of its own that contradicts the first one, so that both are shown until somebody
settles it. It follows from the changes: every replica derives the same one, with the same changes,
and more changes never take one away. Whoever took the record out of use at the same moment took
these words out of use too.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memctl.sync.change import Change, ChangeEvent, build_change
from memctl.sync.laws import GROUPS, STATEMENT
from memctl.sync.merging import ChangeGraph, is_operators, rank_change

REASON = "edited on two machines at once"
RETIRED = "taken out of use on another machine when these words were written"
# How the name of no replica begins: the changes of a copy are named after the one that lost.
_DERIVED = "copy:"
_STATEMENT_CELL = ("record", STATEMENT)
_STATUS_CELL = ("record", "status")
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = re.compile(f"[0-7][{_CROCKFORD}]{{25}}")
_RETIRED_STATUSES = ("archived", "superseded")
_IN_FORCE = ("active", "contradicted")


def derive_copies(graph: ChangeGraph, subject: str) -> list[Change]:
    """The changes that follow from those of a record: its copies, and what became of them."""
    if graph.is_purged:
        return []
    derived = []
    for number in _list_losers(graph):
        mask = graph.before[number] | 1 << number
        fields = graph.read_fields(mask)
        if fields is None:
            continue
        root = _derive_copy(graph.changes[number], subject, fields)
        derived.append(root)
        if _has_ended(graph, number):
            derived.append(_derive_end(root))
    return derived


def name_maker(change_id: str) -> str:
    """Whose the changes of a copy are said to be: the change's whose words it keeps."""
    return _DERIVED + change_id


def is_derived(change: Change) -> bool:
    """Whether a change follows from others."""
    return change.replica.startswith(_DERIVED)


def compute_copy_id(subject: str, statement: Mapping[str, Any]) -> str:
    """The id of the copy of a record with these words: a ULID just before that of the record."""
    told = json.dumps([statement.get(name) for name in GROUPS[STATEMENT]], sort_keys=True)
    digest = hashlib.sha256(f"copy\n{subject}\n{told}".encode()).digest()
    value = int.from_bytes(digest[:16], "big") >> 3
    if _ULID.fullmatch(subject):
        time = max(_read_ulid(subject) >> 80, 1) - 1
        value = time << 80 | int.from_bytes(digest[:10], "big")
    return _write_ulid(value)


def _write_ulid(value: int) -> str:
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))


def _read_ulid(text: str) -> int:
    value = 0
    for sign in text:
        value = value << 5 | _CROCKFORD.index(sign)
    return value


def _list_losers(graph: ChangeGraph) -> Iterator[int]:
    """The changes of the words that another one, made at once with other words, goes before.

    What the same replica had changed again before anybody saw it is none.
    """
    writers = graph.list_writers(_STATEMENT_CELL)
    for one in writers:
        change = graph.changes[one]
        if change.is_overtaken:
            continue
        words = graph.read_written(_STATEMENT_CELL, one)
        if any(
            graph.are_concurrent(one, other)
            and rank_change(graph.changes[other]) > rank_change(change)
            and graph.read_written(_STATEMENT_CELL, other) != words
            for other in writers
        ):
            yield one


def _has_ended(graph: ChangeGraph, number: int) -> bool:
    """Whether a change took the record out of use while one gave it other words."""
    for other in graph.list_writers(_STATUS_CELL):
        status = (graph.read_written(_STATUS_CELL, other) or {}).get("status")
        if status in _RETIRED_STATUSES and graph.are_concurrent(number, other):
            return True
    return False


def _derive_copy(change: Change, subject: str, fields: Mapping[str, Any]) -> Change:
    copy_id = compute_copy_id(subject, fields)
    event = change.events[0]
    evidence = _build_evidence(copy_id, change, fields)
    status = "archived" if fields["status"] in _RETIRED_STATUSES else fields["status"]
    record = {
        **fields,
        "id": copy_id,
        "status": "active" if status in _IN_FORCE else status,
        "status_reason": REASON,
        "protected": False,
        "always_load": False,
        "evidence_ref": evidence["id"],
        "confirmed_at": None,
        "observed_at": event.at,
        "created_at": event.at,
        "updated_at": event.at,
    }
    link = {
        "from_id": copy_id,
        "relation": "contradicts",
        "to_id": subject,
        "reason": REASON,
        "confidence": 1.0,
        "actor": event.actor,
        "resolved_at": None,
        "created_at": event.at,
    }
    events = [
        _build_event("record", copy_id, "created", record, event),
        _build_event("evidence", str(evidence["id"]), "evidence", evidence, event),
        _build_event("link", f"{copy_id}|contradicts|{subject}", "linked", link, event),
    ]
    return build_change(
        replica=name_maker(change.id),
        member=change.member,
        subject=copy_id,
        stamp=change.stamp,
        parents=[],
        operation=None,
        origin=0,
        events=events,
    )


def _build_evidence(copy_id: str, change: Change, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A copy rests on its own words, as they were written."""
    quote = str(fields["content"])
    event = change.events[0]
    digest = hashlib.sha256(f"evidence\n{copy_id}\n{change.id}".encode()).digest()
    value = _read_ulid(copy_id) >> 80 << 80 | int.from_bytes(digest[:10], "big")
    return {
        "id": _write_ulid(value),
        "memory_id": copy_id,
        "quote": quote,
        "role": "human" if is_operators(change) else "assistant",
        "trust": fields["trust"],
        "observed_at": event.at,
        "created_at": event.at,
        "source_id": None,
        "turn": None,
        "span_start": None,
        "span_end": None,
        "speaker": None,
        "withdrawn_at": None,
    }


def _derive_end(root: Change) -> Change:
    """A copy's end. It names no more than that there was one: the same whoever made it."""
    event = root.events[0]
    after = {"status": "archived", "status_reason": RETIRED, "updated_at": event.at}
    before = {"status": "active"}
    told = ChangeEvent(
        "record", root.subject, "archived", before, after, event.actor, event.cause, event.at
    )
    return derive_next(root, told)


def derive_next(root: Change, event: ChangeEvent) -> Change:
    """What follows right after the beginning of a copy, the same on every machine."""
    return build_change(
        replica=root.replica,
        member=root.member,
        subject=root.subject,
        stamp=root.stamp + 1,
        parents=[root.id],
        operation=None,
        origin=0,
        events=[event],
    )


def _build_event(
    topic: str, item: str, verb: str, after: Mapping[str, Any], like: ChangeEvent
) -> ChangeEvent:
    return ChangeEvent(topic, item, verb, None, after, like.actor, like.cause, like.at)
