"""Whether what two claims say of one topic is the same answer, or excludes the other. Pure.

Topics must be the same set of words: one word more may be another component, environment or case,
and then both can hold. Only words that announce a change may leave out what everybody knows, or
name the answer that they turn down.
"""

from __future__ import annotations

from memctl.consolidate.answers import (
    RANGES,
    are_exclusive,
    are_opposite,
    classify_answer,
    is_command,
    is_named,
    is_plain,
    is_same_answer,
    reduce_answer,
)
from memctl.consolidate.claim_parser import Fact, ParsedClaim
from memctl.consolidate.features import Features, is_rotation, sum_weights
from memctl.consolidate.giving_up import gives_something_up
from memctl.consolidate.lexicon import ADDITIVE_WORDS, MONTHS, PARTIAL, SLOTS
from memctl.consolidate.questions import AskedAnswer, Question, ask_one_question
from memctl.consolidate.topics import OFFICES, SINGLE
from memctl.consolidate.words import (
    find_unit,
    is_number,
    list_numbers,
    split_words,
    to_canonical,
    to_canonical_set,
    to_root,
    to_root_set,
)
from memctl.core.frozen import replace
from memctl.text.stop_words import COMPARISON_STOP_WORDS, word_set

# How much an older statement may say beside its topic and the answer that is replaced, as a weight:
# one word. Chosen by hand.
_MOST_BESIDE = 1.5
# The shortest sentence that counts something, and the longest ending that is no plural.
_FEWEST_COUNTING = 3

# Verbs that ask for one answer, whatever words the answer is in.
_ONE_ANSWER = to_canonical_set(
    word_set("written stored kept built served hosted located works lives")
)
# Verbs that ask one question between them.
_PLACE_VERBS = to_canonical_set(
    word_set("run listen bind serve expose live stored kept located lives lies hosted put")
)
_TIME_VERBS = to_canonical_set(word_set("run start happen take go"))
# What a thing with versions can be called.
_VERSIONED = to_root_set(
    word_set("database language runtime version interpreter engine production project compiler")
)
_ROLES = to_root_set(word_set("owner lead leader manager boss maintainer reviewer handler"))
_STRICT_SLOTS = frozenset(slot.name for slot in SLOTS if slot.strict)
# What links the items of a list, which may stand in any order.
_LINKS = word_set("and or & +")
_NOW = word_set("now currently today please here")


def is_same_fact(a: ParsedClaim, b: ParsedClaim) -> bool:
    """Do the two give one topic one answer, and say nothing else?"""
    if a.fact is None or b.fact is None or a.statement.conditions != b.statement.conditions:
        return False
    if not (a.fact.is_whole and b.fact.is_whole) or a.fact.holds != b.fact.holds:
        return False
    one, other = _align_versions(a.fact, b.fact)
    if one is None or other is None:
        return False
    if not is_same_answer(one.answer, other.answer) or not _have_agreeing_verbs(one, other):
        return False
    if not _have_one_question(one, other) or _swap_roles(a, b, one, other):
        return False
    if _may_give_up(a) != _may_give_up(b):
        return False
    if one.rejected and other.rejected and not is_same_answer(one.rejected, other.rejected):
        return False
    return _list_details(a.statement.features, one) == _list_details(b.statement.features, other)


def _may_give_up(claim: ParsedClaim) -> bool:
    """May the answer be what is given up? Of words in no known order nothing tells which it is."""
    is_read = claim.fact is not None and claim.fact.way != "unordered"
    return not is_read and gives_something_up(claim.statement.text)


def _swap_roles(a: ParsedClaim, b: ParsedClaim, one: Fact, other: Fact) -> bool:
    """Do the words of topic or answer change places (`throw A out, B does it`, `A feeds B`)?"""
    if is_named(one.answer) and not _LINKS & {*one.answer, *other.answer}:
        mine, theirs = (
            [to_root(word) for word in fact.answer if word not in COMPARISON_STOP_WORDS]
            for fact in (one, other)
        )
        if _is_other_order(mine, theirs):
            return True
    if a.statement.features.passive != b.statement.features.passive:
        return False
    return _is_other_order(_order_topic(a, one), _order_topic(b, other))


def _order_topic(claim: ParsedClaim, fact: Fact) -> list[str]:
    if _LINKS & {*claim.statement.tokens}:
        return []
    roots = (to_root(token) for token in claim.statement.tokens)
    return [root for root in dict.fromkeys(roots) if root in fact.topic]


def _is_other_order(one: list[str], other: list[str]) -> bool:
    """Are the same words, three at least, in an order that no clause put first explains?"""
    if len(one) < 3 or sorted(one) != sorted(other):
        return False
    return one != other and not is_rotation(one, other)


def are_incompatible(a: ParsedClaim, b: ParsedClaim, *, one_subject: bool = False) -> bool:
    """Can the two not both hold? `one_subject` where both are known to be about the same thing."""
    conditions = a.statement.conditions
    if conditions != b.statement.conditions or conditions & PARTIAL:
        return False
    one, other = _align_versions(a.fact, b.fact)
    if _is_replacing_words(one, b) or _is_replacing_words(other, a):
        return True
    if one is None or other is None:
        return False
    if not (one.holds and other.holds):
        is_denied = one.holds != other.holds and is_same_answer(one.answer, other.answer)
        return is_denied and _have_one_topic(one, other)
    is_one_topic = _have_one_topic(one, other) or (
        one_subject and _have_touching_topics(one, other)
    )
    # Most pairs that are compared end here.
    if not (is_one_topic or one.rejected or other.rejected):
        return False
    if is_same_answer(one.answer, other.answer):
        return False
    if _is_rejecting(one, other) or _is_rejecting(other, one):
        return True
    if not is_one_topic or not _have_agreeing_verbs(one, other):
        return False
    if not ask_one_question(_build_reply(one, other), _build_reply(other, one)):
        return False
    return are_exclusive(one.answer, other.answer) and _has_one_answer(one, other)


def is_other_number(a: ParsedClaim, b: ParsedClaim) -> bool:
    """Are the two one sentence, but for another number of the same unit (`10 s` and `30 s`)?"""
    one, other = a.statement.core, b.statement.core
    if one.sequence != other.sequence or one.negations != other.negations:
        return False
    if one.qualifiers != other.qualifiers or one.identifiers != other.identifiers:
        return False
    tokens, others = split_words(a.statement.plain), split_words(b.statement.plain)
    if (one.qualifiers | frozenset(tokens)) & (PARTIAL | ADDITIVE_WORDS):
        return False
    mine, theirs = one.numbers - other.numbers, other.numbers - one.numbers
    if len(mine) != 1 or len(theirs) != 1 or len(one.numbers) != len(other.numbers):
        return False
    if _list_bounds(tokens) != _list_bounds(others):
        return False
    units = set(map(find_unit, mine | theirs))
    if len(units) != 1:
        return False
    counted = _find_counted(tokens, mine)
    return units != {""} or (counted is not None and counted == _find_counted(others, theirs))


def is_replacement(newer: Fact, older: Fact | None) -> bool:
    """Of a fact that announces a change: does it replace the other, or is that a change too?"""
    return older is None or not older.announces_change or _is_rejecting(newer, older)


# -- versions: `postgres 16` is both an answer and, of `postgres`, a topic with an answer -------


def _align_versions(one: Fact | None, other: Fact | None) -> tuple[Fact | None, Fact | None]:
    """The two facts; where one names a thing with its version, both have the thing as topic."""
    if one is None or other is None or _is_version(one) == _is_version(other):
        return one, other
    return _split_version(one), _split_version(other)


def _split_version(fact: Fact) -> Fact:
    is_named = _is_version(fact)
    thing = frozenset({to_root(fact.answer[0])}) if is_named else frozenset()
    topic = (fact.topic | thing) - _VERSIONED
    answer = fact.answer[1:] if is_named else fact.answer
    return replace(fact, topic=topic or fact.topic, answer=answer, verb="")


def _is_version(fact: Fact) -> bool:
    return len(fact.answer) == 2 and _is_thing_and_number(fact) and fact.answer[1][-1].isdigit()


def _is_thing_and_number(fact: Fact) -> bool:
    thing, number = fact.answer
    return thing[0].isalpha() and number[0].isdigit() and thing not in MONTHS


def _are_versions_of_two_things(one: Fact, other: Fact) -> bool:
    """Are the answers versions of two things, which may well stand side by side?"""
    if len(one.answer) != 2 or len(other.answer) != 2 or one.answer[0] == other.answer[0]:
        return False
    return _is_thing_and_number(one) and _is_thing_and_number(other)


def _are_versions_of_one_thing(one: Fact, other: Fact) -> bool:
    if len(one.answer) != 2 or len(other.answer) != 2 or one.answer[0] != other.answer[0]:
        return False
    return one.answer[0].isalpha()


# -- topics -------------------------------------------------------------------------------------


def _have_one_topic(one: Fact, other: Fact) -> bool:
    """Is it one question? Who announces a change may leave out words of the topic."""
    if _have_one_question(one, other):
        return True
    ways = ((one, other), (other, one))
    return any(new.announces_change and _is_topic_covered(new, old) for new, old in ways)


def _have_one_question(one: Fact, other: Fact) -> bool:
    """Is the topic the same set of words, save for what kind of thing it is?"""
    is_one_thing = _are_versions_of_one_thing(one, other)
    if one.topic == other.topic:
        return bool(one.topic) or is_one_thing
    if is_one_thing and one.topic | other.topic <= _VERSIONED:
        return True
    if {one.way, other.way}.isdisjoint(("for", "short")) or not one.topic & other.topic:
        return False
    # `Request timeout` and `rate limit in requests` are two kinds of things, not one told shorter.
    is_shorter = one.topic < other.topic or other.topic < one.topic
    return is_shorter and one.topic ^ other.topic <= SINGLE


def _is_topic_covered(new: Fact, old: Fact) -> bool:
    """Does the new statement name the old topic, though not as its own topic?"""
    return bool(new.topic) and new.topic < old.topic and old.topic <= new.topic | new.words


def _build_reply(fact: Fact, other: Fact) -> AskedAnswer:
    is_single = bool((fact.topic | fact.single) & SINGLE)
    is_about_office = bool(fact.topic & other.topic & OFFICES)
    question = Question() if is_about_office else fact.question
    return AskedAnswer(question, fact.answer, is_single, bool(fact.rejected))


def _have_touching_topics(one: Fact, other: Fact) -> bool:
    """Of one known subject: do the questions share a word, or is one of them not named?"""
    return not one.topic or not other.topic or bool(one.topic & other.topic)


def _have_agreeing_verbs(one: Fact, other: Fact) -> bool:
    verbs = {one.verb, other.verb}
    if "" in verbs or len(verbs) == 1:
        return True
    return verbs <= _PLACE_VERBS or verbs <= _TIME_VERBS


# -- answers ------------------------------------------------------------------------------------


def _list_details(features: Features, fact: Fact) -> frozenset[str]:
    """The numbers and marked names of a statement, without those that it turns down."""
    marked = {word for word in features.identifiers if any(map(str.isalnum, word))}
    rejected = frozenset(list_numbers(fact.rejected)) | frozenset(fact.rejected)
    return (features.numbers | marked) - rejected


def _list_bounds(tokens: list[str]) -> list[str]:
    """The words that bound a number instead of telling it."""
    return [token for token in tokens if token in RANGES]


def _find_counted(tokens: list[str], numbers: frozenset[str]) -> str | None:
    """What the only number counts (`5 times`): a plural that ends the sentence right after it.

    Anything else may be a name (`room 5`).
    """
    tokens = [token for token in tokens if token not in _NOW]
    if len(tokens) < _FEWEST_COUNTING or tokens[-2] not in numbers:
        return None
    if sum(map(is_number, tokens)) != 1:
        return None
    is_plural = tokens[-1].endswith("s") and len(tokens[-1]) > _FEWEST_COUNTING
    return to_canonical(tokens[-1]) if is_plural else None


def _is_rejecting(new: Fact, old: Fact) -> bool:
    """Does the one turn down the other's answer, about a topic that touches the other's?"""
    rejected, answer = reduce_answer(new.rejected), reduce_answer(old.answer)
    if not rejected or not answer or not (rejected <= answer or answer <= rejected):
        return False
    if rejected < answer and any(map(is_command, old.answer, old.answer[1:])):
        return False  # `npm test` is one of the things that npm does
    return _have_touching_topics(new, old)


def _is_replacing_words(new: Fact | None, older: ParsedClaim) -> bool:
    """Does the one turn down, for its topic, what the other's words say of hardly anything else?"""
    if new is None or not (new.announces_change and new.rejected and new.topic):
        return False
    old = older.statement.core
    rejected = reduce_answer(new.rejected)
    topic = {word for word in old.words if to_root(word) in new.topic}
    if old.negations or not topic or not rejected <= old.words | old.numbers:
        return False
    if reduce_answer(new.answer) <= old.words | old.numbers:
        return False
    return sum_weights(old.words - rejected - topic) <= _MOST_BESIDE


def _has_one_answer(one: Fact, other: Fact) -> bool:
    """Has the question that both answer one answer at a time?"""
    kind = classify_answer(one.answer)
    are_opposed = are_opposite(reduce_answer(one.answer), reduce_answer(other.answer))
    asked = one.topic | other.topic
    if kind != classify_answer(other.answer) and not are_opposed:
        return bool((one.topic | one.single) & (other.topic | other.single) & SINGLE)
    announces = one.announces_change or other.announces_change
    if kind.startswith("slot"):
        slot = kind.removeprefix("slot ")
        is_asked = not asked.isdisjoint(SINGLE | to_root_set(slot.split()))
        return slot in _STRICT_SLOTS or announces or is_asked
    if are_opposed or announces or one.single or other.single:
        return True
    if not is_plain(one.answer) and not _are_versions_of_two_things(one, other):
        return True
    shared = one.topic & other.topic
    if shared & (SINGLE | _ROLES) or "moved" in (one.way, other.way):
        return True
    return bool({one.verb, other.verb} & _ONE_ANSWER)
