"""What was true at a time: records as the stream says they were then."""

from __future__ import annotations

from memctl import clock
from memctl.data import replace
from memctl.db import Db
from memctl.errors import UsageError
from memctl.model import Memory
from memctl.store import stream
from memctl.typed import Any

_WORDS = ("title", "summary", "content", "rationale", "alternatives", "kind", "subject", "observed_at")
_DATE_LENGTH = 10


def moment(text: str | None, *, end_of_day: bool = False) -> str | None:
    """A time given by a person in the form that is stored; a date alone is its first moment, or its last. Raises UsageError."""
    if text is None:
        return None
    try:
        seconds = clock.parse(text.strip())
    except ValueError as error:
        raise UsageError(f"not a time: {text!r}", hint="write it like 2026-01-31 or 2026-01-31T12:00:00Z") from error
    return clock.iso(seconds + 86399.999 if end_of_day and len(text.strip()) == _DATE_LENGTH else seconds)


def replayed(db: Db, memory: Memory, at: str) -> Memory | None:
    """The record as it was at a time, or None if there was none."""
    state: dict[str, Any] | None = stream.as_of(db, memory.id, at)
    if state is None:
        return None
    known = {name: value for name, value in state.items() if hasattr(memory, name)}
    if "alternatives" in known:
        known["alternatives"] = tuple(known["alternatives"] or ())
    return replace(memory, **known)


def same_words(a: Memory, b: Memory) -> bool:
    """Whether two states of a record are found by the same words."""
    return all(getattr(a, name) == getattr(b, name) for name in _WORDS)
