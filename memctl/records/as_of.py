"""Choose the source of records: the present store, or its state at a past time."""

from __future__ import annotations

from memctl.core import timestamps
from memctl.core.errors import UsageError
from memctl.records.record_source import PresentRecords, RecordSource
from memctl.store.database import Database

_DATE_LENGTH = len("2026-01-31")
# From the first millisecond of a day to its last one, in seconds.
_DAY_SECONDS = 86399.999


def records_at(db: Database, as_of: str | None) -> RecordSource:
    """The records of a time, or of now where none is named; a date alone is its last moment.
    Raises UsageError for what is no time.
    """
    at = parse_moment(as_of, end_of_day=True)
    if at is None:
        return PresentRecords(db)
    from memctl.records.past_records import PastRecords  # the past is hardly ever asked for

    return PastRecords(db, at)


def parse_moment(text: str | None, *, end_of_day: bool = False) -> str | None:
    """A time given by a person in the form that is stored; a date alone is its first moment, or
    its last. Raises UsageError.
    """
    if text is None:
        return None
    is_date = len(text.strip()) == _DATE_LENGTH
    try:
        seconds = timestamps.parse_iso(text.strip())
        return timestamps.format_iso(seconds + _DAY_SECONDS if end_of_day and is_date else seconds)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"not a time in the years 1 to 9999: {text!r}",
            hint="write it like 2026-01-31 or 2026-01-31T12:00:00Z",
        ) from error
