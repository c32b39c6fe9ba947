"""Whether a question is about the present. Pure."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[^\W_]+")
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
