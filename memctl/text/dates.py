"""Days and months as people write them, read into one form, and moments as they give them. Pure; needed only where a text has digits.

`2026-03-05`, `5.3.2026`, `05/03/2026`, `March 5th, 2026`, `5. März`, `5 de marzo`, `2026年3月5日`, `3월 5일`: all give
`2026-03-05`, or `03-05` without a year, or `2026-03` without a day. Where either of two numbers may be the day, both readings are given.
"""

from __future__ import annotations

import re
from functools import cache

from memctl.core import timestamps

_MONTHS = """
    jan january januar enero ene janvier janv janeiro gennaio januari
    feb february februar feber febrero fevrier fevr fevereiro febbraio
    mar march marz maerz mrz marzo mars marco maart
    apr april abril abr avril avr aprile
    may mai mayo maio maggio mei
    jun june juni junio juin junho giugno
    jul july juli julio juillet juil julho luglio
    aug august agosto ago aout augustus
    sep sept september septiembre septembre setembro settembre
    oct october oktober okt octubre octobre outubro ottobre
    nov november noviembre novembre novembro
    dec december dezember dez diciembre dic decembre dezembro dicembre
"""
# `mar 5` and `may 5` are no dates where they begin a sentence in small letters.
_NO_MONTHS = frozenset(("may", "mar", "ago", "jan", "dez", "ene"))
_DAYS_IN_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@cache
def _months() -> dict[str, int]:
    return {
        name: number
        for number, names in enumerate(_MONTHS.strip().splitlines(), 1)
        for name in names.split()
    }


@cache
def _pattern() -> re.Pattern[str]:
    heads = "jan feb fev mar mae maa mrz a[pbv]r ma[iyg] mei jun jul jui giu lug aug ago aou sep set oct okt out ott nov de[cz] dic ene gen"
    name = f"(?:{heads.replace(' ', '|')})[a-z]{{0,7}}"
    return re.compile(
        r"(?=[\djfmasondge])(?<![\w.-])(?:"
        r"(?P<y1>\d{4})[-/](?P<m1>\d\d?)(?:[-/](?P<d1>\d\d?)(?![\d-])|(?![\w/-]))"
        r"|(?P<a>\d\d?)(?P<mark>[./-])(?P<b>\d\d?)(?P=mark)(?P<y2>\d{4})(?!\.?\d)"
        rf"|(?P<d3>\d\d?)(?:st|nd|rd|th|\.|er)?(?: de| of)? ?(?P<n3>{name})\b\.?(?:,? (?:de |of )?(?P<y3>\d{{4}})(?!\d))?"
        rf"|(?P<n4>{name})\b\.? (?:(?P<d4>\d\d?)(?:st|nd|rd|th)?(?!\w)(?:,? (?P<y4>\d{{4}})(?!\d))?|(?:de |of )?(?P<y5>\d{{4}})(?!\d))"
        r")|(?=\d)(?:(?P<y6>\d{4}) ?[年년] ?)?(?P<m6>\d\d?) ?[月월](?: ?(?P<d6>\d\d?) ?[日号일])?",
        re.IGNORECASE,
    )


def read(text: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Every day or month that a folded text names, as start, end and readings; no two overlap."""
    found = ((match.start(), match.end(), _readings(match)) for match in _pattern().finditer(text))
    return [(start, end, readings) for start, end, readings in found if readings]


def _readings(match: re.Match[str]) -> tuple[str, ...]:
    part = match.groupdict()
    if part["mark"]:
        return _day_and_month(part["y2"], int(part["a"]), int(part["b"]), part["mark"])
    if part["y1"]:
        return _one(part["y1"], int(part["m1"]), part["d1"])
    if part["m6"]:
        return _one(part["y6"], int(part["m6"]), part["d6"])
    name = part["n3"] or part["n4"]
    year = part["y3"] or part["y4"] or part["y5"]
    if name in _NO_MONTHS and not year:
        return ()
    return _one(year, _months().get(name.lower(), 0), part["d3"] or part["d4"])


def _day_and_month(year: str, a: int, b: int, mark: str) -> tuple[str, ...]:
    day_first, month_first = _one(year, b, str(a)), _one(year, a, str(b))
    return day_first if mark == "." else tuple(dict.fromkeys(day_first + month_first))


def _one(year: str | None, month: int, day: str | None) -> tuple[str, ...]:
    """The one reading, if there is such a day and it says more than a month of any year."""
    if not 1 <= month <= 12 or not (year or day) or (year and not "1800" <= year <= "2199"):
        return ()
    if day and not 1 <= int(day) <= _DAYS_IN_MONTH[month - 1]:
        return ()
    return ("-".join(filter(None, (year, f"{month:02d}", day and f"{int(day):02d}"))),)


# -- a moment as a person gives it ---------------------------------------------------------------------------------------

_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), 86400),
    **dict.fromkeys(("w", "week", "weeks"), 7 * 86400),
    **dict.fromkeys(("month", "months"), 30 * 86400),
    **dict.fromkeys(("year", "years"), 365 * 86400),
}
_SPAN = re.compile(
    r"(?:(?P<many>\d{1,6}) ?(?P<unit>[a-z]{1,7})(?: ago)?|(?:an?|one) (?P<one>[a-z]{1,7}) ago|last (?P<last>[a-z]{1,7}))"
)
_DAY = re.compile(
    r"(?P<day>today|yesterday|the day before yesterday)(?:,? (?:at )?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?: ?utc|z)?)?"
)
_DAYS_BACK = {"today": 0, "yesterday": 1, "the day before yesterday": 2}
_MONTH_OR_DAY = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")


def moment(text: str, now: float, *, last: bool = False) -> float:
    """The Unix seconds that a person means: a time, a day, or how long ago; days are those of UTC. Raises ValueError.

    A day or a month is its first moment or, with `last`, its last one, but not later than `now` if it is not over yet.
    """
    said = " ".join(text.lower().split())
    if said == "now":
        return now
    for way in (_span, _day, _written):
        found = way(said, now)
        if found is not None:
            first, end = found
            return first if not last else now if first <= now < end else end
    seconds = timestamps.parse_iso(text.strip())
    is_day = ":" not in text and len(text.strip()) <= len("2026-01-31")
    return moment(timestamps.format_iso(seconds)[:10], now, last=last) if is_day else seconds


def _span(said: str, now: float) -> tuple[float, float] | None:
    match = _SPAN.fullmatch(said)
    unit = match and _UNITS.get(match["unit"] or match["one"] or match["last"])
    if match is None or unit is None:
        return None
    at = now - int(match["many"] or 1) * unit
    return at, at


def _day(said: str, now: float) -> tuple[float, float] | None:
    match = _DAY.fullmatch(said)
    if match is None:
        return None
    start = (now // 86400 - _DAYS_BACK[match["day"]]) * 86400
    if match["hour"] is None:
        return start, start + 86399.999
    hour, minute = int(match["hour"]), int(match["minute"])
    if hour > 23 or minute > 59:
        raise ValueError(f"no such time: {said}")
    return (at := start + hour * 3600 + minute * 60), at


def _written(said: str, _now: float) -> tuple[float, float] | None:
    """A day or a month with its year, however it is written. Raises ValueError where it may be one of two."""
    found = [
        (start, end, readings)
        for start, end, readings in read(said)
        if said[:start].strip() == said[end:].strip() == ""
    ]
    if not found:
        return None
    readings = found[0][2]
    if len(readings) > 1:
        raise ValueError(f"{said} may be {' or '.join(readings)}")
    match = _MONTH_OR_DAY.fullmatch(readings[0])
    if match is None:
        raise ValueError(f"{said} has no year")
    year, month, day = int(match[1]), int(match[2]), int(match[3] or 1)
    start = timestamps.parse_iso(f"{year:04d}-{month:02d}-{day:02d}")
    following = timestamps.parse_iso(f"{year + month // 12:04d}-{month % 12 + 1:02d}-01")
    return start, (start + 86399.999 if match[3] else following - 0.001)
