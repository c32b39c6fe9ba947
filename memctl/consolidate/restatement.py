"""Whether an agent's words only restate what memctl gave it, and so are no new evidence. Pure.

Every clause of a restatement says nothing beyond a clause that was given: its weighty words are
that clause's words, so are its numbers, names and qualifiers, and it affirms and denies the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memctl.consolidate.features import Features, are_opposed, read_features, weigh_word
from memctl.consolidate.similarity import is_near_duplicate
from memctl.consolidate.words import LONGEST

# The share of the weight of its words that a restatement takes from what was given; the rest is how
# it is put.
_SHARE = 0.75


# Where one thing that is said ends and the next begins.
_CLAUSES = re.compile(r"[.;!?,](?=\s|$)|\n|\s(?:and|but|because|so that|while)\s", re.IGNORECASE)


def is_restatement(said: str, given: Iterable[str]) -> bool:
    """Do an agent's words say nothing that the texts it was given do not say?"""
    texts = [text for text in given if len(text) <= LONGEST]
    if len(said) > LONGEST or not texts:
        return False
    if any(is_near_duplicate(said, text) for text in texts):
        return True
    held = [read_features(clause) for text in texts for clause in _split_clauses(text)]
    own = [told for clause in _split_clauses(said) if (told := read_features(clause)).words]
    return bool(own) and all(any(_is_covered(given_, told) for given_ in held) for told in own)


def _split_clauses(text: str) -> list[str]:
    return [clause for clause in _CLAUSES.split(text) if clause.strip()]


def _is_covered(given: Features, own: Features) -> bool:
    """Does one statement hold all that the other says?"""
    if own.negations % 2 != given.negations % 2 or are_opposed(own, given):
        return False
    if not (
        own.numbers <= given.numbers
        and own.identifiers <= given.identifiers
        and own.qualifiers <= given.qualifiers
    ):
        return False
    total = sum(weigh_word(word) for word in sorted(own.words))
    return sum(weigh_word(word) for word in sorted(own.words & given.words)) >= _SHARE * total
