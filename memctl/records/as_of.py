"""What was true at a time: records, and what hung on them, as the stream says they were then.

"As of" is what memctl would have said at that time: a record that was corrected since has its words of then, one that came later does not
exist, one that was archived since lives. Where only what holds is served (search, context, profile), validity is looked at as of that
time too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memctl.core import timestamps
from memctl.core.errors import NotFound, UsageError
from memctl.core.frozen import replace
from memctl.core.model import Link, Memory
from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.store import event_log, records
from memctl.store.database import Db
from memctl.store.records import LATER, Filter

if TYPE_CHECKING:
    from memctl.results.records import RecordView

_WORDS = (
    "title",
    "summary",
    "content",
    "rationale",
    "alternatives",
    "kind",
    "subject",
    "observed_at",
)
_LIVING = ("active", "contradicted", "inbox")
_DATE_LENGTH = 10


def moment(text: str | None, *, end_of_day: bool = False) -> str | None:
    """A time given by a person in the form that is stored; a date alone is its first moment, or its last. Raises UsageError."""
    if text is None:
        return None
    try:
        seconds = timestamps.parse_iso(text.strip())
    except ValueError as error:
        raise UsageError(
            f"not a time: {text!r}", hint="write it like 2026-01-31 or 2026-01-31T12:00:00Z"
        ) from error
    return timestamps.format_iso(
        seconds + 86399.999 if end_of_day and len(text.strip()) == _DATE_LENGTH else seconds
    )


def replayed(db: Db, memory: Memory, at: str) -> Memory | None:
    """The record as it was at a time, or None if there was none."""
    state: dict[str, Any] | None = event_log.as_of(db, memory.id, at)
    if state is None:
        return None
    known = {name: value for name, value in {**LATER, **state}.items() if hasattr(memory, name)}
    if "alternatives" in known:
        known["alternatives"] = tuple(known["alternatives"] or ())
    return replace(memory, **known)


def same_words(a: Memory, b: Memory) -> bool:
    """Whether two states of a record are found by the same words."""
    return all(getattr(a, name) == getattr(b, name) for name in _WORDS)


def states(db: Db, now: Iterable[Memory], at: str) -> list[Memory]:
    """Records as they were at a time; those that came later are left out."""
    from memctl.store import as_of

    memories = list(now)
    changed = as_of.changed_since(db, at)
    found = [
        memory if memory.id not in changed else replayed(db, memory, at) for memory in memories
    ]
    return [memory for memory in found if memory is not None]


def select(db: Db, wanted: Filter, at: str) -> list[Memory]:
    """What `records.select` would have found at a time: records within filters, newest change first."""
    found = (
        memory for memory in states(db, records.select(db, Filter()), at) if fits(memory, wanted)
    )
    return sorted(found, key=lambda memory: (memory.updated_at, memory.id), reverse=True)


def fits(memory: Memory, wanted: Filter) -> bool:
    """Whether a record is within filters, as the statement that lists records says it. Pure."""
    among = {
        "statuses": memory.status,
        "types": memory.type,
        "kinds": memory.kind,
        "scopes": memory.scope,
    }
    if any(
        getattr(wanted, name) and value not in getattr(wanted, name)
        for name, value in among.items()
    ):
        return False
    same = ("project_id", "agent_id", "source_kind", "source_ref")
    if any(
        getattr(wanted, name) is not None and getattr(wanted, name) != getattr(memory, name)
        for name in same
    ):
        return False
    least, most = wanted.min_confidence, wanted.max_confidence
    if (least is not None and memory.confidence < least) or (
        most is not None and memory.confidence > most
    ):
        return False
    return not (
        (wanted.since and memory.updated_at < wanted.since)
        or (wanted.before and memory.updated_at >= wanted.before)
    )


def one(db: Db, memory: Memory, at: str) -> Memory:
    """A record as it was at a time. Raises NotFound where it did not exist yet."""
    before = replayed(db, memory, at)
    if before is None:
        raise NotFound(
            f"{memory.id} did not exist yet at {at}",
            hint="`memctl explain ID` shows when it came to be",
        )
    return before


def views(db: Db, memories: Sequence[Memory], at: str) -> list[RecordView]:
    """Records of a time with what belonged to them then: evidence, links, entities."""
    from memctl.records.views import by_id
    from memctl.store import as_of

    found = by_id(db, memories, at=at)
    return [
        replace(
            found[memory.id],
            evidence=tuple(as_of.evidence_of(db, memory.id, at)),
            entities=tuple(as_of.entities_of(db, memory.id, at)),
        )
        for memory in memories
    ]


def memories_of_entity(db: Db, entity_id: str, at: str) -> list[Memory]:
    """The records that spoke of an entity at a time, as they were, newest first."""
    from memctl.store import as_of

    found = states(db, records.by_ids(db, as_of.records_of_entity(db, entity_id, at)).values(), at)
    return sorted(found, key=lambda memory: (memory.observed_at, memory.id), reverse=True)


def open_contradictions(db: Db, at: str) -> list[Link]:
    """The contradictions between living records that were open at a time, as they were."""
    from memctl.store import as_of

    found = [
        link
        for link in as_of.every_link(db, at)
        if link.relation == "contradicts" and link.resolved_at is None
    ]
    ends = {end for link in found for end in (link.from_id, link.to_id)}
    living = {
        memory.id
        for memory in states(db, records.by_ids(db, ends).values(), at)
        if memory.status in _LIVING
    }
    return [link for link in found if {link.from_id, link.to_id} <= living]
