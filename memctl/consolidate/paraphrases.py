"""Turn phrases into plain words before they are read. Pure.

`Port: 80 -> 90` becomes `Port changed from 80 to 90`; `90, not 80, is the port` becomes `not 80, 90
is the port`. What fits no phrase stays as it is. Every part is bounded, so that no text makes a
pattern search for long.
"""

from __future__ import annotations

import re

from memctl.consolidate.words import split_words
from memctl.core.lazy_pattern import compile_later
from memctl.text.keyed_pattern import may_hold
from memctl.text.stop_words import word_set

_LONGEST = 400
_T = r"(?P<t>[^\s:]\S*(?: \S+){0,7}?)"
_V = r"(?P<v>\S+(?: \S+){0,6}?)"
_O = r"(?P<o>\S+(?: \S+){0,4}?)"
_ARROW = r" ?(?:-{1,2}>|=>|\u2192) ?"
_ARROWS = ("->", "=>", "\u2192")
_CHANGED = r"(?:changed|updated|moved|switched|replaced|bumped)"
_CHANGE = "raise|lower|bump|increase|decrease|reduce|extend|shorten|upgrade|downgrade|rename|change"
_DOINGS = "deploy|test|build|release|publish|ship|lint|format"
_USE = (
    r"(?:(?:we|i|you|it|it's|that's|now|please|just|use|used|are|is|on|using|with|go|going|went"
    r"|to) ){0,6}"
)

# What a phrase holds one of, in lower case, its pattern, and how it is read.
_CHANGE_PHRASES = tuple(
    (keys, compile_later(rf"^{pattern}\W*$", re.I), put)
    for keys, pattern, put in (
        (
            _ARROWS,
            rf"(?:{_CHANGED} |change |update )?(?:the |our )?{_T}(?::| from) {_O}{_ARROW}{_V}",
            r"\g<t> changed from \g<o> to \g<v>",
        ),
        (_ARROWS, rf"{_T}{_ARROW}{_V}", r"\g<t> changed to \g<v>"),
        (
            ("no longer", "don't", "do not", "stopped", "quit"),
            rf"(?:we |i )?(?:no longer|don't|do not|stopped|quit) (?:use|using) {_O} (?:for"
            rf"|as) {_T}[;,.] {_USE}{_V}(?: instead)?",
            r"\g<t> changed from \g<o> to \g<v>",
        ),
        (
            ("changed", "updated", "moved", "switched", "replaced", "bumped"),
            rf"{_T} (?:got|was|were|has been|have been|is|are) {_CHANGED}[,;.:]? (?:it's|it is|now"
            rf"|it's now|it is now|we use|use) {_V}",
            r"\g<t> changed to \g<v>",
        ),
        (
            ("is what ",),
            r"(?P<v>\S+(?: \S+){0,3}?) is what (?:we|i|they) (?:all )?(?:use|run|target|want|need"
            r"|deploy|build with)",
            r"we use \g<v>",
        ),
        (
            ("is required", "is needed", "is in use", "is our target"),
            r"(?P<v>[a-z]\S* v?\d[\w.]*) is (?:required|needed|in use|our target)",
            r"we use \g<v>",
        ),
        (
            (" from ",),
            rf"(?:please |let's |we should )?(?:{_CHANGE}) (?:the |our )?{_T} from {_O} to {_V}",
            r"\g<t> changed from \g<o> to \g<v>",
        ),
        (
            tuple(_CHANGE.split("|")),
            rf"(?:please |let's |we should )?(?:{_CHANGE}) (?:the |our )?{_T} to {_V}",
            r"\g<t> changed to \g<v>",
        ),
        (
            tuple(_DOINGS.split("|")),
            rf"(?:we |please )?(?P<t>{_DOINGS}) (?:with|using|via|by running) {_V}",
            r"\g<t> command is \g<v>",
        ),
        (
            tuple(_DOINGS.split("|")),
            rf"to (?P<t>{_DOINGS})(?: [^,]{{1,40}})?, (?:please )?(?:run|use|call) {_V}",
            r"\g<t> command is \g<v>",
        ),
    )
)
_WAS = compile_later(
    r"\((?:was|were|previously|formerly|not|instead of|used to be|no longer):? "
    r"(?P<o>[^()]{1,60})\)\W*$",
    re.I,
)
_GONE = compile_later(
    r"^(?:forget(?: about)? (?P<o>[^\s,;]+(?: [^\s,;]+){0,3}?)|(?:no more|goodbye|bye) "
    r"(?P<p>[^\s,;]+(?: [^\s,;]+){0,3}?)"
    r"|(?P<q>[^\s,;]+(?: [^\s,;]+){0,3}?) (?:is|are) (?:out|gone|history|dead|retired))[;,.:] "
    r"(?:and |but )?(?P<rest>\S.*)$",
    re.I | re.S,
)
_ASIDE_NOT = compile_later(
    r"^(?P<v>[^,]{1,60}), (?:and )?not (?P<o>[^,]{1,60}), (?P<rest>(?:is|are) .{1,100})$", re.I
)
_LABEL = compile_later(r"^([\w `*/.-]{1,60}?)\s*(?::\s|:?=\s)\s*")
# A label that heads a list, of which each line is another item.
_LIST_LABEL = compile_later(
    r"(?:[^su]s|\b(?:key|example|pending|completed?|done|todo|next|first|second|in progress))\W*$",
    re.I,
)
# `may` and `march` are verbs far more often: they count as months only beside a number.
_MONTH = compile_later(r"(?<!\S)(may|march) (?=\d)|(?<=\d )(may|march)(?!\S)")
_ADVERBS = word_set("now currently today already again still finally simply here")
_ADVERB = compile_later(rf"(?<!\S)(?:{'|'.join(sorted(_ADVERBS))})(?!\S) ?")
_WHEN = compile_later(
    r" (?:(?:last|this|next) (?:week|month|year|quarter|sprint|night)|yesterday|recently)$"
)

_WHEN_ENDS = ("week", "month", "year", "quarter", "sprint", "night", "yesterday", "recently")
# What `_ASIDE_NOT` and `_GONE` hold one of.
_NOT_KEYS = (", not ", ", and not ")
_GONE_KEYS = ("forget", "no more", "bye", "out", "gone", "history", "dead", "retired")

# What is put in another way before it is read: what it holds one of (looking for that costs less
# than trying the pattern), how it stands, how it is read.
_CLAUSE_PHRASES = tuple(
    (keys, compile_later(rf"(?<!\S){left}(?!\S)"), right)
    for keys, left, right in (
        (
            ("i'll", "we'll", "let's", "want to", "i'd like to", "we should", "i will", "we will"),
            "(?:i'll|we'll|let's|i want to|we want to|i'd like to|we should|i will|we will)",
            "",
        ),
        (("i'm",), "i'm", "i am"),
        (("we're",), "we're", "we are"),
        (("it's",), "it's", "it is"),
        (("we've",), "we've", "we have"),
        (("i've",), "i've", "i have"),
        (("that's",), "that's", "that is"),
        (("live", "reside"), "(?:i|we) (?:live|reside) (?:in|at)", "home is"),
        (("address is",), "my (?:new |current )?(?:home )?address is", "home is"),
        (("home is", "place is"), "my (?:new )?(?:home|place) is(?: (?:in|at))?", "home is"),
        (("moved to", "relocated to"), "i (?:have )?(?:moved|relocated) to", "home moved to"),
        (
            ("reply", "answer", "respond", "talk", "speak", "write to me"),
            "(?:always )?(?:reply|answer|respond|talk|speak|write to me)(?: to me| with me| "
            "me)?(?: only)? in (\\S+)(?= instead | not |$)",
            r"reply language is \1",
        ),
        (
            ("theme", "font", "browser", "terminal", "plan"),
            "(?:i|we) (?:use|prefer|like|want) the (\\S+) (theme|font|browser|terminal|plan)$",
            r"\2 is \1",
        ),
        (("belong",), "belongs? to", "is owned by"),
        (("allergic",), "i am not allergic to", "allergy is not"),
        (("long",), "(is|are) (\\S+ \\S+) long", r"length is \2"),
        (("called", "named"), "(is|are) (?:called|named)", r"\1"),
        (("allergic",), "i am allergic to", "allergy includes"),
        (("allergy",), "i have an? (\\S+) allergy", r"allergy includes \1"),
        (
            ("due", "scheduled", "planned"),
            "(is|was|are|were) (?:due|scheduled|planned)(?: (?:on|by|for))?",
            r"deadline \1",
        ),
        (("reachable",), "(?:is|are|was) reachable (?:at|under)", "address is"),
    )
)


def simplify_sentence(text: str) -> str:
    """The text as a plain sentence, if it is a known phrase of change."""
    if len(text) > _LONGEST:
        return text
    if "(" in text:
        text = _WAS.sub(lambda was: f"instead of {was['o']}", text)
    if may_hold(text, _NOT_KEYS):
        text = _ASIDE_NOT.sub(r"not \g<o>, \g<v> \g<rest>", text)
    if may_hold(text, _GONE_KEYS):
        text = _GONE.sub(
            lambda gone: f"not {gone['o'] or gone['p'] or gone['q']}, {gone['rest']}", text
        )
    for keys, pattern, put in _CHANGE_PHRASES:
        found = pattern.match(text) if may_hold(text, keys) else None
        if found:
            return found.expand(put)
    return text


def simplify_clause(clause: str) -> str:
    """The normalised words of a clause in plain terms.

    Contractions are spelt out and adverbs of time left out.
    """
    joined = " ".join(split_words(read_label(clause)))
    if "may" in joined or "march" in joined:
        joined = _MONTH.sub(lambda month: f"{month[0].strip()}-month ", joined)
    joined = joined.strip()
    for keys, pattern, put in _CLAUSE_PHRASES:
        if [key for key in keys if key in joined]:
            joined = pattern.sub(put, joined)
    if not _ADVERBS.isdisjoint(joined.split()):
        joined = _ADVERB.sub("", joined)
    joined = joined.strip()
    return _WHEN.sub("", joined) if joined.endswith(_WHEN_ENDS) else joined


def read_label(clause: str) -> str:
    """`Label: answer` as `Label is answer`, unless the label heads a list."""
    if ":" not in clause and "=" not in clause:
        return clause
    return _LABEL.sub(
        lambda label: label[0] if _LIST_LABEL.search(label[1]) else f"{label[1]} is ", clause
    )
