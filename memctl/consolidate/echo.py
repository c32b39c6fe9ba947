"""Whether an agent's words only restate what memctl gave it: then they are no new evidence, and nobody else's word for it.

One pure decision. An echo says nothing beyond one of the given texts: its weighty words are that text's words, its numbers, names and
qualifiers are too, and it affirms and denies the same. Given more, what was an echo stays one; given nothing, nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.consolidate.similar import LONGEST, Features, features, near_duplicate, opposed, weight

# The share of the weight of its words that a restatement takes from what was given; the rest is how it is put.
_SHARE = 0.75


def is_echo(said: str, given: Iterable[str]) -> bool:
    """Whether what an agent said says nothing that one of the texts it was given does not say."""
    if len(said) > LONGEST:
        return False
    own = features(said)
    return any(near_duplicate(said, text) or _holds(features(text), own) for text in given if len(text) <= LONGEST)


def _holds(given: Features, own: Features) -> bool:
    """Whether one statement holds all that the other says."""
    if not own.words or own.negations % 2 != given.negations % 2 or opposed(own, given):
        return False
    if not (own.numbers <= given.numbers and own.identifiers <= given.identifiers and own.qualifiers <= given.qualifiers):
        return False
    total = sum(weight(word) for word in sorted(own.words))
    return sum(weight(word) for word in sorted(own.words & given.words)) >= _SHARE * total
