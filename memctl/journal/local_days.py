"""Days of the calendar where the operator is: their bounds in UTC, and what they are called."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from memctl.core import clock, timestamps
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass
from memctl.settings.config import Config

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class LocalDay:
    """A day: its date (`2026-03-01`), the first moment and the first of the next day in UTC, and
    its zone as `UTC+01:00`.
    """

    date: str
    start: str
    end: str
    zone: str

    @property
    def weekday(self) -> str:
        """`Thursday`."""
        return _WEEKDAYS[date.fromisoformat(self.date).weekday()]

    @property
    def last_moment(self) -> str:
        """The last millisecond."""
        return timestamps.add_seconds(self.end, seconds=-0.001)


class Calendar:
    """Days in the zone of `journal.zone`, or of this machine."""

    def __init__(self, config: Config) -> None:
        """Raises UsageError for a zone that is not known here."""
        self._zone = _find_zone(str(config["journal.zone"]).strip())

    def find_day(self, text: str) -> LocalDay:
        """Return the day of a date. Raises UsageError."""
        try:
            day = date.fromisoformat(text)
            start, end = self._begin(day), self._begin(day + timedelta(days=1))
            bounds = [timestamps.format_iso(each.timestamp()) for each in (start, end)]
        except (ValueError, OverflowError, OSError) as error:
            raise UsageError(f"{text!r} is no day, such as 2026-03-01") from error
        return LocalDay(day.isoformat(), bounds[0], bounds[1], _name_offset(start))

    def find_date(self, moment: str) -> str:
        """Return the date of a moment: `2026-03-01`."""
        return self._localise(moment).date().isoformat()

    def find_today(self) -> str:
        """Return the date of now."""
        return self.find_date(clock.now())

    def format_day(self, moment: str) -> str:
        """Return the day of a moment as people write it: `1 Mar 2026`."""
        day = self._localise(moment).date()
        return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

    def _localise(self, moment: str) -> datetime:
        return datetime.fromtimestamp(timestamps.parse_iso(moment), UTC).astimezone(self._zone)

    def _begin(self, day: date) -> datetime:
        """The first moment of a day: midnight, or what comes after it where clocks skip it."""
        if self._zone is None:
            return datetime.combine(day, time()).astimezone()
        return datetime.combine(day, time(), self._zone)


def step_days(day: str, many: int) -> str:
    """Return the date so many days after another."""
    return (date.fromisoformat(day) + timedelta(days=many)).isoformat()


def list_days(first: str, last: str) -> list[str]:
    """List the dates from one to another."""
    count = (date.fromisoformat(last) - date.fromisoformat(first)).days
    return [step_days(first, many) for many in range(count + 1)]


def _find_zone(name: str) -> tzinfo | None:
    if not name:
        return None
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise UsageError(
            f"journal.zone: this machine knows no zone {name!r}", hint="for example Europe/Lisbon"
        ) from error


def _name_offset(moment: datetime) -> str:
    minutes = round((moment.utcoffset() or timedelta()).total_seconds() / 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
