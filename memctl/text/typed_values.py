"""Find the values in a text that can be told apart by their kind: clocks, days, languages,
versions, numbers with what they count. Pure.

Two statements that give the same thing two values of one kind can be one answer and its change;
`30 s` and `30 days` cannot.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from memctl.core.lazy_pattern import compile_later
from memctl.text.dates import MONTHS
from memctl.text.porter import stem

_MONTH = "|".join(sorted((name for name in MONTHS if len(name) > 2), key=len, reverse=True))
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_LANGUAGES = (
    "english|german|french|spanish|italian|portuguese|russian|chinese|japanese|korean|arabic"
    "|dutch|polish|czech|turkish|swedish|danish|norwegian|finnish|ukrainian|hindi"
)
# Numbers in words; `one` is a pronoun more often.
_NUMBER_NAMES = "two three four five six seven eight nine ten eleven twelve".split()
_NUMBER_WORDS = "|".join(_NUMBER_NAMES)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_VALUE = compile_later(
    r"(?<![\w.:/-])(?:"
    r"(?P<iso>\d{4}-\d\d-\d\d)"
    r"|(?P<clock>\d{1,2}:\d\d(?::\d\d)?)(?: ?(?:am|pm))?"
    rf"|(?P<d1>{_DAY})(?: of|\.)? (?P<m1>{_MONTH})\b(?:,? \d{{4}})?"
    rf"|(?P<m2>{_MONTH})\.? (?P<d2>{_DAY})\b(?:,? \d{{4}})?"
    rf"|(?P<weekday>{_WEEKDAYS})s?\b"
    rf"|(?P<language>{_LANGUAGES})\b"
    r"|v(?P<v>\d+(?:\.\d+)*)"
    r"|(?P<version>\d+\.\d+(?:\.\d+)+|\d+\.\d+(?! ?(?:[a-z%°€$£]|percent)))"
    r"|(?P<money>[€$£])(?P<sum>\d[\d.,]*)"
    rf"|(?P<word>{_NUMBER_WORDS})(?:[ -](?P<counted>[a-z]{{1,20}})(?![\w]))?"
    r"|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)(?:(?P<glued>[a-z%°€$£µ]{1,6})(?![\w])"
    r"|(?:[ -](?P<unit>[a-z%°€$£]{1,20})(?![\w])))?"
    r")(?![\w/]|[.:]\d)",
    re.IGNORECASE,
)
_UNITS = {
    "s": "second",
    "sec": "second",
    "secs": "second",
    "seconds": "second",
    "second": "second",
    "ms": "millisecond",
    "milliseconds": "millisecond",
    "min": "minute",
    "mins": "minute",
    "minutes": "minute",
    "minute": "minute",
    "h": "hour",
    "hrs": "hour",
    "hours": "hour",
    "hour": "hour",
    "d": "day",
    "days": "day",
    "daily": "day",
    "day": "day",
    "weekly": "week",
    "monthly": "month",
    "%": "percent",
    "percent": "percent",
    "kb": "kb",
    "mb": "mb",
    "gb": "gb",
    "k": "k",
    "eur": "€",
    "euro": "€",
    "euros": "€",
    "€": "€",
    "$": "$",
    "usd": "$",
    "dollars": "$",
}
# What stands after a number and is not what it counts.
_NO_UNITS = frozenset(
    """is are was were be and or of in on at to for from by with as instead not now then again per
    each every please but so than rather max min at most least only the a an it that this like too
    here there when if because since anymore any we i you it's already today tomorrow yesterday
    first after before until till over under up down back can should must will works work""".split()
)


class TypedValue(NamedTuple):
    """A value with its place in the text.

    kind: `clock`, `day`, `weekday`, `language`, `version` or `number`; `unit` is the known unit of
    a number, `noun` the word after it otherwise; empty where the text does not say what it counts.
    """

    kind: str
    value: str
    unit: str
    noun: str
    start: int
    end: int

    def rivals(self, other: TypedValue) -> bool:
        """Whether the two are different values of one kind, of the same thing if they say it."""
        nouns = {self.noun, other.noun} - {""}
        return self.is_of_kind(other) and len(nouns) < 2 and self.value != other.value

    def equals(self, other: TypedValue) -> bool:
        """Whether the two are one value, as far as they say what they count."""
        return self.is_of_kind(other) and self.value == other.value

    def is_of_kind(self, other: TypedValue) -> bool:
        """Whether the two are of one kind and unit, or one of them does not say what it counts."""
        if {self.kind, other.kind} == {"version", "number"}:
            return not (self.unit or other.unit or self.noun or other.noun)
        if self.kind != other.kind:
            return False
        is_bare = not (self.unit or self.noun) or not (other.unit or other.noun)
        return self.unit == other.unit or is_bare


@lru_cache(maxsize=4096)
def find_typed_values(text: str) -> tuple[TypedValue, ...]:
    """The values in a text, in its order."""
    return tuple(map(_read_match, _VALUE.finditer(text)))


def _read_match(match: re.Match[str]) -> TypedValue:
    found = match.groupdict()
    start, end = match.span()
    if found["iso"]:
        return TypedValue("day", found["iso"][5:], "", "", start, end)
    if found["clock"]:
        return TypedValue("clock", found["clock"].zfill(5), "", "", start, end)
    for kind in ("weekday", "language"):
        if found[kind]:
            return TypedValue(kind, found[kind].lower(), "", "", start, end)
    day, month = found["d1"] or found["d2"], found["m1"] or found["m2"]
    if day and month:
        number = re.sub(r"\D", "", day)
        return TypedValue("day", f"{MONTHS[month.lower()]:02}-{number:0>2}", "", "", start, end)
    version = found["v"] or found["version"]
    if version:
        return TypedValue("version", version, "", "", start, end)
    if found["sum"]:
        return TypedValue("number", found["sum"].rstrip(".,"), found["money"], "", start, end)
    return _read_number(match)


def _read_number(match: re.Match[str]) -> TypedValue:
    named = match["word"]
    number = str(_NUMBER_NAMES.index(named.lower()) + 2) if named else match["number"]
    number = number.replace(",", "")
    word = (match["glued"] or match["unit"] or match["counted"] or "").lower()
    start, end = match.span()
    unit, noun = _UNITS.get(word, ""), ""
    if not unit and not match["glued"]:
        end = match.end("word" if named else "number")
        noun = stem(word) if word and word not in _NO_UNITS else ""
    return TypedValue("number", number, unit or (match["glued"] or "").lower(), noun, start, end)
