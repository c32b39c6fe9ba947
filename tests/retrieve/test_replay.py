"""A past retrieval asked again: the same on an unchanged store to the last digit; each
difference with its reason; nothing written.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invented import House, told

from memctl.cli.text import renderers
from memctl.core import clock, timestamps
from memctl.core.frozen import replace
from memctl.core.model import Actor, Memory, Place
from memctl.results.explanations import ReplayChange, ReplayReport
from memctl.results.retrieval import ContextReport, SearchReport
from memctl.retrieve import explain, query_embedding, vectors
from memctl.store import logs, records, semantic, spool

TOPICS = ("tide", "gear", "flour", "invoice")


class Toy:
    """A model that knows four words."""

    name, dimensions, backend, stamp = "minilm", 384, "kernel", "weights"

    def __init__(self, fingerprint: str = "toy 1") -> None:
        self.fingerprint = fingerprint

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        heads = [[float(topic in text.lower()) for topic in TOPICS] for text in texts]
        return [array("f", [*head, 0.1, *[0.0] * 379]).tobytes() for head in heads]


def use(monkeypatch: pytest.MonkeyPatch, model: Toy) -> None:
    monkeypatch.setattr(query_embedding, "find_embedder", lambda *_asked, **_how: model)


def later(seconds: float = 60) -> str:
    """A moment after everything that a test asks."""
    return timestamps.add_seconds(clock.now(), seconds=seconds)


def again(
    house: House, report: SearchReport | ContextReport, viewer: str = "operator"
) -> ReplayReport:
    spool.flush_logs(house.db, house.config)
    return explain.replay_retrieval(
        house.db, house.config, report.retrieval_id, viewer=Actor(viewer)
    )


def only(report: ReplayReport) -> ReplayChange:
    (change,) = report.changes
    assert not report.same
    return change


def about(report: ReplayReport, memory: Memory) -> ReplayChange:
    (change,) = [change for change in report.changes if change.record_id == memory.id]
    return change


def set_(house: House, **values: object) -> None:
    house.config = replace(
        house.config,
        values={
            **house.config.values,
            **{key.replace("__", "."): value for key, value in values.items()},
        },
    )


# -- nothing has changed


CONTENTS = st.lists(
    st.sampled_from("kiln brick lime mortar chimney barn tide gear flour 9 not".split()),
    min_size=1,
    max_size=9,
)
CHANGED = st.fixed_dictionaries(
    {},
    optional={
        "confidence": st.sampled_from([0.2, 0.9]),
        "trust": st.sampled_from([1, 5]),
        "status": st.sampled_from(["active", "inbox", "archived"]),
        "type": st.sampled_from(["project", "decision", "episode", "task_hint"]),
        "always_load": st.booleans(),
        "at": st.sampled_from(["2025-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"]),
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


LINKS = st.lists(
    st.tuples(
        st.integers(0, 11),
        st.sampled_from(["applies_to", "supports", "supersedes", "contradicts"]),
        st.integers(0, 11),
    ),
    max_size=5,
)


@settings(max_examples=30)
@given(st.lists(st.tuples(CONTENTS, CHANGED), max_size=12), LINKS, CONTENTS, WANTED, st.booleans())
def test_an_unchanged_store_answers_every_search_the_same(
    written: list[Any],
    joined: list[Any],
    asked: list[str],
    wanted: dict[str, Any],
    has_vectors: bool,
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        use(patch, Toy())
        house = House(Path(folder))
        made = [house.add(" ".join(words), **changed) for words, changed in written]
        for one, relation, other in joined:
            if one != other and max(one, other) < len(made):
                house.link(made[one], relation, made[other])
        if has_vectors:
            vectors.embed_waiting(house.db, house.config)
        report = again(house, house.search(" ".join(asked), **wanted))
        house.db.close()
    assert (report.same, report.changes, report.settings, report.unreturned, report.notes) == (
        True,
        (),
        (),
        0,
        (),
    )


@settings(max_examples=15)
@given(
    st.lists(st.tuples(CONTENTS, CHANGED), max_size=12),
    CONTENTS,
    st.fixed_dictionaries(
        {},
        optional={
            "phase": st.sampled_from(["plan", "debug"]),
            "budget": st.integers(0, 300),
            "level": st.integers(0, 2),
            "format": st.just("xml"),
            "since": st.just("2025-06-01"),
            "prompt_only": st.booleans(),
        },
    ),
)
def test_an_unchanged_store_gives_every_context_the_same(
    written: list[Any], task: list[str], wanted: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        for words, changed in written:
            house.add(" ".join(words), **changed)
        report = again(house, house.context(task=" ".join(task), **wanted))
        house.db.close()
    assert (report.same, report.changes, report.settings, report.unreturned, report.notes) == (
        True,
        (),
        (),
        0,
        (),
    )


def test_what_is_searched_by_sense_is_the_same_too(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, Toy())
    for text in ("Tide tables are cached", "Gears are brass", "Flour is weighed twice"):
        house.add(text)
    vectors.embed_waiting(house.db, house.config)
    report = house.search("the tides")
    assert report.items[0].parts["semantic"] > 0.5
    assert again(house, report).same and again(house, house.context(task="cache the tides")).same


def test_a_replay_writes_nothing(house: House) -> None:
    memory = house.add("Kiln bricks")
    report = house.search("kiln")
    assert again(house, report).same
    before = (house.db.one("records.get", id=memory.id), len(logs.list_recent(house.db, limit=99)))
    for _ in range(3):
        again(house, report)
    assert not house.db.unwritten and not spool.list_files(house.config)
    assert (
        tuple(before[0]) == tuple(house.db.one("records.get", id=memory.id))
        and before[1] == len(logs.list_recent(house.db, limit=99)) == 1
    )


def test_time_that_passes_changes_nothing(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.add("The kiln was mended", type="episode", kind="summary")
    report = house.search("kiln mended")
    spool.flush_logs(house.db, house.config)
    monkeypatch.setattr(clock, "now", lambda: "2031-01-01T00:00:00.000Z")
    assert again(house, report).same


# -- gone


@pytest.mark.parametrize(
    ("changed", "reason", "words"),
    [
        ({"status": "archived", "status_reason": "not so"}, "archived", "It was archived: not so."),
        ({"status": "inbox"}, "inbox", "It is in the inbox and waits for your approval."),
        (
            {"scope": "agent", "agent_id": "codex"},
            "private",
            "It is private to the agent codex, in the project mill. Its scope is another",
        ),
        (
            {"valid_until": "2026-05-01T00:00:00.000Z"},
            "expired",
            "It was valid until 2026-05-01T00:00:00.000Z.",
        ),
        ({"type": "decision"}, "filtered", "The filter on type leaves it out: it has decision."),
        (
            {"content": "Nothing of the sort", "title": "Other", "summary": "Other"},
            "no_match",
            "It holds none of the query's words. Semantic similarity was not compared: this "
            "search had no vectors. Its title, summary and content were",
        ),
    ],
)
def test_what_would_not_be_returned_any_more_says_why(
    house: House, changed: dict[str, Any], reason: str, words: str
) -> None:
    memory = house.add("Kiln bricks")
    report = house.search("kiln", types=("project",))
    house.change(memory, later(), **changed)
    change = only(again(house, report))
    assert (change.what, change.reason, change.rank_then, change.rank_now) == (
        "missing",
        reason,
        1,
        None,
    )
    assert change.sentence.startswith(words)


def test_what_was_superseded_names_what_holds_now(house: House) -> None:
    old = house.add("Kiln bricks are red")
    report = house.search("kiln")
    new = house.add("Kiln bricks are blue", at=later())
    house.change(old, later(), status="superseded")
    house.link(new, "supersedes", old)
    found = again(house, report)
    assert (
        about(found, old).sentence
        == f"It was superseded by {new.id[:10]} “Kiln bricks are blue”, which holds now."
    )
    assert (about(found, new).what, about(found, new).reason) == ("new", "created")


def test_what_is_no_longer_in_the_store_says_so(house: House) -> None:
    memory = house.add("Kiln bricks")
    found = explain.replay_retrieval(
        house.db, house.config, stored(house, returned=[memory.id, "01GONE"])
    )
    assert (only(found).reason, only(found).sentence, only(found).rank_then) == (
        "gone",
        "It is no longer in the store.",
        2,
    )
    assert found.records == {}


def test_what_is_pushed_beyond_the_limit_names_what_pushed_it(house: House) -> None:
    weak = house.add("Kiln bricks and much else that is not asked for here", confidence=0.1)
    report = house.search("kiln bricks", limit=1)
    strong = house.add("Kiln bricks", at=later())
    found = again(house, report)
    gone = about(found, weak)
    assert (
        gone.reason == "beyond_limit"
        and "It is number 2 of 2, beyond the limit of 1" in gone.sentence
    )
    assert f"New among the results: {strong.id[:10]} “Kiln bricks”." in gone.sentence
    assert about(found, strong).sentence.startswith("It was stored on ")


def test_another_threshold_is_named(house: House) -> None:
    house.add("Kiln bricks, lime and mortar for the wall")
    report = house.search("kiln zeppelin")
    assert report.items
    set_(house, search__relevance_threshold=1.9)
    found = again(house, report)
    assert (
        only(found).reason == "threshold"
        and "The relevance threshold was another then." in only(found).sentence
    )
    (floor, *_) = found.settings
    assert floor.name == "floor" and floor.then < floor.now


def test_what_is_folded_now_names_what_says_the_same(house: House) -> None:
    memory = house.add(
        "The kiln must cool for six hours before the door is opened by anyone", trust=2
    )
    report = house.search("kiln cool door")
    better = house.add(
        "The kiln must cool for six hours before the door is opened by anyone here", at=later()
    )
    found = again(house, report)
    assert (
        about(found, memory).reason == "folded" and better.id[:10] in about(found, memory).sentence
    )


# -- come


@pytest.mark.parametrize(
    ("before", "after", "reason", "words"),
    [
        ({"status": "inbox"}, {"status": "active"}, "approved", "It was approved on "),
        ({"status": "archived"}, {"status": "active"}, "restored", "It was brought back on "),
        ({"status": "superseded"}, {"status": "active"}, "restored", "It is in force again since "),
        (
            {"summary": "x", "title": "x"},
            {"content": "Kiln"},
            "edited",
            "Its content was changed on ",
        ),
        (
            {"scope": "agent", "agent_id": "codex"},
            {"scope": "global", "agent_id": None},
            "place",
            "Its scope is another",
        ),
    ],
)
def test_what_would_come_up_now_says_why(
    house: House, before: dict[str, Any], after: dict[str, Any], reason: str, words: str
) -> None:
    memory = house.add("Bricks" if "title" in before else "Kiln bricks", **before)
    report = house.search("kiln")
    assert not report.items
    house.change(memory, later(), **after)
    change = only(again(house, report))
    assert (change.what, change.reason, change.rank_now) == (
        "new",
        reason,
        1,
    ) and change.sentence.startswith(words)


def test_what_was_folded_comes_up_when_the_better_one_is_gone(house: House) -> None:
    better = house.add("The kiln must cool for six hours before the door is opened by anyone")
    same = house.add(
        "The kiln must cool for six hours before the door is opened by anyone here", trust=2
    )
    report = house.search("kiln cool door")
    house.change(better, later(), status="archived")
    change = about(again(house, report), same)
    assert (change.what, change.reason) == ("new", "unfolded")
    assert change.sentence.startswith(
        f"It was left out then as a duplicate of {better.id[:10]} “The kiln must cool"
    )


def test_what_moves_up_names_what_made_room(house: House) -> None:
    strong = house.add("Kiln bricks")
    house.add("Kiln bricks and much else that is not asked for here", confidence=0.1)
    report = house.search("kiln bricks", limit=1)
    house.change(strong, later(), status="archived")
    found = again(house, report)
    (new,) = [change for change in found.changes if change.what == "new"]
    assert new.reason == "moved_up"
    assert (
        new.sentence
        == f"It was beyond the limit then; {strong.id[:10]} “Kiln bricks” made room for it."
    )


def test_what_a_lower_threshold_lets_in_says_so(house: House) -> None:
    set_(house, search__relevance_threshold=1.9)
    house.add("Kiln bricks, lime and mortar for the wall")
    report = house.search("kiln zeppelin")
    set_(house, search__relevance_threshold=0.1)
    assert only(again(house, report)).sentence == "The relevance threshold was another then."


# -- otherwise


def test_another_confidence_is_said_with_both_values(house: House) -> None:
    memory = house.add("Kiln bricks", confidence=0.5)
    report = house.search("kiln")
    house.change(memory, later(), confidence=1.0, trust=4)
    change = only(again(house, report))
    assert (change.what, change.reason) == ("rescored", "changed") and set(change.parts) == {
        "confidence",
        "trust",
    }
    assert (
        change.sentence
        == "Its confidence was 0.5 and is 1.0. Its trust was operator said and is operator implied."
    )


def test_words_that_other_records_made_common_are_the_reason_that_is_left(house: House) -> None:
    memory = house.add("Kiln bricks and lime")
    report = house.search("kiln bricks mortar")
    for n in range(30):
        house.add(f"Mortar number {n}", at=later())
    change = about(again(house, report), memory)
    assert (
        change.reason == "statistics"
        and "How rare the query's words are" in change.sentence
        and set(change.parts) == {"lexical"}
    )


def test_an_order_that_changed_names_who_moved(house: House) -> None:
    first, second = (
        house.add("Kiln bricks red", confidence=0.9),
        house.add("Kiln bricks blue", confidence=0.5),
    )
    report = house.search("kiln bricks")
    assert [hit.record.memory.id for hit in report.items] == [first.id, second.id]
    house.change(second, later(), confidence=1.0)
    found = again(house, report)
    assert (
        about(found, second).what == "moved"
        and "Its confidence was 0.5 and is 1.0." in about(found, second).sentence
    )
    assert (
        about(found, first).sentence == "Its own score is as it was; others have another rank now."
    )


def test_another_rate_of_fading_is_named(house: House) -> None:
    house.add("The kiln was mended", type="episode", kind="summary")
    report = house.search("kiln mended")
    set_(house, decay__rates={"episode": 0.1})
    found = again(house, report)
    assert only(found).sentence == "Records decay at another rate (decay.rates, decay.in_ranking)."
    assert [change.name for change in found.settings] == ["rates"]


def test_asking_again_does_not_mind_the_use_that_the_answer_itself_was(house: House) -> None:
    house.add("The kiln was mended", type="episode", kind="summary", at="2026-01-01T00:00:00.000Z")
    assert again(house, house.search("kiln mended")).same
    assert again(house, house.search("kiln mended")).same


def test_vectors_made_since_are_the_reason(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Toy())
    house.add("Tide tables are cached")
    report = house.search("tide tables")
    vectors.embed_waiting(house.db, house.config)
    found = again(house, report)
    assert (
        only(found).reason == "model"
        and only(found).sentence
        == "Semantic similarity is compared now (by minilm), which it was not then."
    )
    assert {change.name for change in found.settings} == {"model", "fingerprint", "flags"}


@pytest.mark.needs("extension")
def test_a_record_that_had_no_vector_then_says_so(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, Toy())
    house.add("Gears are brass")
    vectors.embed_waiting(house.db, house.config)
    house.add("Tide tables are cached")
    report = house.search("tide tables")
    assert report.flags == ("vectors_pending",)
    vectors.embed_waiting(house.db, house.config)
    assert only(again(house, report)).sentence == "It had no vector then."


def test_a_record_that_has_no_vector_any_more_says_so(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, Toy())
    memory = house.add("Tide tables are cached")
    house.add("Gears are brass")
    vectors.embed_waiting(house.db, house.config)
    report = house.search("tide tables")
    with house.db.write():
        semantic.drop_vector(house.db, records.find_number(house.db, memory.id))
    assert about(again(house, report), memory).sentence == "It has no vector now."


def test_another_model_is_named(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Toy())
    house.add("Tide tables are cached")
    vectors.embed_waiting(house.db, house.config)
    report = house.search("tide gear")
    set_(house, embedding__model="none")
    assert (
        only(again(house, report)).sentence
        == "Semantic similarity was compared then, and is not now."
    )


def test_projects_that_were_linked_since_are_the_reason(house: House) -> None:
    other = house.project("bakery")
    house.add("Sourdough proofing takes fourteen hours", project_id=other.id)
    report = house.search("sourdough proofing hours")
    house.join(other, house.mill)
    change = only(again(house, report))
    assert (change.what, change.reason) == ("rescored", "place") and set(change.parts) == {"scope"}


def test_a_link_made_since_is_the_reason(house: House) -> None:
    hit, beside = house.add("Kiln bricks are fired twice"), house.add("Wear the leather gloves")
    report = house.search("kiln bricks fired twice")
    house.link(beside, "applies_to", hit, later())
    change = only(again(house, report))
    assert (change.what, change.record_id) == ("new", beside.id)
    assert change.reason == "link" and hit.id[:10] in change.sentence


def test_candidates_that_never_came_up_are_counted(house: House) -> None:
    house.add("Kiln bricks")
    report = house.search("kiln bricks", limit=1)
    house.add(
        "Kiln and a good many other things that nobody asked about today",
        confidence=0.1,
        at=later(),
    )
    found = again(house, report)
    assert found.unreturned == 1 and all(change.what == "rescored" for change in found.changes)


# -- contexts


def test_a_line_that_was_edited_or_left_is_named(house: House) -> None:
    kept, gone = (
        house.add("Tests run with pytest", kind="command"),
        house.add("Deploy on Tuesdays", kind="convention"),
    )
    report = house.context()
    house.change(
        kept,
        later(),
        content="Tests run with tox",
        title="Tests run with tox",
        summary="Tests run with tox",
    )
    house.change(gone, later(), status="archived")
    found = again(house, report)
    assert (about(found, kept).what, about(found, kept).reason) == ("reworded", "edited")
    assert (about(found, gone).what, about(found, gone).reason) == ("missing", "archived")


def test_a_line_without_room_says_so_and_names_the_newcomer(house: House) -> None:
    house.add("Tests run with pytest " + "and so on " * 8, kind="fact", trust=2)
    budget = house.context().tokens
    report = house.context(budget=budget)
    house.add("Never push to main " + "and so on " * 8, kind="constraint", at=later())
    gone = next(change for change in again(house, report).changes if change.what == "missing")
    assert (
        gone.reason == "no_room"
        and "There is no room left for it within the budget. New among the results: "
        in gone.sentence
    )


def test_an_episode_that_newer_ones_push_out_names_them(house: House) -> None:
    episodes = [
        house.add(
            f"Mended the kiln, part {n}",
            type="episode",
            kind="summary",
            at=f"2026-11-0{n + 1}T00:00:00.000Z",
        )
        for n in range(2)
    ]
    report = house.context()
    assert set(told(report)) == {memory.id for memory in episodes}
    new = house.add("Swept the chimney", type="episode", kind="summary", at=later())
    gone = about(again(house, report), episodes[0])
    assert (
        gone.reason == "not_chosen"
        and f"New among the results: {new.id[:10]} “Swept the chimney”." in gone.sentence
    )
    set_(house, context__episodes=1)
    assert (
        about(again(house, report), episodes[0]).sentence
        == "Fewer episodes are shown now: 1 at most (context.episodes)."
    )


def test_a_doubt_that_arose_since_is_seen_in_the_words(house: House) -> None:
    a, b = (
        house.add("Deploy on Tuesdays", kind="convention"),
        house.add("Deploy on Fridays", kind="convention"),
    )
    report = house.context(phase="work")
    for memory in (a, b):
        house.change(memory, later(), status="contradicted")
    house.link(a, "contradicts", b)
    found = again(house, report)
    assert {change.reason for change in found.changes} == {"doubt"}


def test_a_context_for_a_session_knows_what_it_was_told_by_then(house: House) -> None:
    place = Place(house.mill.id, session_id="s-1")
    first, memory = house.context(place=place, session_start=True), None
    memory = house.add("Tests run with pytest", kind="command")
    second = house.context(place=place, fresh=True)
    third = house.context(place=place, fresh=True)
    assert told(second) == [memory.id] and told(third) == []
    assert again(house, second).same and again(house, third).same
    assert about(again(house, first), memory).reason in ("created", "chosen")


def test_lines_under_another_heading_are_moved(house: House) -> None:
    memory = house.add("Use lime", type="decision", kind="decision", rationale="it breathes")
    report = house.context()
    house.change(memory, later(), type="project", kind="fact")
    change = only(again(house, report))
    assert (change.what, change.reason) == ("moved", "section")
    assert change.sentence == "It stands under project now, then under decisions."


# -- what is not known, and who may know


def stored(house: House, **changed: Any) -> str:
    """The id of a log line like one that was written, but for what is changed."""
    report = house.search("kiln")
    spool.flush_logs(house.db, house.config)
    entry = {**logs.resolve_log(house.db, report.retrieval_id), "id": clock.new_id()}
    with house.db.write():
        logs.insert_log(house.db, {**entry, **changed})
    return str(entry["id"])


def test_a_line_of_an_earlier_version_says_what_is_not_known(house: House) -> None:
    memory = house.add("Kiln bricks")
    old = {
        "id": memory.id,
        "score": 0.9,
        "parts": {"lexical": 0.93, "semantic": 0.0},
        "scope": "project",
        "outcome": "returned",
    }
    some_id = stored(
        house, filters={"place": {"project_id": house.mill.id}, "limit": 10}, candidates=[old]
    )
    found = explain.replay_retrieval(house.db, house.config, some_id)
    assert len(found.notes) == 1 and "earlier version" in found.notes[0] and found.settings == ()
    assert only(found).what == "rescored"


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["place", "run", "limit", "now", "id", "parts"]), inner)
    ),
    max_leaves=8,
)
PLACES = st.fixed_dictionaries(
    {}, optional={"project_id": VALUES, "session_id": st.just("s-1"), "agent_id": VALUES}
)
TIMES = st.sampled_from(["2026-01-01", "9999-12-31", "0001-01-01", "soon", "", 5, None])
LIKELY = {
    "place": PLACES,
    "limit": st.sampled_from([0, 3, -1, 10**30, "3", 2.5]),
    "types": st.sampled_from([["project"], "project", [1]]),
    "since": TIMES,
    "as_of": TIMES,
    "budget": st.sampled_from([0, 50, -3, 10**30, "50"]),
    "level": st.sampled_from([0, 2, 7, True, "1"]),
    "phase": st.sampled_from(["plan", "dream", 1, ["plan"]]),
    "format": st.sampled_from(["xml", "html", 1]),
    "fresh": st.booleans(),
    "prompt_only": st.booleans(),
    "min_confidence": st.sampled_from([0.5, "0.5", True]),
    "all_projects": VALUES,
    "run": st.fixed_dictionaries(
        {},
        optional={
            "now": TIMES,
            "floor": VALUES,
            "model": VALUES,
            "sections": VALUES,
            "texts": VALUES,
        },
    ),
}


@settings(max_examples=80)
@given(
    st.fixed_dictionaries({}, optional={name: kind | VALUES for name, kind in LIKELY.items()}),
    st.lists(VALUES, max_size=3),
    st.sampled_from(["search", "context", "other"]),
)
def test_whatever_a_log_line_holds_it_is_replayed(
    filters: dict[str, Any], candidates: list[Any], command: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        house.add("Kiln bricks")
        some_id = stored(house, filters=filters, candidates=candidates, command=command)
        report = explain.replay_retrieval(house.db, house.config, some_id)
        said = [
            *renderers.render(report),
            *renderers.render(explain.explain(house.db, house.config, some_id)),
        ]
        house.db.close()
    assert report.retrieval_id == some_id and all(isinstance(line, str) for line in said)


def test_a_secret_in_the_question_is_noted(house: House) -> None:
    house.add("Kiln bricks")
    report = house.search("kiln password=hunter2hunter2hunter2 AKIAIOSFODNN7EXAMPLE")
    (note,) = again(house, report).notes
    assert "secret" in note


def test_a_project_that_is_gone_is_noted(house: House) -> None:
    some_id = stored(house, filters={"place": {"project_id": "01NOWHERE"}, "limit": 10, "run": {}})
    assert (
        "The project that it was asked from is not there any more."
        in explain.replay_retrieval(house.db, house.config, some_id).notes
    )


def test_anothers_private_note_is_not_told_to_an_agent(house: House) -> None:
    secret = house.add("The grindstone is cracked", scope="agent", agent_id="test")
    report = house.context(
        task="look at the grindstone", place=Place(house.mill.id, agent_id="test")
    )
    house.change(
        secret,
        later(),
        content="The grindstone is split",
        title="The grindstone is split",
        summary="",
    )
    mine, others = again(house, report, "agent:test"), again(house, report, "agent:codex")
    assert mine.changes and mine.records[secret.id].memory.title == "The grindstone is split"
    assert "grindstone is" not in repr(others.records) and {
        change.sentence for change in others.changes
    } == {"It is private to another agent or session."}
    whole = explain.explain(
        house.db, house.config, report.retrieval_id, viewer=Actor("agent:codex")
    )
    assert "split" not in repr(whole) and "cracked" not in repr(whole)
    assert "split" in repr(
        explain.explain(house.db, house.config, report.retrieval_id, viewer=Actor("operator"))
    )


def test_the_command_replays(db: Path, memctl: Callable[..., Any], tmp_path: Path) -> None:
    memctl("ingest", "Kiln bricks are fired twice")
    for asked in (("search", "kiln bricks"), ("context", "--task", "fire the kiln bricks")):
        some_id = memctl(*asked, "--json").data["retrieval_id"]
        said = memctl("explain", some_id, "--replay")
        assert (
            said.code == 0
            and "Nothing would differ: 1 record, in the same order, with the same scores."
            in said.stdout
        ), said.stderr
    memctl("ingest", "The kiln is lit by night")
    found = memctl("explain", some_id, "--replay", "--json").data
    assert [change["what"] for change in found["changes"]] in (
        ["new", "moved"],
        ["new", "rescored"],
        ["rescored", "new"],
        ["new"],
    )
    said = memctl("explain", some_id, "--replay").stdout
    assert "It was stored on " in said and "1 record then, 2 now." in said
    assert memctl("explain", "01NOTHING", "--replay").code == 20
