"""Words that may say that something is other than it was: wide on purpose. Pure.

People say that something changed in a hundred ways, and mostly without a word such as `instead`:
`we lifted the core to C++17`, `from Monday`, `Airflow is gone`. Here a false alarm costs a remark
beside a record and no more; what takes a record out of use asks `wording` and `compare`.

The shapes were collected on three of the six files of invented slots (`slots_a` to `slots_c`, 270
slots): of their wordings of a change .82 are seen, .06 of their plain statements take one for a
change; on the other three files, which were not looked at, .77 and .08.
"""

from __future__ import annotations

from functools import lru_cache

from memctl.text.keyed_pattern import KeyedPattern

# How much of a text is searched, in characters. Chosen by hand.
_LOOKED_AT = 2000
# A moment: a day, a month, a version, `the next release`.
_MOMENT = (
    r"(?:now|today|tomorrow|yesterday|tonight|then|here|there"
    r"|(?:the |this |that |our |my |last |next |coming |first |end of )*"
    r"(?:minute|hour|day|week|month|quarter|year|sprint|milestone|phase|spring|summer|autumn|fall"
    r"|winter|season|term|release|version|build|patch|update|upgrade|redesign|launch|rollout"
    r"|migration|change|mon|tues|wednes|thurs|fri|satur|sun)s?(?:day)?\b"
    r"|jan\w*|feb\w*|mar(?:ch)?|apr\w*|may|june?|july?|aug\w*|sept?\w*|oct\w*|nov\w*|dec\w*"
    r"|v\d+(?:\.\d+)*|\d+\.\d+(?:\.\d+)?|alpha|beta)\b"
)
# What is done to a thing that is no more what it was.
_DONE = (
    r"moved|dropped|ditched|replaced|removed|retired|deprecated|decommissioned|renamed|changed"
    r"|switched|swapped|raised|lowered|lifted|cut|reduced|increased|bumped|extended|shortened"
    r"|migrated|rewritten|rebuilt|converted|upgraded|thrown|killed|closed|ended|deleted|revised"
    r"|relaxed|tightened|doubled|halved|taken over|shut|sunset|superseded|stopped"
)
# What people do who change a thing.
_DOES = (
    r"rewrote|threw|took over|went|gave up|settled|agreed|voted|decided|standardi[sz]ed|adopted"
    r"|ported|exported|reconfigured|negotiated|renegotiated|picked|chose|turned|bought into|put"
    r"|talked|tried|abandoned|quit|left|cancelled|canceled|exchanged|edited|configured|cleared"
    r"|vetoed|outgrew|reversed|flipped|trimmed|shifted|transferred|relocated|merged|split"
    r"|consolidated|reverted|rolled|installed|set"
)
_PEOPLE = (
    r"(?:we|i|they|he|she|it|team|guild|board|management|design|legal|finance|ops|[A-Z]\w+)"
    r"(?:'ve| have| has|'s)? (?:just |finally |recently |have |all |both )*"
)
_DOING = (
    r"moving|dropping|ditching|replacing|removing|retiring|renaming|changing|switching|swapping"
    r"|raising|lowering|cutting|migrating|rewriting|converting|upgrading|stopping|taking over"
)
_PAST = (
    r"(?:\w+ed|went|came|got|left|broke|lost|had|was|were|did|bought|took|cut|gave|quit|sold|grew"
    r"|began|ran)"
)
# Each shape with what a text that fits it holds one of.
_SHAPES = tuple(
    KeyedPattern(keys, shape)
    for keys, shape in (
        # when it begins or ended
        (
            "from |starting |beginning |effective |as of |until |till |since |after ",
            rf"\b(?:from|starting|beginning|effective|as of|as from|until|till|since|after)"
            rf" (?:with |on |in )?{_MOMENT}",
        ),
        ("from |since ", r"\b(?:from|since) [^,.;!?]{1,40}? on(?:wards?)?\b"),
        ("on, |on: |onward", r"\bon(?:wards?)?[,:] "),
        # why it changed
        (
            "since |after |now that |because |as ",
            rf"\b(?:since|after|now that|because|as) (?:the|we|i|they|our|my|it|that|an?)\b"
            rf"[^,.;]{{0,60}}?\b{_PAST}\b",
        ),
        (
            "didn|doesn|couldn't|wasn't|weren't|isn|won't|failed|annoyed|complained|bit me|wrong"
            "|too ",
            r"\b(?:didn['’]t|doesn['’]t|couldn't|wasn't|weren't|isn['’]t|won't|failed|annoyed"
            r"|complained|bit me|wrong|too \w+)\b[^.]{0,40}?(?:[,;]|\bso\b|\bhence\b|\bthus\b"
            r"|\btherefore\b)",
        ),
        ("hence|thus|therefore", r"\b(?:hence|thus|therefore)\b"),
        # what it was before
        (
            "no longer|no more|any more|anymore|used to|former|previously|back then|until now"
            "|so far|instead|rather than|in place of",
            r"\bno (?:longer|more)\b|\bany ?more\b|\bused to\b|\bformer(?:ly)?\b|\bpreviously\b"
            r"|\bback then\b|\buntil now\b|\bso far\b|\binstead\b|\brather than\b|\bin place of\b",
        ),
        ("old", r"\bthe old\b|\bold \w+ (?:is|was|are|were)\b"),
        # that it is so by now
        (
            "these days|now|currently|meanwhile|recently|lately|again|already|finally|after all",
            r"\b(?:these days|nowadays|now|by now|currently|meanwhile|recently|lately|again"
            r"|already|finally|after all)\b",
        ),
        (" new", r"\b(?:my|our|the) new\b"),
        # what was done
        (
            "gone|over|out|off|dead|history|retired|deprecated|obsolete|unmaintained"
            "|in,|in.|in:|in;",
            r"\b(?:is|are|'s|'re)\s(?:now |all |just |being )*(?:gone|over|out|off|dead|history"
            r"|retired|deprecated|obsolete|outdated|unmaintained|in(?=[,.:;]))\b",
        ),
        (
            f"gone|over|out|off|done|dead|{_DONE}",
            rf"\b(?:was|were|been|being|got|has|have|had|'ve)\s(?:now |all |just |finally |been "
            rf"|being )*(?:gone|over|out|off|done|dead|{_DONE})\b",
        ),
        (f"{_DONE}|{_DOES}".replace("[sz]ed", ""), rf"\b{_PEOPLE}(?:{_DONE}|{_DOES})\b"),
        (_DOING, rf"\b(?:is|are|'re|'m|am|started|start|by) (?:{_DOING})\b"),
        (
            "move|switch|change|migrate|goe|went|swapped|raised|lowered|reduced|increased|bumped"
            "|shifted|slid|grew|rose|fell|dropped|extended|shortened|lifted",
            r"\b(?:moved?|switch(?:ed)?|changed?|migrated?|goes?|went|swapped|raised|lowered"
            r"|reduced|increased|bumped|shifted|slid|grew|rose|fell|dropped|extended|shortened"
            r"|lifted) (?:over |up |down |away |back )?(?:to|from|off)\b",
        ),
        (
            "took over|gave up|turned out|replac|supersed",
            r"\btook over\b|\bgave up\b|\bturned out\b|\breplac\w+|\bsupersed\w+",
        ),
        # what is to be left
        (
            "new|update|correction|change|switch|stop|forget|scratch|no,|nope|actually",
            r"(?:^|[.!?;:] |- )(?:new|update|correction|change|changed|changes|switch|stop|forget"
            r"|scratch|please stop|no,|nope|actually)\b",
        ),
        ("forget|stop", r"\bforget (?:about )?\b|\bstop \w+ing\b|\bstopped\b"),
    )
)


@lru_cache(maxsize=16384)
def may_announce_change(text: str) -> bool:
    """Might these words say that something is other than it was?"""
    looked_at = text[:_LOOKED_AT]
    return any(shape.search(looked_at) for shape in _SHAPES)
