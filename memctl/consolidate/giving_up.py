"""Whether a statement says that something holds no more, or never did. Pure.

Wider than the words by which a record is retired: here a false alarm keeps two records apart.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memctl.core.lazy_pattern import compile_later

# How much of a text is searched for what is given up, in characters. Chosen by hand.
_LOOKED_AT = 2000
_DONE_AWAY = (
    r"gone|out|over|history|dead|retired|dropped|replaced|removed|banned|obsolete|outdated"
    r"|deprecated|discontinued|superseded|scrapped|cancell?ed|wrong|false|unmaintained"
)
_GIVES_UP = compile_later(
    r"\b(?:drop(?:s|ped|ping)?|ditch\w*|replac\w+|retir(?:e[ds]?|ing)|abandon\w*|swap\w*|switch\w*"
    r"|migrat\w+|outgr[eo]w\w*|supersed\w+|deprecat\w+|uninstall\w*|scrap(?:s|ped)?|axe[ds]?"
    r"|ban(?:s|ned)?|sunset|decommission\w*|discontinu\w+|cancel\w*|quit|remov(?:e[ds]?|ing)"
    r"|traded?|beats?|lost|won|stop(?:s|ped)?|forget|scratch|avoid\w*|left|leav(?:e|es|ing)"
    r"|kick\w* (?:\S+ ){0,3}?out|throw\w* (?:\S+ ){0,3}?out|threw (?:\S+ ){0,3}?out"
    r"|phas(?:e[ds]?|ing) (?:\S+ ){0,3}?out|g[eo]t(?:s|ting)? rid|giv(?:e|es|en|ing) up|gave up"
    r"|goodbye|farewell|t(?:ake[sn]?|ook) (?:over|the place)|mov(?:e[ds]?|ing) (?:over|away|off)"
    r"|(?:mov(?:e[ds]?|ing)|went|goes|go|came) (?:\S+ ){0,4}?from|in place of|instead|rather than"
    r"|in favou?r of|no longer|no more|any ?more|any ?longer|used to|former(?:ly)?"
    r"|previous(?:ly)?|until now|once was|end of life|eol|mistake|wishful|outdated|obsolete"
    r"|was(?:n['\u2019]t)?|were(?:n['\u2019]t)?|had been|turned out|never (?:worked|was|made)"
    rf"|(?:is|are|has|have|been|got|gets) (?:\w+ )?(?:{_DONE_AWAY}))\b"
    r"|(?:[,;]|\band) not\b|\b(?:it['\u2019]s|it is|that['\u2019]s) not\b|(?:^|[.;!] )not?\b"
    r"|['\u2019]s (?:gone|out|over|history|dead)\b|->|=>|\u2192",
    re.IGNORECASE,
)


@lru_cache(maxsize=16384)
def gives_something_up(text: str) -> bool:
    """Might these words say that something holds no more, or never did?"""
    return _GIVES_UP.search(text[:_LOOKED_AT]) is not None
