"""The words that say nothing by themselves, for English: one table, with a subset for each use.
Data.

A search drops more than a comparison does: `before` hardly helps to find a record, but tells two
statements apart. Negations are dropped by a search only. Words of other languages stand in
`languages`, which is loaded on demand.
"""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """A closed list of words, written as one readable line."""
    return frozenset(words.split())


NEGATIONS = word_set("not no never none nobody nothing neither nor without")

# What neither use looks at: articles, pronouns, auxiliaries, the plainest prepositions.
_ALWAYS = word_set(
    """a an the and or but so then there here this that these those it its he she they them their
    his her him we us our you your i me my be is are was were been being am do does did have has
    had having will would shall should must let please of in on at to for from by with as into
    about than during both each own same such which who whom what very just too"""
)
# Conditions, order, quantity and negation, which only a comparison must keep.
_CONDITIONS = word_set(
    """no nor not above after again against all any because before below between can could doing
    down few further hers herself himself how if itself might more most myself now o off once
    only other ours ourselves out over some theirs themselves through under until up when where
    while why yours yourself yourselves"""
)
# What is said to an assistant without being part of the question.
_SMALL_TALK = word_set("lets want need get got okay ok yes hi hello thanks thank")
# What the tokenizer leaves of contractions (`didn't`, `we'll`).
_FRAGMENTS = word_set(
    "aren couldn didn doesn don hadn hasn haven isn ll m re s shouldn t ve wasn weren won wouldn y"
)
# Words that a search would find, but that tell no two statements apart.
_EMPHASIS = word_set(
    """also it's mine done ought onto via per within whose always ensure sure i'm we're you're
    that's there's i'd we'd i've we've"""
)

# What a search and the index skip. The index of a stored record was built with these words: a
# change needs a new `tokens.VERSION`.
SEARCH_STOP_WORDS = _ALWAYS | _CONDITIONS | _SMALL_TALK | _FRAGMENTS
# What a comparison of two statements skips.
COMPARISON_STOP_WORDS = _ALWAYS | _EMPHASIS
