"""How common a word is in English, by its place in the model's vocabulary, which lists the words of
its training texts by how often they occur.

The place says enough where a store is too small for statistics of its own: by it `function` is a
word of every day and `windrose` a name.
"""

from __future__ import annotations

from functools import lru_cache

from memctl.embed.wordpiece import WordPiece

# The number of the first word of the vocabulary proper; signs, letters and marks come before it.
_FIRST = 1996
# The rank of a word that the vocabulary does not have: that of its last one.
UNKNOWN_RANK = 30_000
# What English hangs on a word, with what stands in its place in the bare word.
_ENDINGS = (
    *(("s", ""), ("ies", "y"), ("ses", "s"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")),
    *(("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e")),
)
# Letters. What would be shorter without its ending is another word: `used` is not `us`.
_SHORTEST_WORD = 3


@lru_cache(maxsize=2048)
def find_rank(word: str) -> int:
    """The rank of a word, 1 for the most common; of its forms the most common counts."""
    low = word.lower()
    bare = {low[: -len(end)] + new for end, new in _ENDINGS if low.endswith(end)}
    forms = {low, *(form for form in bare if len(form) >= _SHORTEST_WORD)}
    ranks = [number - _FIRST + 1 for form in forms if (number := _find_number(form)) >= _FIRST]
    return min(ranks, default=UNKNOWN_RANK)


def _find_number(word: str) -> int:
    return _open_vocabulary().find_whole(word) if word else 0


@lru_cache(maxsize=1)
def _open_vocabulary() -> WordPiece:
    return WordPiece()
