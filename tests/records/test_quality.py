"""Accounts of quality: what became of what each rule proposed, and who may silence a rule."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from bench import Bench
from hypothesis import given
from hypothesis import strategies as st
from invented import AT, House
from plain_redaction import PLAIN_REDACTOR

from memctl.core import clock, timestamps
from memctl.core.errors import NotFound, RefusedByPolicy
from memctl.core.frozen import replace
from memctl.core.model import Actor, Memory, Source
from memctl.curate import proposal_decisions
from memctl.curate.approval import approve_records
from memctl.curate.archiving import reject_candidates
from memctl.records import proposals, quality
from memctl.results.quality import Account
from memctl.store import event_log, records, sources

OPERATOR, AGENT = Actor("operator"), Actor("agent:codex")


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def session(house: House, agent: str = "codex", format_: str = "codex") -> str:
    """A captured session of an agent."""
    made = Source(
        clock.new_id(),
        "conversation",
        format_,
        agent,
        clock.new_id(),
        1,
        "h",
        0,
        "t",
        3,
        AT,
        AT,
        project_id=house.mill.id,
    )
    with house.db.write():
        sources.insert_source(house.db, made)
    return made.id


def proposed(house: House, source: str, rule: str, number: int = 1, **given: object) -> list[str]:
    """Candidates that a rule found in a session."""
    made = [
        house.add(f"{rule} {source} {n}", source_ref=source, rule=rule, status="inbox", **given)
        for n in range(number)
    ]
    return [memory.id for memory in made]


def decide(house: House, kept: list[str], refused: list[str], by: Actor = OPERATOR) -> None:
    if kept:
        approve_records(house.db, house.config, by, kept, reason=None)
    if refused:
        reject_candidates(house.db, by, refused, PLAIN_REDACTOR, reason="noise")


def account(accounts: tuple[Account, ...], name: str) -> Account:
    return next(item for item in accounts if item.name == name)


def test_each_candidate_is_counted_once_by_what_became_of_it(house: House) -> None:
    ids = proposed(house, session(house), "commands.checks", 6)
    decide(house, ids[:3], ids[3:4])
    quality_of = quality.report_quality(house.db, quality.AccountFilter()).rules[0]
    assert (
        quality_of.name,
        quality_of.proposed,
        quality_of.waiting,
        quality_of.approved,
        quality_of.rejected,
    ) == (
        "commands.checks",
        6,
        2,
        3,
        1,
    )
    assert (quality_of.decided, quality_of.rate) == (4, 0.75)
    assert quality_of.low < 0.75 < quality_of.high


def test_accounts_are_kept_by_agent_format_extractor_and_rule(house: House) -> None:
    proposed(house, session(house, "codex", "codex"), "commands.checks", 2)
    proposed(house, session(house, "codex", "codex-exec"), "commands.detour", 1)
    proposed(house, session(house, "claude-code", "claude-code"), "replies.picked", 4)
    report = quality.report_quality(house.db, quality.AccountFilter())
    assert [(item.name, item.proposed) for item in report.agents] == [
        ("claude-code", 4),
        ("codex", 3),
    ]
    assert [(item.name, item.proposed) for item in report.formats] == [
        ("claude-code", 4),
        ("codex", 2),
        ("codex-exec", 1),
    ]
    assert [(item.name, item.proposed) for item in report.extractors] == [
        ("replies", 4),
        ("commands", 3),
    ]
    assert [item.name for item in report.rules] == [
        "replies.picked",
        "commands.checks",
        "commands.detour",
    ]
    assert report.total.proposed == 7


@pytest.mark.parametrize(
    ("wanted", "many"),
    [
        ({"agent": "codex"}, 3),
        ({"extractor": "commands"}, 3),
        ({"extractor": "codex-exec"}, 1),
        ({"rule": "replies.picked"}, 4),
    ],
)
def test_a_part_of_the_accounts_can_be_asked_for(
    house: House, wanted: dict[str, str], many: int
) -> None:
    proposed(house, session(house, "codex", "codex"), "commands.checks", 2)
    proposed(house, session(house, "codex", "codex-exec"), "commands.detour", 1)
    proposed(house, session(house, "claude-code", "claude-code"), "replies.picked", 4)
    assert quality.report_quality(house.db, quality.AccountFilter(**wanted)).total.proposed == many


def test_only_what_was_made_since_a_time_is_counted_when_asked(house: House) -> None:
    source = session(house)
    proposed(house, source, "a.old", at="2026-01-01T00:00:00.000Z")
    proposed(house, source, "a.new", at="2026-03-01T00:00:00.000Z")
    assert [
        item.name
        for item in quality.report_quality(
            house.db, quality.AccountFilter(since="2026-02-01T00:00:00.000Z")
        ).rules
    ] == ["a.new"]


def test_what_was_kept_and_then_superseded_or_contradicted_counts_as_later_wrong(
    house: House,
) -> None:
    ids = proposed(house, session(house), "operator.said", 4)
    decide(house, ids, [])
    for memory_id, status in zip(ids, ("superseded", "contradicted"), strict=False):
        house.change(
            records.get_record(house.db, memory_id),
            AT,
            status=status,
            status_reason="superseded by another",
        )
    found = account(
        quality.report_quality(house.db, quality.AccountFilter()).rules, "operator.said"
    )
    assert (found.approved, found.superseded, found.contradicted) == (4, 1, 1)


def test_what_was_merged_into_another_record_is_neither_kept_nor_wrong(house: House) -> None:
    (one,) = proposed(house, session(house), "operator.said")
    house.change(
        records.get_record(house.db, one),
        AT,
        status="superseded",
        status_reason="merged into another",
    )
    found = account(
        quality.report_quality(house.db, quality.AccountFilter()).rules, "operator.said"
    )
    assert (found.merged, found.approved, found.superseded, found.decided) == (1, 0, 0, 0)


def test_what_was_kept_long_ago_and_given_to_nobody_is_never_used(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = proposed(house, session(house), "operator.said", 2)
    decide(house, ids, [])
    assert quality.report_quality(house.db, quality.AccountFilter()).total.unused == 0
    with house.db.write():
        records.count_access(house.db, ids[:1], AT)
    soon = timestamps.add_seconds(clock.now(), seconds=86400 * (quality.UNUSED_DAYS + 1))
    monkeypatch.setattr(clock, "now", lambda: soon)
    assert quality.report_quality(house.db, quality.AccountFilter()).total.unused == 1


def test_forgetting_what_was_kept_is_no_approval_any_more(bench: Bench) -> None:
    bench.take(
        ("user", "fact the shelves are made of cordierite"), ("user", "fact the glaze is celadon")
    )
    one, other = bench.all("inbox")
    bench.operator.promote([one.id, other.id])
    bench.operator.forget([one.id])
    total = bench.operator.upkeep.quality().total
    assert (total.approved, total.forgotten, total.rate) == (1, 1, 0.5)


def test_a_decision_that_was_taken_back_does_not_count(bench: Bench) -> None:
    bench.take(("user", "fact the shelves are made of cordierite"))
    memory = bench.one("inbox")
    bench.operator.promote([memory.id])
    bench.operator.revert(memory.id)
    assert (
        bench.operator.upkeep.quality().total.waiting,
        bench.operator.upkeep.quality().total.decided,
    ) == (
        1,
        0,
    )


def test_what_a_rule_of_the_config_promoted_is_no_decision(house: House) -> None:
    ids = proposed(house, session(house), "operator.said", 2)
    decide(house, ids, [], by=Actor("policy"))
    total = quality.report_quality(house.db, quality.AccountFilter()).total
    assert (total.approved, total.by_policy, total.decided, total.rate) == (2, 2, 0, None)


def test_the_operators_own_records_are_in_no_account(house: House) -> None:
    house.add("written by hand", source_ref="manual:operator")
    house.add("written by an agent", source_ref="manual:agent:codex", status="inbox")
    report = quality.report_quality(house.db, quality.AccountFilter())
    assert [(item.name, item.proposed) for item in report.agents] == [("codex", 1)]
    assert report.formats[0].name == "by hand"


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_interval_holds_the_share_and_narrows_with_more_of_the_same(
    good: int, bad: int
) -> None:
    of = good + bad
    low, high = quality.compute_wilson(good, of)
    assert 0 <= low <= high <= 1
    if of:
        assert low <= good / of + 1e-12 and good / of - 1e-12 <= high
        wider = quality.compute_wilson(good * 4, of * 4)
        assert wider[1] - wider[0] < high - low


# -- muting


def questions(house: House) -> list[str]:
    return [item.about for item in proposals.list_open(house.db, "mute")]


def test_a_rule_that_the_operator_keeps_rejecting_is_proposed_for_muting_once(house: House) -> None:
    decide(house, [], proposed(house, session(house), "commands.detour", 8))
    assert quality.propose_mutes(house.db, house.config) == {"mutes_proposed": 1}
    assert quality.propose_mutes(house.db, house.config) == {"mutes_proposed": 0}
    assert questions(house) == ["commands.detour"]
    assert not quality.is_muted(house.db, "commands.detour")


@pytest.mark.parametrize(("kept", "refused"), [(0, 7), (1, 8), (4, 20), (20, 0)])
def test_a_rule_is_left_alone_where_little_was_decided_or_enough_was_kept(
    house: House, kept: int, refused: int
) -> None:
    ids = proposed(house, session(house), "commands.detour", kept + refused)
    decide(house, ids[:kept], ids[kept:])
    quality.propose_mutes(house.db, house.config)
    assert questions(house) == []


def test_what_agents_reject_does_not_silence_a_rule(house: House) -> None:
    decide(house, [], proposed(house, session(house), "commands.detour", 12, trust=2), by=AGENT)
    quality.propose_mutes(house.db, house.config)
    assert questions(house) == []


def test_accepting_the_question_mutes_the_rule_and_declining_it_ends_the_matter(
    house: House,
) -> None:
    source = session(house)
    decide(
        house, [], [*proposed(house, source, "a.noise", 9), *proposed(house, source, "b.noise", 9)]
    )
    quality.propose_mutes(house.db, house.config)
    first, second = proposals.list_open(house.db, "mute")
    proposal_decisions.accept_proposals(house.db, house.config, OPERATOR, [first.id])
    proposal_decisions.decline_proposals(house.db, house.config, OPERATOR, [second.id])
    assert (quality.is_muted(house.db, "a.noise"), quality.is_muted(house.db, "b.noise")) == (
        True,
        False,
    )
    assert quality.propose_mutes(house.db, house.config) == {"mutes_proposed": 0}
    assert [
        item.rule for item in quality.report_quality(house.db, quality.AccountFilter()).muted
    ] == ["a.noise"]


def test_a_rule_is_muted_and_heard_again_by_hand(house: House) -> None:
    proposed(house, session(house), "a.noise", 3)
    made = quality.set_muted(house.db, OPERATOR, "a.noise", PLAIN_REDACTOR, muted=True)
    assert (made.changed, made.waiting, quality.is_muted(house.db, "a.noise")) == (True, 3, True)
    assert not quality.set_muted(house.db, OPERATOR, "a.noise", PLAIN_REDACTOR, muted=True).changed
    assert quality.set_muted(house.db, OPERATOR, "a.noise", PLAIN_REDACTOR, muted=False).changed
    assert not quality.is_muted(house.db, "a.noise")


def test_muting_by_hand_answers_the_open_question(house: House) -> None:
    decide(house, [], proposed(house, session(house), "a.noise", 9))
    quality.propose_mutes(house.db, house.config)
    quality.set_muted(house.db, OPERATOR, "a.noise", PLAIN_REDACTOR, muted=True)
    assert questions(house) == []


def test_only_the_operator_mutes_and_only_rules_that_are_known(house: House) -> None:
    proposed(house, session(house), "a.noise")
    with pytest.raises(RefusedByPolicy):
        quality.set_muted(house.db, AGENT, "a.noise", PLAIN_REDACTOR, muted=True)
    with pytest.raises(NotFound):
        quality.set_muted(house.db, OPERATOR, "a.nois", PLAIN_REDACTOR, muted=True)


def test_muting_stands_in_the_stream(house: House) -> None:
    proposed(house, session(house), "a.noise")
    quality.set_muted(house.db, OPERATOR, "a.noise", PLAIN_REDACTOR, muted=True)
    quality.set_muted(house.db, OPERATOR, "a.noise", PLAIN_REDACTOR, muted=False)
    told = [event for event in house.db.all("event_log.everything") if event["topic"] == "mute"]
    assert [
        (row["verb"], row["actor"], row["before"] is None, row["after"] is None) for row in told
    ] == [
        ("muted", "operator", True, False),
        ("unmuted", "operator", False, True),
    ]
    assert event_log.find_broken_links(house.db) == []


# -- the store in numbers


def test_the_store_is_told_in_numbers(house: House) -> None:
    house.add("the wheel has 24 paddles", kind="constraint")
    house.add("we grind on Mondays", type="decision", rationale="quiet")
    proposed(house, session(house), "a.rule")
    told = quality.read_stats(house.db)
    assert (told.records, told.statuses) == (2, {"active": 2, "inbox": 1})
    assert told.types == {"decision": 1, "project": 1} and told.projects == {"mill": 2}
    assert (told.evidence, told.sessions, told.never_served) == (3, {"codex": 1}, 2)
    assert told.oldest_waiting == AT


def test_an_empty_store_has_numbers_too(house: House) -> None:
    told = quality.read_stats(house.db)
    assert (told.records, told.turns, told.oldest_waiting, told.types) == (0, 0, None, {})


def test_the_accounts_of_two_thousand_records_take_less_than_a_fifth_of_a_second(
    tmp_path: Path,
) -> None:
    house = House(tmp_path)
    source = session(house)
    with house.db.write():
        for number in range(2_000):
            memory: Memory = house.made(
                f"fact {number}",
                source_ref=source,
                rule=f"r.{number % 20}",
                id=f"{number:026d}",
                status="inbox",
            )
            records.insert_record(house.db, memory, actor="maintain", cause="test", verb="proposed")
            if number % 2:
                records.replace_record(
                    house.db,
                    memory,
                    replace(memory, status="active"),
                    verb="promoted",
                    actor="operator",
                    cause="test",
                )
    before = process_time()
    assert quality.report_quality(house.db, quality.AccountFilter()).total.approved == 1000
    assert process_time() - before < 0.2


def test_what_a_muted_rule_finds_is_not_proposed_but_counted(bench: Bench) -> None:
    bench.take(("user", "fact the shelves are made of cordierite"))
    bench.operator.upkeep.mute_rule("told")
    report = bench.take(("user", "fact the glaze is celadon"), session="another")
    assert report.proposed == 0 and sum(step.counts.get("muted", 0) for step in report.steps) == 1
    assert bench.operator.upkeep.status().muted == ("told",)
    assert (
        next(
            check for check in bench.operator.upkeep.doctor().checks if check.name == "muted_rules"
        ).state
        == "note"
    )
    bench.operator.upkeep.mute_rule("told", muted=False)
    assert bench.take(("user", "fact the kiln is electric"), session="third").proposed == 1
