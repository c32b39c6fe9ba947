"""Choose which turns of a very long transcript are read in full.

A session yields a dozen candidates at most, so the turns with the most telling words are enough.
"""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core.model import Turn

# Up to this much is read whole; of more, about this much.
READ_CHARS = 300_000
_USUAL_CHARS = 300
_TELLING = frozenset(
    """
        decided agreed decision decide settled consensus must mustn't never always won't let's
        lets should shouldn't because instead rather prefer release released releases next issue
        ticket todo blocked blocks needs supported support supports implemented implement
        deprecated mandatory compulsory required requires default defaults moved migrated switched
        renamed removed dropped replaced broken fails cause caused intentional intentionally
        design only cannot can't doesn't don't isn't limitation known fix fixed ensure avoid keep
        remember deadline friday monday tomorrow before until whenever convention rule decided.
        agreed. nope plan freeze freezing owns maintains
    """.split()
)


def select_turns(turns: Sequence[Turn], indices: list[int]) -> list[int]:
    """Indices of the turns to read, in order, each with the one before; all in a short
    transcript.
    """
    if sum(len(turns[i].text) for i in indices) <= READ_CHARS:
        return indices
    ranked = sorted(range(len(indices)), key=lambda n: (-_score_turn(turns[indices[n]].text), n))
    chosen: set[int] = set()
    room = READ_CHARS
    for n in ranked:
        for place in (n, n - 1):
            if place >= 0 and place not in chosen:
                chosen.add(place)
                room -= len(turns[indices[place]].text)
        if room <= 0:
            break
    return [indices[n] for n in sorted(chosen)]


def _score_turn(text: str) -> float:
    """The number of telling words for the length of the text."""
    head = text[: 20 * _USUAL_CHARS].lower().replace("’", "'")
    return len(_TELLING.intersection(head.split())) / (1 + len(head) / _USUAL_CHARS)
