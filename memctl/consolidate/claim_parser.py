"""What a statement says of what: a topic, the answer to it, and the answers that it turns down. Pure.

People put one fact in many ways: `X is V`, `V is our X`, `X: V`, `for X it's V`, `X moved from O to V`, `V took over X from O`. Each way is
one pattern over the normalised words, tried in order on each clause until one fits; a statement that fits none says nothing here. The
topic is a set of canonical words, so that `log retention` and `the retention of logs` are one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memctl.consolidate import unordered_claim
from memctl.consolidate.answer_types import kind_of
from memctl.consolidate.claim_patterns import readings
from memctl.consolidate.implied_words import Topics
from memctl.consolidate.lexicon import DIETS, FILLERS, SINGLE_TOPICS, STATES
from memctl.consolidate.paraphrases import plainly
from memctl.consolidate.similarity import canonical, canonical_set, is_number, is_unit, tokens_of
from memctl.core.frozen import dataclass, replace
from memctl.text.normalize import NEGATIONS, STOP_WORDS, word_set

_LONGEST, _MOST_WORDS = 400, 30

# A denial of a denial is more than these patterns read.
_TWICE_DENIED = re.compile(r"^\W*(?:not|never|no)\b.{0,12}\b(?:not|never|no|don't)\b", re.I)
_NOT_FIRST = re.compile(r"^\W*not (?P<o>[^\s,;]+(?: [^\s,;]+){0,3}),\s+", re.I)
_LEAD = re.compile(
    r"^\W*(?:(?:please )?(?:remember|note|keep in mind|(?:don't|do not) forget)(?: that)?|as always|as usual|by the way|btw"
    r"|(?:as|like) (?:(?:i|we) )?(?:(?:already|previously) )?(?:said|mentioned|noted|discussed|agreed|announced)"
    r"(?: (?:before|earlier|already))?"
    r"|(?:just )?(?:a )?(?:quick |small |friendly )?(?:reminder|note|heads[ -]up)(?:(?: to (?:all|everyone))?[,:]? that)?"
    r"|for the record|to recap|to be clear"
    r"|fyi|fact"
    r"|preference|rule|convention|decision|just so we're clear|once more|currently|right now|at the moment|please)\b[,:;-]?\s+",
    re.I,
)
_TURN = re.compile(
    r"^\W*(?:from now on|as of (?:today|now)|going forward|starting (?:today|now)|no,|nope,|actually\b|that's (?:wrong|outdated)|wrong,"
    r"|correction|update|new rule"
    r"|it turned out(?: that)?|it turns out(?: that)?|i changed my mind)[,:;.-]?\s+",
    re.I,
)
_TAIL = re.compile(
    r"(?:,? (?:remember that|fyi|as usual|as always|please|by the way|btw|for now|at the moment|here|these days|nowadays|currently))+\W*$",
    re.I,
)
_TURNED = re.compile(
    r",?\s+(?:from now on|these days|nowadays|starting (?:today|now)|going forward)\b", re.I
)
_REASON = re.compile(r",?\s(?:because|since|so that|due to|in order to)\s.*$", re.I | re.S)
_ASIDE = re.compile(r"\([^()]{0,200}\)")
_CLAUSES = re.compile(
    r"[;!?]\s+|\.\s+(?=\S)"
    r"|\s[\u2014\u2013]\s|\s-\s|,\s(?=(?:it's|it is|we|i|but|that|this|please|now)\b)|\s(?=and (?:works?|lives?|uses?|is) )",
    re.I,
)
_COLON = re.compile(r"^([\w `*/.-]{1,60}?)\s*(?::\s|:?=\s)\s*")
_LIST = re.compile(
    r"(?:[^su]s|\b(?:key|example|pending|completed?|done|todo|next|first|second|in progress))\W*$",
    re.I,
)
_MAY = re.compile(r"(?<!\S)(may|march) (?=\d)|(?<=\d )(may|march)(?!\S)")
_NOW = re.compile(r"(?<!\S)(?:now|currently|today|already|again|still|finally|simply|here)(?!\S) ?")
_UPDATES = word_set("now anymore instead correction update changed moved switched replaced left")
_WHEN = re.compile(
    r" (?:(?:last|this|next) (?:week|month|year|quarter|sprint|night)|yesterday|recently)$"
)
_NEW = re.compile(r"\b(?:my|our) new\b", re.I)

# What is put in another way before it is read: left as it stands, right as it is read.
_PUT = tuple(
    (re.compile(rf"(?<!\S){left}(?!\S)"), right)
    for left, right in (
        ("(?:i'll|we'll|let's|i want to|we want to|i'd like to|we should|i will|we will)", ""),
        ("i'm", "i am"),
        ("we're", "we are"),
        ("it's", "it is"),
        ("we've", "we have"),
        ("i've", "i have"),
        ("that's", "that is"),
        ("(?:i|we) (?:live|reside) (?:in|at)", "home is"),
        ("my (?:new |current )?(?:home )?address is", "home is"),
        ("my (?:new )?(?:home|place) is(?: (?:in|at))?", "home is"),
        ("i (?:have )?(?:moved|relocated) to", "home moved to"),
        (
            "(?:always )?(?:reply|answer|respond|talk|speak|write to me)(?: to me| with me| me)?(?: only)? in (\\S+)(?= instead | not |$)",
            r"reply language is \1",
        ),
        (
            "(?:i|we) (?:use|prefer|like|want) the (\\S+) (theme|font|browser|terminal|plan)$",
            r"\2 is \1",
        ),
        ("belongs? to", "is owned by"),
        ("i am not allergic to", "allergy is not"),
        ("(is|are) (\\S+ \\S+) long", r"length is \2"),
        ("(is|are) (?:called|named)", r"\1"),
        ("i am allergic to", "allergy includes"),
        ("i have an? (\\S+) allergy", r"allergy includes \1"),
        ("(is|was|are|were) (?:due|scheduled|planned)(?: (?:on|by|for))?", r"deadline \1"),
        ("(?:is|are|was) reachable (?:at|under)", "address is"),
    )
)
_STRIPPED = ("ership", "ments", "ment", "ations", "ation", "ions", "ion", "ers", "er")
_FILLERS = canonical_set(FILLERS) | canonical_set(
    (
        "new",
        "it",
        "one",
        "called",
        "we",
        "i",
        "us",
        "what",
        "now",
        "still",
        "current",
        "latest",
        "suite",
        "pipeline",
    )
)
_GIVEN = word_set("home allergy address")
_PERSONAL = word_set("i my i'm i've we our")


@dataclass(frozen=True, slots=True)
class Said:
    """`topic` has the answer `value` (or, with `holds` False, has it no more) and not the answers `rejects`.

    `way` is how it was put, `verb` its verb where that is part of the question, `update` whether the words say that this is new,
    `whole` whether nothing else is said, `around` all words of the statement, `asks` the topic's words for what has one answer at a time.
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
    asks: frozenset[str] = frozenset()


def root_of(token: str) -> str:
    """The canonical word without the endings that make a noun of it: a linter lints, and linting is what it does."""
    word = canonical(token)
    for ending in _STRIPPED:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return canonical(word[: -len(ending)])
    return word


# Words for the kind of thing that a topic is, which say nothing beside its name.
_VAGUE = frozenset(
    map(
        root_of,
        (
            "platform",
            "provider",
            "tool",
            "system",
            "setting",
            "module",
            "check",
            "process",
            "value",
            "server",
            "service",
            "job",
            "command",
        ),
    )
)


_TOPICS = Topics(root_of)
# What is done with a thing, and so the name of what does it: what tracks issues is the issue tracker.
_DOINGS = frozenset(
    map(root_of, word_set("track format lint deploy release publish monitor document sign"))
)


def asked(topic: frozenset[str], kind: str) -> frozenset[str]:
    """The words of a topic that an answer of this kind does not imply."""
    return _TOPICS.question(_told(topic), kind)


# Topics that have one answer at a time.
SINGLE = frozenset(map(root_of, SINGLE_TOPICS))


def topic_of(tokens: list[str]) -> frozenset[str]:
    """The words that say which question is answered."""
    kept = (
        token
        for token in tokens
        if (token not in STOP_WORDS or token in _GIVEN)
        and token not in NEGATIONS
        and canonical(token) not in _FILLERS
    )
    return frozenset(root_of(token) for token in kept)


def _told(topic: frozenset[str]) -> frozenset[str]:
    """The topic without vague words, where it says something beside them and whose business it is."""
    named = topic - _OFFICES
    return (named - _VAGUE or named) | (topic & _OFFICES)


def _stripped(text: str) -> tuple[str, bool]:
    """The text without its lead-ins and asides, and whether one of them says that something changed."""
    text, turned = _REASON.sub("", text), False
    for _ in range(4):
        before = text
        text = _LEAD.sub("", text, count=1)
        after = _TURN.sub("", text, count=1)
        turned, text = turned or after != text, after
        if text == before:
            break
    text = _ASIDE.sub(" ", plainly(text.strip()))
    after = _TURNED.sub("", text)
    return _TAIL.sub("", after), turned or (after != text and "from now on" in text.lower())


def bare(text: str) -> str:
    """The statement without what people wrap it in."""
    return _stripped(text)[0]


def labelled(clause: str) -> str:
    """`Label: answer` as `Label is answer`, unless the label heads a list, of which each line is another item."""
    return _COLON.sub(
        lambda label: label[0] if _LIST.search(label[1]) else f"{label[1]} is ", clause
    )


def _joined(clause: str) -> str:
    joined = " ".join(tokens_of(labelled(clause)))
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
    if _TWICE_DENIED.match(plain):
        return None
    turned_down = _NOT_FIRST.match(plain)
    plain = _NOT_FIRST.sub("", plain, count=1)
    clauses = [clause for clause in _CLAUSES.split(plain) if clause and clause.strip()]
    around = topic_of(tokens_of(plain))
    update = (
        turned
        or not _UPDATES.isdisjoint(tokens_of(plain))
        or "no longer" in text.lower()
        or bool(_NEW.search(plain))
    )
    found = _diet(around, plain, update)
    for clause in _with_subjects(clauses):
        found = found or _read(_joined(clause), around, update, len(clauses) == 1)
    if found is None:
        return _in_the_bag(text, around, update)
    return (
        replace(found, rejects=tuple(tokens_of(turned_down["o"])), update=True)
        if found and turned_down
        else found
    )


def _in_the_bag(text: str, around: frozenset[str], update: bool) -> Said | None:
    """What words in no known order say: their one answer, and what else they speak of."""
    found = unordered_claim.read(tokens_of(text))
    topic = _TOPICS.question(_told(topic_of(found[2])), kind_of(found[0])) if found else frozenset()
    if found is None or not topic:
        return None
    value, rejects, _ = found
    return Said("bag", topic, value, rejects, update=update or bool(rejects), around=around)


def _with_subjects(clauses: list[str]) -> list[str]:
    """Clauses that go on with `and works` take over the first word of the first one, who it is about."""
    head = clauses[0].split()[0] if clauses and clauses[0].split() else ""
    return [re.sub(r"^and\b", lambda _: head, clause) for clause in clauses]


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
    for way, parts in readings(joined):
        found = _taken(way, parts, around, update, whole)
        if found:
            return found
    return None


def _taken(
    way: str, parts: dict[str, str | None], around: frozenset[str], update: bool, whole: bool
) -> Said | None:
    """The reading of one match; None where topic or answer is empty."""
    value, named = (
        _answer((parts.get("v") or "").split()),
        (parts.get("t") or "").split() + (parts.get("r") or "").split(),
    )
    if value[:1] == ["not"]:
        value, named = _answer(value[1:]), [*named, "not"]
    if not value or (way == "is" and len(value) > 1 and value[0].endswith("ing")):
        return None
    rejects = tuple(_answer((parts.get("o") or "").split()))
    typed, rest = _typed(value)
    verb = _verb(parts)
    spoken = topic_of([*named, *rest])
    topic = _with_office(way, _told(spoken | ({verb} & _OFFICES)))
    if root_of(verb) in _DOINGS:
        topic, verb = topic | {root_of(verb)}, ""
    topic = _TOPICS.question(topic, kind_of(tuple(typed)) if typed else "")
    if (
        not typed
        or not (topic or rejects or _is_release(typed))
        or (way == "short" and kind_of(tuple(typed)) == "word" and not topic & SINGLE)
    ):
        return None
    if way in ("on", "runs") and not _is_release(typed):
        return None
    holds = way != "dropped" and sum(token in NEGATIONS for token in named) % 2 == 0
    return Said(
        way,
        topic,
        tuple(typed),
        rejects,
        verb,
        holds,
        update or way in ("moved", "took", "dropped"),
        whole,
        around,
        spoken & SINGLE,
    )


def _with_office(way: str, topic: frozenset[str]) -> frozenset[str]:
    """Who is in charge of a thing, or took it over, owns it."""
    return topic | {_OWNS} if way in ("charge", "took") and not topic & _OFFICES else topic


def _is_release(value: list[str]) -> bool:
    """Is the answer a thing with its version (`postgres 16`), which is a question by itself?"""
    return (
        len(value) == 2
        and value[0].isalpha()
        and not _names_a_number(value[0])
        and value[1][0].isdigit()
        and not is_unit(value[1])
    )


def _verb(parts: dict[str, str | None]) -> str:
    """What is done, where that is part of the question: being called something is no doing."""
    if parts.get("move") == "rewritten":
        return canonical("write")
    verb = (parts.get("verb") or "").partition(" ")[0]
    return "" if verb in ("called", "named", "equals", "becomes", "includes") else canonical(verb)


def _answer(tokens: list[str]) -> list[str]:
    """The words of an answer without what only leads up to it."""
    while (
        tokens
        and (tokens[0] in STOP_WORDS or tokens[0] in ("also", "use", "using"))
        and len(tokens) > 1
    ):
        tokens = tokens[1:]
    return tokens


def _typed(value: list[str]) -> tuple[list[str], list[str]]:
    """The words that are the answer, and those that belong to the question (`port 8000` answers which port)."""
    kind = kind_of(tuple(value))
    if kind == "pace" and "every" in value:
        place = value.index("every")
        return value[place:], value[:place]
    if (
        kind.startswith("slot")
        and len(value) > 2
        and value[1] in ("for", "in", "on")
        and kind_of((value[0],)) == kind
    ):
        return value[:1], value[2:]
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
    own = [
        token
        for token in value
        if kind_of((token,)) == kind or is_number(token) or is_unit(token) or token in STATES
    ]
    own += [token for token in value if token not in own and kind_of((token,)) in ("date", "time")]
    kept = [token for token in value if token in own]
    return kept, [token for token in value if token not in own]


# What somebody does for a thing, and so the question who does it, however it is put.
_OFFICES = frozenset(
    map(
        root_of,
        (
            "owns",
            "leads",
            "manages",
            "maintains",
            "handles",
            "reviews",
            "formats",
            "lints",
            "boss",
            "designer",
        ),
    )
)
_OWNS = root_of("owns")


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
