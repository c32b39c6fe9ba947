"""Chains of supersession: the head is shown with how often it changed, the rest of the chain
shortly, all of it when asked.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import Bench
from invented import AT, House

from memctl.cli.text import record_parts
from memctl.core.frozen import replace
from memctl.core.model import Link, Memory, NewMemory, Query
from memctl.patterns.weekly_digests import RULE
from memctl.records.record_source import PresentRecords
from memctl.records.views import build_view, list_former
from memctl.retrieve.context_choice import WEEKLY, count_weeks
from memctl.store import chains, links


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def chained(house: House, many: int, **given: object) -> list[Memory]:
    """Records that took each other's place, the oldest first, a month each."""
    made: list[Memory] = []
    for number in range(many):
        at = f"2026-{number + 1:02d}-05T09:00:00.000Z"
        made.append(house.add(f"the wheel turns {number + 3} times a minute", at=at, **given))
        if number:
            house.link(made[-1], "supersedes", made[-2], at=at)
            made[-2] = house.change(
                made[-2], at, status="superseded", status_reason=f"superseded by {made[-1].id}"
            )
    return made


def test_the_head_of_a_chain_says_how_often_it_changed_and_since_when(house: House) -> None:
    *old, head = chained(house, 5)
    seen = build_view(PresentRecords(house.db), head)
    assert (seen.changes, seen.changed_since) == (4, old[0].observed_at)
    assert record_parts.format_heading(seen).endswith("(changed 4 times since January 2026)")


def test_one_change_is_told_as_one_and_none_is_not_told(house: House) -> None:
    _, head = chained(house, 2)
    assert (
        record_parts.format_change_count(build_view(PresentRecords(house.db), head))
        == " (changed once since January 2026)"
    )
    assert (
        record_parts.format_change_count(
            build_view(PresentRecords(house.db), house.add("the wheel is oak"))
        )
        == ""
    )


def test_what_was_merged_is_no_change(house: House) -> None:
    kept, absorbed = house.add("the wheel is oak"), house.add("the wheel is of oak")
    with house.db.write():
        links.insert_link(
            house.db,
            Link("l", kept.id, "supersedes", absorbed.id, "maintain", AT, "merged: the same words"),
        )
    house.change(absorbed, "2026-03-02T09:00:00.000Z", status="superseded")
    assert build_view(PresentRecords(house.db), kept).changes == 0


def test_the_chain_is_listed_nearest_first_with_when_each_held(house: House) -> None:
    one, two, head = chained(house, 3)
    found = list_former(PresentRecords(house.db), head.id)
    assert [(item.id, item.since[:10], item.until[:10]) for item in found] == [
        (two.id, "2026-02-05", "2026-03-05"),
        (one.id, "2026-01-05", "2026-02-05"),
    ]
    shown = list(
        record_parts.render_former(
            replace(build_view(PresentRecords(house.db), head), former=found)
        )
    )
    assert shown[0].startswith("  until 2026-03-05: ") and shown[1].startswith(
        "  until 2026-02-05: "
    )


def test_of_a_long_chain_the_nearest_and_the_first_are_shown(house: House) -> None:
    *_, head = chained(house, 10)
    shown = list(
        record_parts.render_former(
            replace(
                build_view(PresentRecords(house.db), head),
                former=list_former(PresentRecords(house.db), head.id),
            )
        )
    )
    assert len(shown) == 6 and "4 more in between" in shown[4] and "turns 3 times" in shown[5]


def test_chains_of_many_records_are_read_at_once(house: House) -> None:
    heads = [chained(house, 3)[-1], house.add("the wheel is oak")]
    assert {
        head: len(rows)
        for head, rows in chains.list_predecessors(house.db, [m.id for m in heads]).items()
    } == {heads[0].id: 2}


def test_list_search_and_show_tell_of_the_chain_and_explain_all_of_it(bench: Bench) -> None:
    first = bench.put("The glaze fires at 1240 degrees")
    second = (
        bench.operator.records.correct(
            first.id, "The glaze fires at 1220 degrees", reason="new kiln"
        )
        .changed[0]
        .memory
    )
    third = (
        bench.operator.records.correct(
            second.id, "The glaze fires at 1200 degrees", reason="it ran"
        )
        .changed[0]
        .memory
    )
    (listed,) = bench.operator.records.list().items
    assert (listed.memory.id, listed.changes) == (third.id, 2)
    found = bench.operator.search(
        Query("glaze degrees", place=bench.operator.place(bench.home))
    ).items
    assert [(hit.record.memory.id, hit.record.changes) for hit in found] == [(third.id, 2)]
    assert [item.id for item in bench.operator.records.show(third.id).former] == [
        second.id,
        first.id,
    ]
    own, whole = bench.operator.explain(third.id), bench.operator.explain(third.id, whole=True)
    assert {event.memory_id for event in own.history} == {third.id}
    assert {event.memory_id for event in whole.history} == {first.id, second.id, third.id}
    assert any(event.topic == "link" for event in whole.history)
    assert [event.seq for event in whole.history] == sorted(event.seq for event in whole.history)


def test_a_context_says_of_what_changed_several_times_that_it_did(bench: Bench) -> None:
    memory = bench.put("The glaze fires at 1240 degrees", kind="constraint")
    for degrees in (1220, 1200):
        memory = (
            bench.operator.records.correct(memory.id, f"The glaze fires at {degrees} degrees")
            .changed[0]
            .memory
        )
    told = bench.operator.context_for(
        task="fire the glaze", place=bench.operator.place(bench.home)
    ).text
    assert f"1200 degrees (changed 2 times since {memory.observed_at[:7]})" in told


# -- digests of weeks in a context --------------------------------------------


def episode(house: House, day: str, title: str, **given: object) -> Memory:
    return house.add(title, type="episode", kind="summary", at=f"2026-{day}T09:00:00.000Z", **given)


def test_of_a_week_that_is_over_the_digest_is_shown_and_of_this_week_the_sessions(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memctl.core import clock

    house.config = replace(house.config, values={**house.config.values, "context.episodes": 5})
    for day in ("03-09", "03-11", "03-12"):
        episode(house, day, f"Dressed the stone of {day}")
    episode(house, "03-12", "Week of 9 March: 3 sessions", rule=WEEKLY)
    episode(house, "03-17", "Mended the sluice")
    episode(house, "03-17", "Week of 16 March: 1 session", rule=WEEKLY)
    monkeypatch.setattr(clock, "now", lambda: "2026-03-18T12:00:00.000Z")
    told = house.context().text
    assert "Mended the sluice" in told and "Week of 9 March" in told
    assert "Dressed" not in told and "Week of 16 March" not in told


def test_the_context_knows_digests_by_the_rule_that_writes_them_and_weeks_by_their_monday() -> None:
    assert WEEKLY == RULE
    assert (
        count_weeks("2026-03-15T23:59:00.000Z") + 1
        == count_weeks("2026-03-16T00:00:00.000Z")
        == count_weeks("2026-03-22T23:59:00.000Z")
    )


def test_new_memories_have_no_chain(bench: Bench) -> None:
    made = bench.operator.ingest([NewMemory("project", "The kiln is electric")]).items[0].record
    assert (made.changes, made.former) == (0, ())
