"""Parse lines that begin with a date, a time and a name, as messengers write them.

Whether `3/4/24` is in March or in April is decided for a file as a whole: by a field that can be no
month, else by the order in which time never runs backwards. If neither tells, the order is assumed
and `DateOrder.assumed` is true. Direction marks inside a header are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.readers.chats import DIRECTION_MARKS, build_local_time

_DATE = r"(?P<a>\d{1,4})(?P<sign>[./-])\s?(?P<b>\d{1,2})[./-]\s?(?P<c>\d{1,4})\.?"
_WORD = r"[^\W\d_][^\d\[\](),:;_-]{0,7}?"
_TIME = (
    rf"(?:(?P<early>{_WORD})\s?)?(?P<h>\d{{1,2}})[:.h](?P<m>\d\d)(?:[:.](?P<s>\d\d))?"
    rf"(?:[ _]?(?P<late>{_WORD}))?"
)
_HEADERS = (
    compile_later(rf"\[{_DATE},?\s{{1,3}}{_TIME}\]\s{{1,3}}(?P<rest>.*)"),
    compile_later(rf"{_DATE},?\s{{1,3}}{_TIME}(?:\s{{1,2}}[-–—]|:)\s{{1,3}}(?P<rest>.*)"),
    compile_later(
        rf"{_DATE}\s{{1,3}}(?P<early>오전|오후) (?P<h>\d{{1,2}}):(?P<m>\d\d)"
        r"(?P<s>(?!))?(?P<late>(?!))?, (?P<rest>.*)"
    ),
    # What the web page puts on the clipboard.
    compile_later(rf"\[{_TIME},\s{{1,3}}{_DATE}\]\s{{1,3}}(?P<rest>.*)"),
)
# A notice that quotes a chat's new name may hold a colon, too.
_NAME = compile_later(r"(?P<name>[^:\n\"“”„«»]{1,80}):(?P<text>(?:[^\w/].*)?)")
# The halves of the day in the languages of known exports, without dots and blanks.
_AM = frozenset("am 오전 午前 上午 凌晨 早上 ص πμ öö sa de ap fm".split())
_PM = frozenset("pm 오후 午後 下午 晚上 中午 م μμ ös ch du ip em".split())
# Words before or behind a time that say nothing.
_FILLERS = frozenset(["", "klo", "kl", "um", "at", "à", "às", "alle", "uhr", "ob"])
_NO_DOTS = dict.fromkeys(map(ord, ". "))
_SPACES = dict.fromkeys([0xA0, 0x202F, 0x2009, 0x2007], " ")
_PLAIN = {**DIRECTION_MARKS, **_SPACES}
# What a messenger itself writes begins with a mark that nobody types.
_MESSENGER_MARK = "\u200e"
_APPENDED = compile_later(r"\u200e<[^<>\n]{1,200}>")
# Dates of a file that are compared to find their order. Chosen by hand.
_MOST_DATES = 20_000
# How much shorter a chat must be in one order to be believed. Chosen by hand.
_DENSER = 3


@dataclass(frozen=True, slots=True)
class DatedHeader:
    """The first line of a message; `name` is None in a notice.

    `date` holds the three numbers in the order of the line. `clock` is hour, minute and second of
    the day. `twelve` says that the time was written in twelve hours, `own` that the messenger wrote
    the text.
    """

    date: tuple[int, int, int]
    sign: str
    year_first: bool
    clock: tuple[int, int, int]
    twelve: bool
    has_seconds: bool
    name: str | None
    text: str
    own: bool


@dataclass(frozen=True, slots=True)
class DateOrder:
    """The positions of year, month and day in a date.

    `assumed` says that the file does not tell.
    """

    places: tuple[int, int, int]
    assumed: bool

    def get_time(self, header: DatedHeader) -> str | None:
        """Return the local time of a message as ISO 8601 UTC, or None for an impossible day."""
        year, month, day = (header.date[place] for place in self.places)
        return build_local_time(year, month, day, *header.clock)

    @property
    def description(self) -> str:
        """The order in words."""
        return _ORDER_NAMES[self.places]


# The positions of year, month and day in each order of a date.
_YMD = (0, 1, 2)
_MDY = (2, 0, 1)
_DMY = (2, 1, 0)
_ORDER_NAMES: Mapping[tuple[int, int, int], str] = {
    _YMD: "year-month-day",
    _MDY: "month/day/year",
    _DMY: "day/month/year",
}


def parse_header(line: str) -> DatedHeader | None:
    """Parse the header at the beginning of a line; None for a line that continues a message."""
    start = line[:4].translate(DIRECTION_MARKS).lstrip()[:1]
    if not (start.isdecimal() or start == "["):
        return None
    bare = strip_marks(line)
    found = next((match for pattern in _HEADERS if (match := pattern.fullmatch(bare))), None)
    clock = _parse_clock(found) if found is not None else None
    if found is None or clock is None:
        return None
    named = _NAME.fullmatch(found["rest"])
    name = named["name"].strip().removeprefix("~").strip() if named else ""
    text = named["text"].strip() if named and name else found["rest"]
    return DatedHeader(
        (int(found["a"]), int(found["b"]), int(found["c"])),
        found["sign"],
        len(found["a"]) == 4,
        clock,
        bool(_find_half_of_day(found)),
        found["s"] is not None,
        name or None,
        text,
        _is_messengers_text(line, len(bare) - len(named["text"]) if named else 0),
    )


def strip_marks(line: str) -> str:
    """Return a line as it was typed.

    Direction marks and what the messenger appended are removed; all blanks are plain spaces.
    """
    return _APPENDED.sub("", line).translate(_PLAIN).strip()


def infer_date_order(headers: Sequence[DatedHeader]) -> DateOrder:
    """Infer the order of dates that all headers of a file share."""
    if not headers or headers[0].year_first:
        return DateOrder(_YMD, assumed=False)
    dates = [header.date for header in headers[:_MOST_DATES]]
    orders = (_DMY, _MDY, _YMD)
    fitting = [order for order in orders if all(_is_date(date, order) for date in dates)] or [_DMY]
    if fitting[0] == _DMY and headers[0].sign == ".":
        return DateOrder(_DMY, assumed=False)
    # Two-digit years first are rare: only a file that allows nothing else has them.
    fitting = [order for order in fitting if order != _YMD] or fitting
    backwards = {order: _count_backward_steps(dates, order) for order in fitting}
    best = [order for order in fitting if backwards[order] == min(backwards.values())]
    if len(best) == 1:
        return DateOrder(best[0], assumed=False)
    spans = {order: _count_days(dates, order) for order in best}
    return DateOrder(_choose_likelier(headers[0], spans), assumed=True)


def _choose_likelier(
    header: DatedHeader, spans: Mapping[tuple[int, int, int], int]
) -> tuple[int, int, int]:
    """Choose the order in which a chat is much denser, else the one that fits its clock."""
    densest = min(spans, key=lambda order: spans[order])
    if spans[densest] * _DENSER < max(spans.values()):
        return densest
    # In America the clock has twelve hours and the date has slashes.
    return _MDY if header.twelve and header.sign == "/" else _DMY


def _is_date(date: tuple[int, int, int], order: tuple[int, int, int]) -> bool:
    year, month, day = (date[place] for place in order)
    return 1 <= month <= 12 and 1 <= day <= 31 and (year < 100 or year > 1900)


def _count_backward_steps(
    dates: Iterable[tuple[int, int, int]], order: tuple[int, int, int]
) -> int:
    """Count how often time runs backwards in this order."""
    ordered = (_reorder(date, order) for date in dates)
    return sum(after < before for before, after in pairwise(ordered))


def _count_days(dates: Sequence[tuple[int, int, int]], order: tuple[int, int, int]) -> int:
    """Count about how many days lie between the first and the last date in this order."""
    ordered = [_reorder(date, order) for date in dates]
    days = [year * 372 + month * 31 + day for year, month, day in ordered]
    return max(days) - min(days)


def _reorder(date: tuple[int, int, int], order: tuple[int, int, int]) -> tuple[int, int, int]:
    return date[order[0]], date[order[1]], date[order[2]]


def _find_half_of_day(found: re.Match[str]) -> str | None:
    """Return `am` or `pm`, in any of the known languages.

    Returns an empty string for a clock of 24 hours, and None for a word that belongs to no header.
    """
    words = [(found[group] or "").lower().translate(_NO_DOTS) for group in ("early", "late")]
    halves = [word for word in words if word not in _FILLERS]
    if not halves:
        return ""
    if len(halves) > 1 or halves[0] not in _AM | _PM:
        return None
    return "am" if halves[0] in _AM else "pm"


def _parse_clock(found: re.Match[str]) -> tuple[int, int, int] | None:
    hour, minute, second = int(found["h"]), int(found["m"]), int(found["s"] or 0)
    half = _find_half_of_day(found)
    is_impossible = hour > 24 or minute > 59 or second > 59
    if half is None or is_impossible or (half and hour > 12 and found["early"] is None):
        return None
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return hour % 24, minute, second


def _is_messengers_text(line: str, before: int) -> bool:
    """Whether the text behind `before` plain characters begins with the messenger's mark."""
    if not before or _MESSENGER_MARK not in line:
        return False
    at = line.find(":" + _MESSENGER_MARK)
    if at < 0:
        at = line.find(": " + _MESSENGER_MARK)
    return at >= 0 and len(line[: at + 1].translate(_PLAIN).lstrip()) <= before
