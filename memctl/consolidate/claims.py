"""What a statement claims, and how two statements stand to each other.

A claim is a subject, a value and a polarity, read by a few closed patterns; most statements have none. The reading leans towards silence:
two answers contradict each other only where the question has one answer at a time (see `lexicon.SLOTS`, `SINGLE_NOUNS`), in the same
room, under the same conditions. `duplicate` and `contradicts` are symmetric; `updates` points from the newer statement to the older.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from memctl.consolidate import denial, slots, typed_answers
from memctl.consolidate.answer_types import kind_of
from memctl.consolidate.claim_parser import labelled
from memctl.consolidate.duplicates import one_fact
from memctl.consolidate.lexicon import (
    ADDITIVE_WORDS,
    BOOLEAN_PAIRS,
    FILLERS,
    PARTIAL,
    QUALIFIERS,
    SINGLE_NOUNS,
    SLOTS,
    TOPICS,
    UPDATE_WORDS,
)
from memctl.consolidate.similarity import (
    DENYING,
    NEAR,
    SLOT_OF,
    canonical,
    canonical_set,
    features,
    is_identifier,
    is_number,
    is_unit,
    numbers_of,
    opposites,
    overlap,
    same_details,
    tokens_of,
)
from memctl.core.frozen import dataclass
from memctl.records.statement import Statement
from memctl.text.normalize import NEGATIONS, STOP_WORDS, normalise, word_set

Relation = Literal["duplicate", "contradicts", "updates"]
ClaimKind = Literal["slot", "choice", "value", "boolean", "named"]

_LONGEST = 400
_OPPOSITES = opposites(BOOLEAN_PAIRS)
_FILLERS, _TOPICS, _NOUNS = (
    canonical_set(FILLERS),
    canonical_set(TOPICS),
    canonical_set(SINGLE_NOUNS),
)
# `may` and `march` are verbs far more often: they count as months only beside a number.
_DOUBTFUL_MONTHS = re.compile(r"(?<!\S)(may|march) (?=\d)|(?<=\d )(may|march)(?!\S)")
_MONTHS = word_set(
    """january february april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday"""
)
_RANGE_WORDS = word_set(
    "newer older later higher lower least most minimum maximum up between about roughly around"
)

_LEAD = re.compile(
    r"^\s*(correction|update|note|decision|fact|preference|rule|convention|remember|reminder)\s*[:,-]\s+",
    re.I,
)
_REASON = re.compile(
    r"(?:[,;]?\s(?:because|since|so that|due to|as it|in order to)\s|;\s|[.!]\s+(?=\S)|\s[\u2014\u2013]\s|\s-\s).*$",
    re.I | re.S,
)
_ASIDE = re.compile(r"\([^()]{0,200}\)")

_MARKED = re.compile(r"(?:[<>=~^]{0,2}v?|p)\d")
_CHOICE_VERB = (
    "use|uses|using|prefer|prefers|choose|chose|adopt|adopts|avoid|avoids|"
    "switch|switched|migrate|migrated|move|moved|standardise|standardize"
)
_CHOICE = re.compile(
    rf"^((?:\S+ ){{0,8}}?)({_CHOICE_VERB})(?: (?:(?:\S+ ){{0,3}}?from (\S+) to|to|on|the|only))? (\S+)((?: \S+){{0,14}})$"
)
_OTHER = r"(?!(?:for|in|on|when|if) )\S+"
_CONTRAST = re.compile(
    rf" (?:(?:and |but )?not|instead of|rather than|over)(?: (?:use|using|the|with))? (?P<other>{_OTHER}(?: {_OTHER}){{0,3}} ?)"
)
_REPLACE = re.compile(
    r"^((?:\S+ ){0,6}?)(?:replace|replaced) (\S+) (?:with|by) (\S+)((?: \S+){0,8})$"
)
_COPULA = (
    "is now|are now|is no longer|are no longer|is not|are not|is|are|was changed to|was moved to|moved to|changed to|was set to|"
    "set to|pinned to|"
    "was pushed back to|pushed back to|was escalated to|was raised to|raised to|lowered to|reduced to|was upgraded to|upgraded to|"
    "now runs on|runs on|run on|listens on|listen on|binds to|defaults to|default to|"
    "lives in|live in|lives at|live at|is stored in|is located in|located in|"
    "points to|expires in|expires after|expire in|expire after|takes|take|equals|="
    "|uses|use|requires|require|targets|target"
)
_FACT = re.compile(rf"^((?:\S+ ){{0,9}}?)({_COPULA}) (\S+(?: \S+){{0,9}})$")
_SINGLE_VERBS = frozenset({"live in", "lives in", "live at", "lives at"})
_USE_VERBS = word_set("uses use requires require targets target takes take")


@dataclass(frozen=True, slots=True)
class Claim:
    """`subject` has `value` (or, with polarity False, has it not) under the conditions in `context`."""

    kind: ClaimKind
    subject: str
    value: str
    polarity: bool = True
    context: frozenset[str] = frozenset()
    rejects: frozenset[str] = frozenset()
    directive: bool = True
    update: bool = False
    additive: bool = False


def _lead_clause(text: str) -> str:
    """The first clause, without its label, its reason and its asides; `X: Y` and `X = Y` read as `X is Y`."""
    text = _ASIDE.sub(" ", _LEAD.sub("", text))
    return labelled(_REASON.sub("", text))


def _words(tokens: list[str]) -> frozenset[str]:
    """Canonical content words, negations left out."""
    kept = (
        token
        for token in tokens
        if token not in STOP_WORDS and token not in NEGATIONS and token not in UPDATE_WORDS
    )
    return frozenset(canonical(token) for token in kept)


def _key(words: frozenset[str]) -> str:
    return " ".join(sorted(words - _FILLERS))


def _is_denied(tokens: list[str]) -> bool:
    return sum(token in NEGATIONS or canonical(token) in DENYING for token in tokens) % 2 == 1


def _slots_in(tokens: list[str]) -> list[str]:
    return [canonical(token) for token in tokens if canonical(token) in SLOT_OF]


def _contrast(tail: str) -> tuple[str, list[str]]:
    """The tail without `not Z`, `instead of Z`, `over Z`, and the words of Z."""
    match = _CONTRAST.search(tail)
    if not match:
        return tail, []
    return tail[: match.start()] + " " + tail[match.end() :], match[1].split()


def _choice(joined: str, update: bool) -> Claim | None:
    """`use Y (not Z) for X`, `prefer Y over Z`, `switched from Z to Y`, `avoid Z`."""
    match = _CHOICE.match(joined)
    if not match:
        return None
    before, verb, old, value, tail = match.groups()
    rest, rejected = _contrast(tail)
    words, denied = before.split(), _is_denied([*before.split(), verb])
    rejected = [*rejected, *([old] if old else [])]
    context = _words([*words, *rest.split()]) - _FILLERS
    slot = SLOT_OF.get(canonical(value))
    if slot and not set(_slots_in(rest.split())):
        directive = verb in ("use", "prefer", "prefers", "avoid") or bool(old) or update
        rejects = frozenset(canonical(word) for word in rejected)
        return Claim(
            "slot",
            slot.name,
            canonical(value),
            not denied,
            context - _TOPICS,
            rejects,
            directive,
            update or bool(old),
        )
    if not rejected or denied:
        return None
    return Claim(
        "choice",
        "choice",
        canonical(value),
        True,
        context,
        _words(rejected),
        True,
        update or bool(old),
    )


def _replacement(joined: str) -> Claim | None:
    """`replaced Z with Y`."""
    match = _REPLACE.match(joined)
    if not match:
        return None
    before, old, value, tail = match.groups()
    slot, context = (
        SLOT_OF.get(canonical(value)),
        _words([*before.split(), *tail.split()]) - _FILLERS,
    )
    rejects = frozenset({canonical(old)})
    if slot:
        return Claim(
            "slot", slot.name, canonical(value), True, context - _TOPICS, rejects, True, True
        )
    return Claim("choice", "choice", canonical(value), True, context, rejects, True, True)


def _is_typed(token: str) -> bool:
    return (
        is_number(token)
        or token in _MONTHS
        or token.endswith("-month")
        or bool(_MARKED.match(token))
        or (is_identifier(token) and "/" in token)
    )


def _typed_value(tokens: list[str]) -> str:
    """The typed words in one writing: numbers with their units, and the rest as it stands."""
    return " ".join(
        sorted(numbers_of(tokens))
        + [token for token in tokens if _is_typed(token) and not is_number(token)]
    )


def _fact(joined: str, update: bool) -> Claim | None:
    """`X is Y`, `X runs on Y`, `default X: Y`, `Y is the X`: the subject's words against a typed, boolean or single value."""
    match = _FACT.match(joined)
    if not match:
        return None
    subject, verb, value = match[1].split(), match[2], match[3].split()
    words, polarity = _words(subject), not _is_denied([*subject, *verb.split(), *value])
    if verb in _USE_VERBS and not any(_is_typed(token) for token in value):
        return None
    update = update or verb.endswith(" to") or "now" in verb
    return (
        _slot_fact(subject, value, polarity, update)
        or _boolean_fact(words, value, polarity, update)
        or _typed_fact(words, value, polarity, update)
        or _named_fact(subject, verb, value, polarity, update)
    )


def _slot_fact(subject: list[str], value: list[str], polarity: bool, update: bool) -> Claim | None:
    """`the package manager is pnpm` and `pnpm is our package manager`."""
    for named, answer in ((subject, value), (value, subject)):
        values = _slots_in(answer)
        slot = SLOT_OF[values[0]] if len(values) == 1 else None
        topic = _words(named)
        if slot and topic and topic & _words(slot.name.split()):
            return Claim(
                "slot",
                slot.name,
                values[0],
                polarity,
                (topic | _words(answer)) - {values[0]} - _FILLERS - _TOPICS,
                update=update,
            )
    return None


def _boolean_fact(
    words: frozenset[str], value: list[str], polarity: bool, update: bool
) -> Claim | None:
    """`X is enabled`, with whatever else is said of the value as a condition."""
    said = [canonical(token) for token in value if canonical(token) in _OPPOSITES]
    if len(said) != 1 or not words or said[0] not in [canonical(token) for token in value[:2]]:
        return None
    if said[0] in ("on", "off") and value[-1] != said[0]:
        return None
    return Claim(
        "boolean", _key(words), said[0], polarity, _words(value) - {said[0]}, update=update
    )


def _typed_fact(
    words: frozenset[str], value: list[str], polarity: bool, update: bool
) -> Claim | None:
    """`the server listens on port 8080`, `Python version: 3.12`: the value is what is typed, its other words belong to the subject."""
    typed = [token for token in value if _is_typed(token)]
    rest = _words([token for token in value if not (_is_typed(token) or is_unit(token))])
    subject = (words | rest) - {"version"}
    if not typed or not subject - _FILLERS:
        return None
    loose = not _RANGE_WORDS.isdisjoint(value) or any(
        token[0] in "<>~^" or token.endswith("+") for token in typed
    )
    return Claim(
        "value",
        _key(subject) + (" range" if loose else ""),
        _typed_value(value),
        polarity,
        update=update,
    )


def _named_fact(
    subject: list[str], verb: str, value: list[str], polarity: bool, update: bool
) -> Claim | None:
    """`the default branch is main`, `Priya is the lead of payments`: only for nouns that have one value at a time."""
    nouns, said = _words(subject), _words(value)
    if verb in ("defaults to", "default to") and nouns and said:
        return Claim(
            "named", f"default {_key(nouns)}", " ".join(sorted(said)), polarity, update=False
        )
    if verb in _SINGLE_VERBS and nouns <= {"i"} and said:
        return Claim("named", "home", " ".join(sorted(said)), polarity, update=update)
    if nouns & _NOUNS and said and not said & _NOUNS and len(value) <= 4:
        return Claim(
            "named", " ".join(sorted(nouns)), " ".join(sorted(said)), polarity, update=update
        )
    if (
        said & _NOUNS
        and nouns
        and value[0] in ("the", "our", "my", "now")
        and len(subject) <= 3
        and not nouns & _NOUNS
    ):
        return Claim(
            "named", " ".join(sorted(said)), " ".join(sorted(nouns)), polarity, update=update
        )
    return None


@lru_cache(maxsize=4096)
def claim_of(statement: str, subject: str | None = None) -> Claim | None:
    """What the first clause claims, or None; a known `subject` stands in for one that the clause does not name."""
    if len(statement) > _LONGEST:
        return None
    tokens = tokens_of(_lead_clause(statement))
    if not tokens or "?" in statement[-2:]:
        return None
    update = not UPDATE_WORDS.isdisjoint(tokens_of(statement))
    joined = _DOUBTFUL_MONTHS.sub(
        lambda month: f"{month[0].strip()}-month ", " ".join(tokens)
    ).strip()
    tokens = joined.split()
    claim = (
        _replacement(joined)
        or _choice(joined, update)
        or _fact(joined, update)
        or _typed_subject(tokens, subject, update)
    )
    if claim is None:
        return None
    additive = not ADDITIVE_WORDS.isdisjoint(tokens)
    narrowed = claim.context | (QUALIFIERS & frozenset(tokens)) - {"only", "all", "every"}
    known = subject is not None and claim.kind == "value"
    return Claim(
        claim.kind,
        _key(_words(tokens_of(subject))) if known and subject else claim.subject,
        claim.value,
        claim.polarity,
        narrowed,
        claim.rejects,
        claim.directive,
        claim.update,
        additive,
    )


def _typed_subject(tokens: list[str], subject: str | None, update: bool) -> Claim | None:
    """Where the subject is known from outside, one typed value in the clause is its value."""
    typed = [token for token in tokens if _is_typed(token)]
    if subject is None or len(typed) != 1:
        return None
    return Claim(
        "value",
        _key(_words(tokens_of(subject))),
        _typed_value(tokens),
        not _is_denied(tokens),
        update=update,
    )


def _measure(claim: Claim) -> str:
    return kind_of(tuple(claim.value.split()))


def conflicts(a: Claim, b: Claim) -> bool:
    """Can the two claims not both hold?"""
    if (
        a.kind != b.kind
        or a.subject != b.subject
        or a.context != b.context
        or a.additive
        or b.additive
    ):
        return False
    if PARTIAL & a.context or (a.kind == "value" and _measure(a) != _measure(b)):
        return False
    if a.kind == "choice":
        return a.value in b.rejects or b.value in a.rejects
    if a.polarity != b.polarity:
        return a.value == b.value
    if not a.polarity or a.value == b.value:
        return False
    if a.kind == "slot":
        strict = next(slot.strict for slot in SLOTS if slot.name == a.subject)
        return strict or (a.directive and b.directive)
    if a.kind == "boolean":
        return b.value in _OPPOSITES[a.value]
    one, other = frozenset(a.value.split()), frozenset(b.value.split())
    return not (one <= other or other <= one)


def denies(a: str, b: str) -> bool:
    """Are the two one statement, once affirmed and once denied?"""
    if max(len(a), len(b)) > _LONGEST:
        return False
    if denial.contradict(a, b):
        return True
    one, other = features(a), features(b)
    return (
        (one.negations - other.negations) % 2 == 1
        and same_details(one, other)
        and overlap(one, other) >= NEAR
    )


def contradict(a: Statement, b: Statement) -> bool:
    """Can the two not both hold, in one room and under the same conditions? Episodes tell what happened and contradict nothing."""
    if a.id == b.id or a.room != b.room or "episode" in (a.type, b.type):
        return False
    if slots.excludes(a.content, b.content, one_subject=_one_subject(a, b)) or slots.other_measure(
        a.content, b.content
    ):
        return True
    if denies(a.content, b.content):
        return True
    one, other = claim_of(a.content, a.subject), claim_of(b.content, b.subject)
    return one is not None and other is not None and conflicts(one, other)


def _one_subject(a: Statement, b: Statement) -> bool:
    return bool(a.subject and b.subject and normalise(a.subject) == normalise(b.subject))


def _updates(newer: Statement, older: Statement) -> bool:
    """Does `newer` say that it changes what `older` says, and does no clock deny it?"""
    one, other = claim_of(newer.content, newer.subject), claim_of(older.content, older.subject)
    told = slots.updates(newer.content, older.content)
    if not (told or (one and one.update)):
        return False
    if newer.observed_at and older.observed_at and newer.observed_at != older.observed_at:
        return newer.observed_at > older.observed_at
    return told or other is None or not other.update


def relation_of(a: Statement, b: Statement, *, nearness: float | None = None) -> Relation | None:
    """How `a` stands to `b`; None for unrelated, for one and the same record, across rooms, and for `b updates a`.

    `nearness` is the cosine of the two texts' embeddings where it is known; without it words alone decide.
    """
    if a.id == b.id or a.room != b.room:
        return None
    if a.content == b.content or a.digest == b.digest:
        return "duplicate"
    if "episode" in (a.type, b.type):
        return None
    if slots.same(a.content, b.content):
        return "duplicate"
    if contradict(a, b):
        if _updates(a, b):
            return "contradicts" if _updates(b, a) else "updates"
        return None if _updates(b, a) else "contradicts"
    if one_fact(a.content, b.content, nearness):
        return "duplicate"
    return _by_kinship(a, b, nearness)


def _by_kinship(a: Statement, b: Statement, nearness: float | None) -> Relation | None:
    """What typed answers and nearness tell where no words do."""
    kin = typed_answers.kinship(a.content, b.content, nearness)
    if kin == "other":
        return "updates" if _updates(a, b) else None if _updates(b, a) else "contradicts"
    return "duplicate" if kin == "same" else None
