"""Whether a text asks about the present, or about what was done. Pure."""

from __future__ import annotations

from memctl.core.lazy_pattern import compile_later

_TOKEN = compile_later(r"[^\W_]+")
# What a question of the present holds, and what one of the past does.
_ASKING = frozenset(
    """what which who where when how is are do does wie wo wer welche welcher welches ist sind qué
    cuál quién dónde""".split()
)
_PRESENT = frozenset(
    """current currently now still yet latest newest today nowadays anymore state status pending
    left remaining next finished done already aktuell derzeit momentan jetzt noch heute inzwischen
    actual actualmente ahora todavía aún hoy actuel actuellement maintenant encore""".split()
)
_YES_OR_NO = frozenset("is are do does has have".split())
_PAST = frozenset(
    """did was were had ago original originally previous previously initial initially earlier
    history früher damals zuerst vorher ursprünglich antes originalmente anteriormente avant
    auparavant""".split()
)
# How a text names work that was done, beside the words of the past: by one word, or by two of which
# these are the first and the second. English, German, Spanish and French.
_DONE_BEFORE = frozenset(
    """yesterday recently lately gestern vorhin zuletzt bisher ayer últimamente hier
    récemment""".split()
)
_LAST = frozenset(
    """last this past left so letzte letzten letztes letzter última semana dernière
    semaine""".split()
)
_TIMES = frozenset(
    """time week month session night few monday tuesday wednesday thursday friday saturday sunday
    off far mal woche sitzung vez sesión semana pasada fois session semaine dernière""".split()
)


def is_question(text: str) -> bool:
    """Does a text ask something, by its sign or its first word?"""
    first = _TOKEN.search(text)
    return text.rstrip().endswith(("?", "\uff1f")) or (
        first is not None and first[0].lower() in _ASKING
    )


def asks_of_now(text: str) -> bool:
    """Does a text ask what holds now, in so many words or by a question for yes or no?"""
    words = [word.lower() for word in _TOKEN.findall(text)]
    if not words or not _PAST.isdisjoint(words):
        return False
    is_question = text.rstrip().endswith(("?", "\uff1f"))
    return (is_question and words[0] in _YES_OR_NO) or (
        (is_question or words[0] in _ASKING) and not _PRESENT.isdisjoint(words)
    )


def asks_of_past_work(text: str) -> bool:
    """Does a text speak of what was done before, by its tense or its day? `The last week of May` is
    a day like any other.
    """
    words = [word.lower() for word in _TOKEN.findall(text)]
    return not (_PAST | _DONE_BEFORE).isdisjoint(words) or any(
        first in _LAST and second in _TIMES and third != "of"
        for first, second, third in zip(words, words[1:], [*words[2:], ""], strict=False)
    )
