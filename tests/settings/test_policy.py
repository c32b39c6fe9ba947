"""What an actor may do: a table, and two properties over everything the table could hold."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memctl.core.frozen import replace
from memctl.core.model import (
    OPERATOR_IMPLIED,
    OWNER_OF,
    STATUSES,
    TRUST_NAMES,
    TYPES,
    Actor,
    Memory,
)
from memctl.settings import policy

OPERATOR, POLICY = Actor("operator"), Actor("policy")
OTHERS = [
    Actor("agent:claude-code"),
    Actor("agent:operator"),
    Actor("maintain"),
    Actor("Operator"),
    Actor("operator "),
    Actor(""),
]
AT = "2026-01-01T00:00:00.000Z"


def a_memory(type_: Any = "project", **given: Any) -> Memory:
    plain = Memory(
        "M",
        type_,
        "fact",
        "global",
        "inbox",
        "t",
        "c",
        "s",
        OWNER_OF[type_],
        "manual",
        0.9,
        5,
        AT,
        "f",
        AT,
        AT,
    )
    return replace(plain, **given)


memories = st.builds(
    lambda type_, status, trust, rationale, source: a_memory(
        type_, status=status, trust=trust, rationale=rationale, source_ref=source
    ),
    st.sampled_from(TYPES),
    st.sampled_from(STATUSES),
    st.sampled_from(sorted(TRUST_NAMES)),
    st.sampled_from([None, "", "why"]),
    st.sampled_from([None, "S"]),
)
others = st.sampled_from(OTHERS)


@given(memories, others, st.booleans())
def test_nobody_but_the_operator_and_the_config_makes_a_profile_fact_or_a_claim_active(
    memory: Memory, actor: Actor, proof: bool
) -> None:
    if policy.why_not_promote(memory, actor, has_evidence=proof) is None:
        assert memory.type != "profile" and memory.trust >= OPERATOR_IMPLIED


@given(memories, st.sampled_from([OPERATOR, POLICY, *OTHERS]), st.booleans())
def test_no_decision_becomes_active_without_rationale_and_source_by_anyone(
    memory: Memory, actor: Actor, proof: bool
) -> None:
    if (
        memory.type == "decision"
        and policy.why_not_promote(memory, actor, has_evidence=proof) is None
    ):
        assert memory.rationale and (memory.source_ref or proof)


@given(memories, others)
def test_nobody_but_the_operator_changes_what_is_the_operators(
    memory: Memory, actor: Actor
) -> None:
    is_operators = memory.owner == "operator" or policy.is_operators_choice(memory, actor)
    assert (policy.why_not_change(memory, actor) is None) == (not is_operators)
    assert policy.why_not_change(memory, OPERATOR) is None


@given(memories, others)
def test_no_change_leaves_a_profile_fact_outside_the_inbox_unless_by_the_operator(
    memory: Memory, actor: Actor
) -> None:
    if policy.why_not_stand(memory, actor) is None:
        assert memory.type != "profile" or memory.status == "inbox"


def test_the_operator_may_make_anything_else_active() -> None:
    for type_ in TYPES:
        assert (
            policy.why_not_promote(
                a_memory(type_, rationale="why", trust=1), OPERATOR, has_evidence=True
            )
            is None
        )


def test_the_first_fitting_rule_is_the_one() -> None:
    rules = policy.read_promotion_rules(
        [
            {"type": "decision"},
            {"kind": "fact", "min_confidence": 0.95},
            {"kind": "fact"},
            {"type": "project"},
        ]
    )
    assert policy.find_promotion_rule(a_memory(), None, rules) == {"kind": "fact"}
    assert policy.find_promotion_rule(a_memory(kind="idea"), None, rules) == {"type": "project"}
    assert policy.find_promotion_rule(a_memory(kind="idea", trust=4), None, rules) is None


@given(memories, others, st.sampled_from(["always_load", "protected"]))
def test_nobody_takes_away_what_was_pinned_on_better_authority_but_may_propose_something_else(
    memory: Memory, actor: Actor, pin: str
) -> None:
    pinned = replace(memory, **{pin: True})
    allowed = memory.owner != "operator" and memory.trust <= actor.trust
    assert (policy.why_not_change(pinned, actor) is None) == allowed
    assert (policy.why_not_correct(pinned, actor) is None) == (memory.owner != "operator")
    assert policy.why_not_change(pinned, OPERATOR) is None
