"""What a statement says of what: a topic, the answer to it, and the answers that it turns down. Pure.

People put one fact in many ways: `X is V`, `V is our X`, `X: V`, `for X it's V`, `X moved from O to V`, `V took over X from O`. Each way is
one pattern over the normalised words, tried in order on each clause until one fits; a statement that fits none says nothing here. The
topic is a set of canonical words, so that `log retention` and `the retention of logs` are one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memctl.consolidate.lexicon import DIETS, FILLERS, STATES
from memctl.consolidate.similar import canonical, canonical_set, is_number, is_unit, tokens_of
from memctl.consolidate.text import NEGATIONS, STOP_WORDS, word_set
from memctl.consolidate.values import kind_of
from memctl.data import dataclass

_LONGEST, _MOST_WORDS = 400, 30

_LEAD = re.compile(
    r"^\W*(?:(?:please )?(?:remember|note|keep in mind|(?:don't|do not) forget)(?: that)?|as i said|as always|as usual|by the way|btw|fyi|reminder|fact"
    r"|preference|rule|convention|decision|just so we're clear|once more|currently|right now|at the moment|please)\b[,:;-]?\s+",
    re.I,
)
_TURN = re.compile(
    r"^\W*(?:from now on|as of (?:today|now)|going forward|starting (?:today|now)|no,|nope,|actually\b|that's (?:wrong|outdated)|wrong,|correction|update|new rule"
    r"|it turned out(?: that)?|it turns out(?: that)?|i changed my mind)[,:;.-]?\s+",
    re.I,
)
_TAIL = re.compile(
    r"(?:,? (?:remember that|fyi|as usual|as always|please|by the way|btw|for now|at the moment|here|these days|nowadays|currently))+\W*$",
    re.I,
)
_TURNED = re.compile(r",?\s+(?:from now on|these days|nowadays|starting (?:today|now)|going forward)\b", re.I)
_REASON = re.compile(r",?\s(?:because|since|so that|due to|in order to)\s.*$", re.I | re.S)
_ASIDE = re.compile(r"\([^()]{0,200}\)")
_CLAUSES = re.compile(
    r"[;!?]\s+|\.\s+(?=\S)|\s[\u2014\u2013]\s|\s-\s|,\s(?=(?:it's|it is|we|i|but|that|this|please|now)\b)|\s(?=and (?:works?|lives?|uses?|is) )",
    re.I,
)
_COLON = re.compile(r"^([\w `*/.-]{1,60}?)\s*(?::\s|:?=\s)\s*")
_MAY = re.compile(r"(?<!\S)(may|march) (?=\d)|(?<=\d )(may|march)(?!\S)")
_NOW = re.compile(r"(?<!\S)(?:now|currently|today|already|again|still|finally|simply|just|here)(?!\S) ?")
_UPDATES = word_set("now anymore instead correction update changed moved switched replaced left")
_WHEN = re.compile(r" (?:(?:last|this|next) (?:week|month|year|quarter|sprint|night)|yesterday|recently)$")
_NEW = re.compile(r"\b(?:my|our) new\b", re.I)

# What is put in another way before it is read: left as it stands, right as it is read.
_PUT = tuple(
    (re.compile(rf"(?<!\S){left}(?!\S)"), right)
    for left, right in (
        ("i'm", "i am"), ("we're", "we are"), ("it's", "it is"), ("we've", "we have"), ("i've", "i have"), ("that's", "that is"),
        ("(?:i|we) (?:live|reside) (?:in|at)", "home is"), ("my (?:new |current )?(?:home )?address is", "home is"),
        ("my (?:new )?(?:home|place) is(?: (?:in|at))?", "home is"),
        ("i (?:have )?(?:moved|relocated) to", "home moved to"),
        ("i am allergic to", "allergy includes"), ("i have an? (\\S+) allergy", r"allergy includes \1"),
        ("(is|was|are|were) (?:due|scheduled|planned)(?: (?:on|by|for))?", r"deadline \1"),
        ("(?:is|are|was) reachable (?:at|under)", "address is"),
    )
)  # fmt: skip
_WE = r"(?:(?:we|i|you|they|everybody|the team|the project|the user|everything) )?(?:have |has |had |will |should |must |can )?"
_T, _V, _O, _R = r"(?P<t>\S+(?: \S+){0,9}?)", r"(?P<v>\S+(?: \S+){0,7}?)", r"(?P<o>\S+(?: \S+){0,6}?)", r"(?P<t>\S+(?: \S+){0,7}?)"
_MOVED = (
    r"(?P<move>changed|moved|switched|bumped|pushed|postponed|rescheduled|raised|lowered|increased|decreased|reduced|cut|upgraded|downgraded"
    r"|renamed|escalated|migrated|rewritten|set|extended|shortened|delayed|brought|promoted|ported|transferred|slipped)(?: (?:back|over|up|down|forward|away))?"
)
_BE = r"(?:is|are|was|were|has been|have been|had been|got|gets|be)"
_NOT_O = rf"(?:(?: and)? not| instead of| rather than| over)(?: (?:on|in|at|with|the|use|using|for))? {_O}(?: anymore)?"
_DONE = (
    r"owned|led|handled|maintained|managed|served|built|written|rewritten|stored|kept|retained|hosted|located|reviewed|deployed|run|rendered|tested|formatted"
    r"|linted|covered|limited|set|pinned|called|named|based"
)
_TELLS = "write|store|keep|put|build|host|format|lint|serve|run|log|test|render|deploy|manage|install"
_DOES = r"owns|leads|manages|maintains|serves|builds|handles|runs|reviews|hosts|formats|lints|does"
_STANDS = (
    r"listens on|listen on|runs on|run on|runs in|run in|runs at|run at|starts at|starts on|starts|ends at|ends on|expires after|expires in|expire after|expire in|lives in|lives at"
    r"|live in|live at|goes to|go to|takes place on|take place on|takes place at|points to|defaults to|binds to|works at|works for|requires|targets|uses|goes through|includes"
    r"|takes|equals|becomes|lies in|lie in|happens on|happen on"
)
_WAYS = tuple(
    (name, re.compile(rf"^{pattern}$"))
    for name, pattern in (
        ("moved", rf"{_T} (?:{_BE} )?{_MOVED}(?: from {_O})?(?: (?:to|until|in) {_V})"),
        ("moved", rf"{_WE}{_MOVED}(?: {_T})?(?: from {_O}) to {_V}(?: for (?P<r>\S+(?: \S+){{0,6}}))?"),
        ("moved", rf"{_WE}{_MOVED} {_T} to {_V}"),
        ("moved", rf"{_WE}(?:replaced|swapped|replace|swap) {_O} (?:with|by|for) {_V}(?: (?:for|as|in) {_T})?"),
        ("moved", rf"{_V} (?:has )?(?:replaces|replaced) {_O}(?: (?:for|as|in|on) {_T})?"),
        ("moved", rf"{_V} (?:has )?(?:took|taken|takes) over from {_O} (?:as|for|on|in) {_T}"),
        ("moved", rf"{_V} (?:has )?(?:took|taken|takes) over {_T}(?: from {_O})?"),
        ("moved", rf"{_T} (?:is|are) no longer {_O} but {_V}"),
        ("dropped", rf"{_T} (?:is|are) no longer {_V}"),
        ("moved", rf"{_T} (?:is|are) {_V},? not {_O} anymore"),
        ("use", rf"{_WE}(?:use|uses|run|take|prefer|prefers) {_V}{_NOT_O} (?:for|as|to|in|when) {_T}"),
        ("use", rf"{_WE}(?:use|uses|run|take|prefer|prefers) {_V} (?:for|as|to|in|when) {_T}{_NOT_O}"),
        ("use", rf"{_WE}(?:use|uses|run|take|prefer|prefers) {_V}{_NOT_O}"),
        ("use", rf"{_WE}(?:run|execute|start|build|format|lint|install|write|deploy|review) {_T} (?:with|using|via|on|in) {_V}{_NOT_O}"),
        ("is", rf"{_T} (?:is|are) {_V}{_NOT_O}"),
        ("done", rf"{_T} (?:is|are|was|were|must be|should be) (?P<verb>{_DONE}) (?:by|in|with|on|at|to|for|under) {_V}{_NOT_O}"),
        ("done", rf"{_T} (?:is|are|was|were|must be|should be) (?P<verb>{_DONE}) (?:by|in|with|on|at|to|for|under) {_V}"),
        ("done", rf"{_WE}(?:always )?(?P<verb>{_TELLS}) {_T} (?:in|on|with|to|at|using|by|via|under) {_V}"),
        ("done", rf"{_WE}use {_V} to (?P<verb>{_TELLS}) {_T}"),
        ("does", rf"{_V} (?P<verb>{_DOES}) (?!(?:in|on|at|by|with|to|for|through) ){_T}"),
        ("held", rf"{_V} (?:is|are) (?:the|our|my|in charge of|responsible for) {_T}"),
        ("for", rf"(?:it is|that is) {_V} for {_T}"),
        ("for", rf"for {_T} (?:it is|{_WE}use|please use|use) {_V}"),
        ("use", rf"{_WE}(?:use|using|am using|are using|run|target|prefer|prefers|go with|are on) {_V} (?:for|as) {_T}"),
        ("stands", rf"{_T} (?P<verb>{_STANDS}) {_V}"),
        ("is", rf"{_T} (?:is|are|has been|have been|has|have|equals|=|was) {_V}"),
        ("short", rf"{_V} for {_T}"),
    )
)  # fmt: skip
_STRIPPED = ("ership", "ments", "ment", "ations", "ation", "ions", "ion", "ers", "er")
_FILLERS = canonical_set(FILLERS) | canonical_set(
    ("new", "it", "one", "called", "we", "i", "us", "what", "now", "still", "current", "latest", "suite", "pipeline")
)
_GIVEN = word_set("home allergy address")
_PERSONAL = word_set("i my i'm i've we our")


@dataclass(frozen=True, slots=True)
class Said:
    """`topic` has the answer `value` (or, with `holds` False, has it no more) and not the answers `rejects`.

    `way` is how it was put, `verb` its verb where that is part of the question, `update` whether the words say that this is new,
    `whole` whether nothing else is said, `around` all words of the statement.
    """

    way: str
    topic: frozenset[str]
    value: tuple[str, ...]
    rejects: tuple[str, ...] = ()
    verb: str = ""
    holds: bool = True
    update: bool = False
    whole: bool = True
    around: frozenset[str] = frozenset()


def root_of(token: str) -> str:
    """The canonical word without the endings that make a noun of it: a linter lints, and linting is what it does."""
    word = canonical(token)
    for ending in _STRIPPED:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return canonical(word[: -len(ending)])
    return word


def topic_of(tokens: list[str]) -> frozenset[str]:
    """The words that say which question is answered."""
    kept = (
        token
        for token in tokens
        if (token not in STOP_WORDS or token in _GIVEN) and token not in NEGATIONS and canonical(token) not in _FILLERS
    )
    return frozenset(root_of(token) for token in kept)


def _stripped(text: str) -> tuple[str, bool]:
    """The text without its lead-ins and asides, and whether one of them says that something changed."""
    text, turned = _REASON.sub("", _ASIDE.sub(" ", text)), False
    for _ in range(4):
        before = text
        text = _LEAD.sub("", text, count=1)
        after = _TURN.sub("", text, count=1)
        turned, text = turned or after != text, after
        if text == before:
            break
    after = _TURNED.sub("", text)
    return _TAIL.sub("", after), turned or (after != text and "from now on" in text.lower())


def _joined(clause: str) -> str:
    joined = " ".join(tokens_of(_COLON.sub(r"\1 is ", clause)))
    joined = _MAY.sub(lambda month: f"{month[0].strip()}-month ", joined).strip()
    for pattern, put in _PUT:
        joined = pattern.sub(put, joined)
    return _WHEN.sub("", _NOW.sub("", joined).strip())


@lru_cache(maxsize=4096)
def said(text: str) -> Said | None:
    """What the first clause that fits a pattern says, or None; a question says nothing."""
    if len(text) > _LONGEST or "?" in text[-2:]:
        return None
    plain, turned = _stripped(text)
    clauses = [clause for clause in _CLAUSES.split(plain) if clause and clause.strip()]
    around = topic_of(tokens_of(plain))
    update = turned or not _UPDATES.isdisjoint(tokens_of(plain)) or "no longer" in text.lower() or bool(_NEW.search(plain))
    found = _diet(around, plain, update)
    for clause in _with_subjects(clauses):
        found = found or _read(_joined(clause), around, update, len(clauses) == 1)
    return found


def _with_subjects(clauses: list[str]) -> list[str]:
    """Clauses that go on with `and works` take over the first word of the first one, who it is about."""
    head = clauses[0].split()[0] if clauses and clauses[0].split() else ""
    return [re.sub(r"^and\b", head, clause) for clause in clauses]


def _diet(around: frozenset[str], plain: str, update: bool) -> Said | None:
    """`pescatarian is fine again`: what somebody eats, named in passing."""
    tokens = tokens_of(plain)
    named = [token for token in tokens if token in DIETS]
    if len(named) != 1 or _PERSONAL.isdisjoint(tokens):
        return None
    return Said("is", frozenset({"diet"}), (named[0],), update=update, whole=False, around=around)


def _read(joined: str, around: frozenset[str], update: bool, whole: bool) -> Said | None:
    if joined.count(" ") >= _MOST_WORDS:
        return None
    for way, pattern in _WAYS:
        match = pattern.match(joined)
        found = match and _taken(way, match.groupdict(), around, update, whole)
        if found:
            return found
    return None


def _taken(way: str, parts: dict[str, str | None], around: frozenset[str], update: bool, whole: bool) -> Said | None:
    """The reading of one match; None where topic or answer is empty."""
    value = _answer((parts.get("v") or "").split())
    named = (parts.get("t") or "").split() + (parts.get("r") or "").split()
    verb = _verb(parts)
    if value[:1] == ["not"]:
        value, named = _answer(value[1:]), [*named, "not"]
    rejects = tuple(_answer((parts.get("o") or "").split()))
    if not value:
        return None
    typed, rest = _typed(value)
    topic = topic_of([*named, *rest]) | ({verb} & _OFFICES)
    holds = way != "dropped" and not _denied(named)
    if way == "is" and len(value) > 1 and value[0].endswith("ing"):
        return None
    if not typed or not (topic or rejects) or (way == "short" and kind_of(tuple(typed)) == "word"):
        return None
    changed = update or way in ("moved", "dropped")
    return Said(way, topic, tuple(typed), rejects, verb, holds, changed, whole, around)


def _verb(parts: dict[str, str | None]) -> str:
    """What is done, where that is part of the question: being called something is no doing."""
    if parts.get("move") == "rewritten":
        return canonical("write")
    verb = (parts.get("verb") or "").partition(" ")[0]
    return "" if verb in ("called", "named", "equals", "becomes", "includes") else canonical(verb)


def _denied(tokens: list[str]) -> bool:
    return any(token in NEGATIONS for token in tokens)


def _answer(tokens: list[str]) -> list[str]:
    """The words of an answer without what only leads up to it."""
    while tokens and (tokens[0] in STOP_WORDS or tokens[0] in ("also", "use", "using")) and len(tokens) > 1:
        tokens = tokens[1:]
    return tokens


def _typed(value: list[str]) -> tuple[list[str], list[str]]:
    """The words that are the answer, and those that belong to the question (`port 8000` answers which port)."""
    kind = kind_of(tuple(value))
    if kind == "pace" and "every" in value:
        place = value.index("every")
        return value[place:], value[:place]
    if kind == "state" and value[0] in ("blocked", "waiting", "pending"):
        return value[:1], []
    if not kind.startswith(("number", "priority", "path", "region", "state", "time", "date")):
        return value, []
    if (
        kind.startswith("number")
        and len(value) > 1
        and value[0].isalpha()
        and not is_unit(value[0])
        and is_number(value[1])
        and len(value) == 2
    ):
        return (value, []) if not _names_a_number(value[0]) else (value[1:], value[:1])
    own = [token for token in value if kind_of((token,)) == kind or is_number(token) or is_unit(token) or token in STATES]
    own += [token for token in value if token not in own and kind_of((token,)) in ("date", "time")]
    kept = [token for token in value if token in own]
    return kept, [token for token in value if token not in own]


# What somebody does for a thing, and so the question who does it, however it is put.
_OFFICES = canonical_set(("owns", "leads", "manages", "maintains", "handles", "reviews", "formats", "lints"))


def _names_a_number(word: str) -> bool:
    """Is this a word for what is counted (`port 80`), rather than the name of a thing that has versions (`postgres 16`)?"""
    return canonical(word) in _COUNTED


_COUNTED = canonical_set(
    (
        "port",
        "priority",
        "level",
        "line",
        "lines",
        "limit",
        "version",
        "rate",
        "ttl",
        "least",
        "size",
        "room",
        "floor",
        "quarter",
        "sprint",
        "page",
        "week",
        "revision",
    )
)
