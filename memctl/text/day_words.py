"""Words that say a time only to those who know when they were said, such as `tomorrow`. Pure.

Hardly a record has any, and a pattern of them all would take longer to compile than a context takes
to look at every record: they are looked for word by word.
"""

from __future__ import annotations

_ALONE = frozenset({"today", "tonight", "tomorrow", "yesterday"})
_PAIRS = frozenset({"right now", "for now", "until then", "so far"})
_NEARNESS = frozenset({"this", "next", "last", "past", "coming"})
_SPANS = frozenset({"day", "days", "week", "weeks", "month", "months", "year", "years"})
_WEEKDAYS = frozenset(
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
)
_NEAR_TIMES = _WEEKDAYS | frozenset(
    {
        *("morning", "afternoon", "evening", "night", "week", "weekend", "month", "quarter"),
        *("year", "sprint", "release", "mon", "tues", "wednes", "thurs", "fri", "satur", "sun"),
    }
)
_WITHIN = frozenset({"in", "within", "for"})
_FEW = frozenset({"a", "an", "one", "two", "three", "four", "five", "six"})
_BEFORE_WEEKDAYS = frozenset({"on", "by", "until", "before", "since"})
# Today, tomorrow and yesterday in other languages: words, and what stands within a run of letters.
_ELSEWHERE = frozenset(
    """heute morgen gestern übermorgen vorgestern hoy mañana ayer aujourd demain avant-hier hoje
    amanhã ontem сегодня завтра вчера послезавтра اليوم غدا غدًا أمس""".split()
)
_UNSPACED = ("今天", "明天", "昨天", "后天", "後天", "今日", "明日", "昨日", "오늘", "내일", "어제")
# One of these stands in whatever is found.
_SIGNS = (
    *("day", "tonight", "tomorrow", "right now", "moment", "for now", "until then", "so far"),
    *("this ", "next ", "last ", "past ", "coming ", "week", "month", "year"),
    *("heute", "morgen", "gestern", "hoy", "ayer", "demain", "hoje", "ontem", "aujourd"),
)


def leans_on_a_day(text: str) -> bool:
    """Whether a text says a time only to those who know when it was said."""
    low = text.casefold()
    if not low.isascii() and any(sign in low for sign in _UNSPACED):
        return True
    if low.isascii() and not any(sign in low for sign in _SIGNS):
        return False
    words = "".join(char if char.isalnum() else " " for char in low).split()
    return any(map(_names_a_day, words, [*words[1:], ""], [*words[2:], "", ""])) or (
        "at the moment" in low
    )


def _names_a_day(word: str, second: str, third: str) -> bool:
    """Whether a time begins with a word, by the two that follow it."""
    return (
        word in _ALONE
        or word in _ELSEWHERE
        or f"{word} {second}" in _PAIRS
        or (word in _NEARNESS and second in _NEAR_TIMES)
        or (word in _WITHIN and (second in _FEW or second.isdecimal()) and third in _SPANS)
        or (word in _SPANS and second == "ago")
        or (word in _BEFORE_WEEKDAYS and second in _WEEKDAYS)
    )
