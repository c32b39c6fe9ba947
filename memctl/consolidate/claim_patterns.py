"""The ways to put a fact, as patterns over prepared words. Data.

Groups: `t` is the topic, `r` more of it, `v` the answer, `o` the answer that is turned down, `verb`
and `act` the verb. Patterns are tried in order, the more telling before the plainer. A pattern is
compiled when a text first has one of its key words, since compiling all would slow every start.
Every group is lazy and bounded, and a clause has few words, so that no text makes a pattern search
for long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memctl.text.stop_words import word_set


def _any_of(words: str) -> str:
    """The words as alternatives of a pattern."""
    return "|".join(words.split())


# Who does something, with an auxiliary; the topic, the answer, and the answer that is turned down.
_WE = (
    r"(?:(?:we|i|you|they|everybody|the team|the project|the user|everything|production) )?"
    r"(?:have |has |had |will |should |must |can )?"
)
_T = r"(?P<t>\S+(?: \S+){0,9}?)"
_V = r"(?P<v>\S+(?: \S+){0,7}?)"
_O = r"(?P<o>\S+(?: \S+){0,6}?)"
_NOT_O = (
    r"(?:(?: and)? not| instead of| rather than| over)"
    rf"(?: (?:on|in|at|with|the|use|using|for))? {_O}(?: anymore)?"
)
# What a text holds that turns an answer down.
_NOT = (" not ", " instead of ", " rather than ", " over ")
# Verbs of change.
_MOVES = _any_of(
    """changed moved switched bumped pushed postponed rescheduled raised increased decreased reduced
    cut upgraded downgraded renamed escalated migrated rewritten set extended shortened delayed
    brought promoted ported transferred slipped went gone updated lowered jumped handed relocated"""
)
_MOVED = rf"(?P<move>{_MOVES})(?: (?:back|over|up|down|forward|away))?"
_MOVE_WORDS = frozenset(_MOVES.split("|"))
_MOVE = (
    r"(?:are |am )?(?:switch|move|moving|migrate|migrating|change|changing|upgrade|upgrading|go)"
    r"(?:ing)?"
)
# What is done to a thing, what people do with it, what somebody does for it, how it stands.
_DONE = _any_of(
    """owned led handled maintained managed served built written rewritten stored kept retained
    hosted located reviewed deployed run rendered tested formatted linted covered limited capped
    exposed indented set pinned based installed logged tracked published documented monitored
    shipped released indexed cached compiled packaged generated measured validated signed"""
)
_TELLS = _any_of(
    """write store keep put indent file expose build host format lint serve run log test render
    deploy manage install review track publish document monitor ship release index cache compile
    package generate measure validate sign"""
)
_DOES = _any_of(
    "owns leads manages maintains serves builds handles runs reviews hosts formats lints does"
)
_STANDS = (
    "listens? on|runs? (?:on|in|at)|starts? (?:at|on)|starts|ends (?:at|on)|expires? (?:after|in)"
    "|lives? (?:in|at)|go(?:es)? to|takes? place (?:on|at)|points to|defaults to|binds to"
    "|works (?:at|for)|requires?|needs?|targets|uses|goes through|includes|takes|equals|becomes"
    "|became|lies? in|happens? on"
)
_BE = r"(?:is|are|was|were|has been|have been|had been|got|gets|be)"
_BY = r"(?:by|in|with|on|at|to|for|under|as)"
# Verbs of choice.
_USE = r"(?:use|uses|run|take|prefer|prefers)"
_ACTS = _any_of("use uses using prefer prefers choose chose adopt adopts avoid avoids")
_CHOSE = r"(?:decided to )?(?:go|going|went|stick|settled) (?:with|on)"
_ON = (
    r"(?:are on|is on|am on|are running|run|run on|runs on|target|use|require|requires|uses"
    r"|upgraded to|moved to|switched to|updated to)"
)

# The first words of `_STANDS`, and one word of each alternative of `_ON`.
_STAND_WORDS = word_set(
    """listen listens run runs start starts ends expire expires live lives go goes take takes points
    defaults binds works require requires need needs targets uses includes equals becomes became
    lie lies happen happens"""
)
_ON_WORDS = word_set(
    "on running run runs target use require requires uses upgraded moved switched updated"
)

# The name of each way, what a text must hold one of (a set: as a word; a tuple: anywhere), and the
# pattern.
WAYS: tuple[tuple[str, tuple[str, ...] | frozenset[str], str], ...] = (
    ("moved", (" is out ",), rf"{_O} is out {_V} replaces it(?: (?:for|as|in|on) {_T})?"),
    (
        "moved",
        _MOVE_WORDS,
        rf"{_T} (?:{_BE} )?{_MOVED}(?: from {_O})? (?:to|until|in) {_V}",
    ),
    (
        "moved",
        (" from ",),
        rf"{_WE}{_MOVED}(?: {_T})? from {_O} to {_V}(?: for (?P<r>\S+(?: \S+){{0,6}}))?",
    ),
    ("moved", _MOVE_WORDS, rf"{_WE}{_MOVED} {_T} to {_V}"),
    (
        "moved",
        (" from ",),
        rf"{_WE}{_MOVE}(?: {_T})? from {_O} to {_V}(?: for (?P<r>\S+(?: \S+){{0,6}}))?",
    ),
    (
        "moved",
        ("replace", "swap"),
        rf"{_WE}(?:replaced|swapped|replace|swap) {_O} (?:with|by|for) {_V}(?: (?:for|as"
        rf"|in) {_T})?",
    ),
    (
        "moved",
        (" replace",),
        rf"{_V} (?:has )?(?:replaces|replaced) {_O}(?: (?:for|as|in|on) {_T})?",
    ),
    (
        "took",
        (" over ",),
        rf"{_V} (?:has )?(?:took|taken|takes) over from {_O} (?:as|for|on|in) {_T}",
    ),
    ("took", (" over ",), rf"{_V} (?:has )?(?:took|taken|takes) over {_T}(?: from {_O})?"),
    ("moved", (" no longer ",), rf"{_T} (?:is|are) no longer {_O} but {_V}"),
    ("moved", (" used to be ",), rf"{_T} used to be {_O} (?:and|but)(?: it)? (?:is|are) {_V}"),
    ("dropped", (" no longer ",), rf"{_T} (?:is|are) no longer {_V}"),
    ("moved", (" anymore",), rf"{_T} (?:is|are) {_V} not {_O} anymore"),
    ("use", _NOT, rf"{_WE}{_USE} {_V}{_NOT_O} (?:for|as|to|in|when) {_T}"),
    ("use", _NOT, rf"{_WE}{_USE} {_V} (?:for|as|to|in|when) {_T}{_NOT_O}"),
    ("use", _NOT, rf"{_WE}{_USE} {_V}{_NOT_O}"),
    (
        "use",
        _NOT,
        rf"{_WE}(?:{_TELLS}|execute|start|review) {_T} (?:with|using|via|on|in) {_V}{_NOT_O}",
    ),
    ("is", _NOT, rf"{_T} (?:is|are) {_V}{_NOT_O}"),
    (
        "done",
        _NOT,
        rf"{_T} (?:is|are|was|were|must be|should be) (?P<verb>{_DONE}) {_BY} {_V}{_NOT_O}",
    ),
    (
        "done",
        frozenset(_DONE.split("|")),
        rf"{_T} (?:is|are|was|were|must be|should be) (?P<verb>{_DONE}) {_BY} {_V}",
    ),
    (
        "done",
        frozenset(_TELLS.split("|")),
        rf"{_WE}(?:always )?(?P<verb>{_TELLS}) {_T} (?:in|on|with|to|at|using|by|via|under"
        rf"|as) {_V}",
    ),
    ("done", ("use ",), rf"{_WE}use {_V} to (?P<verb>{_TELLS}) {_T}"),
    ("stands", _STAND_WORDS, rf"{_T} (?P<verb>{_STANDS}) {_V}"),
    (
        "runs",
        word_set("runs run running on"),
        r"(?P<t>\S+(?: \S+){0,5}?) (?:runs|run|is running|is on|are on|runs on|run on) "
        r"(?P<v>[a-z]\S* v?\d[\w.]*)",
    ),
    (
        "does",
        frozenset(_DOES.split("|")),
        rf"{_V} (?P<verb>{_DOES}) (?!(?:in|on|at|by|with|to|for|through) ){_T}",
    ),
    (
        "charge",
        (" in charge of ", " responsible for "),
        rf"{_V} (?:is|are) (?:in charge of|responsible for) {_T}",
    ),
    (
        "charge",
        ("ask ", "talk to "),
        rf"(?:ask|talk to) {_V} (?:about|if it touches|when it comes to) {_T}",
    ),
    ("held", (" is ", " are "), rf"{_V} (?:is|are) (?:the|our|my) {_T}"),
    ("for", (" is ",), rf"(?:it is|that is) {_V} for {_T}"),
    ("for", ("for ",), rf"for {_T} (?:it is|{_WE}use|please use|use) {_V}"),
    ("for", (" as ",), rf"{_WE}ended up with {_V} as {_T}"),
    ("for", ("planned ", "scheduled "), rf"{_WE}(?:planned|scheduled) {_T} (?:for|on) {_V}"),
    ("for", (" wrong is ",), rf"you got {_T} wrong is it is {_V}"),
    (
        "use",
        (" for ", " as "),
        rf"{_WE}(?:use|using|am using|are using|keep using|run|target|prefer|prefers|are on"
        rf"|{_CHOSE}) {_V} (?:for|as) {_T}",
    ),
    (
        "choose",
        frozenset(_ACTS.split("|")),
        rf"{_WE}(?P<r>(?:do not |not |never )?)(?:always |only |strictly )?(?P<act>{_ACTS}) (?:the "
        rf")?(?P<v>\S+)"
        rf"(?: (?:in|on|for|with|when|as|to) {_T})?",
    ),
    ("on", _ON_WORDS, rf"{_WE}{_ON} {_V}"),
    (
        "is",
        word_set("is are has have equals = was"),
        rf"{_T} (?:is|are|has been|have been|has|have|equals|=|was) {_V}",
    ),
    ("short", (" for ",), rf"{_V} for {_T}"),
)


@lru_cache(maxsize=64)
def _compile_way(place: int) -> re.Pattern[str]:
    return re.compile(f"^{WAYS[place][2]}$")


def find_readings(joined: str) -> Iterator[tuple[str, dict[str, str | None]]]:
    """Yield each way that the words can be read in, with its groups, the more telling first.

    `before` is the word in front of the answer.
    """
    words = set(joined.split())
    for place, (way, keys, _) in enumerate(WAYS):
        if isinstance(keys, frozenset):
            if keys.isdisjoint(words):
                continue
        # A list, because a generator takes longer over so few.
        elif not [key for key in keys if key in joined]:
            continue
        match = _compile_way(place).match(joined)
        if match:
            yield way, {**match.groupdict(), "before": _find_word_before(match)}


def _find_word_before(match: re.Match[str]) -> str:
    """The word in front of the answer."""
    return match.string[: match.start("v")].rstrip().rpartition(" ")[2]
