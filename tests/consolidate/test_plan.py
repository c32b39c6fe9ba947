"""Plans: every statement has one fate, and nothing gains trust or crosses a scope key."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from consolidate_samples import a_statement, sentences
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.consolidate.plan import (
    Decision,
    merge_statements,
    plan_statements,
    rank_for_survival,
)
from memctl.core.model import AGENT_CLAIMED, OPERATOR_IMPLIED, OPERATOR_SAID, TOOL_RESULT
from memctl.records.statement import Statement

_twins = st.sampled_from(
    [
        "Use pnpm",
        "use **pnpm**.",
        "Use npm",
        "The timeout is 30 s",
        "Timeout is 30 seconds",
        "The timeout is 60 s",
        "Never use npm",
    ]
)
_places = st.sampled_from(
    [
        ("global", None, None),
        ("project", "p", None),
        ("project", "q", None),
        ("agent", None, "x"),
        ("agent", None, "y"),
    ]
)
_times = st.sampled_from([None, "2030-01-01T00:00:00Z", "2030-02-01T00:00:00Z"])


def plan_statement(
    incoming: Statement, neighbours: list[Statement], tombstones: frozenset[str] = frozenset()
) -> tuple[Decision, ...]:
    return plan_statements([incoming], lambda _: neighbours, tombstones)


def _build(
    content: str,
    place: tuple[str, str | None, str | None],
    status: str,
    trust: int,
    when: str | None,
    kind: str,
    marks: tuple[bool, bool],
) -> Statement:
    scope, project, agent = place
    return Statement(
        "?",
        content,
        scope=scope,
        project_id=project,
        agent_id=agent,
        status=status,
        trust=trust,
        observed_at=when,
        type=kind,
        announces=marks[0],
        pinned=marks[1],
    )


_statements = st.lists(
    st.builds(
        _build,
        st.one_of(_twins, _twins, sentences),
        _places,
        st.sampled_from(["inbox", "inbox", "active", "contradicted", "superseded"]),
        st.integers(1, 5),
        _times,
        st.sampled_from(["project", "project", "profile", "episode"]),
        st.tuples(st.booleans(), st.sampled_from([False, False, True])),
    ),
    max_size=8,
).map(
    lambda found: [
        replace(s, id=f"m{n}", origins=frozenset({f"s{n % 3}"})) for n, s in enumerate(found)
    ]
)


def _plan_all(statements: list[Statement]) -> tuple[Decision, ...]:
    return plan_statements(
        statements, lambda one: [other for other in statements if other.id != one.id]
    )


def _carry_out(steps: tuple[Decision, ...], statements: list[Statement]) -> list[Statement]:
    known = {s.id: s for s in statements}
    for step in steps:
        if step.action == "merge" and step.target and step.how:
            known[step.id] = replace(
                merge_statements(known[step.id], known.pop(step.target), step.how),
                trust=step.trust or 0,
            )
        elif step.action == "reject":
            known.pop(step.id)
    return list(known.values())


@given(_statements)
def test_every_statement_has_exactly_one_fate(statements: list[Statement]) -> None:
    steps = _plan_all(statements)
    kept = [step.id for step in steps if step.action == "keep"]
    absorbed = [step.target for step in steps if step.action == "merge"]
    assert len(absorbed) == len(set(absorbed))
    assert {*kept, *absorbed} == {s.id for s in statements}
    assert not [one for one in kept if one in absorbed and not _absorbed_after_keeping(steps, one)]


def _absorbed_after_keeping(steps: tuple[Decision, ...], one: str) -> bool:
    actions = [(step.action, step.target == one) for step in steps if one in (step.id, step.target)]
    return actions.index(("keep", False)) < actions.index(("merge", True))


@given(_statements, st.randoms(use_true_random=False))
def test_the_plan_does_not_depend_on_the_order_of_arrival(
    statements: list[Statement], order: random.Random
) -> None:
    mixed = statements[:]
    order.shuffle(mixed)
    assert _plan_all(statements) == _plan_all(mixed)


def test_two_wordings_that_were_each_said_twice_become_one_in_one_plan() -> None:
    said = ("The timeout is 30 s", "The timeout is 30 s", "Timeout is 30 seconds") * 2
    statements = [
        Statement(id=f"m{n}", content=text, status="inbox", origins=frozenset({f"s{n % 3}"}))
        for n, text in enumerate(said)
    ]
    assert len(_carry_out(_plan_all(statements), statements)) == 1


@settings(max_examples=200)
@given(_statements)
def test_planning_again_after_carrying_out_merges_nothing_more(statements: list[Statement]) -> None:
    left = _carry_out(_plan_all(statements), statements)
    again = _plan_all(left)
    assert not [step for step in again if step.action in ("merge", "reject")]
    assert {s.id for s in _carry_out(again, left)} == {s.id for s in left}


@given(_statements)
def test_no_step_joins_statements_of_different_rooms_or_owners(statements: list[Statement]) -> None:
    known = {s.id: s for s in statements}
    for step in _plan_all(statements):
        if step.target:
            assert known[step.id].scope_key == known[step.target].scope_key
        if step.action == "merge" and step.target:
            assert (
                known[step.id].owner == known[step.target].owner
                or known[step.id].status == "superseded"
            )


@given(_statements)
def test_no_merge_lifts_a_text_above_the_best_evidence_for_its_words(
    statements: list[Statement],
) -> None:
    known = {s.id: s for s in statements}
    for step in _plan_all(statements):
        if step.action == "merge" and step.trust is not None:
            same_words = [s.trust for s in statements if s.digest == known[step.id].digest]
            assert step.trust <= max(same_words)
            assert set(step.origins) <= {origin for s in statements for origin in s.origins}


@given(_statements)
def test_only_what_the_operator_said_supersedes_and_never_what_is_trusted_more_or_chosen_by_hand(
    statements: list[Statement],
) -> None:
    known = {s.id: s for s in statements}
    for step in _plan_all(statements):
        if step.action == "supersede" and step.target:
            newer, older = known[step.id], known[step.target]
            assert (
                step.explicit and newer.trust == OPERATOR_SAID >= older.trust and newer.is_in_force
            )
            assert (
                not older.pinned
                and older.owner != "operator"
                and (newer.observed_at or "~") >= (older.observed_at or "")
            )
        if step.action == "propose" and step.target and not step.explicit:
            assert known[step.id].is_operators and known[step.id].trust >= known[step.target].trust


@given(_statements)
def test_each_record_is_superseded_once_and_nothing_else_is_said_of_it(
    statements: list[Statement],
) -> None:
    steps = _plan_all(statements)
    gone = [step.target for step in steps if step.action in ("supersede", "merge")]
    assert len(gone) == len(set(gone))
    assert not [
        step
        for step in steps
        if step.action in ("contradict", "propose") and {step.id, step.target} & set(gone)
    ]


@given(_statements)
def test_no_plan_lets_a_record_supersede_itself_by_way_of_others(
    statements: list[Statement],
) -> None:
    above = {
        step.target: step.id
        for step in _plan_all(statements)
        if step.action in ("supersede", "merge")
    }
    for start in above:
        seen, at = [start], above[start]
        while at in above:
            assert at not in seen
            seen.append(at)
            at = above[at]


def test_a_candidate_merges_into_the_active_record_and_adds_its_origin() -> None:
    active = a_statement(
        "b", "Use pnpm", status="active", trust=TOOL_RESULT, origins=frozenset({"s1"})
    )
    new = a_statement("a", "use `pnpm`.", origins=frozenset({"s2"}))
    (step,) = plan_statement(new, [active])
    assert (step.action, step.id, step.target, step.how) == ("merge", "b", "a", "exact")
    assert step.origins == ("s1", "s2") and step.trust == TOOL_RESULT


def test_the_same_origin_twice_is_no_corroboration() -> None:
    active = a_statement("b", "Use pnpm", status="active", origins=frozenset({"s1"}))
    (step,) = plan_statement(replace(active, id="c", status="inbox"), [active])
    assert step.origins == ("s1",)


def test_an_agents_wording_does_not_inherit_the_operators_trust_by_being_near() -> None:
    agents = a_statement(
        "a", "The worker timeout is 30 seconds", status="active", trust=AGENT_CLAIMED
    )
    operators = a_statement("b", "Timeout of the worker: 30 s", trust=OPERATOR_SAID)
    near = a_statement("c", "Worker timeout is 30s", trust=OPERATOR_SAID)
    for new in (operators, near):
        assert [step.action for step in plan_statement(new, [agents])] == ["keep"]


def test_among_candidates_the_better_evidence_survives_and_then_the_older() -> None:
    weak, strong = a_statement("a", "Use pnpm"), a_statement("b", "use pnpm", trust=OPERATOR_SAID)
    assert [step.id for step in plan_statement(weak, [strong]) if step.action == "merge"] == ["b"]
    assert rank_for_survival(weak) < rank_for_survival(replace(weak, id="c"))


def test_a_forgotten_statement_is_turned_away_but_not_what_is_active_already() -> None:
    new = a_statement("a", "Use pnpm", trust=OPERATOR_SAID)
    assert [step.action for step in plan_statement(new, [], frozenset({new.digest}))] == ["reject"]
    assert [
        step.action
        for step in plan_statement(replace(new, status="active"), [], frozenset({new.digest}))
    ] == ["keep"]


def test_a_conflict_is_between_both_and_a_newer_word_of_the_operator_is_proposed_to_settle_it() -> (
    None
):
    old = a_statement(
        "a", "Use npm", status="active", trust=OPERATOR_SAID, observed_at="2030-01-01T00:00:00Z"
    )
    claim = a_statement("b", "Use pnpm", observed_at="2030-03-01T00:00:00Z")
    word = replace(claim, id="c", trust=OPERATOR_SAID)
    assert [(step.action, step.id, step.target) for step in plan_statement(claim, [old])][1:] == [
        ("contradict", "a", "b")
    ]
    assert [(step.action, step.id, step.target) for step in plan_statement(word, [old])][1:] == [
        ("propose", "c", "a")
    ]
    assert [(step.action, step.id, step.target) for step in plan_statement(old, [word])][1:] == [
        ("propose", "c", "a")
    ]


def test_reading_a_superseded_observation_again_does_not_bring_it_back() -> None:
    old = a_statement("a", "Use npm", status="superseded", observed_at="2030-01-01T00:00:00Z")
    again = a_statement("b", "use npm", observed_at="2030-01-01T00:00:00Z", trust=OPERATOR_SAID)
    (step,) = plan_statement(again, [old])
    assert (step.action, step.id, step.trust) == ("merge", "a", old.trust)
    later = replace(again, observed_at="2030-02-01T00:00:00Z")
    assert [one.action for one in plan_statement(later, [old])] == ["keep"]


def test_merges_form_stars_and_never_chains() -> None:
    same = [
        a_statement(f"m{n}", text)
        for n, text in enumerate(["Use pnpm", "use pnpm.", "**Use** pnpm", "USE PNPM"])
    ]
    merges = [(step.id, step.target) for step in _plan_all(same) if step.action == "merge"]
    assert sorted(merges) == [("m0", "m1"), ("m0", "m2"), ("m0", "m3")]


def test_near_twins_of_an_absorbed_statement_do_not_follow_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def by_words(a: Statement, b: Statement, **_: object) -> str | None:
        return "duplicate" if len(set(a.content.split()) ^ set(b.content.split())) < 2 else None

    monkeypatch.setattr("memctl.consolidate.plan.judge_pair", by_words)
    base = (
        "the nightly import copies customer records from the warehouse into the search index"
        " of the shop"
    )
    chain = [
        a_statement("m0", base),
        a_statement("m1", base + " reliably"),
        a_statement("m2", base + " reliably supervised"),
    ]
    assert [plan_statement(chain[n + 1], [chain[n]])[-1].action for n in (0, 1)] == [
        "merge",
        "merge",
    ]
    assert [step.action for step in plan_statement(chain[2], [chain[0]])] == ["keep"]
    assert [(step.id, step.target) for step in _plan_all(chain) if step.action == "merge"] == [
        ("m2", "m1")
    ]


def test_only_the_same_words_share_the_trust_of_their_evidence() -> None:
    low, high = (
        a_statement("a", "Use pnpm", trust=AGENT_CLAIMED),
        a_statement("b", "Use pnpm", trust=OPERATOR_SAID),
    )
    assert merge_statements(low, high, "exact").trust == OPERATOR_SAID
    assert merge_statements(low, high, "near").trust == AGENT_CLAIMED


def test_an_agents_report_of_a_change_is_proposed_and_a_lesser_word_only_contradicts() -> None:
    old = a_statement(
        "a", "Use npm", status="active", trust=OPERATOR_SAID, observed_at="2030-01-01T00:00:00Z"
    )
    report = a_statement(
        "b",
        "We switched from npm to pnpm",
        trust=AGENT_CLAIMED,
        status="active",
        observed_at="2030-02-01T00:00:00Z",
    )
    lesser = replace(report, content="Use pnpm", trust=OPERATOR_IMPLIED)
    assert [step.action for step in plan_statement(lesser, [old])] == ["keep", "contradict"]
    for other in (old, replace(old, trust=AGENT_CLAIMED)):
        assert [step.action for step in plan_statement(report, [other])] == ["keep", "propose"]


def test_the_operators_explicit_correction_supersedes_once_it_is_in_force() -> None:
    old = a_statement(
        "a", "Use npm", status="active", trust=OPERATOR_SAID, observed_at="2030-01-01T00:00:00Z"
    )
    said = a_statement(
        "b", "Use pnpm", trust=OPERATOR_SAID, observed_at="2030-02-01T00:00:00Z", announces=True
    )
    assert [step.action for step in plan_statement(said, [old])] == ["keep", "propose"]
    assert [step.action for step in plan_statement(replace(said, status="active"), [old])] == [
        "keep",
        "supersede",
    ]
    for other in (
        replace(old, pinned=True),
        replace(old, type="profile"),
        replace(old, observed_at="2030-03-01T00:00:00Z"),
    ):
        assert "supersede" not in [
            step.action
            for step in plan_statement(replace(said, status="active", type=other.type), [other])
        ]


def test_of_a_chain_of_corrections_each_is_superseded_once_and_by_what_came_later() -> None:
    told = [
        a_statement(
            name,
            f"The server listens on port {port}",
            status="active",
            trust=OPERATOR_SAID,
            announces=True,
            observed_at=at,
        )
        for name, port, at in (
            ("c", 1, "2030-01-01T00:00:00Z"),
            ("a", 2, "2030-02-01T00:00:00Z"),
            ("b", 3, "2030-03-01T00:00:00Z"),
        )
    ]
    assert [(step.action, step.id, step.target) for step in _plan_all(told)][-2:] == [
        ("supersede", "a", "c"),
        ("supersede", "b", "a"),
    ]
    assert len(_plan_all(told)) == 5


def test_of_two_that_stand_alike_the_clearer_words_survive() -> None:
    short, whole = (
        a_statement("a", "request timeout is 30s"),
        a_statement("b", "The request timeout is 30 seconds"),
    )
    assert [step.id for step in plan_statement(whole, [short]) if step.action == "merge"] == ["b"]
    for better in ({"trust": OPERATOR_SAID}, {"status": "active"}, {"pinned": True}):
        assert [
            step.id
            for step in plan_statement(whole, [replace(short, **better)])
            if step.action == "merge"
        ] == ["a"]
