"""A change as it travels: what one operation did to one subject, in the same words everywhere.

Pure. A subject is a record with all that hangs on it (evidence, mentions, links from it, verdicts,
votes), a project, an entity, or a captured conversation. Its changes form a graph: each names those
that its replica knew as the newest ones. So what came after what is known without clocks, and what
happened at once is known to have happened at once. A change is known by the hash of what it says.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from memctl.core.frozen import dataclass, replace

# Hexadecimal digits of the SHA-256 by which a change is known: 128 bits.
ID_DIGITS = 32
# What SQLite takes as a number.
_MOST_NUMBER = 2**63 - 1
# How deep lists and objects stand in one another, at most: those of a change take five.
_MOST_DEPTH = 16


class BadChange(ValueError):
    """Bytes that are no change, or not the one that they are said to be."""


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """One entry of the event log, in words that mean the same on every machine.

    `topic` is that of the log, or `project` or `source`; `item` names a row by what it says (see
    `portable`), never by an id that another machine may have given to the same thing. A creation
    has no `before`, a deletion no `after`; both hold only what differs.
    """

    topic: str
    item: str
    verb: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    actor: str
    cause: str
    at: str


@dataclass(frozen=True, slots=True)
class Change:
    """What one operation did to one subject.

    `stamp` is in milliseconds since 1970 by the clock of the replica, but always later than those
    of its `parents`. `is_overtaken` says that the same replica changed the same words again before
    anybody saw them. `origin` is the number of its first event in the log of its replica.
    """

    id: str
    replica: str
    member: str
    subject: str
    stamp: int
    parents: tuple[str, ...]
    operation: str | None
    origin: int
    events: tuple[ChangeEvent, ...]
    is_overtaken: bool = False

    @property
    def order(self) -> tuple[int, str]:
        """What decides between two changes that were made at once, the same everywhere."""
        return self.stamp, self.id


def build_change(
    *,
    replica: str,
    member: str,
    subject: str,
    stamp: int,
    parents: Sequence[str],
    operation: str | None,
    origin: int,
    events: Sequence[ChangeEvent],
    is_overtaken: bool = False,
) -> Change:
    """Build a change and compute the id by which it is known."""
    change = Change(
        "",
        replica,
        member,
        subject,
        stamp,
        tuple(sorted(parents)),
        operation,
        origin,
        tuple(events),
        is_overtaken,
    )
    return replace(change, id=compute_id(encode_change(change)))


def compute_id(encoded: bytes) -> str:
    """The id of a change from its bytes."""
    return hashlib.sha256(encoded).hexdigest()[:ID_DIGITS]


def encode_change(change: Change) -> bytes:
    """The bytes of a change: canonical JSON in UTF-8, without its id."""
    values = [
        change.replica,
        change.member,
        change.subject,
        change.stamp,
        list(change.parents),
        change.operation,
        change.origin,
        change.is_overtaken,
        [
            [
                each.topic,
                each.item,
                each.verb,
                each.before,
                each.after,
                each.actor,
                each.cause,
                each.at,
            ]
            for each in change.events
        ],
    ]
    text = json.dumps(
        values, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return text.encode("ascii")


def decode_change(encoded: bytes) -> Change:
    """Read a change back. Raises BadChange for what is none."""
    try:
        values = json.loads(encoded)
        replica, member, subject, stamp, parents, operation, origin, is_overtaken, told = values
        events = tuple(_read_event(each) for each in told)
    except (ValueError, TypeError, RecursionError) as error:
        raise BadChange(f"not a change: {error}") from error
    fits = (
        all(isinstance(each, str) for each in (replica, member, subject, *parents))
        and isinstance(parents, list)
        and isinstance(operation, str | None)
        and type(stamp) is int
        and type(origin) is int
        and type(is_overtaken) is bool
        and 0 <= stamp < 2**53
        and events
    )
    if not fits:
        raise BadChange("a change has other values than a change has")
    _check_value(values, 0)
    return Change(
        compute_id(encoded),
        replica,
        member,
        subject,
        stamp,
        tuple(parents),
        operation,
        origin,
        events,
        is_overtaken,
    )


def _check_value(value: Any, depth: int) -> None:
    """Raise BadChange for what no store can keep, wherever it stands within a change."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
            raise BadChange("half a character stands in it")
    elif isinstance(value, int):
        if not -_MOST_NUMBER <= value <= _MOST_NUMBER:
            raise BadChange("a number in it is too large")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise BadChange("a number in it is none")
    elif value is not None:
        if depth >= _MOST_DEPTH:
            raise BadChange("it is nested too deeply")
        inner = value if isinstance(value, list) else (*value.keys(), *value.values())
        for each in inner:
            _check_value(each, depth + 1)


def _read_event(values: Any) -> ChangeEvent:
    topic, item, verb, before, after, actor, cause, at = values
    texts = (topic, item, verb, actor, cause, at)
    states = (before, after)
    if not all(isinstance(each, str) for each in texts):
        raise BadChange("an event has a text that is none")
    if not all(each is None or isinstance(each, dict) for each in states):
        raise BadChange("an event has a state that is none")
    return ChangeEvent(topic, item, verb, before, after, actor, cause, at)
