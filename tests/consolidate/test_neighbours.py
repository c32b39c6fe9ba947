"""Neighbours are found by index, a bounded number, and one voice counts once."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest
from bench import Bench, jsonl

from memctl.consolidate import neighbours
from memctl.consolidate.neighbours import (
    BY_SIMILARITY,
    BY_SUBJECT,
    BY_WORDS,
    NeighbourFinder,
    find_origins,
    load_statements,
)
from memctl.core.model import EntityRef, Evidence, Memory, NewMemory
from memctl.readers.base import Input
from memctl.store import (
    evidence,
    records,
    semantic,
    statements,
    succession,
    vector_index,
)

NGINX = (EntityRef("tool", "nginx"),)
MOST = 2 * BY_WORDS + BY_SUBJECT + BY_SIMILARITY + 12 * 24


def near(bench: Bench, memory: Memory) -> set[str]:
    [statement] = load_statements(bench.db, [memory])
    return {
        other.id for other in NeighbourFinder(bench.db, bench.config).find_neighbours(statement)
    }


def test_neighbours_share_words_or_a_subject_or_an_entity(bench: Bench) -> None:
    asked = bench.put("The request timeout is 30 seconds", subject="limits", entities=NGINX)
    words = bench.put("Timeout of a request: half a minute")
    subject = bench.put("Nothing may take longer than that", subject="limits")
    entity = bench.put("It restarts by itself", entities=NGINX)
    bench.put("The kiln stands in the barn")
    assert near(bench, asked) == {words.id, subject.id, entity.id}


def test_what_names_another_known_answer_is_near_without_a_word_in_common(bench: Bench) -> None:
    asked = bench.put("Builds run on Buildkite now")
    rival = bench.put("The CI provider: Jenkins")
    bench.put("The linter is ruff")
    assert near(bench, asked) == {rival.id}


@pytest.mark.proof
def test_the_number_of_neighbours_does_not_grow_with_the_store(bench: Bench) -> None:
    many = [
        NewMemory(
            "project",
            f"The request timeout of service {number} is {number} seconds",
            subject="limits",
            entities=NGINX,
        )
        for number in range(120)
    ]
    bench.operator.ingest(many[:60])
    asked = bench.put("The request timeout is 30 seconds", subject="limits", entities=NGINX)
    few = len(near(bench, asked))
    bench.operator.ingest(many[60:])
    assert few - 2 <= len(near(bench, asked)) <= min(MOST, few + 2)


PLANS = {
    "succession.by_subject": "USING INDEX memories_subject",
    "succession.by_entity": "INDEX memory_entities_entity (entity_id=?)",
    "succession.entities": "USING PRIMARY KEY",
    "succession.chain": "memory_links_to",
    "succession.above": "memory_links_to",
}


@pytest.mark.parametrize("statement", PLANS)
def test_what_is_asked_of_the_store_is_answered_by_an_index(bench: Bench, statement: str) -> None:
    bench.put("The kiln is oil fired")
    names = (
        "subject",
        "scope",
        "project_id",
        "agent_id",
        "limit",
        "entity_id",
        "memory_id",
        "id",
        "at",
    )
    with contextlib.closing(sqlite3.connect(bench.path)) as store:
        plan = [
            row[3]
            for row in store.execute(
                "EXPLAIN QUERY PLAN " + statements.get_statement(statement), dict.fromkeys(names)
            )
        ]
    assert PLANS[statement] in " / ".join(plan)
    assert not [
        part
        for part in plan
        if part.startswith("SCAN") and part.split()[1] in ("memories", "m", "memory_entities", "l")
    ]


def test_only_the_rarest_words_are_asked_for_in_a_large_store(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.operator.ingest(
        [NewMemory("project", f"The request of number {number}") for number in range(30)]
    )
    assert succession.choose_rarest_words(bench.db, ["request", "number", "zebra"], 1000) == [
        "request",
        "number",
        "zebra",
    ]
    assert (
        succession.choose_rarest_words(bench.db, ["request", "number", "zebra"], 20)[0] == "zebra"
    )
    assert len(succession.choose_rarest_words(bench.db, ["request", "number", "zebra"], 20)) == 2


def test_the_nearest_in_sense_are_neighbours_whatever_their_words(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, other = bench.put("The kiln is oil fired"), bench.put("Burning fuel heats that oven")
    monkeypatch.setattr(
        semantic, "find_serving_model", lambda db: semantic.Model(1, "invented", 2, "x")
    )
    monkeypatch.setattr(vector_index, "has_table", lambda db: True)
    monkeypatch.setattr(vector_index, "load_extension", lambda db: True)
    monkeypatch.setattr(
        semantic, "read_vectors", lambda db, model, numbers: {n: bytes([127, 3]) for n in numbers}
    )
    numbers = {memory.id: records.find_number(bench.db, memory.id) for memory in (asked, other)}
    monkeypatch.setattr(
        vector_index,
        "find_nearest",
        lambda db, vector, places, limit: dict.fromkeys(numbers.values(), 0.9),
    )
    assert near(bench, asked) == {other.id}
    one, two = load_statements(bench.db, [asked, other])
    assert NeighbourFinder(bench.db, bench.config).measure_similarity(one, two) == pytest.approx(
        1.0
    )


def test_where_there_are_no_vectors_nothing_is_near(bench: Bench) -> None:
    bench.settings(embedding__model="none")
    one, two = load_statements(
        bench.db, [bench.put("The kiln is oil fired"), bench.put("The roof leaks")]
    )
    found = NeighbourFinder(bench.db, bench.config).measure_similarity(one, two)
    assert found is None or 0 <= found <= 1


def test_what_one_agent_claims_in_many_sessions_has_one_origin_and_what_a_person_says_one_a_session(
    bench: Bench,
) -> None:
    for number in range(3):
        turns = (("assistant", "claim The roof leaks"), ("user", "fact The kiln is oil fired"))
        raw = jsonl(
            *turns, session=f"5e551011-0000-4000-8000-00000000040{number}", cwd=str(bench.home)
        )
        bench.agent.capture_session(
            Input(data=raw.replace(b"2026-03-04T", b"2026-04-%02dT" % (number + 1)))
        )
        bench.maintain()
    proof: dict[str, list[Evidence]] = evidence.list_by_memory(
        bench.db, [memory.id for memory in bench.all("inbox")]
    )
    told = {items[0].quote: set(find_origins(bench.db, items).values()) for items in proof.values()}
    assert len(told["The roof leaks"]) == 1 and len(told["The kiln is oil fired"]) == 3


def test_the_words_of_the_operator_announce_a_change_and_an_agents_do_not(bench: Bench) -> None:
    mine, its = (
        bench.put("From now on the kiln is gas fired"),
        bench.put("From now on the roof is green", by=bench.agent),
    )
    assert [statement.announces for statement in load_statements(bench.db, [mine, its])] == [
        True,
        False,
    ]
    assert neighbours.BY_WORDS > 0
