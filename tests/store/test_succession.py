"""What was said later takes the place of what was said before, once the operator says so; a
superseded record stays out of every answer.
"""

from __future__ import annotations

import pytest
from bench import Bench, jsonl, told

from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.core.model import (
    OPERATOR_SAID,
    Candidate,
    Memory,
    NewMemory,
    Query,
    Span,
    Transcript,
)
from memctl.maintain import ingestion_jobs
from memctl.readers.base import Input
from memctl.store import event_log, links, records, succession

MAIN, TRUNK, DEVELOP = (
    "The default branch is main",
    "The default branch is trunk",
    "The default branch is develop",
)
# An older statement and its successor, as one is said and, later, the other; invented.
PAIRS = [
    ("Use yarn for installing packages", "Use pnpm instead of yarn for installing packages"),
    (
        "The staging server listens on port 8080",
        "From now on the staging server listens on port 9090",
    ),
    ("The default branch is master", "The default branch is now main"),
    ("Query caching is enabled", "Correction: query caching is disabled"),
    ("The session timeout is 15 minutes", "Actually, the session timeout is 30 minutes"),
    ("Use black for formatting", "We switched from black to yapf for formatting"),
    ("The release date is May 20", "The release date was moved to June 3"),
    ("Use npm", "Use pnpm"),
]


def said(bench: Bench, text: str, day: int, role: str = "user") -> Memory:
    """A candidate from a session of that day of April."""
    before = {memory.id for memory in bench.all()}
    line = f"{'fact' if role == 'user' else 'claim'} {text}"
    raw = jsonl(
        (role, line), session=f"5e551011-0000-4000-8000-0000000001{day:02d}", cwd=str(bench.home)
    )
    bench.agent.capture_session(Input(data=raw.replace(b"2026-03-04T", b"2026-04-%02dT" % day)))
    bench.maintain()
    [memory] = [each for each in bench.all() if each.id not in before and each.type != "episode"]
    return memory


def served(bench: Bench, text: str) -> list[str]:
    """What a search in the project finds."""
    place = bench.operator.place(bench.home)
    return [
        hit.record.memory.content for hit in bench.operator.search(Query(text, place=place)).items
    ]


# -- approval -----------------------------------------------------------------


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=range(len(PAIRS)))
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_the_older_statement_is_not_active_after_its_successor_was_approved(
    bench: Bench, old: str, new: str, role: str
) -> None:
    first = said(bench, old, 1)
    bench.operator.promote([first.id])
    second = said(bench, new, 2, role)
    shown = bench.operator.records.show(second.id)
    if role == "assistant" and new == "Use pnpm":
        assert shown.replaces == () and shown.contradicted_by == (
            first.id,
        )  # It does not say that anything changed.
        return
    assert shown.replaces == (first.id,)
    report = bench.operator.promote([second.id])
    assert [view.memory.id for view in report.replaced] == [first.id]
    assert (bench.state(first), bench.state(second)) == ("superseded", "active")
    assert bench.operator.records.show(first.id).superseded_by == second.id
    assert old not in served(bench, old)
    bench.check()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["older first", "newer first"])
def test_whatever_is_approved_first_the_older_one_does_not_stay(
    bench: Bench, order: tuple[int, int]
) -> None:
    both = [said(bench, MAIN, 1), said(bench, "The default branch is now trunk", 2)]
    for place in order:
        bench.operator.promote([both[place].id])
    assert [bench.state(memory) for memory in both] == ["superseded", "active"]
    bench.check()


def test_both_approved_at_once_leave_the_newer_one(bench: Bench) -> None:
    both = [said(bench, MAIN, 1), said(bench, "The default branch is now trunk", 2)]
    bench.operator.promote([memory.id for memory in reversed(both)])
    assert [bench.state(memory) for memory in both] == ["superseded", "active"]
    bench.check()


def test_a_candidate_in_the_inbox_replaces_nothing_yet(bench: Bench) -> None:
    first = said(bench, MAIN, 1)
    bench.operator.promote([first.id])
    second = said(bench, "The default branch is now trunk", 2)
    assert (bench.state(first), bench.state(second)) == ("active", "inbox")
    planned = bench.operator.promote([second.id], dry_run=True)
    assert [view.memory.id for view in planned.replaced] == [first.id] and bench.state(
        first
    ) == "active"
    assert served(bench, "default branch") == [MAIN]


def test_a_rule_lets_only_the_operators_explicit_word_take_a_place(bench: Bench) -> None:
    bench.settings(promotion__rules=[{"type": "project", "min_trust": "agent_claimed"}])
    first = said(bench, MAIN, 1)
    claimed = said(bench, "The default branch is now develop", 2, "assistant")
    assert bench.state(first) == "active" and bench.state(claimed) in (
        "inbox",
        "active",
        "contradicted",
    )
    word = said(bench, "The default branch is now trunk", 3)
    assert (bench.state(first), bench.state(word)) == ("superseded", "active")
    bench.check()


def test_an_older_statement_that_is_found_later_replaces_nothing(bench: Bench) -> None:
    newer = said(bench, "The default branch is now trunk", 9)
    bench.operator.promote([newer.id])
    older = said(bench, MAIN, 2)
    assert bench.operator.records.show(older.id).replaces == ()
    bench.operator.promote([older.id])
    assert bench.state(older) == "superseded"
    bench.check()


def test_what_the_operator_pinned_gives_way_to_the_operator_only(bench: Bench) -> None:
    bench.settings(promotion__rules=[{"type": "project", "min_trust": "operator_said"}])
    first = said(bench, MAIN, 1)
    bench.operator.records.edit(first.id, {"always_load": True})
    second = said(bench, "The default branch is now trunk", 2)
    assert bench.state(first) == "contradicted"
    [conflict] = bench.operator.conflicts.list().items
    assert conflict.newer == second.id
    bench.check()


def test_one_approval_and_what_it_replaced_are_undone_as_one(bench: Bench) -> None:
    first = said(bench, MAIN, 1)
    bench.operator.promote([first.id])
    second = said(bench, "The default branch is now trunk", 2)
    bench.operator.promote([second.id])
    promoted = next(
        event for event in event_log.list_of_memory(bench.db, second.id) if event.verb == "promoted"
    )
    superseded = next(
        event
        for event in event_log.list_of_memory(bench.db, first.id)
        if event.verb == "superseded"
    )
    assert promoted.operation == superseded.operation
    bench.operator.revert(str(promoted.seq))
    assert (bench.state(first), bench.state(second)) == ("active", "inbox")
    bench.check()


def test_an_agents_correction_that_the_operator_approves_takes_the_place_of_what_it_corrects(
    bench: Bench,
) -> None:
    old = bench.put("The kiln is oil fired")
    proposed = bench.agent.records.correct(old.id, "The kiln is gas fired").changed[0]
    assert proposed.replaces == (old.id,)
    bench.operator.promote([proposed.memory.id])
    assert bench.state(old) == "superseded"
    assert bench.get(proposed.memory).trust == OPERATOR_SAID, "approving is vouching"
    bench.check()


def test_a_value_that_comes_back_is_news_however_late_the_sessions_are_read(bench: Bench) -> None:
    first = said(bench, MAIN, 1)
    bench.operator.promote([first.id])
    second = said(bench, "The default branch is now trunk", 2)
    bench.operator.promote([second.id])
    again = said(bench, MAIN, 3)
    assert bench.operator.records.show(again.id).replaces == (second.id,)
    bench.operator.promote([again.id])
    assert [bench.state(memory) for memory in (first, second, again)] == [
        "superseded",
        "superseded",
        "active",
    ]
    bench.check()


def test_an_old_session_that_is_read_late_brings_no_superseded_value_back(bench: Bench) -> None:
    first = said(bench, MAIN, 5)
    second = said(bench, "The default branch is now trunk", 9)
    bench.operator.promote([first.id, second.id])
    for day in (3, 5, 7):
        raw = jsonl(
            ("user", f"fact {MAIN}"),
            session=f"5e551011-0000-4000-8000-0000000005{day:02d}",
            cwd=str(bench.home),
        )
        bench.agent.capture_session(Input(data=raw.replace(b"2026-03-04T", b"2026-04-%02dT" % day)))
        bench.maintain()
    assert bench.one("inbox", "active").id == second.id
    bench.check()


def test_what_a_merge_absorbed_speaks_for_its_survivor_when_it_is_said_again(bench: Bench) -> None:
    first = said(bench, "The request timeout is 30 seconds", 1)
    for day in (2, 3):
        raw = jsonl(
            ("user", "fact Request timeout is 30s"),
            session=f"5e551011-0000-4000-8000-0000000006{day:02d}",
            cwd=str(bench.home),
        )
        bench.agent.capture_session(Input(data=raw.replace(b"2026-03-04T", b"2026-04-%02dT" % day)))
        bench.maintain()
    assert bench.one("inbox").id == first.id
    assert len(bench.operator.records.show(first.id).evidence) == 3
    bench.check()


def test_a_correction_is_of_what_the_same_session_said_shortly_before_about_the_same_things(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = "The button stands right of the search field in the side bar"
    after = "The button stands outside the search field altogether"
    raw = jsonl(
        ("user", f"fact {before}"),
        ("assistant", "I shall move it"),
        ("user", f"fact {after}"),
        cwd=str(bench.home),
    )
    monkeypatch.setattr(
        ingestion_jobs,
        "extract",
        lambda transcript: [
            replace(each, corrects=Span(1, 0, 5, "I sha")) if each.content == after else each
            for each in told(transcript)
            if each.type != "episode"
        ],
    )
    bench.agent.capture_session(Input(data=raw))
    bench.maintain()
    old, new = sorted(bench.all("inbox"), key=lambda memory: memory.content != before)
    assert bench.operator.records.show(new.id).replaces == (old.id,)


# -- chains and circles -------------------------------------------------------


def chain(bench: Bench) -> list[Memory]:
    """Three records, each in the place of the one before."""
    first = bench.put("The kiln is oil fired")
    second = bench.operator.records.correct(first.id, "The kiln is gas fired").changed[0].memory
    third = bench.operator.records.correct(second.id, "The kiln is wood fired").changed[0].memory
    return [first, second, third]


def test_a_chain_is_followed_to_its_head(bench: Bench) -> None:
    first, second, third = chain(bench)
    shown = bench.operator.records.show(first.id)
    assert (shown.superseded_by, shown.superseded_over) == (third.id, (second.id,))
    assert {shown.shorts[second.id], shown.shorts[third.id]} == {
        bench.operator.records.show(each.id).short for each in (second, third)
    }
    assert bench.operator.records.show(second.id).superseded_over == ()


def test_correcting_what_was_superseded_corrects_what_stands_in_its_place(bench: Bench) -> None:
    first, second, third = chain(bench)
    fourth = bench.operator.records.correct(first.id, "The kiln is electric").changed[0].memory
    assert [bench.state(memory) for memory in (first, second, third, fourth)] == [
        "superseded"
    ] * 3 + ["active"]
    assert succession.read_chain(bench.db, first.id) == [second.id, third.id, fourth.id]
    bench.check()


def test_superseding_what_was_superseded_goes_to_the_head_of_the_chain(bench: Bench) -> None:
    first, _, third = chain(bench)
    other = bench.put("The kiln was sold")
    bench.operator.records.link(other.id, "supersedes", first.id)
    assert (
        bench.state(third) == "superseded"
        and succession.read_chain(bench.db, first.id)[-1] == other.id
    )
    bench.check()


def test_a_record_never_supersedes_itself_by_way_of_others(bench: Bench) -> None:
    first, second, third = chain(bench)
    for old in (first, second):
        with pytest.raises(UsageError, match="already"):
            bench.operator.records.link(third.id, "supersedes", old.id)
        with pytest.raises(UsageError, match=r"cycle|already"):
            bench.operator.records.link(old.id, "supersedes", third.id)
    assert succession.find_cycles(bench.db) == []


def test_an_archived_head_is_not_corrected(bench: Bench) -> None:
    first, _, third = chain(bench)
    bench.operator.forget([third.id])
    with pytest.raises(UsageError, match="archived"):
        bench.operator.records.correct(first.id, "The kiln is electric")


def test_no_step_of_a_chain_is_ever_served(bench: Bench) -> None:
    each = [
        said(bench, f"The staging server now listens on port {8000 + day}", day)
        for day in range(1, 6)
    ]
    bench.operator.promote([memory.id for memory in each])
    bench.operator.consolidate()
    assert [bench.state(memory) for memory in each] == ["superseded"] * 4 + ["active"]
    assert served(bench, "staging server port") == [each[-1].content]
    assert succession.read_chain(bench.db, each[0].id)[-1] == each[-1].id
    bench.check()


# -- what is known of a record ------------------------------------------------


def test_a_correction_is_not_contradicted_by_the_episode_of_its_own_session(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def correcting(transcript: Transcript) -> list[Candidate]:
        episode, *rest = told(transcript)
        return [
            episode,
            *(
                replace(each, corrects=episode.evidence[0]) if "trunk" in each.content else each
                for each in rest
            ),
        ]

    monkeypatch.setattr(ingestion_jobs, "extract", correcting)
    bench.take(("assistant", "claim " + MAIN), ("user", "fact " + TRUNK))
    correction = next(memory for memory in bench.all("inbox") if "trunk" in memory.content)
    shown = bench.operator.records.show(correction.id)
    assert {bench.get(each).type for each in shown.contradicted_by} <= {"project"}
    assert [bench.get(each).content for each in shown.replaces] == [MAIN]


def test_the_rule_that_proposed_a_record_is_known_and_outlives_a_merge(bench: Bench) -> None:
    candidate = said(bench, "The request timeout is 30s", 2, "assistant")
    assert candidate.rule == "told"
    place = bench.operator.place(bench.home)
    by_hand = (
        bench.operator.ingest(
            [NewMemory("project", "The request timeout is 30 seconds")], place=place
        )
        .items[0]
        .record.memory
    )
    bench.operator.consolidate()
    assert (bench.state(candidate), bench.get(by_hand).rule) == ("superseded", "told")
    bench.check()


def test_the_first_sight_stays_and_the_last_confirmation_is_noted(bench: Bench) -> None:
    first = said(bench, "The request timeout is 30 seconds", 9)
    before = {memory.id for memory in bench.all()}
    for day, text in ((4, "The request timeout is 30 seconds"), (20, "Request timeout is 30s")):
        raw = jsonl(
            ("user", f"fact {text}"),
            session=f"5e551011-0000-4000-8000-0000000002{day:02d}",
            cwd=str(bench.home),
        )
        bench.agent.capture_session(Input(data=raw.replace(b"2026-03-04T", b"2026-04-%02dT" % day)))
        bench.maintain()
    survivor = bench.one("inbox")
    assert survivor.id == first.id and len({memory.id for memory in bench.all()} - before) == 1
    assert (survivor.observed_at[:10], (survivor.confirmed_at or "")[:10]) == (
        "2026-04-04",
        "2026-04-20",
    )
    bench.check()


def test_an_agent_that_keeps_saying_the_same_makes_nothing_surer_and_confirms_nothing(
    bench: Bench,
) -> None:
    first = said(bench, "The request timeout is 30 seconds", 1)
    for day in range(2, 8):
        raw = jsonl(
            ("assistant", "claim The request timeout is 30 seconds"),
            session=f"5e551011-0000-4000-8000-0000000003{day:02d}",
        )
        bench.agent.capture_session(
            Input(data=raw.replace(b"2026-03-04T", b"2026-04-%02dT" % day)), cwd=bench.home
        )
        bench.maintain()
    once = bench.get(first)
    assert once.confirmed_at is None and once.confidence <= first.confidence + 0.05 + 1e-9
    assert once.trust == OPERATOR_SAID
    bench.check()


def test_links_of_a_proposal_are_told_without_the_ids_that_they_name(bench: Bench) -> None:
    bench.put(MAIN)
    second = bench.put(TRUNK)
    [link] = links.list_of_memory(bench.db, second.id)
    assert links.describe_reason(link) == "the operator's newer word on the same subject"
    assert (
        links.find_proposed_successor(link) == second.id
        and records.get_record(bench.db, second.id).status == "contradicted"
    )
