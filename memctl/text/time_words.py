"""The time that a question speaks of: `what did we discuss last week`. Pure.

Read are words that lean on the day on which they are said, and days and months with `since`,
`before`, `on` or `in`. A question may name one such time; what is left of it says what is asked
for. Days are those of UTC, weeks begin on Monday.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.text import dates
from memctl.text.tokens import extract_query_terms

# What a question must hold to be looked at closer.
_HINTS = compile_later(
    r"(?i)\b(?:today|yesterday|week|weeks|month|months|year|years|days?|hours?|ago|since|before"
    r"|until|morning|evening|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february"
    r"|march|april|may|june|july|august|september|october|november|december|(?:19|20)\d\d)\b"
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_NUMBERS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3}
_MANY = rf"(?P<many>\d{{1,4}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_UNIT = r"(?P<unit>hour|day|week|month|year)s?"
_DATE = (
    r"\d{4}-\d\d-\d\d|\d{4}-\d\d|\d{1,2}(?:st|nd|rd|th)? (?:of )?[a-z]{3,9},? \d{4}"
    r"|[a-z]{3,9} \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
)
# What a time begins with, and what it is.
_POINT = (
    r"(?P<day>the day before yesterday|yesterday|today|(?:earlier )?this (?:morning|afternoon"
    r"|evening)|last night)"
    rf"|{_MANY} {_UNIT} ago"
    rf"|(?P<which>last|this|previous|past) (?P<span>week|month|year|{'|'.join(_DAYS)})"
    rf"|(?P<weekday>{'|'.join(_DAYS)})"
    rf"|(?P<month>{'|'.join(_MONTHS)})(?: (?P<year>(?:19|20)\d\d))?"
    r"|(?P<only_year>(?:19|20)\d\d)"
    rf"|(?P<date>{_DATE})"
)
_LAST_SPAN = rf"(?:the )?(?:last|past|previous) {_MANY} {_UNIT}"
# Words in front of a time; without one, only those times are read that lean on today.
_FRONT = r"(?P<front>since|before|until|till|after|from|in|on|during|over|within|of) (?:the )?"
# What is left of a question that only asks what was said or done.
_FRAME = frozenset(
    """discuss discussed talk talked talking said say saying speak spoke decide decided do did done
    work worked working happen happened chat mention mentioned about conversation conversations
    session sessions us we you i anything everything something tell show list find me""".split()
)


@dataclass(frozen=True, slots=True)
class Period:
    """A time in a question: its words, its bounds (ISO 8601 UTC, `until` excluded), and the rest.

    `is_frame`: the rest says nothing but that something was said.
    """

    words: str
    since: str | None
    until: str | None
    rest: str
    is_frame: bool


@cache
def _compile() -> re.Pattern[str]:
    span = _LAST_SPAN.replace("<many>", "<n>").replace("<unit>", "<u>")
    return re.compile(
        rf"(?i)(?<![\w-])(?:(?:in |over |during |within )?(?P<lasting>{span})"
        rf"|(?:{_FRONT})?(?:{_POINT}))(?:['’]s)?(?![\w-])"
    )


def find_period(text: str, now: str) -> Period | None:
    """Return the time that a question speaks of, if it names exactly one."""
    if not _HINTS.search(text):
        return None
    found = [
        (match, bounds)
        for match in _compile().finditer(text)
        if (bounds := _read_bounds(match, _parse(now))) is not None
    ]
    if len(found) != 1:
        return None
    match, (since, until) = found[0]
    rest = " ".join(f"{text[: match.start()]} {text[match.end() :]}".split())
    left = {word.lower() for word in extract_query_terms(rest)} if rest.strip(" ?!.,") else set()
    return Period(match[0].strip(), _format(since), _format(until), rest, is_frame=left <= _FRAME)


def _read_bounds(
    match: re.Match[str], now: datetime
) -> tuple[datetime | None, datetime | None] | None:
    """The bounds of one time; None if it is none, or may be a name."""
    if match["lasting"]:
        many = _read_many(match["n"])
        return None if many is None else (_go_back(now, many, match["u"].lower()), None)
    front = (match["front"] or "").lower()
    span = _read_point(match, now, front)
    if span is None:
        return None
    first, end = span
    if front in ("since", "from", "after"):
        return (end if front == "after" else first), None
    if front in ("before", "until", "till"):
        return None, (first if front == "before" else end)
    return first, end


def _read_point(
    match: re.Match[str], now: datetime, front: str
) -> tuple[datetime, datetime] | None:
    """The first moment of a time, and the first after it."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if match["day"]:
        return _read_day(match["day"].lower(), today)
    if match["many"]:
        return _read_ago(match["many"], match["unit"].lower(), today, now)
    if match["which"]:
        return _read_span(match["which"].lower(), match["span"].lower(), today, now)
    # The others are names and numbers too, unless a word says that they are times.
    if not front or front == "of":
        return None
    if match["weekday"]:
        return _find_weekday(match["weekday"].lower(), today)
    if match["month"]:
        return _read_month(match["month"].lower(), match["year"], now)
    if match["only_year"]:
        year = int(match["only_year"])
        return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    return _read_date(match["date"], now)


def _read_day(word: str, today: datetime) -> tuple[datetime, datetime]:
    back = {"yesterday": 1, "last night": 1, "the day before yesterday": 2}.get(word, 0)
    first = today - timedelta(days=back)
    return first, first + timedelta(days=2 if word == "last night" else 1)


def _read_ago(
    many: str, unit: str, today: datetime, now: datetime
) -> tuple[datetime, datetime] | None:
    """Around a time so long ago: the hour, the day, the week before and after, the month."""
    number = _read_many(many)
    if number is None:
        return None
    at = _go_back(now, number, unit)
    if unit == "hour":
        return at - timedelta(hours=1), at + timedelta(hours=1)
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    around = {"day": 0, "week": 3, "month": 15, "year": 180}[unit]
    return day - timedelta(days=around), min(day + timedelta(days=around + 1), today + timedelta(1))


def _read_span(which: str, span: str, today: datetime, now: datetime) -> tuple[datetime, datetime]:
    after = today + timedelta(days=1)
    if span in _DAYS:
        return _find_weekday(span, today if which == "this" else today - timedelta(days=1))
    if span == "week":
        monday = today - timedelta(days=today.weekday())
        return (monday, after) if which == "this" else (monday - timedelta(days=7), monday)
    if span == "month":
        first = today.replace(day=1)
        before = (first - timedelta(days=1)).replace(day=1)
        return (first, after) if which == "this" else (before, first)
    first = today.replace(month=1, day=1)
    return (first, after) if which == "this" else (first.replace(year=now.year - 1), first)


def _find_weekday(word: str, today: datetime) -> tuple[datetime, datetime]:
    """The last such day, today included."""
    first = today - timedelta(days=(today.weekday() - _DAYS.index(word)) % 7)
    return first, first + timedelta(days=1)


def _read_month(word: str, year: str | None, now: datetime) -> tuple[datetime, datetime]:
    """A month of a year, or the last such month."""
    number = _MONTHS.index(word) + 1
    of = int(year) if year else now.year - (number > now.month)
    return datetime(of, number, 1, tzinfo=UTC), datetime(
        of + number // 12, number % 12 + 1, 1, tzinfo=UTC
    )


def _read_date(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    plain = re.sub(r"(?i)(\d)(?:st|nd|rd|th)\b(?: of)?", r"\1", text)
    try:
        first = dates.parse_moment(plain, now.timestamp())
        last = dates.parse_moment(plain, now.timestamp() + 10**10, last=True)
        end = datetime.fromtimestamp(last, UTC) + timedelta(milliseconds=1)
        return datetime.fromtimestamp(first, UTC), end
    except (ValueError, OverflowError):
        return None


def _go_back(now: datetime, many: int, unit: str) -> datetime:
    days = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30, "year": 365}[unit]
    return now - timedelta(days=min(many * days, 36500))


def _read_many(text: str) -> int | None:
    word = text.lower()
    return int(word) if word.isdigit() else _NUMBERS.get(word)


def _parse(now: str) -> datetime:
    return datetime.fromisoformat(now.replace("Z", "+00:00")).astimezone(UTC)


def _format(at: datetime | None) -> str | None:
    return None if at is None else at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
