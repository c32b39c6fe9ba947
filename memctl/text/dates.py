"""Find days and months as people write them, and parse moments as people give them. Pure.

All of `2026-03-05`, `5.3.2026`, `05/03/2026`, `March 5th, 2026`, `5. März`, `5 de marzo` and their
Chinese, Japanese and Korean forms give `2026-03-05`, or `03-05` without a year, or `2026-03`
without a day. If either of two numbers may be the day, both readings are given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from memctl.core import timestamps
from memctl.core.lazy_pattern import compile_later

# The names of the months, in order: three or more letters, folded to lower case without accents.
_MONTH_NAMES = (
    "jan january januar enero ene janvier janv janeiro gennaio januari",
    "feb february februar feber febrero fevrier fevr fevereiro febbraio",
    "mar march marz maerz mrz marzo mars marco maart",
    "apr april abril abr avril avr aprile",
    "may mai mayo maio maggio mei",
    "jun june juni junio juin junho giugno",
    "jul july juli julio juillet juil julho luglio",
    "aug august agosto ago aout augustus",
    "sep sept september septiembre septembre setembro settembre",
    "oct october oktober okt octubre octobre outubro ottobre",
    "nov november noviembre novembre novembro",
    "dec december dezember dez diciembre dic decembre dezembro dicembre",
)
# Every folded name of a month to its number, 1 to 12.
MONTHS: Mapping[str, int] = {
    name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()
}
# The English names as they are written, January first.
ENGLISH_MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)
# Words in small letters that begin a sentence more often than a date, such as `mar 5` and `may 5`.
_AMBIGUOUS_MONTHS = frozenset(("may", "mar", "ago", "jan", "dez", "ene"))
_DAYS_IN_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EARLIEST_YEAR = "1800"
_LATEST_YEAR = "2199"
_DAY_SECONDS = 86_400
# The last moment of a day or month is a millisecond before the next one begins.
_MILLISECOND = 0.001


@cache
def _compile_pattern() -> re.Pattern[str]:
    heads = "|".join(sorted({name[:3] for name in MONTHS}))
    name = f"(?:{heads})[a-z]{{0,7}}"
    return re.compile(
        r"(?=[\djfmasondge])(?<![\w.-])(?:"
        r"(?P<y1>\d{4})[-/](?P<m1>\d\d?)(?:[-/](?P<d1>\d\d?)(?![\d-])|(?![\w/-]))"
        r"|(?P<a>\d\d?)(?P<mark>[./-])(?P<b>\d\d?)(?P=mark)(?P<y2>\d{4})(?!\.?\d)"
        r"|(?P<d3>\d\d?)(?:st|nd|rd|th|\.|er)?(?: de| of)? ?"
        rf"(?P<n3>{name})\b\.?(?:,? (?:de |of )?(?P<y3>\d{{4}})(?!\d))?"
        rf"|(?P<n4>{name})\b\.? "
        r"(?:(?P<d4>\d\d?)(?:st|nd|rd|th)?(?!\w)(?:,? (?P<y4>\d{4})(?!\d))?"
        r"|(?:de |of )?(?P<y5>\d{4})(?!\d))"
        r")|(?=\d)(?:(?P<y6>\d{4}) ?[年년] ?)?(?P<m6>\d\d?) ?[月월](?: ?(?P<d6>\d\d?) ?[日号일])?",
        re.IGNORECASE,
    )


def find_dates(text: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """List every day or month that a folded text names: start, end and readings; no two overlap."""
    dates: list[tuple[int, int, tuple[str, ...]]] = []
    for match in _compile_pattern().finditer(text):
        readings = _read_match(match)
        if readings:
            dates.append((match.start(), match.end(), readings))
    return dates


def _read_match(match: re.Match[str]) -> tuple[str, ...]:
    part = match.groupdict()
    if part["mark"]:
        return _read_numbers(part["y2"], int(part["a"]), int(part["b"]), part["mark"])
    if part["y1"]:
        return _format_reading(part["y1"], int(part["m1"]), part["d1"])
    if part["m6"]:
        return _format_reading(part["y6"], int(part["m6"]), part["d6"])
    name = part["n3"] or part["n4"]
    year = part["y3"] or part["y4"] or part["y5"]
    if name in _AMBIGUOUS_MONTHS and not year:
        return ()
    return _format_reading(year, MONTHS.get(name.lower(), 0), part["d3"] or part["d4"])


def _read_numbers(year: str, first: int, second: int, mark: str) -> tuple[str, ...]:
    """Read two numbers as day and month; only dots say that the day comes first."""
    day_first = _format_reading(year, second, str(first))
    if mark == ".":
        return day_first
    return tuple(dict.fromkeys(day_first + _format_reading(year, first, str(second))))


def _format_reading(year: str | None, month: int, day: str | None) -> tuple[str, ...]:
    """Return the one reading, or none if no such day exists or it is a month of any year."""
    if not 1 <= month <= 12 or not (year or day):
        return ()
    if year and not _EARLIEST_YEAR <= year <= _LATEST_YEAR:
        return ()
    if day and not 1 <= int(day) <= _DAYS_IN_MONTH[month - 1]:
        return ()
    return ("-".join(filter(None, (year, f"{month:02d}", day and f"{int(day):02d}"))),)


# -- moments as people give them

_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), 86400),
    **dict.fromkeys(("w", "week", "weeks"), 7 * 86400),
    **dict.fromkeys(("month", "months"), 30 * 86400),
    **dict.fromkeys(("year", "years"), 365 * 86400),
}
_TIME_AGO = compile_later(
    r"(?P<many>\d{1,6}) ?(?P<unit>[a-z]{1,7})(?: ago)?"
    r"|(?:an?|one) (?P<one>[a-z]{1,7}) ago"
    r"|last (?P<last>[a-z]{1,7})"
)
_RELATIVE_DAY = compile_later(
    r"(?P<day>today|yesterday|the day before yesterday)"
    r"(?:,? (?:at )?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?: ?utc|z)?)?"
)
_DAYS_BACK = {"today": 0, "yesterday": 1, "the day before yesterday": 2}
_MONTH_OR_DAY = compile_later(r"(\d{4})-(\d\d)(?:-(\d\d))?")


def parse_moment(text: str, now: float, *, last: bool = False) -> float:
    """Return the Unix seconds that a person means by a time, a day (of UTC) or a time ago.

    A day or a month is its first moment or, with `last`, its last one, but not later than `now`
    while it goes on. Raises ValueError if the text is none of these or may be two.
    """
    words = " ".join(text.lower().split())
    if words == "now":
        return now
    for parse in (_parse_time_ago, _parse_relative_day, _parse_written_date):
        span = parse(words, now)
        if span is not None:
            return _choose_end(span, now) if last else span[0]
    seconds = timestamps.parse_iso(text.strip())
    is_day = ":" not in text and len(text.strip()) <= len("2026-01-31")
    if is_day and last:
        return _choose_end((seconds, seconds + _DAY_SECONDS - _MILLISECOND), now)
    return seconds


def _choose_end(span: tuple[float, float], now: float) -> float:
    first, end = span
    return now if first <= now < end else end


def _parse_time_ago(words: str, now: float) -> tuple[float, float] | None:
    match = _TIME_AGO.fullmatch(words)
    if match is None:
        return None
    unit = _UNITS.get(match["unit"] or match["one"] or match["last"])
    if unit is None:
        return None
    at = now - int(match["many"] or 1) * unit
    return at, at


def _parse_relative_day(words: str, now: float) -> tuple[float, float] | None:
    match = _RELATIVE_DAY.fullmatch(words)
    if match is None:
        return None
    start = (now // _DAY_SECONDS - _DAYS_BACK[match["day"]]) * _DAY_SECONDS
    if match["hour"] is None:
        return start, start + _DAY_SECONDS - _MILLISECOND
    hour, minute = int(match["hour"]), int(match["minute"])
    if hour > 23 or minute > 59:
        raise ValueError(f"no such time: {words}")
    at = start + hour * 3600 + minute * 60
    return at, at


def _parse_written_date(words: str, _now: float) -> tuple[float, float] | None:
    """Parse a day or a month with its year. Raises ValueError if it may be one of two."""
    readings: tuple[str, ...] = ()
    for start, end, each in find_dates(words):
        if not words[:start].strip() and not words[end:].strip():
            readings = each
            break
    if not readings:
        return None
    if len(readings) > 1:
        raise ValueError(f"{words} may be {' or '.join(readings)}")
    match = _MONTH_OR_DAY.fullmatch(readings[0])
    if match is None:
        raise ValueError(f"{words} has no year")
    year, month, day = int(match[1]), int(match[2]), int(match[3] or 1)
    first = timestamps.parse_iso(f"{year:04d}-{month:02d}-{day:02d}")
    if match[3]:
        return first, first + _DAY_SECONDS - _MILLISECOND
    following = timestamps.parse_iso(f"{year + month // 12:04d}-{month % 12 + 1:02d}-01")
    return first, following - _MILLISECOND
