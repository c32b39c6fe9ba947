"""How two statements stand to each other: duplicates, contradictions, updates, or unrelated. Pure.

The reading leans towards silence: a false contradiction annoys, a missed one loses little. Two
answers contradict each other only where the question has one answer at a time, within one scope
key, under the same conditions. `duplicate` and `contradicts` are symmetric; `updates` points from
the newer statement to the older. Each statement is parsed once, whatever it is compared with.
"""

from __future__ import annotations

from memctl.consolidate import denial
from memctl.consolidate.claim_parser import ParsedClaim, parse_claim
from memctl.consolidate.duplicates import has_swapped_numbers, is_one_fact
from memctl.consolidate.exclusion import (
    are_incompatible,
    is_other_number,
    is_replacement,
    is_same_fact,
)
from memctl.consolidate.giving_up import gives_something_up
from memctl.consolidate.typed_answers import compare_typed_answers, have_rival_answers
from memctl.core.typing_lite import Literal
from memctl.records.statement import Statement
from memctl.text.normalize import normalise

Verdict = Literal["duplicate", "contradicts", "updates"]
# What two statements are to each other, whichever of them is looked at first. That they are
# `retold` (one answer to one question, in other words) is read, and said by no rule.
Judgement = Literal["duplicate", "exclusive", "retold"]


def relation_of(a: Statement, b: Statement, *, nearness: float | None = None) -> Verdict | None:
    """How `a` stands to `b`.

    None for unrelated statements, for one and the same record, across scope keys, and where `b`
    updates `a`. `nearness` is the cosine of the two texts' embeddings, if known; without it words
    decide.
    """
    judgement = judge_pair(a, b, nearness=nearness)
    if judgement == "exclusive":
        return find_direction(a, b)
    return "duplicate" if judgement else None


def judge_pair(a: Statement, b: Statement, *, nearness: float | None = None) -> Judgement | None:
    """What two statements are to each other: `relation_of` without the direction.

    It asks for nothing but the words, the scope and the subject of both, which no step of a plan
    changes, so that one answer serves a pair for as long as a plan is made.
    """
    if a.id == b.id or not is_one_place(a, b):
        return None
    if a.content == b.content or a.digest == b.digest:
        return "duplicate"
    if "episode" in (a.type, b.type):  # episodes tell what happened: nothing contradicts that
        return None
    one, other = parse_claim(a.content), parse_claim(b.content)
    if is_same_fact(one, other) and not has_swapped_numbers(a.content, b.content):
        return "duplicate"
    if _contradict(one, other, _have_one_subject(a, b)):
        return "exclusive"
    if is_one_fact(a.content, b.content, nearness):
        return "duplicate"
    typed = compare_typed_answers(one, other, nearness)
    if typed == "same" and _may_hold_no_more(a, b):
        return None
    if typed is None:
        return None
    return "duplicate" if typed == "same" else "exclusive"


def _may_hold_no_more(a: Statement, b: Statement) -> bool:
    """May the one answer that both name be the one that is over (`it was 60, now 300`)?"""
    return has_swapped_numbers(a.content, b.content) or any(
        gives_something_up(each.content) for each in (a, b)
    )


def is_one_place(a: Statement, b: Statement) -> bool:
    """Whether two statements have one scope key; most that are compared have one place."""
    if (a.scope, a.project_id, a.agent_id, a.repo_id) == (
        b.scope,
        b.project_id,
        b.agent_id,
        b.repo_id,
    ):
        return True
    return a.scope_key == b.scope_key


def find_direction(a: Statement, b: Statement) -> Verdict | None:
    """Of two that exclude each other: does `a` update `b`, the other way round, or neither?"""
    one, other = parse_claim(a.content), parse_claim(b.content)
    forward = _is_update(a, b, one, other)
    backward = _is_update(b, a, other, one)
    if forward == backward:
        return "contradicts"
    return "updates" if forward else None


def _contradict(one: ParsedClaim, other: ParsedClaim, one_subject: bool) -> bool:
    if are_incompatible(one, other, one_subject=one_subject) or is_other_number(one, other):
        return True
    if denial.is_contrary(one.statement, other.statement):
        return True
    return one_subject and have_rival_answers(one, other)


def _have_one_subject(a: Statement, b: Statement) -> bool:
    return bool(a.subject and b.subject and normalise(a.subject) == normalise(b.subject))


def _is_update(
    newer: Statement, older: Statement, claim: ParsedClaim, replaced: ParsedClaim
) -> bool:
    """Does `newer` say that it changes what `older` says, without the clock denying it?"""
    if claim.fact is None or not claim.fact.announces_change:
        return False
    if newer.observed_at and older.observed_at and newer.observed_at != older.observed_at:
        return newer.observed_at > older.observed_at
    return is_replacement(claim.fact, replaced.fact)
