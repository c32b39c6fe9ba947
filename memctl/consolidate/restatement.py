"""Whether an agent's words only restate what memctl gave it, and so are no new evidence. Pure.

Every clause of a restatement says nothing beyond a clause that was given: its weighty words are
that clause's words, so are its numbers, names and qualifiers, and it affirms and denies the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memctl.consolidate.features import Features, are_opposed, read_features, sum_weights
from memctl.consolidate.similarity import is_near_duplicate
from memctl.consolidate.words import LONGEST
from memctl.core.lazy_pattern import compile_later

# The share of the weight of its words that a restatement takes from what was given; the rest is how
# it is put. Chosen by hand.
_LEAST_SHARE = 0.75
# Where one thing that is said ends and the next begins.
_CLAUSES = compile_later(r"[.;!?,](?=\s|$)|\n|\s(?:and|but|because|so that|while)\s", re.IGNORECASE)


def is_restatement(said: str, given: Iterable[str]) -> bool:
    """Do an agent's words say nothing that the texts it was given do not say?"""
    texts = [text for text in given if len(text) <= LONGEST]
    if len(said) > LONGEST or not texts:
        return False
    if any(is_near_duplicate(said, text) for text in texts):
        return True
    sources = [read_features(clause) for text in texts for clause in _split_clauses(text)]
    clauses = [read_features(clause) for clause in _split_clauses(said)]
    telling = [clause for clause in clauses if clause.words]
    if not telling:
        return False
    return all(any(_is_covered(clause, source) for source in sources) for clause in telling)


def _split_clauses(text: str) -> list[str]:
    return [clause for clause in _CLAUSES.split(text) if clause.strip()]


def _is_covered(clause: Features, source: Features) -> bool:
    """Does the source say all that the clause says?"""
    if clause.negations % 2 != source.negations % 2 or are_opposed(clause, source):
        return False
    if not clause.numbers <= source.numbers or not clause.identifiers <= source.identifiers:
        return False
    if not clause.qualifiers <= source.qualifiers:
        return False
    shared = sum_weights(clause.words & source.words)
    return shared >= _LEAST_SHARE * sum_weights(clause.words)
