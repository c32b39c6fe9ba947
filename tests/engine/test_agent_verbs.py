"""The verbs of agents' loops: manage, search in plain words, flush, a context for a namespace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench import Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.core.errors import NotFound, RefusedByPolicy, StoreLocked, UsageError
from memctl.core.model import SENTINEL_CLOSE, SENTINEL_OPEN, Actor, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.retrieve import bundle
from memctl.store import queue, sources

ASKED = {"role": "user", "content": "decide Use Valkey because of the licence"}
DONE = {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}
MORE = {"role": "user", "content": "fact The cache lives in eu-west"}


# -- manage


def test_what_is_created_stands_where_its_namespace_says(bench: Bench) -> None:
    made = bench.operator.manage(
        "Tests run with pytest -q",
        scope=("project", bench.home),
        metadata={"kind": "command", "entities": ["tool:pytest"], "confidence": 0.8},
    )
    view = bench.operator.records.show(made)
    assert made.outcome == "created"
    assert (view.memory.scope, view.project, view.memory.kind) == ("project", "kiln", "command")
    assert view.memory.confidence == 0.8
    assert [ref.name for ref in view.entities] == ["pytest"]


def test_a_decision_needs_no_type(bench: Bench) -> None:
    made = bench.operator.manage(
        "We use Valkey", metadata={"kind": "decision", "rationale": "the licence"}
    )
    assert bench.get(made).type == "decision"


def test_what_is_known_is_not_written_twice(bench: Bench) -> None:
    first = bench.operator.manage("The kiln fires at 900 degrees", scope=("project", bench.home))
    again = bench.operator.manage("The kiln fires at 900 degrees", scope=("project", "kiln"))
    assert again == first
    assert again.outcome == "merged"


def test_new_words_supersede_the_old_ones(bench: Bench) -> None:
    old = bench.operator.manage("The kiln fires at 900 degrees")
    new = bench.operator.manage(
        "The kiln fires at 950 degrees", "update", old, metadata={"reason": "it was re-lined"}
    )
    assert new != old
    assert (bench.state(old), bench.state(new)) == ("superseded", "active")


def test_other_fields_change_in_place(bench: Bench) -> None:
    old = bench.operator.manage("The kiln fires at 900 degrees")
    same = bench.operator.manage(
        "The kiln fires at 900 degrees",
        "update",
        old,
        metadata={"kind": "constraint", "confidence": 0.7, "entities": [("tool", "kiln")]},
    )
    assert same == old
    assert (bench.get(old).kind, bench.get(old).confidence) == ("constraint", 0.7)
    assert [ref.name for ref in bench.operator.records.show(old).entities] == ["kiln"]


def test_words_and_fields_change_together_or_not_at_all(bench: Bench) -> None:
    old = bench.operator.manage("The kiln fires at 900 degrees")
    with pytest.raises(UsageError, match="kind"):
        bench.operator.manage(
            "The kiln fires at 950 degrees", "update", old, metadata={"kind": "No Kind!"}
        )
    assert bench.state(old) == "active"
    new = bench.operator.manage(
        "The kiln fires at 950 degrees", "update", old, metadata={"kind": "constraint"}
    )
    assert bench.get(new).kind == "constraint"


def test_what_is_deleted_is_forgotten_and_can_come_back(bench: Bench) -> None:
    made = bench.operator.manage("The kiln fires at 900 degrees")
    gone = bench.operator.manage(action="delete", id=made, metadata={"reason": "it was sold"})
    assert gone == made
    assert (gone.outcome, bench.state(made)) == ("forgotten", "archived")
    bench.operator.revert(made)
    assert bench.state(made) == "active"


def test_an_old_id_leads_an_update_on_and_stops_a_delete(bench: Bench) -> None:
    old = bench.operator.manage("The kiln fires at 900 degrees")
    new = bench.operator.manage("The kiln fires at 950 degrees", "update", old)
    with pytest.raises(UsageError, match=f"was superseded by {new}"):
        bench.operator.manage(action="delete", id=old)
    newest = bench.operator.manage("The kiln fires at 980 degrees", "update", old)
    assert [bench.state(each) for each in (old, new, newest)] == [
        "superseded",
        "superseded",
        "active",
    ]


def test_an_agent_proposes_what_only_the_operator_may_change(bench: Bench) -> None:
    rule = bench.operator.manage(
        "Run make lint first", scope=("project", bench.home), metadata={"kind": "command"}
    )
    proposed = bench.agent.manage("Run make check first", "update", rule)
    assert proposed.outcome == "proposed"
    assert (bench.state(rule), bench.state(proposed)) == ("active", "inbox")
    with pytest.raises(RefusedByPolicy, match="needs the operator"):
        bench.agent.manage(action="delete", id=rule)
    with pytest.raises(RefusedByPolicy, match="needs the operator"):
        bench.agent.manage(action="update", id=rule, metadata={"confidence": 0.1})
    assert bench.get(rule).confidence == 0.9


def test_an_agents_rule_waits_for_the_operator(bench: Bench) -> None:
    bench.placed = True
    made = bench.agent.manage("Never push on Fridays", metadata={"kind": "constraint"})
    assert made.outcome == "inbox"
    assert made.note is not None
    assert "needs the operator" in made.note


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ({"content": "x", "action": "erase"}, "action is create, update, delete"),
        ({"content": 5}, "content is a text"),
        ({}, "needs content"),
        ({"content": "x", "id": "01ABC"}, "what is created gets its id"),
        ({"action": "update", "content": "x"}, "name it by its id"),
        ({"action": "delete"}, "name it by its id"),
        ({"content": "x", "metadata": {"colour": "red"}}, "metadata has no colour"),
        ({"content": "x", "metadata": ["kind"]}, "metadata is a mapping"),
        ({"content": "x", "metadata": {"kind": 5}}, "kind is a text"),
        ({"content": "x", "metadata": {"confidence": "high"}}, "confidence is a number"),
        ({"content": "x", "metadata": {"confidence": True}}, "confidence is a number"),
        ({"content": "x", "metadata": {"entities": [{"nick": "ada"}]}}, "is no entity"),
        ({"content": "x", "metadata": {"entities": 7}}, "entities is a list"),
        ({"content": "x", "metadata": {"always_load": "yes"}}, "always_load is true or false"),
        ({"content": "x", "scope": ("user", "ada")}, "one operator"),
        ({"action": "update", "id": "01ABC", "scope": "global"}, "takes no scope"),
        ({"action": "update", "id": "01ABC", "metadata": {"quote": "x"}}, "cannot change quote"),
        ({"action": "delete", "id": "01ABC", "metadata": {"kind": "x"}}, "no metadata but"),
    ],
)
def test_a_call_that_makes_no_sense_says_why(
    bench: Bench, call: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        bench.operator.manage(**call)
    assert bench.all() == []


def test_an_update_that_changes_nothing_says_so(bench: Bench) -> None:
    made = bench.operator.manage("The kiln fires at 900 degrees")
    with pytest.raises(UsageError, match="needs new words or metadata"):
        bench.operator.manage("The kiln fires at 900 degrees", "update", made)


def test_a_project_that_nobody_knows_is_not_invented(bench: Bench) -> None:
    with pytest.raises(NotFound, match="no project is called 'klin'"):
        bench.operator.manage("x", scope=("project", "klin"))
    with pytest.raises(NotFound, match="is no project"):
        bench.operator.search("x", scope=("project", Path("/nowhere/at/all")))


def test_an_agent_has_no_part_in_the_notes_of_another(bench: Bench) -> None:
    codex = MemoryEngine(bench.config, Actor("agent:codex"))
    codex.manage("The key lies under the mat", scope="agent")
    assert codex.search("where lies the key", scope="agent").items
    assert not bench.agent.search("where lies the key", scope="agent").items
    for call in (
        lambda: bench.agent.manage("x", scope=("agent", "codex")),
        lambda: bench.agent.search("where lies the key", scope=("agent", "codex")),
        lambda: bench.agent.format_for_injection(("agent", "codex"), 500),
        lambda: bench.agent.flush([ASKED], ("agent", "codex")),
    ):
        with pytest.raises(RefusedByPolicy, match="private to codex"):
            call()
    assert bench.operator.search("where lies the key", scope=("agent", "codex")).items


def test_a_busy_store_keeps_the_write_for_later(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = bench.operator.manage("The kiln fires at 900 degrees")
    engine = MemoryEngine(bench.config, Actor("operator"), patience=0.0)

    def refuse(**_given: Any) -> Any:
        raise StoreLocked("busy")

    monkeypatch.setattr(engine, "_open_for_writing", refuse)
    written = engine.manage("The kiln has two doors")
    told = engine.manage("The kiln fires at 950 degrees", "update", made)
    assert (written, written.outcome, told.outcome) == ("", "spooled", "spooled")
    with pytest.raises(StoreLocked):
        engine.manage(action="update", id=made, metadata={"confidence": 0.1})
    bench.maintain()
    assert {memory.content for memory in bench.all("active")} == {
        "The kiln has two doors",
        "The kiln fires at 950 degrees",
    }


# -- search


def test_plain_words_find_what_a_query_finds(bench: Bench) -> None:
    for number in range(4):
        bench.operator.manage(f"Kiln {number} fires at 900 degrees", scope=("project", bench.home))
    place = bench.operator.place(project="kiln")
    by_query = bench.operator.search(Query("kiln fires", place, limit=3))
    by_words = bench.operator.search("kiln fires", 3, ("project", "kiln"))
    assert len(by_words.items) == 3
    assert [hit.record.memory.id for hit in by_words.items] == [
        hit.record.memory.id for hit in by_query.items
    ]
    assert len(bench.operator.search(Query("kiln fires", place), limit=2).items) == 2


def test_a_namespace_finds_what_holds_there(bench: Bench) -> None:
    bench.operator.manage("The forge is lit at dawn", scope=("project", bench.home))
    bench.operator.manage("The forge is paid in silver", scope=("global",))
    found = bench.operator.search("the forge", scope=("project", "kiln")).items
    wide = bench.operator.search("the forge", scope="global").items
    assert len(found) == 2
    assert [hit.record.memory.content for hit in wide] == ["The forge is paid in silver"]


@pytest.mark.parametrize("limit", [0, -1, True, "5", 2.5])
def test_a_limit_is_a_whole_number(bench: Bench, limit: Any) -> None:
    with pytest.raises(UsageError, match="limit is a whole number"):
        bench.operator.search("kiln", limit)


def test_tags_narrow_plain_words(bench: Bench) -> None:
    bench.operator.manage("The crane lifts nine tons", scope="global", tags=["yard"])
    bench.operator.manage("The crane is red", scope="global", metadata={"tags": ["Paint"]})
    found = bench.operator.search("crane", tags=["paint"]).items
    assert [hit.record.memory.content for hit in found] == ["The crane is red"]


def test_an_update_sets_tags(bench: Bench) -> None:
    made = bench.operator.manage("The crane lifts nine tons", tags=["yard"])
    bench.operator.manage(action="update", id=made, tags=["steel"])
    assert bench.operator.records.show(made).tags == ("steel",)


# -- dream


def test_a_dream_is_staged_for_a_project_and_waits(bench: Bench) -> None:
    bench.operator.manage("The kiln fires at 900 degrees", scope=("project", bench.home))
    bench.operator.manage("Answer in English", scope="global")
    shown = bench.operator.dream(7, ("project", "kiln"), stages=False)
    staged = bench.operator.dream(7, ("project", "kiln"))
    assert [item.state for item in shown.items] == ["proposed"]
    assert len(staged.items) == 1
    assert len(bench.operator.dream(stages=False).items) == 2


@pytest.mark.parametrize(("days", "scope"), [(0, None), (True, None), (7, "global"), (7, "agent")])
def test_a_dream_is_of_a_project_and_of_some_days(bench: Bench, days: Any, scope: Any) -> None:
    with pytest.raises(UsageError):
        bench.operator.dream(days, scope)


# -- flush


def test_the_same_messages_add_nothing_and_a_longer_list_its_new_turns(bench: Bench) -> None:
    first = bench.operator.flush([ASKED, DONE], ("project", bench.home))
    again = bench.operator.flush([ASKED, DONE], ("project", "kiln"))
    grown = bench.operator.flush([ASKED, DONE, MORE], ("project", "kiln"))
    assert (first.items[0].outcome, first.items[0].new_turns) == ("captured", 2)
    assert again.state == "unchanged"
    assert (grown.items[0].outcome, grown.items[0].new_turns) == ("grown", 1)
    bench.maintain()
    assert {memory.content for memory in bench.all("inbox") if memory.type != "episode"} == {
        "Use Valkey",
        "The cache lives in eu-west",
    }


def test_flushes_wait_together_for_a_pause(bench: Bench) -> None:
    bench.settings(capture__debounce_seconds=3600)
    bench.operator.flush([ASKED, DONE], ("project", bench.home))
    bench.operator.flush([ASKED, DONE, MORE], ("project", "kiln"))
    bench.maintain()
    assert bench.all() == []
    assert queue.count_by_state(bench.db)["queued"] == 1


def test_a_named_session_may_be_handed_over_in_windows(bench: Bench) -> None:
    where = ("project", bench.home, "session", "s1")
    bench.operator.flush([ASKED, DONE], where)
    joined = bench.operator.flush([DONE, MORE], where)
    inside = bench.operator.flush([DONE], where)
    apart = bench.operator.flush([{"role": "user", "content": "fact It has four shards"}], where)
    whole = bench.operator.flush([ASKED, DONE, MORE], where)
    assert (joined.items[0].outcome, joined.items[0].new_turns) == ("grown", 1)
    assert inside.state == whole.state == "unchanged"
    assert (apart.items[0].outcome, apart.items[0].new_turns) == ("grown", 1)
    turns = sources.read_turns(bench.db, apart.items[0].source_id)
    assert [turn.seq for turn in turns] == [0, 1, 2, 3]
    assert len({item.items[0].source_id for item in (joined, apart, whole)}) == 1


def test_a_window_that_had_to_wait_is_joined_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = ("project", bench.home, "session", "s1")
    bench.operator.flush([ASKED, DONE], where)
    engine = MemoryEngine(bench.config, Actor("operator"))
    place = engine.place(project="kiln", session="s1")

    def refuse() -> Any:
        raise StoreLocked("busy")

    monkeypatch.setattr(engine, "open_or_create", refuse)
    assert engine.flush([DONE, MORE], place=place).state == "spooled"
    bench.maintain()
    whole = bench.operator.flush([ASKED, DONE, MORE], where)
    assert whole.state == "unchanged"


def test_two_conversations_that_begin_alike_are_two(bench: Bench) -> None:
    one = bench.operator.flush([ASKED, DONE, MORE], ("project", bench.home))
    other = bench.operator.flush(
        [ASKED, DONE, {"role": "user", "content": "fact It has four shards"}], ("project", "kiln")
    )
    assert one.items[0].session_id != other.items[0].session_id


def test_messages_of_model_libraries_are_read(bench: Bench) -> None:
    class Message:
        def model_dump(self) -> dict[str, Any]:
            return {"role": "user", "content": "fact The kiln is red", "audio": b"\xff"}

    assert bench.operator.flush([Message()]).items[0].new_turns == 1


def test_nothing_said_is_nothing_flushed(bench: Bench) -> None:
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}
    assert bench.operator.flush([]).items == ()
    assert bench.operator.flush([picture]).items == ()
    assert bench.maintain().problems == ()


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ("hello", "messages is a list"),
        (None, "messages is a list"),
        ({"role": "user", "content": "x"}, "messages is a list"),
        ([ASKED, 1], "message 2 is no mapping"),
        ([{"content": "x"}], "message 1 has no role"),
        ([{"role": "martian", "content": "x"}], "message 1 has no role that is known"),
        ([{"role": "user", "content": 5}], "message 1 has no text"),
    ],
)
def test_what_is_no_message_is_named(bench: Bench, messages: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        bench.operator.flush(messages)


def test_an_agents_own_notes_stay_its_own(bench: Bench) -> None:
    bench.agent.flush([ASKED, DONE, MORE], ("project", bench.home, "agent"))
    bench.maintain()
    found = [memory for memory in bench.all("inbox", "active") if memory.type != "episode"]
    assert {(memory.scope, memory.agent_id) for memory in found} == {("agent", "claude-code")}


# -- a context for a namespace


TOKENIZERS: list[Callable[[str], Any]] = [
    len,
    str.split,
    lambda text: len(text.encode()),
    lambda text: list(text),
    lambda text: len(text) // 7,
    lambda text: len(text) * 3,
    lambda text: 0,
]


@pytest.fixture
def full(bench: Bench) -> Bench:
    """A project of which more can be said than fits."""
    for number in range(30):
        bench.operator.manage(
            f"Oven {number} of the bakery burns {number * 7} logs a día",
            scope=("project", bench.home),
            metadata={"kind": "constraint" if number % 3 else "fact"},
        )
    return bench


@settings(max_examples=40)
@given(most=st.integers(0, 900), which=st.integers(0, len(TOKENIZERS) - 1))
def test_a_context_never_costs_more_than_it_may(full: Bench, most: int, which: int) -> None:
    count = TOKENIZERS[which]
    text = full.operator.format_for_injection(
        ("project", "kiln"), most, task="how many logs burns oven 3", tokenizer=count
    )
    cost = count(text)
    assert (cost if isinstance(cost, int) else len(cost)) <= most
    assert not text or (text.startswith(SENTINEL_OPEN) and text.rstrip().endswith(SENTINEL_CLOSE))


@pytest.mark.parametrize("most", [0, 40, 120, 200, 2000])
def test_without_a_tokenizer_the_estimate_counts(full: Bench, most: int) -> None:
    text = full.operator.format_for_injection(("project", "kiln"), most, task="oven 3")
    assert bundle.count_tokens(text) <= most
    assert bool(text) == (most >= 120)


def test_a_tokenizer_that_counts_less_lets_more_in(full: Bench) -> None:
    few = full.operator.format_for_injection(("project", "kiln"), 200, tokenizer=len)
    many = full.operator.format_for_injection(("project", "kiln"), 200, tokenizer=str.split)
    usual = full.operator.format_for_injection(("project", "kiln"), 200)
    assert len(few) < len(usual) < len(many)


def test_what_a_tokenizer_counted_can_be_built_again(full: Bench) -> None:
    report = full.operator.context_for(
        place=full.operator.place(project="kiln"), budget=150, tokenizer=str.split
    )
    full.operator.write_logs()
    again = full.operator.records.replay_retrieval(report.retrieval_id)
    assert again.same


def test_a_report_is_given_out_as_it_is(full: Bench) -> None:
    report = full.operator.context_for(place=full.operator.place(project="kiln"))
    assert full.operator.format_for_injection(report) == report.text
    with pytest.raises(UsageError, match="within a budget already"):
        full.operator.format_for_injection(report, 100)


@pytest.mark.parametrize("most", [-1, "100", 1.5, True])
def test_a_budget_is_a_whole_number(full: Bench, most: Any) -> None:
    with pytest.raises(UsageError, match="max_tokens is a whole number"):
        full.operator.format_for_injection("global", most)


def test_a_tokenizer_that_does_not_count_is_named(full: Bench) -> None:
    with pytest.raises(UsageError, match="the tokenizer returns a number"):
        full.operator.format_for_injection(("project", "kiln"), 500, tokenizer=lambda text: None)
