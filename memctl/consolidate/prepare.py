"""A statement made ready to be read: unwrapped, paraphrased, cut into clauses. Pure.

This is the one place that knows what people wrap a statement in: lead-ins (`note that`), reasons
(`because it scales`), asides in parentheses and closing phrases (`for now`). Every reading and
every judgement takes its text from here, so that all of them see the same sentence.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memctl.consolidate.features import Features, read_features
from memctl.consolidate.lexicon import ADDITIVE_WORDS, QUALIFIERS, UPDATE_WORDS
from memctl.consolidate.paraphrases import simplify_clause, simplify_sentence
from memctl.consolidate.words import LONGEST, split_words
from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.text.keyed_pattern import KeyedPattern

# A lead-in says nothing of what follows. The second pattern also says that something changed.
_LEAD_IN = KeyedPattern(
    "remember|note|keep in mind|forget|as always|as usual|by the way|btw|said|mentioned"
    "|discussed|agreed|announced|reminder|heads|for the record|to recap|to be clear|fyi|fact"
    "|preference|rule|convention|decision|just so we|once more|currently|right now|at the moment"
    "|please",
    r"^\W*(?:(?:please )?(?:remember|note|keep in mind|(?:don't|do not) forget)(?: that)?"
    r"|as always|as usual|by the way|btw"
    r"|(?:as|like) (?:(?:i|we) )?(?:(?:already|previously) )?"
    r"(?:said|mentioned|noted|discussed|agreed|announced)(?: (?:before|earlier|already))?"
    r"|(?:just )?(?:a )?(?:quick |small |friendly )?(?:reminder|note|heads[ -]up)"
    r"(?:(?: to (?:all|everyone))?[,:]? that)?"
    r"|for the record|to recap|to be clear|fyi|fact|preference|rule|convention|decision"
    r"|just so we're clear|once more|currently|right now|at the moment|please)\b[,:;-]?\s+",
)
_CHANGE_LEAD_IN = KeyedPattern(
    "from now on|as of |going forward|starting |no,|nope,|actually|that's |wrong,|correction"
    "|update|new rule|it turn|changed my mind",
    r"^\W*(?:from now on|as of (?:today|now)|going forward|starting (?:today|now)|no,|nope,"
    r"|actually\b|that's (?:wrong|outdated)|wrong,|correction|update|new rule"
    r"|it turned out(?: that)?|it turns out(?: that)?|i changed my mind)[,:;.-]?\s+",
)
_MOST_LEAD_INS = 4
_CLOSING = KeyedPattern(
    "remember that|fyi|as usual|as always|please|by the way|btw|for now|at the moment|here"
    "|these days|nowadays|currently",
    r"(?:,? (?:remember that|fyi|as usual|as always|please|by the way|btw|for now|at the moment"
    r"|here|these days|nowadays|currently))+\W*$",
)
_CHANGE_PHRASE = KeyedPattern(
    "from now on|these days|nowadays|starting |going forward",
    r",?\s+(?:from now on|these days|nowadays|starting (?:today|now)|going forward)\b",
)
# A reason ends with its sentence; `3.12` is no end of one.
_TO_SENTENCE_END = r"(?:[^.;!?]|[.;!?](?=\S))*"
_REASON = KeyedPattern(
    "because|since|so that|due to|in order to|given that|seeing that",
    rf",?\s(?:because|since|so that|due to|in order to|given that|seeing that)\s{_TO_SENTENCE_END}",
)
# `as it scales` is a reason; `as it is`, `the same as it was` and `as soon as it is green` are not.
_AS_REASON = KeyedPattern(
    "as it|as they|as we|as this|as there|as he|as she",
    rf",?\s(?<!same )(?<!such )as (?:it|they|we|this|there|he|she)(?:'s|\s)"
    rf"(?!\W*(?:is|are|was|were|stands?|does?|did)\W*$){_TO_SENTENCE_END}",
)
_AS_COMPARISON = KeyedPattern("as ", r"\bas \w+ as\b")
_WHICH_ASIDE = KeyedPattern("which", r",\s+which\s(?:[^,.;!?]|[.;!?,](?=\S)){1,200}(?=[,.;!?]|$),?")
_ASIDE = KeyedPattern("(", r"\([^()]{0,200}\)")

# A denial of a denial is more than the patterns read.
_TWICE_DENIED = KeyedPattern(
    "not|never|no", r"^\W*(?:not|never|no)\b.{0,12}\b(?:not|never|no|don't)\b"
)
_NOT_FIRST = KeyedPattern("not ", r"^\W*not (?P<o>[^\s,;]+(?: [^\s,;]+){0,3}),\s+")
_CLAUSE_END = compile_later(
    r"[;!?]\s+|\.\s+(?=\S)|\s[\u2014\u2013]\s|\s-\s"
    r"|,\s(?=(?:it's|it is|we|i|but|that|this|please|now)\b)"
    r"|\s(?=and (?:works?|lives?|uses?|is) )",
    re.I,
)
_NEW = KeyedPattern(" new", r"\b(?:my|our) new\b")
# `use pnpm, but only for the website`
_NARROWED = KeyedPattern("but only", r"\bbut only\b")
# The month, where it is not a permission.
_MAY = KeyedPattern("may", r"\b[Mm]ay(?= \d)|(?<=\d )[Mm]ay\b", 0)

# Words that narrow or soften a statement, or set it beside another. `only`, `all` and the order in
# time are left to the topic.
_CONDITIONS = (QUALIFIERS - {"only", "all", "every", "while", "before", "after"}) | ADDITIVE_WORDS


@dataclass(frozen=True, slots=True)
class PreparedStatement:
    """One statement as all readings see it.

    `plain` is the text without its wrappings, `clauses` its clauses in normalised words, `rejected`
    the answer that a beginning `not X,` turns down. `features` are of the whole text, since a merge
    must lose nothing; `core` are those of `plain`. `conditions` are its words of condition.
    """

    text: str
    plain: str
    clauses: tuple[str, ...]
    tokens: tuple[str, ...]
    rejected: tuple[str, ...]
    announces_change: bool
    is_twice_denied: bool
    conditions: frozenset[str]
    features: Features
    core: Features


@lru_cache(maxsize=16384)
def prepare_statement(text: str) -> PreparedStatement:
    """Unwrap a statement and cut it into clauses of normalised words."""
    plain, turned = _unwrap(text) if len(text) <= LONGEST else (text, False)
    is_twice_denied = _TWICE_DENIED.match(plain) is not None
    rejected = None if is_twice_denied else _NOT_FIRST.match(plain)
    body = _NOT_FIRST.sub("", plain, count=1) if rejected else plain
    tokens = split_words(body)
    says_new = "no longer" in text.lower() or _NEW.search(body) is not None
    return PreparedStatement(
        text=text,
        plain=plain,
        clauses=tuple(map(simplify_clause, _split_clauses(body))),
        tokens=tuple(tokens),
        rejected=tuple(split_words(rejected["o"])) if rejected else (),
        announces_change=turned or says_new or not UPDATE_WORDS.isdisjoint(tokens),
        is_twice_denied=is_twice_denied,
        conditions=_read_conditions(plain),
        features=read_features(text),
        core=read_features(plain),
    )


def _read_conditions(plain: str) -> frozenset[str]:
    conditions = _CONDITIONS.intersection(split_words(_MAY.sub(" ", plain)))
    return conditions | {"only"} if _NARROWED.search(plain) else conditions


def _unwrap(text: str) -> tuple[str, bool]:
    """The text without its wrappings, and whether one of them says that something changed."""
    text, turned = _cut_reasons(text), False
    for _ in range(_MOST_LEAD_INS):
        before = text
        text = _LEAD_IN.sub("", text, count=1)
        after = _CHANGE_LEAD_IN.sub("", text, count=1)
        turned, text = turned or after != text, after
        if text == before:
            break
    text = _ASIDE.sub(" ", simplify_sentence(text.strip()))
    after = _CHANGE_PHRASE.sub("", text)
    turned = turned or (after != text and "from now on" in text.lower())
    return _CLOSING.sub("", after), turned


def _cut_reasons(text: str) -> str:
    text = _WHICH_ASIDE.sub("", _REASON.sub("", text))
    return text if _AS_COMPARISON.search(text) else _AS_REASON.sub("", text)


def _split_clauses(text: str) -> list[str]:
    """The clauses; one that goes on with `and works` takes over the first word of the first one."""
    clauses = [clause for clause in _CLAUSE_END.split(text) if clause and clause.strip()]
    if not clauses:
        return []
    subject = clauses[0].split()[0]
    return [re.sub(r"^and\b", lambda _: subject, clause) for clause in clauses]
