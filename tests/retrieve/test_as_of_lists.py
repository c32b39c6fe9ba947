"""What is listed as of a time is what was listed at that time, whatever happened since."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from bench import Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.core import clock, timestamps
from memctl.core.errors import MemctlError
from memctl.core.model import STATUSES, Filter, Query
from memctl.records.past_records import is_within
from memctl.results.records import Page
from memctl.store import records

EVERYTHING = Filter(statuses=STATUSES)
FILTERS = (
    Filter(statuses=("active", "contradicted")),
    EVERYTHING,
    Filter(types=("decision",)),
    Filter(min_confidence=0.95),
    Filter(tags=("kiln",)),
)
WORDS = (
    "The kiln fires at 900 degrees",
    "Glaze is mixed on Monday",
    "Clay comes from Limoges",
    "The wheel stands by the window",
)

actions = st.lists(
    st.tuples(
        st.sampled_from(
            (
                "put",
                "claim",
                "edit",
                "tag",
                "correct",
                "forget",
                "confirm",
                "link",
                "promote",
                "until",
            )
        ),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=9,
)


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every look at the clock is a second later than the one before."""
    seconds = count(timestamps.parse_iso("2026-03-01T00:00:00Z"))
    monkeypatch.setattr(clock, "now", lambda: timestamps.format_iso(next(seconds)))
    yield


def _do(bench: Bench, action: str, number: int) -> None:
    known = bench.all()
    if action in ("put", "claim"):
        engine = bench.operator if action == "put" else bench.agent
        bench.put(
            f"{WORDS[number % len(WORDS)]} ({len(known)})",
            "decision" if number == 5 else "project",
            by=engine,
            rationale="so",
        )
        return
    if not known:
        return
    target = known[number % len(known)]
    operator = bench.operator
    doing: dict[str, Any] = {
        "edit": lambda: operator.records.edit(
            target.id, {"content": f"{target.content}, edited {len(target.content)}"}
        ),
        "tag": lambda: operator.records.edit(
            target.id, {("add_tags", "drop_tags")[number % 2]: ["kiln"]}
        ),
        "correct": lambda: operator.records.correct(target.id, f"{target.content}, corrected"),
        "forget": lambda: operator.forget([target.id], reason="wrong"),
        "confirm": lambda: operator.records.confirm([target.id]),
        "link": lambda: operator.records.link(target.id, "contradicts", known[0].id),
        "promote": lambda: operator.promote([target.id]),
        "until": lambda: operator.records.edit(
            target.id, {"valid_until": "2026-03-01T00:05:00.000Z"}
        ),
    }
    try:
        doing[action]()
    except MemctlError:
        return


def _seen(page: Page) -> list[tuple[Any, ...]]:
    return [
        (
            view.memory.id,
            view.memory.content,
            view.memory.status,
            view.memory.updated_at,
            view.memory.valid_until,
            sorted(item.id for item in view.evidence),
            sorted((link.id, link.resolved_at) for link in view.links),
            view.entities,
        )
        for view in page.items
    ]


@given(actions)
@settings(max_examples=10)
def test_a_list_as_of_a_time_is_the_list_of_that_time(
    tmp_path_factory: pytest.TempPathFactory, ticking: None, steps: list[tuple[str, int]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        bench = Bench(tmp_path_factory.mktemp("kiln"), patch)
        shown: list[tuple[str, list[Any]]] = []
        for action, number in steps:
            _do(bench, action, number)
            shown.append(
                (clock.now(), [_seen(bench.operator.records.list(wanted)) for wanted in FILTERS])
            )
        for at, pages in shown:
            assert [
                _seen(bench.operator.records.list(wanted, as_of=at)) for wanted in FILTERS
            ] == pages
        bench.operator.close()


@given(st.sampled_from(FILTERS), actions)
@settings(max_examples=6)
def test_what_fits_a_filter_is_what_the_statement_selects(
    tmp_path_factory: pytest.TempPathFactory, wanted: Filter, steps: list[tuple[str, int]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        bench = Bench(tmp_path_factory.mktemp("kiln"), patch)
        for action, number in steps:
            _do(bench, action, number)
        chosen = {memory.id for memory in records.select_records(bench.db, wanted)}
        held = {view.memory.id: view.tags for view in bench.operator.records.list(EVERYTHING).items}
        assert {
            memory.id
            for memory in bench.all()
            if is_within(memory, wanted) and {*wanted.tags} <= {*held[memory.id]}
        } == chosen
        bench.operator.close()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ticking: None) -> Iterator[Bench]:
    made = Bench(tmp_path, monkeypatch)
    yield made
    made.operator.close()


def test_a_corrected_record_shows_its_words_of_then_everywhere(bench: Bench) -> None:
    memory = bench.put("The kiln fires at 900 degrees", always_load=True)
    before = clock.now()
    bench.operator.records.edit(
        memory.id,
        {"content": "The kiln fires at 1000 degrees", "title": "The kiln fires at 1000 degrees"},
    )
    bench.put("Clay comes from Limoges")
    engine = bench.operator
    assert (
        engine.records.show(memory.id, as_of=before).memory.content
        == "The kiln fires at 900 degrees"
    )
    explained = engine.explain(memory.id, as_of=before)
    assert explained.as_of == before and [event.verb for event in explained.history] == ["created"]  # type: ignore[union-attr]
    text = engine.context_for(task="how hot does the kiln fire", as_of=before).text
    assert "900 degrees" in text and "1000" not in text and "Limoges" not in text
    assert engine.upkeep.status(as_of=before).records == {"active": 1}


def test_what_did_not_hold_then_is_not_served_as_of_then(bench: Bench) -> None:
    bench.put("The kiln is rented", valid_until="2026-03-01T00:30:00.000Z", always_load=True)
    bench.put("The kiln is ours", valid_from="2026-03-01T00:30:00.000Z", always_load=True)
    early, late = "2026-03-01T00:20:00.000Z", "2026-03-01T00:40:00.000Z"
    texts = [
        bench.operator.context_for(task="whose is the kiln", as_of=at).text for at in (early, late)
    ]
    assert ["rented" in text for text in texts] == [True, False]
    assert ["is ours" in text for text in texts] == [False, True]


def test_the_profile_of_a_time_has_only_what_was_in_force(bench: Bench) -> None:
    bench.operator.upsert_profile_fact("editor", "vim")
    before = clock.now()
    bench.operator.upsert_profile_fact("editor", "helix")
    assert [
        view.memory.content for view in bench.operator.records.list_profile(as_of=before).items
    ] == ["editor: vim"]
    assert [view.memory.content for view in bench.operator.records.list_profile().items] == [
        "editor: helix"
    ]


def test_a_settled_contradiction_is_open_as_of_before(bench: Bench) -> None:
    from memctl.records.as_of import records_at

    one, other = bench.put("The kiln fires at 900 degrees"), bench.put("Glaze is mixed on Monday")
    bench.operator.records.link(one.id, "contradicts", other.id)
    before = clock.now()
    bench.operator.records.link(one.id, "contradicts", other.id, remove=True)
    assert [
        (link.from_id, link.to_id)
        for link in records_at(bench.db, before).list_contradictions(None, settled=False)
    ] == [(one.id, other.id)]
    assert records_at(bench.db, clock.now()).list_contradictions(None, settled=False) == []
    assert (
        len(bench.operator.conflicts.list(as_of=before).items) == 1
        and bench.operator.conflicts.list().items == ()
    )


def test_a_search_as_of_a_time_follows_corrections_as_it_did_then(bench: Bench) -> None:
    old = bench.put("The kiln is fired with oak wood")
    bench.operator.records.correct(old.id, "Gas heats the furnace")
    before = clock.now()
    then = [
        hit.record.memory.content for hit in bench.operator.search(Query("kiln oak wood")).items
    ]
    for memory in bench.all():
        bench.operator.forget([memory.id], reason="gone")
    found = bench.operator.search(Query("kiln oak wood", as_of=before)).items
    assert [hit.record.memory.content for hit in found] == then == ["Gas heats the furnace"]
