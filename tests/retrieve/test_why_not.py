"""Absence is explained: each reason for which a record may be missing is named."""

from __future__ import annotations

import itertools
import tempfile
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invented import House

from memctl.core import clock
from memctl.core.model import Actor, Place, Query
from memctl.results.retrieval import SearchReport
from memctl.retrieve import query_embedding, search, vectors, why_not
from memctl.store import tombstones


def test_a_record_among_the_results_is_returned(house: House) -> None:
    assert house.why_not("kiln", house.add("Kiln")).reason == "returned"


@pytest.mark.parametrize(
    ("changed", "wanted", "reason"),
    [
        ({"status": "inbox"}, {}, "inbox"),
        ({"status": "archived"}, {}, "archived"),
        ({"status": "superseded"}, {}, "superseded"),
        ({"scope": "agent", "agent_id": "codex"}, {}, "private"),
        ({"scope": "session", "session_id": "s"}, {}, "private"),
        ({}, {"types": ("decision",)}, "filtered"),
        ({}, {"kinds": ("todo",)}, "filtered"),
        ({}, {"scopes": ("global",)}, "filtered"),
        ({}, {"since": "2026-05-01"}, "filtered"),
        ({}, {"min_confidence": 0.95}, "filtered"),
        ({"valid_until": "2021-01-01T00:00:00.000Z"}, {}, "expired"),
        ({"valid_from": "2999-01-01T00:00:00.000Z"}, {}, "expired"),
        ({"created_at": "2026-03-01T09:00:00.000Z"}, {"as_of": "2025-01-01"}, "not_yet"),
    ],
)
def test_a_record_that_may_not_appear_says_so(
    house: House, changed: dict[str, Any], wanted: dict[str, Any], reason: str
) -> None:
    answer = house.why_not("kiln", house.add("Kiln", **changed), **wanted)
    assert answer.reason == reason and answer.sentence.endswith((".", ":"))


def test_what_superseded_a_record_is_named(house: House) -> None:
    old, new = house.add("Kiln old", status="superseded"), house.add("Kiln new")
    house.link(new, "supersedes", old)
    assert new.id[:10] in house.why_not("kiln", old).sentence


def test_a_rejected_record_is_told_from_an_archived_one(house: House) -> None:
    memory = house.add("Kiln", status="archived", status_reason="wrong kiln")
    with house.db.write():
        tombstones.add_tombstone(
            house.db,
            memory_id=memory.id,
            fingerprint=memory.fingerprint,
            verdict="rejected",
            quote=None,
            reason="wrong kiln",
            actor="operator",
            at=clock.now(),
        )
    answer = house.why_not("kiln", memory)
    assert answer.reason == "rejected" and "wrong kiln" in answer.sentence


def test_a_record_without_the_words_matches_nothing(house: House) -> None:
    assert house.why_not("zeppelin", house.add("Kiln")).reason == "no_match"


def test_a_weak_match_is_below_the_floor_and_shows_its_parts(house: House) -> None:
    answer = house.why_not(
        "kiln zeppelin harbour mast rope anchor canvas gondola",
        house.add("Bricks " * 60 + "kiln", title="B", summary="B"),
    )
    assert answer.reason == "below_floor" and 0 < answer.parts["lexical"] < 0.08 and answer.score


def test_a_fair_match_in_another_project_is_told_from_a_weak_one(house: House) -> None:
    other = house.project("bakery")
    memory = house.add("Sourdough waits fourteen hours", project_id=other.id)
    assert house.why_not("sourdough delivery truck", memory).reason == "other_project"
    assert house.why_not("sourdough", memory, place=Place(other.id)).reason == "returned"


def test_a_folded_record_names_the_one_that_stands_for_it(house: House) -> None:
    best = house.add("The kiln must cool for six hours before the door is opened by anyone")
    same = house.add(
        "The kiln must cool for six hours before the door is opened by anyone here", trust=2
    )
    answer = house.why_not("kiln cool door", same)
    assert answer.reason == "folded" and best.id[:10] in answer.sentence


def test_a_record_after_the_last_place_is_beyond_the_limit(house: House) -> None:
    house.add("Kiln one")
    assert (
        house.why_not("kiln", house.add("Kiln two words", confidence=0.1), limit=1).reason
        == "beyond_limit"
    )


# -- what a record says, and what it means


class Toy:
    """A model that knows four words."""

    name, dimensions, backend, stamp, fingerprint = "minilm", 384, "kernel", "weights", "toy"

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        heads = [
            [float(topic in text.lower()) for topic in ("tide", "gear", "flour", "invoice")]
            for text in texts
        ]
        return [array("f", [*head, 0.1, *[0.0] * 379]).tobytes() for head in heads]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_embedding, "find_embedder", lambda *_asked, **_how: Toy())


def embed(house: House) -> None:
    vectors.embed_waiting(house.db, house.config)


def test_without_vectors_that_is_said(house: House) -> None:
    answer = house.why_not("zeppelin", house.add("Kiln"))
    assert (
        answer.sentence
        == "It holds none of the query's words. Semantic similarity was not compared: this "
        "search had no vectors."
    )


def test_an_unrelated_sense_is_said(house: House, toy: None) -> None:
    memory = house.add("Gears are brass")
    embed(house)
    answer = house.why_not("tide tables", memory)
    assert answer.reason == "no_match"
    assert answer.sentence.startswith("It holds none of the query's words. It is semantically ")


def test_a_record_without_a_vector_yet_says_so(house: House, toy: None) -> None:
    house.add("Tide tables are cached")
    embed(house)
    answer = house.why_not("tides", house.add("Gears are brass"))
    assert answer.sentence == (
        "It holds none of the query's words. It has no vector yet, so its semantic similarity "
        "is not known; memctl maintain makes one."
    )


def test_a_language_that_the_model_does_not_read_is_said(house: House, toy: None) -> None:
    memory = house.add("部署前必须先运行测试")
    house.add("Tide tables are cached")
    embed(house)
    assert (
        "The embedding model does not read its language." in house.why_not("tides", memory).sentence
    )


def test_a_link_to_a_weak_hit_is_named(house: House) -> None:
    house.add("Lime")
    hit = house.add(
        "Kiln " + "and so many other words as fit on a page " * 4, title="Weak", summary="-"
    )
    memory = house.add("Wear gloves")
    house.link(memory, "applies_to", hit)
    answer = house.why_not("kiln zeppelin harbour mast rope anchor", memory)
    assert answer.reason == "no_match"
    assert (
        f"It is linked (applies_to) with {hit.id[:10]} “Weak”, which is too weak a hit to "
        "raise it: 0." in answer.sentence
    )


def test_a_chain_of_corrections_is_followed_to_what_holds_now(house: House) -> None:
    chain = [house.add(f"Kiln {word}", status="superseded") for word in ("one", "two", "three")] + [
        house.add("Kiln four")
    ]
    for old, new in itertools.pairwise(chain):
        house.link(new, "supersedes", old)
    assert (
        house.why_not("kiln", chain[2]).sentence
        == f"It was superseded by {chain[3].id[:10]} “Kiln four”, which holds now."
    )
    assert house.why_not("kiln", chain[0]).sentence == (
        f"It was superseded by {chain[1].id[:10]} “Kiln two”, and that, through 1 more, by "
        f"{chain[3].id[:10]} “Kiln four”, which holds now."
    )
    house.link(chain[0], "supersedes", chain[3])
    assert house.why_not("kiln", chain[0]).reason == "superseded"


def test_a_reason_that_a_person_gave_is_said_with_it(house: House) -> None:
    old, new = (
        house.add("Kiln old", status="superseded", status_reason="it cracked"),
        house.add("Kiln new"),
    )
    house.link(new, "supersedes", old)
    assert house.why_not("kiln", old).sentence.endswith("which holds now: it cracked.")


def test_the_rank_and_the_score_that_was_needed_are_said(house: House) -> None:
    for n in range(3):
        house.add(f"Kiln {'x' * n}")
    last = house.add("Kiln and two more", confidence=0.1)
    answer = house.why_not("kiln", last, limit=2)
    assert answer.reason == "beyond_limit"
    assert answer.sentence.startswith(
        "It is number 4 of 4, beyond the limit of 2, with a score of 0."
    )
    assert "; the last that was returned has 0." in answer.sentence
    assert (
        house.why_not("kiln", last, limit=0).sentence == "It would be number 4, and the limit is 0."
    )


def test_the_stricter_threshold_of_another_project_names_it(house: House) -> None:
    other = house.project("bakery")
    memory = house.add("Sourdough waits fourteen hours", project_id=other.id)
    sentence = house.why_not("sourdough delivery truck", memory).sentence
    assert sentence.startswith(
        "It is of the project bakery, which is not linked with this one: its relevance must be "
        "0.45 there, and is"
    )


# -- who may know


@pytest.mark.parametrize(
    "changed",
    [
        {"scope": "agent", "agent_id": "codex"},
        {"scope": "session", "session_id": "s-9", "agent_id": "x"},
    ],
)
@pytest.mark.parametrize("text", ["kiln", "password", "nothing of it"])
def test_of_anothers_private_record_an_agent_learns_nothing(
    house: House, changed: dict[str, Any], text: str
) -> None:
    memory = house.add(
        "Kiln password is swordfish", status="archived", status_reason="swordfish", **changed
    )
    for viewer in (Actor("agent:claude"), Actor("agent:unknown"), Actor("agent:codex-2")):
        answer = why_not.explain_absence(
            house.db,
            house.config,
            Query(text, Place(house.mill.id, agent_id="claude")),
            memory.id,
            viewer=viewer,
        )
        assert (answer.reason, answer.score, dict(answer.parts)) == ("private", None, {})
        assert "swordfish" not in repr(answer) and "Kiln" not in repr(answer)


def test_the_operator_and_its_own_agent_may_know(house: House) -> None:
    memory = house.add("Kiln password", scope="agent", agent_id="codex")
    own = Query("kiln", Place(house.mill.id, agent_id="codex"))
    for viewer in (Actor("operator"), Actor("agent:codex")):
        answer = why_not.explain_absence(house.db, house.config, own, memory.id, viewer=viewer)
        assert answer.record.memory.title == "Kiln password" and answer.reason == "returned"


def test_an_agents_note_on_another_project_says_where_it_stays(house: House) -> None:
    bakery = house.project("bakery")
    memory = house.add("Kiln", scope="agent", agent_id="codex", project_id=bakery.id)
    query = Query("kiln", Place(house.mill.id, agent_id="codex"))
    answer = why_not.explain_absence(
        house.db, house.config, query, memory.id, viewer=Actor("agent:codex")
    )
    assert answer.sentence == "It is private to the agent codex, in the project bakery."


# -- it agrees with the search

WORDS = st.lists(
    st.sampled_from("kiln brick lime mortar chimney barn tide gear flour 9 not".split()),
    min_size=1,
    max_size=9,
)
CHANGED = st.fixed_dictionaries(
    {},
    optional={
        "confidence": st.sampled_from([0.2, 0.9]),
        "trust": st.sampled_from([1, 5]),
        "status": st.sampled_from(["active", "inbox", "archived", "superseded", "contradicted"]),
        "type": st.sampled_from(["project", "decision", "episode"]),
        "scope": st.sampled_from(["global", "project"]),
        "at": st.sampled_from(["2025-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"]),
        "valid_until": st.sampled_from(["2025-06-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"]),
    },
)
WANTED = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.integers(0, 4),
        "types": st.just(("project",)),
        "include": st.just(("archived",)),
        "min_confidence": st.just(0.5),
        "since": st.just("2025-06-01"),
        "as_of": st.just("2026-01-01"),
        "all_projects": st.just(True),
    },
)


@settings(max_examples=25)
@given(st.lists(st.tuples(WORDS, CHANGED, st.booleans()), max_size=10), WORDS, WANTED)
def test_a_record_is_said_to_be_returned_exactly_when_it_is(
    records: list[Any], asked: list[str], wanted: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        other = house.project("bakery")
        made = [
            house.add(
                " ".join(words),
                **(
                    changed
                    if mine or changed.get("scope") == "global"
                    else {**changed, "project_id": other.id}
                ),
            )
            for words, changed, mine in records
        ]
        found = {hit.record.memory.id for hit in house.search(" ".join(asked), **wanted).items}
        answers = {memory.id: house.why_not(" ".join(asked), memory, **wanted) for memory in made}
        house.db.close()
    assert {
        memory_id for memory_id, answer in answers.items() if answer.reason == "returned"
    } == found
    assert all(answer.sentence.endswith(".") for answer in answers.values())


# -- what just missed


def explained(house: House, text: str, **wanted: Any) -> SearchReport:
    return search.search(
        house.db,
        house.config,
        Query(text, **{"place": house.here, **wanted}),
        actor="operator",
        explain=True,
    )


def test_an_explained_search_names_its_thresholds_and_what_just_missed(house: House) -> None:
    best = house.add("The kiln must cool for six hours before the door is opened by anyone")
    same = house.add(
        "The kiln must cool for six hours before the door is opened by anyone here", trust=2
    )
    more = house.add("Kiln doors are green", confidence=0.1)
    report = explained(house, "kiln cool door", limit=1)
    missed = {miss.id: (miss.reason, miss.into) for miss in report.near_misses}
    assert missed == {same.id: ("folded", best.id), more.id: ("beyond_limit", None)}
    assert report.thresholds.keys() == {
        "relevance_threshold",
        "other_project_threshold",
        "search.relevance_threshold",
        "search.other_project_threshold",
    }
    used, setting = (
        report.thresholds["relevance_threshold"],
        report.thresholds["search.relevance_threshold"],
    )
    assert 0 < used <= setting == 0.08
    (hit,) = report.items
    assert hit.matched and hit.relevance >= hit.score and hit.boosted_by is None
    assert (
        not house.search("kiln cool door").thresholds
        and not house.search("kiln cool door").near_misses
    )


def test_no_more_than_five_misses_are_named(house: House) -> None:
    for n in range(9):
        house.add(f"Kiln number {n} {'x' * n}")
    report = explained(house, "kiln", limit=1)
    assert len(report.near_misses) == 5 and all(
        miss.threshold < miss.relevance for miss in report.near_misses
    )


def test_what_is_private_to_others_is_no_near_miss(house: House) -> None:
    house.add("Kiln password", scope="agent", agent_id="codex")
    assert explained(house, "kiln", limit=0, all_projects=True).near_misses == ()


def test_a_linked_hit_names_what_lifted_it(house: House) -> None:
    hit, beside = house.add("Kiln bricks are fired twice"), house.add("Wear the leather gloves")
    house.link(beside, "applies_to", hit)
    risen = explained(house, "kiln bricks fired twice").items[1]
    assert (
        risen.boosted_by == hit.id
        and risen.parts["linked"] > 0
        and f"is linked with {hit.id}, which matches" in risen.why
    )
