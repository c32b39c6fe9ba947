"""How clearly a statement is worded, and whether its words announce a change. Pure.

Of two records that say the same, the one with the clearer words stands (`plan.rank_for_survival`);
higher trust comes first.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memctl.consolidate.features import read_features
from memctl.consolidate.words import LONGEST, to_canonical_set
from memctl.core.lazy_pattern import compile_later
from memctl.text.corrections import drop_corrected_words
from memctl.text.keyed_pattern import KeyedPattern
from memctl.text.stop_words import word_set

# How much of a text is searched for words of change, in characters. Chosen by hand.
_LOOKED_AT = 2000
# The shortest sentence, in words.
_FEWEST_WORDS = 3
# How many content words two statements on one subject share at least, and which part of the shorter
# one. Chosen by hand.
_LEAST_SHARED = 2
_LEAST_SHARE = 0.25
# How corrections are put, which is no subject of theirs.
_FRAME = to_canonical_set(
    word_set(
        "old new former today now nope yes wrong right stale outdated date current currently true "
        "instead anymore longer actually really thing one"
    )
)
_CHANGE = KeyedPattern(
    "no longer|any more|anymore|now|as of |starting |going forward|not true|scratch that|wrong"
    "|change|actually|correction|update|instead of|switch|migrat|move|replac|rename",
    r"\bno longer\b|\bany ?more\b|\bfrom now on\b|\bas of (?:now|today|tomorrow|this|next|v?\d"
    r"|[a-z]+ \d)"
    r"|\bstarting (?:now|today|tomorrow|with|from)\b"
    r"|\bgoing forward\b|\bnot true (?:now|any)|\bscratch that\b|\bi was wrong\b|\bthat (?:was|is) "
    r"wrong\b|\bi changed my mind\b"
    r"|(?:^|[.!?,;:]\s)(?:no, )?actually\b|\bcorrection\s?[:,-]|(?:^|[.!?]\s)update\s?:"
    r"|\binstead of\b|\bswitch(?:ed|ing)? (?:to|from|over)\b|\bmigrat(?:ed|ing) (?:to|from)\b"
    r"|\bmoved? (?:to|from|away|off)\b"
    r"|\breplac(?:e|ed|es|ing)\b|\bchanged? (?:to|from)\b|\b(?:is|are|was|were) (?:now|changed"
    r"|renamed|moved)\b"
    r"|\bnow (?:on|at|in|it|we|use)\b",
)
_VERBS = compile_later(
    r"\b(?:is|are|was|were|be|has|have|must|should|shall|can|cannot|may|will|do|does|don't|never"
    r"|always|use|uses|run|runs|prefer|prefers"
    r"|keep|put|write|set|needs?|requires?|lives?|listens?|expires?|defaults?|goes|go|takes?"
    r"|wants?|likes?|avoid|ask|deploy|test|stands?)\b",
    re.IGNORECASE,
)


def announces_change(text: str) -> bool:
    """Do these words say that something does not hold any more, or holds in its place?"""
    return _CHANGE.search(text[:_LOOKED_AT]) is not None


@lru_cache(maxsize=16384)
def measure_clarity(text: str) -> tuple[int, int, int]:
    """How clearly a statement is worded; the larger is the clearer.

    The number of numbers, names and conditions, whether it is a whole sentence, and its content
    words. Texts that are too long to be compared are the least clear.
    """
    if len(text) > LONGEST:
        return (0, 0, 0)
    features = read_features(text)
    named = len(features.numbers) + len(features.identifiers) + len(features.qualifiers)
    return named, int(is_sentence(text)), len(features.words)


def is_sentence(text: str) -> bool:
    """Does a text begin as a sentence and say something, rather than label a value?"""
    line = text.strip()
    if len(line.split()) < _FEWEST_WORDS or (line[0].isalpha() and not line[0].isupper()):
        return False
    return _VERBS.search(line) is not None


def share_subject(a: str, b: str) -> bool:
    """Do two statements, one of which corrects something, speak of the same things?"""
    if max(len(a), len(b)) > LONGEST:
        return False
    one, other = (read_features(drop_corrected_words(text)).words - _FRAME for text in (a, b))
    shared = len(one & other)
    return shared >= _LEAST_SHARED and shared >= _LEAST_SHARE * min(len(one), len(other))
