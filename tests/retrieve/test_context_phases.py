"""Each phase of the work brings up what it calls for, and a session need not be told twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invented import House, told

from memctl.core import clock, timestamps
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.core.model import Place
from memctl.results.retrieval import ContextReport
from memctl.retrieve import context
from memctl.retrieve.bundle import count_tokens
from memctl.retrieve.layout import FORMATS
from memctl.retrieve.phases import PHASES
from memctl.store import spool

# One record of everything that some phase asks for: kind, type and words.
FURNITURE = (
    ("preference", "profile", "Answers should be brief"),
    ("constraint", "project", "Never run the kiln unattended"),
    ("convention", "project", "Glaze names are in Latin"),
    ("command", "project", "Start the kiln with kilnctl up"),
    ("workflow", "project", "Dry for two days, then fire"),
    ("correction", "project", "Use cones, not pyrometers"),
    ("fact", "project", "The kiln has two doors"),
    ("fact", "project", "The thermocouple fails above 1300 degrees"),
    ("idea", "project", "A second kiln would halve the wait"),
    ("todo", "task_hint", "Order new shelves"),
    ("fix", "task_hint", "A stuck door opens after two minutes of cooling"),
    ("pointer", "artifact", "The wiring plan is in docs/wiring.pdf"),
    ("domain-reference", "project", "Cone tables stand in the potter's handbook"),
    ("decision", "decision", "We fire with gas"),
    ("summary", "episode", "Repaired the kiln door"),
)
ASKED: dict[str, set[str]] = {
    "plan": {"constraint", "decision", "idea", "todo", "domain-reference", "pointer"},
    "work": {"constraint", "convention", "command", "workflow", "correction", "fact"},
    "review": {"constraint", "convention", "correction", "decision"},
    "debug": {"fix", "command", "fact", "pointer", "summary"},
}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A store with one record of everything that some phase asks for, and an open contradiction."""
    opened = House(tmp_path)
    for kind, type_, words in FURNITURE:
        rationale = "wood was too slow" if type_ == "decision" else None
        opened.add(
            words,
            kind=kind,
            type=type_,
            rationale=rationale,
            at=timestamps.add_seconds(clock.now(), seconds=-86400),
        )
    sides = [
        opened.add(f"It cools in {hours} hours", status="contradicted", kind="convention")
        for hours in (6, 9)
    ]
    opened.link(sides[0], "contradicts", sides[1])
    yield opened
    opened.db.close()


def kinds(house: House, report: ContextReport) -> set[str]:
    """The kinds of what a context says, without the operator's and the disputed."""
    said = {
        item.id
        for section in report.sections
        if section.name not in ("profile", "contradictions")
        for item in section.items
    }
    return {row["kind"] for memory_id in said for row in house.db.all("records.get", id=memory_id)}


@pytest.mark.parametrize("phase", PHASES)
def test_a_phase_brings_up_its_kinds_and_no_others(house: House, phase: str) -> None:
    report = house.context(phase=phase)
    assert report.phase == phase and kinds(house, report) == ASKED[phase]
    assert "Answers should be brief" in report.text
    assert ("Open contradictions" in report.text) == (phase == "plan")


def test_decisions_come_with_their_reasons_where_it_is_planned_or_reviewed(house: House) -> None:
    assert all(
        "Because: wood was too slow" in house.context(phase=phase).text
        for phase in ("plan", "review")
    )


def test_debugging_is_told_the_facts_that_speak_of_failure(house: House) -> None:
    text = house.context(phase="debug").text
    assert "thermocouple fails" in text and "two doors" not in text


def test_a_task_finds_what_it_calls_for_in_every_phase(house: House) -> None:
    for phase in PHASES:
        assert "two doors" in house.context(phase=phase, task="how many doors has the kiln?").text


@pytest.mark.parametrize("phase", PHASES)
def test_what_is_always_loaded_comes_in_every_phase(house: House, phase: str) -> None:
    house.add("The mill closes at six", always_load=True)
    assert "The mill closes at six" in house.context(phase=phase).text


def test_what_is_global_comes_up_by_its_kind_too(house: House) -> None:
    house.add(
        "Restart the router when the network fails", kind="fix", type="task_hint", scope="global"
    )
    assert (
        "Restart the router" in house.context(phase="debug").text
        and "Restart the router" in house.context(phase="debug", place=Place()).text
    )


def test_a_fix_comes_up_however_many_records_are_newer(house: House) -> None:
    for number in range(60):
        house.add(f"Shelf {number} holds cups", at=clock.now())
    assert "stuck door" in house.context(phase="debug").text


@pytest.mark.parametrize("phase", PHASES)
def test_no_section_of_a_phase_goes_without_for_the_sake_of_another(
    house: House, phase: str
) -> None:
    for kind, type_, words in FURNITURE:
        for number in range(12):
            rationale = "it holds" if type_ == "decision" else None
            house.add(
                f"{words}, as was seen in year {number} of the mill",
                kind=kind,
                type=type_,
                rationale=rationale,
                at=clock.now(),
            )
    report = house.context(phase=phase, task="how many doors has the kiln?", budget=700)
    assert [section.name for section in report.sections] == list(PHASES[phase])


def test_an_unknown_phase_or_format_is_an_error_that_names_those_there_are(house: House) -> None:
    with pytest.raises(UsageError, match=r"plan, work, review, debug; not rest"):
        house.context(phase="rest")
    with pytest.raises(UsageError, match=r"markdown, xml, plain; not html"):
        house.context(format="html")


@settings(max_examples=60)
@given(
    st.integers(0, 900),
    st.integers(0, 2),
    st.sampled_from((None, *PHASES)),
    st.sampled_from(FORMATS),
    st.sampled_from((None, "kiln door", "gas")),
)
def test_no_store_makes_any_context_exceed_its_budget(
    house: House, budget: int, level: int, phase: str | None, format_: str, task: str | None
) -> None:
    wanted: dict[str, Any] = {
        "budget": budget,
        "level": level,
        "phase": phase,
        "format": format_,
        "task": task,
    }
    report = house.context(**wanted)
    assert count_tokens(report.text) == report.tokens <= budget
    assert house.context(**wanted).text == report.text
    assert len(told(report)) == len(set(told(report)))
    assert all(house.db.all("records.get", id=memory_id) for memory_id in told(report))


# -- what a session was given before


@pytest.fixture
def ask(house: House) -> Callable[..., ContextReport]:
    """A context for session `s`, its log line written as it is after every command."""

    def asked(session: str | None = "s", **wanted: Any) -> ContextReport:
        report = house.context(place=Place(house.mill.id, session_id=session), **wanted)
        spool.flush_logs(house.db, house.config)
        return report

    return asked


def test_a_session_is_not_told_twice_when_it_asks_for_what_is_fresh(
    house: House, ask: Callable[..., ContextReport]
) -> None:
    first = ask()
    again = ask(fresh=True)
    assert len(told(first)) > 5 and (again.text, again.known) == ("", len(told(first)))
    new = house.add("Clay comes on Mondays")
    assert told(ask(fresh=True)) == [new.id] and told(ask(fresh=True)) == []
    assert told(ask()) == [], "it need not be asked for"
    assert len(told(ask(repeat=True))) == len(told(first)) + 1


def test_another_session_knows_nothing_of_it(ask: Callable[..., ContextReport]) -> None:
    first = ask()
    assert told(ask(session="t", fresh=True)) == told(first)


def test_what_found_no_room_is_told_next(ask: Callable[..., ContextReport]) -> None:
    first, second = ask(fresh=True, budget=200), ask(fresh=True)
    assert (
        first.left_out
        and not set(told(first)) & set(told(second))
        and second.known == len(told(first))
    )


def test_a_record_that_changed_is_fresh_again(
    house: House, ask: Callable[..., ContextReport]
) -> None:
    clay = house.add("Clay comes on Mondays")
    ask()
    house.change(
        clay, clock.now(), content="Clay comes on Tuesdays", summary="Clay comes on Tuesdays"
    )
    assert told(ask(fresh=True)) == [clay.id]


def test_a_change_between_reading_and_handing_out_is_news(
    house: House, ask: Callable[..., ContextReport], monkeypatch: Any
) -> None:
    clay = house.add("Clay comes on Mondays")
    start = clock.now()
    times = iter([start, timestamps.add_seconds(start, seconds=2)])
    monkeypatch.setattr(clock, "now", lambda: next(times))
    ask()
    monkeypatch.undo()
    house.change(clay, timestamps.add_seconds(start, seconds=1), summary="Clay comes on Tuesdays")
    assert told(ask(fresh=True)) == [clay.id]


def test_titles_alone_do_not_count_as_given_where_more_is_asked(
    ask: Callable[..., ContextReport],
) -> None:
    titles = ask(level=0)
    assert told(ask(fresh=True, level=1)) == told(titles)
    assert told(ask(fresh=True, level=0)) == []


def test_log_lines_that_still_wait_count(
    house: House, ask: Callable[..., ContextReport], monkeypatch: Any
) -> None:
    place = Place(house.mill.id, session_id="s")
    first = house.context(place=place)
    assert house.context(place=place, fresh=True).known == len(told(first)), "not written yet"
    entries = [{"entry": entry, "touched": touched} for entry, touched in house.db.unwritten]
    house.db.unwritten.clear()
    assert house.context(place=place, fresh=True).known == 0
    house.db.unwritten.clear()
    for entry in entries:
        spool.write_file(house.config, "log", entry)
    assert house.context(place=place, fresh=True).known == len(told(first)), "in the spool"
    house.db.unwritten.clear()
    spool.take_in_logs(house.db, house.config)
    assert ask(fresh=True).known == len(told(first)), "in the store"


def test_a_damaged_log_line_in_the_spool_is_passed_over(
    house: House, ask: Callable[..., ContextReport]
) -> None:
    spool.write_file(house.config, "log", {"entry": {"session_id": "s"}})
    (house.config.spool / "01AAA.log.json").write_text("{")
    assert told(ask(fresh=True))


def test_a_session_that_starts_again_has_been_told_nothing(
    ask: Callable[..., ContextReport],
) -> None:
    ask()
    begun = ask(session_start=True, budget=150)
    later = ask(fresh=True)
    assert later.known == len(told(begun)) and told(later)


def test_fresh_needs_a_session(house: House) -> None:
    with pytest.raises(UsageError, match="session") as caught:
        house.context(fresh=True)
    assert caught.value.hint and "--session" in caught.value.hint


def test_prompts_leave_out_what_the_session_knows_unless_that_is_set_otherwise(
    house: House, ask: Callable[..., ContextReport]
) -> None:
    prompt = {"task": "how many doors has the kiln?", "prompt_only": True}
    first = ask(session_start=True)
    assert set(told(ask(**prompt))) & set(told(first)) == set() and ask(**prompt).known > 0
    assert told(ask(session=None, **prompt)), "without a session there is nothing to know"
    assert told(ask(session_start=True)) == told(first)
    house.config = replace(
        house.config, values={**house.config.values, "context.omit_already_served": False}
    )
    assert told(ask(**prompt)), "the setting is off"


def test_fresh_and_repeat_exclude_each_other(ask: Callable[..., ContextReport]) -> None:
    with pytest.raises(UsageError, match="exclude"):
        ask(fresh=True, repeat=True)


def test_the_log_says_what_was_asked_for(house: House) -> None:
    context.build_context(
        house.db, house.config, house.here, actor="agent:test", phase="plan", format="xml", level=0
    )
    filters = house.db.unwritten[-1][0]["filters"]
    assert (filters["phase"], filters["format"], filters["level"], filters["budget"]) == (
        "plan",
        "xml",
        0,
        2000,
    )
    assert not {"fresh", "prompt_only", "session_start", "since"} & filters.keys()
