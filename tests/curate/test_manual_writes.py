"""Manual writes: all or nothing, active where policy allows, never more trusted than their
writer.
"""

from __future__ import annotations

from typing import Any

import pytest
from bench import Bench

from memctl.core import clock
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED, OPERATOR_SAID, EntityRef, NewMemory, Place
from memctl.store import entity_lookup, evidence, links, projects, tombstones

KILN = "The kiln is oil fired"


def here(bench: Bench, name: str = "kiln", **given: Any) -> Place:
    with bench.db.write():
        return Place(projects.insert(bench.db, name, None, clock.now()).id, **given)


def test_the_operators_word_is_active_at_once_with_the_words_as_evidence(bench: Bench) -> None:
    memory = bench.put(KILN)
    [proof] = evidence.list_of_memory(bench.db, memory.id)
    assert (memory.status, memory.trust, memory.scope, memory.source_ref) == (
        "active",
        OPERATOR_SAID,
        "global",
        "manual:operator",
    )
    assert (proof.quote, proof.id, proof.role) == (KILN, memory.evidence_ref, "human")
    bench.check()


def test_an_agents_word_is_active_at_the_agents_trust(bench: Bench) -> None:
    memory = bench.put(KILN, by=bench.agent)
    assert (memory.status, memory.trust, memory.source_ref) == (
        "active",
        AGENT_CLAIMED,
        "manual:agent:claude-code",
    )


def test_an_agents_profile_fact_waits_in_the_inbox_and_says_why(bench: Bench) -> None:
    saved = bench.agent.ingest([NewMemory("profile", "Prefers tea")]).items[0]
    assert (saved.outcome, saved.record.memory.status) == ("inbox", "inbox")
    assert "operator" in (saved.note or "")


def test_the_same_profile_fact_twice_from_an_agent_waits_once(bench: Bench) -> None:
    bench.agent.ingest([NewMemory("profile", "Prefers tea")])
    assert bench.agent.ingest([NewMemory("profile", "prefers TEA.")]).items[0].outcome == "inbox"
    assert len(evidence.list_of_memory(bench.db, bench.one("inbox").id)) == 2


def test_a_decision_without_a_rationale_waits_even_for_the_operator(bench: Bench) -> None:
    assert bench.put("Fire at cone 6", "decision").status == "inbox"
    assert bench.put("Fire at cone 10", "decision", rationale="stoneware").status == "active"
    bench.check()


def test_many_are_written_or_none(bench: Bench) -> None:
    good, bad = NewMemory("project", KILN), NewMemory("project", "x", kind="Not a kind!")
    with pytest.raises(UsageError, match="item 2"):
        bench.operator.ingest([good, bad])
    with pytest.raises(NotFound, match="item 2"):
        bench.operator.ingest([good, NewMemory("project", "y", project="nowhere")])
    assert bench.all() == []


def test_one_forgotten_among_many_stops_them_all(bench: Bench) -> None:
    bench.operator.forget([bench.put(KILN).id])
    with pytest.raises(RefusedByPolicy, match="forgotten before"):
        bench.agent.ingest(
            [NewMemory("project", "The shelves are cordierite"), NewMemory("project", KILN)]
        )
    assert [memory.status for memory in bench.all()] == ["archived"]


def test_nothing_is_an_error(bench: Bench) -> None:
    with pytest.raises(UsageError):
        bench.operator.ingest([])


def test_what_is_known_already_gains_evidence_and_no_twin(bench: Bench) -> None:
    first = bench.put(KILN, by=bench.agent)
    item = NewMemory("project", "the kiln is **oil fired**.")
    again = bench.operator.ingest([item], place=bench.place).items[0]
    assert (again.outcome, again.record.memory.id) == ("merged", first.id)
    assert bench.get(first).trust == OPERATOR_SAID
    assert len(evidence.list_of_memory(bench.db, first.id)) == 2
    bench.check()


def test_what_the_operator_says_again_is_confirmed(bench: Bench) -> None:
    first = bench.put(KILN)
    bench.put(KILN)
    assert (bench.get(first).confirmed_at or "") > first.observed_at


def test_an_agent_that_repeats_the_operator_changes_nothing(bench: Bench) -> None:
    first = bench.put(KILN)
    bench.put(KILN, by=bench.agent, always_load=True)
    assert replace(bench.get(first), updated_at="") == replace(first, updated_at="")


def test_an_agent_that_repeats_itself_adds_no_evidence(bench: Bench) -> None:
    first = bench.put(KILN, by=bench.agent)
    bench.put(KILN, by=bench.agent)
    assert len(evidence.list_of_memory(bench.db, first.id)) == 1


def test_the_operators_word_takes_in_the_candidate_that_says_the_same(bench: Bench) -> None:
    waiting = bench.put("Prefers tea", "profile", by=bench.agent)
    said = bench.put("Prefers tea", "profile")
    assert (bench.state(said), bench.state(waiting)) == ("active", "superseded")
    bench.check()


def test_the_same_words_in_two_projects_or_types_or_sessions_are_different_memories(
    bench: Bench,
) -> None:
    places = [
        here(bench),
        here(bench, "mill"),
        Place(None, None, "claude-code", "s1"),
        Place(None, None, "claude-code", "s2"),
    ]
    for place, scope in zip(places, ["project", "project", "session", "session"], strict=True):
        bench.operator.ingest([NewMemory("project", KILN, scope=scope)], place=place)
    bench.operator.ingest([NewMemory("artifact", KILN)], place=places[0])
    assert len(bench.all("active")) == 5


def test_a_scope_needs_its_place(bench: Bench) -> None:
    for scope in ("project", "repo", "agent", "session"):
        with pytest.raises(UsageError, match="needs"):
            bench.put(KILN, scope=scope)


def test_working_memory_always_ends(bench: Bench) -> None:
    memory = bench.put(KILN, scope="session", session_id="s1")
    assert memory.valid_until is not None and memory.valid_until > memory.created_at
    assert (
        bench.put("x y z", scope="session", session_id="s1", valid_until="2030-01-01").valid_until
        == "2030-01-01T00:00:00.000Z"
    )


def test_a_profile_fact_is_global_wherever_it_is_said(bench: Bench) -> None:
    saved = (
        bench.operator.ingest([NewMemory("profile", "Prefers tea")], place=here(bench))
        .items[0]
        .record.memory
    )
    assert (saved.scope, saved.project_id) == ("global", None)


# -- texts --------------------------------------------------------------------

NASTY = "a\0b \ud800 c \udcff \u202e d"
TEXTS = [
    "content",
    "title",
    "summary",
    "subject",
    "rationale",
    "source_ref",
    "agent_id",
    "session_id",
    "quote",
]


@pytest.mark.parametrize("name", TEXTS)
def test_nul_and_lone_surrogates_are_taken_out_of_every_text(bench: Bench, name: str) -> None:
    given: dict[str, Any] = {
        "type": "decision",
        "content": KILN,
        "rationale": "oil is at hand",
        "alternatives": (NASTY,),
        name: NASTY,
    }
    scope = {"agent_id": "agent", "session_id": "session"}.get(name)
    memory = (
        bench.operator.ingest(
            [NewMemory(**given, scope=scope, entities=(EntityRef("tool", NASTY),))]
        )
        .items[0]
        .record.memory
    )
    assert "\0" not in str(getattr(memory, name, "")) and "\0" not in memory.alternatives[0]
    assert entity_lookup.list_refs_by_memory(bench.db, [memory.id])[memory.id][0].name.startswith(
        "ab"
    )
    bench.check()


def test_secrets_are_taken_out_of_every_text(bench: Bench) -> None:
    secret = "ghp_" + "aZ3kQ9mW1xR7tY5bN8vC2dF6gH4jL0pS1eU3"
    texts = dict.fromkeys(("title", "summary", "rationale", "subject"), f"use {secret}")
    memory = bench.put(f"the token {secret}", "decision", **texts)
    bench.operator.forget([memory.id], reason=f"it has {secret} in it")
    assert (
        secret.lower()
        not in repr(
            [memory, bench.get(memory), tombstones.find_of_memory(bench.db, memory.id)["reason"]]
        ).lower()
    )  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "longest"),
    [("content", 65536), ("title", 400), ("summary", 4000), ("rationale", 65536), ("subject", 400)],
)
def test_a_text_that_is_too_long_is_refused_with_its_limit(
    bench: Bench, name: str, longest: int
) -> None:
    given = {"content": KILN, name: "x" * longest}
    bench.put(**given)
    with pytest.raises(UsageError, match=f"limit is {longest}"):
        bench.put(**{**given, name: "y" * (longest + 1)})


def test_a_title_is_one_line(bench: Bench) -> None:
    assert bench.put(KILN, title="two\nlines\tand a tab").title == "two lines and a tab"
    assert bench.put("first line\nsecond line").title == "first line"


@pytest.mark.parametrize(
    "given",
    [
        {"content": " \0 "},
        {"type_": "opinion"},
        {"kind": "two words!"},
        {"scope": "galaxy"},
        {"confidence": 1.5},
        {"confidence": float("nan")},
        {"valid_from": "soon"},
        {"valid_until": "2026-13-01"},
        {"observed_at": "x"},
        {"valid_from": "2027-01-01", "valid_until": "2026-01-01"},
        {"entities": (EntityRef("ghost", "Casper"),)},
    ],
    ids=str,
)
def test_what_does_not_fit_is_a_usage_error_and_nothing_is_written(
    bench: Bench, given: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        bench.put(**{"content": KILN, **given})
    assert bench.all() == []


# -- against what stands there ------------------------------------------------


def test_two_facts_that_cannot_both_hold_stand_side_by_side_as_contradicted(bench: Bench) -> None:
    one, two = bench.put("The default branch is main"), bench.put("The default branch is trunk")
    assert (bench.state(one), bench.state(two)) == ("contradicted", "contradicted")
    assert evidence.list_of_memory(bench.db, one.id) and evidence.list_of_memory(bench.db, two.id)
    bench.check()


def test_an_agents_claim_takes_nothing_from_the_operators_word(bench: Bench) -> None:
    bench.placed = True
    said, claimed = (
        bench.put("The default branch is main"),
        bench.put("The default branch is trunk", by=bench.agent),
    )
    assert (bench.state(said), bench.state(claimed)) == ("active", "contradicted")
    assert [link.relation for link in links.list_of_memory(bench.db, said.id)] == ["contradicts"]
    bench.check()


def test_what_was_forgotten_comes_back_only_by_the_operators_hand(bench: Bench) -> None:
    bench.placed = True
    bench.operator.forget([bench.put(KILN).id])
    with pytest.raises(RefusedByPolicy, match="forgotten before"):
        bench.put("The kiln is `oil fired`", by=bench.agent)
    assert bench.put(KILN).status == "active"
    again = bench.agent.ingest([NewMemory("project", KILN)], place=bench.place)
    assert again.items[0].outcome == "merged"


# -- the profile --------------------------------------------------------------


def test_a_profile_fact_set_anew_supersedes_the_old_one(bench: Bench) -> None:
    old = bench.operator.upsert_profile_fact("editor", "vim").items[0].record.memory
    new = bench.operator.upsert_profile_fact("Editor", "helix").items[0].record
    assert (bench.state(old), new.memory.status, new.memory.always_load) == (
        "superseded",
        "active",
        True,
    )
    assert [view.memory.content for view in bench.operator.records.list_profile().items] == [
        "Editor: helix"
    ]
    bench.check()


def test_set_back_to_an_earlier_value_it_holds_again(bench: Bench) -> None:
    for value in ("vim", "helix", "vim", "vim"):
        bench.operator.upsert_profile_fact("editor", value)
    assert [view.memory.content for view in bench.operator.records.list_profile().items] == [
        "editor: vim"
    ]
    bench.check()


def test_unset_and_set_again_it_comes_back(bench: Bench) -> None:
    bench.operator.upsert_profile_fact("editor", "vim")
    assert (
        bench.operator.records.unset_profile_fact("EDITOR").changed[0].memory.status == "archived"
    )
    assert bench.operator.records.list_profile().total == 0
    with pytest.raises(NotFound):
        bench.operator.records.unset_profile_fact("editor")
    assert (
        bench.operator.upsert_profile_fact("editor", "vim").items[0].record.memory.status
        == "active"
    )
    bench.check()


def test_setting_the_same_value_changes_how_it_is_used(bench: Bench) -> None:
    bench.operator.upsert_profile_fact("editor", "vim")
    fact = (
        bench.operator.upsert_profile_fact("editor", "vim", kind="fact", always_load=False)
        .items[0]
        .record.memory
    )
    assert (fact.kind, fact.always_load) == ("fact", False)


@pytest.mark.parametrize(("key", "value"), [("", "vim"), ("editor", " "), ("...", "vim")])
def test_a_profile_fact_needs_a_key_and_a_value(bench: Bench, key: str, value: str) -> None:
    with pytest.raises(UsageError):
        bench.operator.upsert_profile_fact(key, value)


def test_an_agent_sets_and_unsets_nothing_of_the_profile(bench: Bench) -> None:
    bench.operator.upsert_profile_fact("editor", "vim")
    with pytest.raises(RefusedByPolicy):
        bench.agent.upsert_profile_fact("editor", "emacs")
    with pytest.raises(RefusedByPolicy):
        bench.agent.records.unset_profile_fact("editor")
    assert [view.memory.content for view in bench.operator.records.list_profile().items] == [
        "editor: vim"
    ]


def test_a_private_block_in_what_is_written_by_hand_is_left_out(bench: Bench) -> None:
    kept = bench.put(
        "The vault <private>below the kiln</private> is dry", rationale="<private>nobody"
    )
    assert (kept.content, kept.title, kept.rationale) == (
        "The vault [PRIVATE] is dry",
        "The vault [PRIVATE] is dry",
        "[PRIVATE]",
    )
