"""A statement as it reads in a document: without what only belonged to the talk around it. Pure."""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later
from memctl.text.corrections import drop_corrected_words

# What people say before what they mean, each followed by what they mean.
_LEAD_IN = compile_later(
    r"(?:btw|by the way|fyi|note that|note:|keep in mind(?: that|,)|remember that|remember,|"
    r"remember:|(?:remember|note|don't forget)(?= (?:we|it's|it is|they)\b)|"
    r"(?:actually|and|but|so)(?= (?:we|the|our|it's|it is|this)\b)|"
    r"don't forget(?: that|,)|as i said,|please note(?: that|,)|important:|"
    r"(?:no|nope|wrong|right|ok|okay|yes|yeah|also|well|actually|sorry|hmm|that's wrong|that is "
    r"wrong)[,:.])\s+",
    re.IGNORECASE,
)
# Lead-ins that stand one behind the other at most.
_MOST_LEAD_INS = 3
# Words that begin a sentence and are no names, so that a capital does them no harm.
_PLAIN_STARTS = frozenset(
    "a all always an as at by do don't each every for from he i if in it it's its let let's my "
    "never new no not now on only our please she since that the there these they this those to use "
    "we we're we've when you your".split()
)


def tidy_statement(text: str) -> str:
    """Return a statement on one line, from where it says something."""
    line = " ".join(drop_corrected_words(text.strip()).split())
    for _ in range(_MOST_LEAD_INS):
        found = _LEAD_IN.match(line)
        if found is None or found.end() == len(line):
            break
        line = line[found.end() :]
    first = line.split(" ", 1)[0]
    return line[0].upper() + line[1:] if first.lower() in _PLAIN_STARTS else line
