"""When a prompt was sent, as Cursor tells its model: `Sunday, Aug 2, 2026, 3:51 AM (UTC-7)`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from memctl.core import timestamps
from memctl.core.lazy_pattern import compile_later
from memctl.readers.values import parse_time

_TAG = compile_later(r"<timestamp>\s{0,20}([^<]{4,100}?)\s{0,20}</timestamp>")
_TOLD = compile_later(
    r"(?:[A-Za-z]{3,9},? )?([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})"
    r"(?:,? (?:at )?(\d{1,2}):(\d{2})(?::(\d{2}))?[\s\u202f]?([AaPp])?\.?[Mm]?\.?)?"
    r"(?: \((?:UTC|GMT)(?:([+-])(\d{1,2})(?::?(\d{2}))?)?\))?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# A line of what Cursor tells of the user's machine at the beginning of a session.
_DATE_LINE = compile_later(r"(?:Current|Today's) date: {0,4}([^\n<]{6,60})")
# Characters of a prompt that are searched for its time; what is pasted further down is no tag.
_SEARCHED = 20_000


def find_time(text: str) -> str | None:
    """Return the time in a prompt's tag as ISO 8601 UTC; without a zone it is this machine's."""
    head = text[:_SEARCHED]
    told = _TAG.search(head) if "<timestamp>" in head else None
    if told is None and "<user_info>" in head:
        told = _DATE_LINE.search(head)
    if told is None:
        return None
    return parse_time(told[1].strip()) or _parse_told(told[1].strip())


def _parse_told(text: str) -> str | None:
    told = _TOLD.fullmatch(text)
    if told is None or told[1][:3].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(told[1][:3].lower()) + 1
    hour, minute, second = (int(part or 0) for part in told.group(4, 5, 6))
    if told[7]:
        hour = hour % 12 + (12 if told[7] in "pP" else 0)
    try:
        moment = datetime(int(told[3]), month, int(told[2]), hour, minute, second)
        if "(" in text:
            shift = timedelta(hours=int(told[9] or 0), minutes=int(told[10] or 0))
            zone = timezone(-shift if told[8] == "-" else shift) if shift else UTC
            return timestamps.format_iso(moment.replace(tzinfo=zone).timestamp())
        # Noon stands for a day without an hour: it is the same day in most zones.
        moment = moment if told[4] else moment.replace(hour=12)
        return timestamps.format_iso(moment.timestamp())
    except (ValueError, OverflowError, OSError):
        return None
