"""Looking at the store shows what is there and changes nothing."""

from __future__ import annotations

import pytest
from bench import Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.core.errors import NotFound, UsageError
from memctl.core.model import Filter, NewMemory
from memctl.store import records


def test_the_inbox_shows_the_surest_first_and_counts_them_all(bench: Bench) -> None:
    for n, sure in enumerate((0.2, 0.9, 0.5)):
        bench.put(f"Decide about glaze {n}", "decision", confidence=sure)
    page = bench.operator.inbox.list(limit=2)
    assert ([view.memory.confidence for view in page.items], page.total) == ([0.9, 0.5], 3)
    assert [
        view.memory.confidence for view in bench.operator.inbox.list(limit=2, offset=2).items
    ] == [0.2]
    assert bench.operator.inbox.list(Filter(types=("profile",))).total == 0


def test_a_list_has_pages_and_the_newest_change_first(bench: Bench) -> None:
    made = [
        bench.put(f"Shelf {n} is made of {what}") for n, what in enumerate(("oak", "clay", "steel"))
    ]
    bench.operator.records.edit(made[0].id, {"kind": "constraint"})
    page = bench.operator.records.list(limit=1)
    assert ([view.memory.id for view in page.items], page.total) == ([made[0].id], 3)
    assert {view.memory.id for view in bench.operator.records.list(limit=5, offset=1).items} == {
        made[1].id,
        made[2].id,
    }
    assert bench.operator.records.list(Filter(statuses=("archived",))).total == 0


def test_a_record_is_found_by_its_short_id_in_either_case_and_by_no_other(bench: Bench) -> None:
    memory = bench.put("The kiln is oil fired")
    view = bench.operator.records.show(memory.id)
    assert bench.operator.records.show(f" {view.short.lower()} ").memory == memory
    for odd in ("", "  ", "ZZZ", "%", "_", memory.id + "0", "\ud800", "\0"):
        with pytest.raises(NotFound):
            bench.operator.records.show(odd)


def test_an_ambiguous_prefix_names_the_candidates(bench: Bench) -> None:
    one, two = bench.put("The kiln is oil fired"), bench.put("The roof leaks")
    with pytest.raises(NotFound, match=f"{one.id}, {two.id}|{two.id}, {one.id}"):
        bench.operator.records.show("0")


def test_the_status_counts_what_is_there(bench: Bench) -> None:
    bench.put("The kiln is oil fired")
    bench.put("Cone six", "decision")
    bench.capture(("user", "hello"))
    status = bench.operator.upkeep.status()
    assert (status.records, status.types) == (
        {"active": 1, "inbox": 1},
        {"project": 1, "decision": 1},
    )
    assert (status.projects, status.sources, status.queue, status.spool) == (1, 1, {"queued": 1}, 0)
    assert 0 < status.stored_bytes < status.original_bytes


def test_each_log_shows_its_own_and_there_is_no_other(bench: Bench) -> None:
    bench.put("The kiln is oil fired")
    bench.capture(("user", "hello"))
    assert [job.state for job in bench.operator.history.log("events").events] == ["queued"]
    assert [event.verb for event in bench.operator.history.log("changes").changes] == ["created"]
    assert bench.operator.history.log("retrievals").retrievals == ()
    assert bench.operator.history.log("changes", since="2999-01-01").changes == ()
    with pytest.raises(UsageError):
        bench.operator.history.log("gossip")


def test_looking_changes_nothing(bench: Bench) -> None:
    memory = bench.put("The kiln is oil fired")
    for look in (
        bench.agent.upkeep.status,
        bench.agent.records.list,
        bench.agent.inbox.list,
        bench.agent.history.log,
        bench.agent.records.list_profile,
        bench.agent.projects.list,
    ):
        look()
    bench.agent.records.show(memory.id)
    assert bench.get(memory) == memory
    assert bench.agent.open_to_read().in_transaction is False


@settings(max_examples=60)
@given(
    content=st.text(max_size=300),
    title=st.text(max_size=60),
    subject=st.text(max_size=60),
    name=st.text(max_size=20),
)
def test_any_text_is_stored_and_shown_or_refused_cleanly(
    bench: Bench, content: str, title: str, subject: str, name: str
) -> None:
    try:
        saved = bench.operator.ingest(
            [
                NewMemory(
                    "project", content, title=title, subject=subject, agent_id=name, scope="agent"
                )
            ]
        ).items[0]
    except UsageError:
        return
    shown = bench.operator.records.show(saved.record.memory.id).memory
    assert (
        shown.content.encode()
        and "\0" not in shown.content + shown.title
        and "\n" not in shown.title
    )
    assert records.list_by_fingerprint(bench.db, shown.fingerprint)
