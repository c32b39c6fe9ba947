"""What a table of cues of one language holds.

Each field is a list of phrases, one a line or between bars. In a phrase `*` stands for any ending
and `~` for a few words more of the same clause; case, accents, vowel points and full width do not
count, an umlaut may be typed with an e, and traditional Chinese reads like simplified.
"""

from __future__ import annotations

from memctl.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words by which statements of one language are told apart.

    `words`: what only this language has, of those in Latin letters; empty for other scripts.
    `over_before`, `reasons_before`: phrases behind what was not chosen, or behind the reason.
    """

    code: str
    words: str
    # Why a statement lasts.
    lasting: str
    always: str
    likes: str
    decides: str
    uses: str
    forbids: str
    duties: str
    remembers: str
    # Whom and what it is about: requests to the agent, how it talks and writes, all projects.
    orders: str
    manner: str
    everywhere: str
    # Why it was said, and against what.
    reasons: str
    over: str
    # What makes it one for this hour, or no statement at all.
    fleeting: str
    tasks: str
    questions: str
    hedges: str
    # What goes wrong now: `it always fails` is a complaint.
    troubles: str
    # What English has too, of small words and of a developer's: here they are no sign of English.
    shared: str = ""
    over_before: str = ""
    reasons_before: str = ""
