"""The words of a record as they read alone: without what only answered somebody before them. Pure.

Loaded by every context: no patterns, no imports that cost time.
"""

from __future__ import annotations

# What a statement may begin with that belongs to the talk around it, and tells nothing by itself.
_LEAD_IN = frozenset(
    "and but so or also no nope yes yeah yep ok okay right well now then actually please note that"
    " oh hmm sure great cool see remember basically essentially exactly hey hi thanks i mean think"
    " guess good point important be aware keep in mind don't forget it's fwiw imo".split()
)
# Characters in front of the words of the title that can be a lead-in, and of the title that are
# looked for. Chosen by hand.
_LONGEST_LEAD_IN = 60
_COMPARED = 24
_SHORTEST = 4
_MARKS = ".,:;!?-–—'\"’()…"


def drop_lead_in(text: str, title: str) -> str:
    """A statement from where its title begins, if only words of the talk stand before that.

    The title was cleared of them when the statement was read: `And never push to main.` under the
    title `Never push to main` becomes `Never push to main.`
    """
    wanted = title.rstrip("…")[:_COMPARED].rstrip().casefold()
    if len(wanted) < _SHORTEST:
        return text
    start = text[: _LONGEST_LEAD_IN + len(wanted)].casefold().find(wanted)
    if start <= 0:
        return text
    before = (word.strip(_MARKS) for word in text[:start].casefold().replace("’", "'").split())
    if any(word and word not in _LEAD_IN for word in before):
        return text
    rest = text[start:]
    return title[0] + rest[1:] if rest[:1].casefold() == title[:1].casefold() else rest
