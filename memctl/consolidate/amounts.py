"""The amounts of a text, each in one spelling however it is written. Pure.

`Two weeks` and `14 days`, `9:15` and `09:15`, `12k` and `12,000`, `the 3rd` and `3`, `forty` and
`40` are one amount each.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memctl.core.lazy_pattern import compile_later

# How much of a text is searched, in characters. Chosen by hand.
_LOOKED_AT = 2000
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORTH = {word: number for number, word in enumerate(_ONES)} | {
    word: 10 * number for number, word in enumerate(_TENS, 2)
}
_POWERS = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
_SHORT_POWERS = {"k": 1000, "m": 1_000_000}
# Seconds of a unit of time; months and years are no fixed number of them.
_SECONDS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hr": 3600,
    "hour": 3600,
    "day": 86_400,
    "night": 86_400,
    "week": 604_800,
    "fortnight": 1_209_600,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_UNIT = "|".join(sorted({*_SECONDS, *_MONTHS}, key=len, reverse=True))
_CLOCK = compile_later(r"\b(\d{1,2}):(\d{2})(?::\d{2})?\s?([ap]\.?m\b)?|\b(\d{1,2})\s?([ap]\.?m)\b")
_WORD = "|".join((*_ONES, *_TENS, *_POWERS))
_WORDS = compile_later(
    rf"\b(?:a )?(?:{_WORD})(?:(?: |-| and )(?:{_WORD}))*\b|\bhalf an? (?=hour\b|day\b|year\b)"
)
_NUMBER = compile_later(
    rf"(?<![\w.])v?(\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)*)(st|nd|rd|th)?([km](?![a-z]))?"
    rf"(?:[ -]?({_UNIT})s?\b)?"
)


@lru_cache(maxsize=16384)
def list_amounts(text: str) -> frozenset[str]:
    """The amounts of a text: numbers, times (`at 9:15`), spans (`86400 s`, `3 months`)."""
    low = text[:_LOOKED_AT].lower()
    times = {_read_clock(*found.groups()) for found in _CLOCK.finditer(low)}
    plain = _WORDS.sub(lambda words: _read_words(words.group()), _CLOCK.sub(" ", low))
    return frozenset(times) | {_read_number(*found.groups()) for found in _NUMBER.finditer(plain)}


def _read_clock(hour: str, minute: str, half: str, round_hour: str, its_half: str) -> str:
    in_half = (half or its_half or "")[:1]
    hours = int(hour or round_hour) % 12 if in_half else int(hour or round_hour)
    return f"at {hours + (12 if in_half == 'p' else 0)}:{minute or '00'}"


def _read_words(words: str) -> str:
    """Number words in digits; `one` alone is rather a pronoun."""
    if words == "one" or words.startswith("half"):
        return "0.5 " if words.startswith("half") else words
    total = current = 0
    for word in re.split(r"[ -]", words):
        if word in _WORTH:
            current += _WORTH[word]
        elif word in _POWERS:
            current = (current or 1) * _POWERS[word]
            if _POWERS[word] >= _POWERS["thousand"]:
                total, current = total + current, 0
    return str(total + current)


def _read_number(number: str, _ordinal: str, power: str, unit: str) -> str:
    digits = number.replace(",", "")
    if digits.count(".") > 1 or (digits.startswith("0") and "." not in digits):
        return digits.lstrip("0") or "0"
    many = float(digits) * _SHORT_POWERS.get(power, 1)
    if unit in _SECONDS:
        return f"{many * _SECONDS[unit]:.10g} s"
    if unit in _MONTHS:
        return f"{many * _MONTHS[unit]:.10g} months"
    return f"{many:.10g}"
