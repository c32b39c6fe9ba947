"""Words on records that were given out: one of each actor in each session, bounded, and never a
way to trust.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from bench import Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.core import clock, timestamps
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.model import Actor, Memory, Place, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.history import rebuild
from memctl.store import event_log, feedback, feedback_signals


@pytest.fixture
def fact(bench: Bench) -> Memory:
    return bench.put("The depot is painted green")


def ask(by: MemoryEngine, text: str = "depot painted green", session: str | None = None) -> Any:
    found = by.search(Query(text, place=Place(session_id=session)))
    by.write_logs()
    return found


def test_a_word_counts_and_the_last_one_of_a_session_wins(bench: Bench, fact: Memory) -> None:
    given_out = ask(bench.agent, session="s1").retrieval_id
    first = bench.agent.records.give_feedback("good", [fact.id], retrieval=given_out)
    assert (bench.get(fact).good, bench.get(fact).bad, first.changed) == (1, 0, ())
    second = bench.agent.records.give_feedback(
        "bad", [fact.id], retrieval=ask(bench.agent, session="s1").retrieval_id, reason="it is blue"
    )
    assert (bench.get(fact).good, bench.get(fact).bad, second.changed) == (0, 1, (fact.id,))
    assert [word.reason for word in feedback.list_of_memory(bench.db, fact.id)] == ["it is blue"]
    bench.agent.records.give_feedback(
        "good", [fact.id], retrieval=ask(bench.agent, session="s2").retrieval_id
    )
    assert (bench.get(fact).good, bench.get(fact).bad) == (1, 1)


def test_a_word_changes_the_rank(bench: Bench) -> None:
    first, second = bench.put("The depot is painted green"), bench.put("The depot is painted red")
    before = {hit.record.memory.id: hit.score for hit in ask(bench.operator, "depot painted").items}
    bench.operator.records.give_feedback("bad", [first.id])
    bench.operator.records.give_feedback("good", [second.id])
    found = ask(bench.operator, "depot painted").items
    assert [hit.record.memory.id for hit in found] == [second.id, first.id]
    after = {hit.record.memory.id: hit for hit in found}
    assert after[first.id].score < before[first.id] and after[second.id].score > before[second.id]
    assert after[first.id].parts["outcomes"] < 1 < after[second.id].parts["outcomes"]


def test_only_what_a_retrieval_gave_out_can_be_spoken_of(bench: Bench, fact: Memory) -> None:
    other = bench.put("The mill stands at the river")
    with pytest.raises(UsageError):
        bench.agent.records.give_feedback("good", [fact.id])
    given_out = ask(bench.agent).retrieval_id
    with pytest.raises(UsageError):
        bench.agent.records.give_feedback("good", [other.id], retrieval=given_out)
    with pytest.raises(NotFound):
        bench.agent.records.give_feedback("good", [fact.id], retrieval="01NOTHING")
    with pytest.raises(UsageError):
        bench.agent.records.give_feedback("fine", [fact.id])
    assert bench.agent.records.give_feedback("good", [fact.id]).items[0].memory.good == 1


def test_what_is_private_to_another_agent_is_not_there(bench: Bench) -> None:
    other = MemoryEngine(bench.config, Actor("agent:codex"))
    note = bench.put("A private note on kilns", by=other, scope="agent", agent_id="codex")
    with pytest.raises(NotFound):
        bench.agent.records.give_feedback("bad", [note.id])
    other.close()


def test_an_agent_that_votes_a_thousand_times_counts_a_few_times(
    bench: Bench, fact: Memory
) -> None:
    for number in range(12):
        bench.agent.records.give_feedback(
            "bad", [fact.id], retrieval=ask(bench.agent, session=f"s{number}").retrieval_id
        )
    assert bench.get(fact).bad <= 5
    (known,) = feedback_signals.find_signals(bench.db, [bench.get(fact)]).values()
    assert (known.agents_bad, known.operator_bad) == (2, 0)
    assert ask(bench.operator).items[0].parts["outcomes"] >= 0.98


def test_the_stream_tells_every_word_as_an_operation_of_its_own(bench: Bench, fact: Memory) -> None:
    bench.operator.records.give_feedback("good", [fact.id])
    bench.operator.records.give_feedback("bad", [fact.id], reason="not any more")
    told = [
        event
        for event in event_log.list_of_memory(bench.db, fact.id, whole=True)
        if event.topic == "outcome"
    ]
    assert [event.verb for event in told] == ["good", "bad"] and len(
        {event.operation for event in told}
    ) == 2
    assert told[0].before is None and (told[0].after or {})["verdict"] == "good"
    assert (
        told[1].before == {**(told[1].before or {}), "verdict": "good"}
        and (told[1].after or {})["reason"] == "not any more"
    )


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["operator", "agent:a", "agent:b"]), st.sampled_from(["good", "bad"])
        ),
        max_size=12,
    )
)
def test_the_counters_are_what_the_words_add_up_to(words: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        bench = Bench(Path(folder), patch)
        fact = bench.put("The depot is painted green")
        ask(bench.operator)
        last: dict[str, str] = {}
        for actor, verdict in words:
            engine = MemoryEngine(bench.config, Actor(actor))
            engine.records.give_feedback(verdict, [fact.id])
            engine.close()
            last[actor] = verdict
        now = bench.get(fact)
        assert (now.good, now.bad) == (
            list(last.values()).count("good"),
            list(last.values()).count("bad"),
        )
        bench.operator.close()
        bench.agent.close()


def test_an_agent_s_word_raises_no_trust(bench: Bench, fact: Memory) -> None:
    ask(bench.agent)
    bench.agent.records.give_feedback("good", [fact.id])
    now = bench.get(fact)
    assert (now.trust, now.confidence, now.updated_at) == (
        fact.trust,
        fact.confidence,
        fact.updated_at,
    )
    with pytest.raises(RefusedByPolicy):
        bench.agent.records.confirm([fact.id])


def test_undoing_a_word_takes_it_out_of_the_account(bench: Bench, fact: Memory) -> None:
    bench.operator.records.give_feedback("bad", [fact.id])
    said = next(
        event
        for event in event_log.list_of_memory(bench.db, fact.id, whole=True)
        if event.topic == "outcome"
    )
    bench.operator.revert(str(said.seq))
    assert (bench.get(fact).good, bench.get(fact).bad) == (0, 0)
    assert feedback.list_of_memory(bench.db, fact.id) == []


def test_undoing_a_second_vote_gives_the_first_one_back_whole(
    bench: Bench, fact: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.operator.records.give_feedback("bad", [fact.id], reason="it is blue")
    [first] = feedback.list_of_memory(bench.db, fact.id)
    later = timestamps.add_seconds(first.created_at, seconds=60)
    monkeypatch.setattr(clock, "now", lambda: later)
    bench.operator.records.give_feedback("good", [fact.id], reason="it is green")
    bench.operator.revert(str(event_log.list_matching(bench.db)[-1].seq))
    assert feedback.list_of_memory(bench.db, fact.id) == [first]
    assert rebuild.find_differences(bench.db) == []
