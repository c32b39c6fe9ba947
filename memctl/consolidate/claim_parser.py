"""What a statement claims: a topic, the answer to it, and the answers that it turns down. Pure.

People put one fact in many ways: `X is V`, `V is our X`, `X: V`, `for X it's V`, `X moved from O to
V`, `V took over X from O`. Each way is one pattern over the prepared words, tried in order on each
clause until one fits. A statement that fits none may still hold one answer that looks like one, and
is then read in any order. `parse_claim` is the only reading of a statement: every judgement takes
its result.
"""

from __future__ import annotations

from functools import lru_cache

from memctl.consolidate.answer_spans import MANY, find_answers, read_unordered
from memctl.consolidate.answers import (
    classify_answer,
    is_release,
    reduce_answer,
    split_answer,
    trim_answer,
)
from memctl.consolidate.claim_patterns import find_readings
from memctl.consolidate.lexicon import DIETS, QUESTION_FILLERS, SLOTS
from memctl.consolidate.prepare import PreparedStatement, prepare_statement
from memctl.consolidate.questions import Question, read_question
from memctl.consolidate.topics import (
    OFFICES,
    OWNS,
    PURPOSES,
    SINGLE,
    drop_implied_words,
    drop_vague_words,
    find_slot_topic,
    to_topic,
)
from memctl.consolidate.words import split_words, to_canonical, to_root
from memctl.core.frozen import dataclass, replace
from memctl.text.stop_words import COMPARISON_STOP_WORDS, NEGATIONS, word_set

# Longer statements and longer clauses claim nothing: characters, words. Chosen by hand.
_LONGEST = 400
_MOST_WORDS = 30

_STRICT_SLOTS = frozenset(slot.name for slot in SLOTS if slot.strict)
_PERSONAL = word_set("i my i'm i've we our")
# Verbs that direct: of an editor or a shell, of which people keep several, only they claim one.
_DIRECTIVES = word_set("use prefer prefers avoid")
# Verbs that are no part of a question.
_COPULAS = word_set("called named equals becomes includes")

# The kind and the essence of an answer.
Answer = tuple[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Fact:
    """`topic` has `answer` (or, with `holds` False, has it no more) and not what is in `rejected`.

    `way` names the pattern. `verb` is the verb where it is part of the question. `is_whole` says
    that the statement says nothing else, `words` are the roots of all that it says, `single` the
    words of the topic, vague ones included, for what has one answer at a time. `question` is what
    the words that lead to the answer ask.
    """

    way: str
    topic: frozenset[str]
    answer: tuple[str, ...]
    rejected: tuple[str, ...] = ()
    verb: str = ""
    holds: bool = True
    announces_change: bool = False
    is_whole: bool = True
    words: frozenset[str] = frozenset()
    single: frozenset[str] = frozenset()
    question: Question = Question()


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """All that the judgements look at of one statement.

    `fact` is None where no pattern fits. `answers` are the typed answers wherever they stand,
    `turned_down` those that it says are none any more, `remainder` the roots of its other words.
    """

    statement: PreparedStatement
    fact: Fact | None

    @property
    def answers(self) -> frozenset[Answer]:
        return _read_typed_answers(self.statement.text)[0]

    @property
    def turned_down(self) -> frozenset[Answer]:
        return _read_typed_answers(self.statement.text)[1]

    @property
    def remainder(self) -> frozenset[str]:
        return _read_typed_answers(self.statement.text)[2]


@lru_cache(maxsize=16384)
def parse_claim(text: str) -> ParsedClaim:
    """Read one statement; a question, or one that is too long, claims nothing."""
    statement = prepare_statement(text)
    if _claims_nothing(text) or statement.is_twice_denied:
        return ParsedClaim(statement, None)
    return ParsedClaim(statement, _read_fact(statement))


def _claims_nothing(text: str) -> bool:
    return len(text) > _LONGEST or "?" in text[-2:]


def _read_fact(statement: PreparedStatement) -> Fact | None:
    """What the first clause that fits a pattern says."""
    words, update = to_topic(statement.tokens), statement.announces_change
    fact = _read_diet(statement, words)
    for clause in statement.clauses:
        fact = fact or _read_clause(clause, words, update, len(statement.clauses) == 1)
    if fact is None:
        return _read_in_any_order(statement, words)
    if statement.rejected:
        return replace(fact, rejected=statement.rejected, announces_change=True)
    return fact


def _read_diet(statement: PreparedStatement, words: frozenset[str]) -> Fact | None:
    """`pescatarian is fine again`: what somebody eats, named in passing."""
    diets = [token for token in statement.tokens if token in DIETS]
    if len(diets) != 1 or _PERSONAL.isdisjoint(statement.tokens):
        return None
    return Fact(
        "is",
        frozenset({"diet"}),
        (diets[0],),
        announces_change=statement.announces_change,
        is_whole=False,
        words=words,
    )


def _read_in_any_order(statement: PreparedStatement, words: frozenset[str]) -> Fact | None:
    """The one answer of words in no known order, and what else they speak of."""
    reading = read_unordered(statement.tokens)
    if reading is None:
        return None
    answer, rejected, beside = reading
    topic = drop_implied_words(drop_vague_words(to_topic(beside)), classify_answer(answer))
    if not topic:
        return None
    update = statement.announces_change or bool(rejected)
    return Fact("unordered", topic, answer, rejected, announces_change=update, words=words)


def _read_clause(clause: str, words: frozenset[str], update: bool, is_whole: bool) -> Fact | None:
    if clause.count(" ") >= _MOST_WORDS:
        return None
    for way, parts in find_readings(clause):
        fact = _read_match(way, parts)
        if fact:
            return replace(
                fact,
                announces_change=update or fact.announces_change,
                is_whole=is_whole,
                words=words,
            )
    return None


def _read_match(way: str, parts: dict[str, str | None]) -> Fact | None:
    """The reading of one match; None where topic or answer is empty."""
    words = trim_answer((parts.get("v") or "").split())
    named = (parts.get("t") or "").split() + (parts.get("r") or "").split()
    if words[:1] == ["not"]:
        words, named = trim_answer(words[1:]), [*named, "not"]
    if not words or (way == "is" and len(words) > 1 and words[0].endswith("ing")):
        return None
    rejected = tuple(trim_answer((parts.get("o") or "").split()))
    answer, about = split_answer(words)
    kind = classify_answer(tuple(answer)) if answer else ""
    asked = to_topic([*named, *about])
    topic, verb = _find_topic(way, asked, _read_verb(parts), kind)
    if kind.startswith("slot") and not topic and way in ("use", "choose"):
        topic = _find_chosen_slot(kind, parts.get("act") or "use")
    if not answer or not _is_telling(way, answer, kind, topic, rejected):
        return None
    denials = sum(token in NEGATIONS for token in named)
    denials += (parts.get("act") or "").startswith("avoid")
    return Fact(
        way,
        topic,
        tuple(answer),
        rejected,
        verb,
        holds=way != "dropped" and denials % 2 == 0,
        announces_change=way in ("moved", "took", "dropped"),
        single=asked & SINGLE,
        question=_read_question(way, parts, topic),
    )


def _read_question(way: str, parts: dict[str, str | None], topic: frozenset[str]) -> Question:
    """What is asked, where the topic does not say it already: `tracked` is part of what tracks."""
    verb = to_root((parts.get("verb") or "").partition(" ")[0])
    if verb in PURPOSES | OFFICES and topic & {verb}:
        return Question()
    return read_question(way, parts, parts.get("before") or "")


def _find_topic(
    way: str, asked: frozenset[str], verb: str, kind: str
) -> tuple[frozenset[str], str]:
    """The topic with the office or the purpose that the verb names, and the verb that is left."""
    topic = drop_vague_words(asked | ({verb} & OFFICES))
    if way in ("charge", "took") and not topic & OFFICES:
        topic |= {OWNS}
    if verb and to_root(verb) in PURPOSES:
        topic, verb = topic | {to_root(verb)}, ""
    return drop_implied_words(topic, kind), verb


def _find_chosen_slot(kind: str, verb: str) -> frozenset[str]:
    """The slot as the topic of a bare choice (`use pnpm`), where it leaves no room for another."""
    slot = kind.removeprefix("slot ")
    return find_slot_topic(slot) if slot in _STRICT_SLOTS or verb in _DIRECTIVES else frozenset()


def _is_telling(
    way: str, answer: list[str], kind: str, topic: frozenset[str], rejected: tuple[str, ...]
) -> bool:
    """Is it clear which question the answer is for?"""
    if way == "choose" and not (kind.startswith("slot") and topic):
        return False
    if way in ("on", "runs") and not is_release(answer):
        return False
    if way == "short" and kind == "word" and not topic & SINGLE:
        return False
    return bool(topic or rejected) or is_release(answer)


def _read_verb(parts: dict[str, str | None]) -> str:
    """What is done, where that is part of the question: being called something is no doing."""
    if parts.get("move") == "rewritten":
        return to_canonical("write")
    verb = (parts.get("verb") or "").partition(" ")[0]
    return "" if verb in _COPULAS else to_canonical(verb)


@lru_cache(maxsize=16384)
def _read_typed_answers(
    text: str,
) -> tuple[frozenset[Answer], frozenset[Answer], frozenset[str]]:
    """The typed answers that hold, those that are turned down, and the roots of the other words.

    Few pairs are compared by them, so they are read when they are asked for.
    """
    if _claims_nothing(text):
        return frozenset(), frozenset(), frozenset()
    tokens = split_words(prepare_statement(text).plain)
    answers, turned_down, inside = set[Answer](), set[Answer](), set[int]()
    for start, end, is_turned_down in find_answers(tokens):
        value = tuple(tokens[start:end])
        (turned_down if is_turned_down else answers).add(
            (classify_answer(value), reduce_answer(value))
        )
        inside.update(range(start, end))
    beside = [token for n, token in enumerate(tokens) if n not in inside]
    if any(to_canonical(token) in MANY for token in beside):
        answers = set()
    idle = COMPARISON_STOP_WORDS | NEGATIONS | QUESTION_FILLERS
    words = frozenset(to_root(token) for token in beside if token not in idle)
    kind = next(iter(answers))[0] if len(answers) == 1 else ""
    remainder = drop_implied_words(drop_vague_words(words), kind)
    return frozenset(answers), frozenset(turned_down), remainder
