"""People and things under several names: found, made one, parted, and told of in one view."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import Bench, jsonl

from memctl.core import clock
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.model import EntityRef, Query
from memctl.curate import entities as entity
from memctl.erase import purge
from memctl.maintain import ingestion_jobs
from memctl.readers.base import Input
from memctl.store import entity_lookup, event_log


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    made = Bench(tmp_path, monkeypatch)
    yield made
    made.operator.close()


def put(bench: Bench, content: str, *people: str) -> str:
    return bench.put(content, entities=tuple(EntityRef("person", name) for name in people)).id


def found(bench: Bench, text: str) -> set[str]:
    asked = Query(text, bench.operator.place(bench.home), include=("inbox",), limit=20)
    return {hit.record.memory.content for hit in bench.operator.search(asked).items}


def people(bench: Bench) -> dict[str, tuple[str, ...]]:
    return {item.name: item.aliases for item in bench.operator.entities.list(kind="person").items}


def said(bench: Bench, day: int, *lines: str) -> None:
    """A session of that day in which the operator says something, captured and extracted by the
    real extractors.
    """
    text = jsonl(
        *(("user", line) for line in lines),
        session=f"5e551011-0000-4000-8000-{day:012d}",
        cwd=str(bench.home),
    )
    bench.agent.capture_session(
        Input(data=text.replace(b"2026-03-04", f"2026-03-{day:02d}".encode()))
    )
    bench.maintain()


@pytest.fixture
def real(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    from memctl.extract import extract

    monkeypatch.setattr(ingestion_jobs, "extract", extract)
    return bench


BACKUPS = "Always run the nightly backups before deploys, Vitya wants them in S3."
DATABASE = "From now on use PostgreSQL for the orders service, my boss prefers it."
FRIDAYS = "My boss said that we must never deploy on Fridays."


def contents(bench: Bench, name: str) -> set[str]:
    shown = bench.operator.entities.show(name)
    ids = {memory.id for memory in entity_lookup.list_memories(bench.db, shown.entity.id)}
    return {
        memory.content for memory in bench.all() if memory.id in ids and memory.type != "episode"
    }


def test_names_said_to_be_one_in_a_later_session_lead_to_one_person(real: Bench) -> None:
    said(real, 1, BACKUPS)
    said(real, 2, DATABASE)
    said(
        real,
        3,
        "By the way, Vitaly is my boss. Vitaly, also known as Vitya, approves each schema change.",
    )
    assert people(real) == {"Vitaly": ("Vitya", "my boss")} or people(real) == {
        "Vitaly": ("my boss", "Vitya")
    }
    for name in ("Vitya", "Vitaly", "my boss", "VITALY"):
        assert {BACKUPS, DATABASE} <= contents(real, name)
    assert BACKUPS in found(real, "Vitaly") and DATABASE in found(real, "Vitya")


def test_a_role_that_passes_on_makes_no_two_people_one(real: Bench) -> None:
    said(real, 1, DATABASE)
    said(real, 3, "By the way, Vitaly is my boss.")
    said(real, 9, "Olga is my boss now.", FRIDAYS)
    assert {DATABASE} <= contents(real, "Vitaly") and FRIDAYS not in contents(real, "Vitaly")
    assert FRIDAYS in contents(real, "Olga") and DATABASE not in contents(real, "Olga")
    assert real.operator.entities.show("my boss").entity.name == "Olga"
    (past,) = real.operator.entities.show("Vitaly").roles
    assert (past.role, past.since[:10], (past.until or "")[:10]) == (
        "my boss",
        "2026-03-03",
        "2026-03-09",
    )


def test_a_name_that_becomes_known_later_is_found_in_older_records(bench: Bench) -> None:
    old = put(bench, "Ask Zebulon before the kiln is moved")
    put(bench, "The glaze is his", "Zebulon")
    bench.maintain()
    assert [ref.name for ref in entity_lookup.list_refs_by_memory(bench.db, [old])[old]] == [
        "Zebulon"
    ]


def test_what_is_merged_has_all_names_and_records_and_is_found_by_any(bench: Bench) -> None:
    put(bench, "Wants nightly copies", "Vitya")
    put(bench, "Approves the schema", "Vitaly")
    made = bench.operator.entities.merge("Vitaly", "Vitya", reason="the same man")
    assert (made.verb, made.entity.name, made.records) == ("merged", "Vitaly", 1)
    assert people(bench) == {"Vitaly": ("Vitya",)}
    assert (
        found(bench, "Vitaly")
        == found(bench, "Vitya")
        == {"Wants nightly copies", "Approves the schema"}
    )


def test_a_merge_that_is_undone_leaves_what_was_before(bench: Bench) -> None:
    put(bench, "Wants nightly copies", "Vitya")
    put(bench, "Approves the schema", "Vitaly")
    before = people(bench), found(bench, "Vitya"), found(bench, "Vitaly")
    bench.operator.entities.merge("Vitaly", "Vitya")
    parted = bench.operator.entities.split("Vitya", undo_merge=True)
    assert (parted.verb, parted.entity.name) == ("split", "Vitya")
    assert (people(bench), found(bench, "Vitya"), found(bench, "Vitaly")) == before


def test_a_merge_is_one_change_that_revert_undoes(bench: Bench) -> None:
    put(bench, "Wants nightly copies", "Vitya")
    put(bench, "Approves the schema", "Vitaly")
    before = people(bench), found(bench, "Vitya")
    last = max(event.seq for event in event_log.list_matching(bench.db))
    bench.operator.entities.merge("Vitaly", "Vitya")
    events = [event for event in event_log.list_matching(bench.db) if event.seq > last]
    assert len({event.operation for event in events}) == 1 and {
        event.topic for event in events
    } == {"entity", "alias", "mention"}
    bench.operator.revert(str(events[0].seq))
    assert (people(bench), found(bench, "Vitya")) == before


def test_a_name_that_is_split_off_takes_the_records_that_used_it(bench: Bench) -> None:
    put(bench, "Wants nightly copies", "Vitya")
    bench.operator.entities.alias("Vitya", "Viktor")
    put(bench, "Owns the kiln", "Viktor")
    assert len(contents(bench, "Vitya")) == 2
    made = bench.operator.entities.split("Vitya", ["Viktor"])
    assert (made.entity.name, made.other and made.other.name, made.records) == (
        "Viktor",
        "Vitya",
        1,
    )
    assert contents(bench, "Viktor") == {"Owns the kiln"} and contents(bench, "Vitya") == {
        "Wants nightly copies"
    }


def test_an_alias_finds_records_until_it_is_removed(bench: Bench) -> None:
    put(bench, "Wants nightly copies", "Vitya")
    bench.operator.entities.alias("Vitya", "Brandmeister")
    assert found(bench, "Brandmeister") == {"Wants nightly copies"}
    bench.operator.entities.alias("Vitya", "Brandmeister", remove=True)
    assert found(bench, "Brandmeister") == set()


def test_what_a_name_may_mean_is_named_where_it_is_several(bench: Bench) -> None:
    put(bench, "Sings", "Robin")
    bench.put("Builds", entities=(EntityRef("tool", "Robin"),))
    with pytest.raises(NotFound, match=r"person:Robin .* tool:Robin"):
        bench.operator.entities.show("Robin")
    assert bench.operator.entities.show("tool:Robin").entity.kind == "tool"


def test_another_ones_name_is_no_alias(bench: Bench) -> None:
    put(bench, "Sings", "Robin")
    put(bench, "Builds", "Olga")
    with pytest.raises(UsageError, match="already"):
        bench.operator.entities.alias("Olga", "Robin")
    with pytest.raises(UsageError, match="already"):
        bench.operator.entities.merge("Olga", "olga")
    with pytest.raises(UsageError, match="main name"):
        bench.operator.entities.split("Olga", ["Olga"])


def test_an_agent_makes_nobody_one(bench: Bench) -> None:
    put(bench, "Sings", "Robin")
    put(bench, "Builds", "Olga")
    for change in (
        lambda: bench.agent.entities.merge("Olga", "Robin"),
        lambda: bench.agent.entities.alias("Olga", "Olya"),
        lambda: bench.agent.entities.split("Olga", ["Olya"]),
    ):
        with pytest.raises(RefusedByPolicy):
            change()


def test_spellings_of_one_tool_are_one_and_people_who_may_be_one_are_asked_about(
    bench: Bench,
) -> None:
    for name in ("postgres", "PostgreSQL", "k8s", "Kubernetes"):
        bench.put(f"About {name} here", entities=(EntityRef("tool", name),))
    for name in ("Bob", "Robert Smith", "Olga"):
        put(bench, f"{name} was there", name)
    entity.tidy_entities(bench.db, bench.config)
    assert {item.name for item in bench.operator.entities.list(kind="tool").items} == {
        "PostgreSQL",
        "Kubernetes",
    }
    (asked,) = [
        one for one in bench.operator.inbox.list().proposals if one.kind == "merge_entities"
    ]
    assert "Bob" in people(bench) and "Robert Smith" in people(bench)
    bench.operator.inbox.accept_proposals([asked.id])
    assert people(bench) == {"Robert Smith": ("Bob",), "Olga": ()}
    assert entity.tidy_entities(bench.db, bench.config)["proposed"] == 0


def test_one_view_tells_everything_of_one(bench: Bench) -> None:
    put(bench, "Wants nightly copies", "Vitya", "Olga")
    bench.put(
        "Copies are nightly",
        "decision",
        rationale="Vitya said so",
        entities=(EntityRef("person", "Vitya"),),
    )
    shown = bench.operator.entities.show("Vitya")
    assert shown.entity.records == 2 and {group.type for group in shown.groups} == {
        "project",
        "decision",
    }
    assert [view.memory.content for view in shown.decisions] == ["Copies are nightly"]
    assert [(other.name, other.records) for other in shown.related] == [("Olga", 1)]


def test_the_view_of_a_time_knows_what_was_spoken_of_then(bench: Bench) -> None:
    first = put(bench, "Wants nightly copies", "Vitya")
    time.sleep(0.01)
    before = clock.now()
    time.sleep(0.01)
    put(bench, "Owns the kiln", "Vitya")
    shown = bench.operator.entities.show("Vitya", as_of=before)
    assert shown.as_of == before and [view.memory.id for view in shown.items] == [first]


def test_purging_the_last_record_of_a_person_erases_every_name(bench: Bench) -> None:
    one, other = (
        put(bench, "Wants nightly copies", "Vitya"),
        put(bench, "Approves the schema", "Vitaly"),
    )
    bench.operator.entities.merge("Vitaly", "Vitya")
    purge.purge_selected(
        bench.db,
        bench.config,
        bench.operator.actor,
        purge.PurgeSelection((one, other)),
        dry_run=False,
    )
    assert (
        people(bench) == {}
        and bench.db.all("entities.everything") == []
        and bench.db.all("entities.all_aliases") == []
    )


def test_a_correction_says_until_when_it_holds(bench: Bench) -> None:
    memory = bench.put("The kiln is rented")
    made = (
        bench.operator.records.correct(memory.id, "The kiln is borrowed", valid_until="2027-01-01")
        .changed[0]
        .memory
    )
    assert made.valid_until == "2027-01-01T00:00:00.000Z"
    with pytest.raises(UsageError):
        bench.operator.records.correct(made.id, "The kiln is ours", valid_from="2027-05-01")


def test_a_role_may_come_back_to_whoever_had_it_before(bench: Bench) -> None:
    ask = lambda: bench.operator.entities.show("my boss").entity.name  # noqa: E731
    put(bench, "Was there", "Vitaly", "Olga")
    for name in ("Vitaly", "Olga", "Vitaly"):
        bench.operator.entities.alias(name, "my boss")
        assert ask() == name
        put(bench, f"Said in the time of {name} {len(bench.all())}", "my boss")
        time.sleep(0.002)
    assert len([each for each in contents(bench, "Vitaly") if "Vitaly" in each]) == 2
    assert len([each for each in contents(bench, "Olga") if "Olga" in each]) == 1


@pytest.mark.parametrize("name", ["", "   ", "my ", "our", "|", "\x1b[", "x" * 201])
def test_what_is_no_name_becomes_none(bench: Bench, name: str) -> None:
    put(bench, "Olga fires the kiln", "Olga")
    with pytest.raises(UsageError):
        bench.operator.entities.alias("Olga", name)
    assert people(bench) == {"Olga": ()}


def test_a_name_is_kept_on_one_line_without_controls(bench: Bench) -> None:
    put(bench, "Olga fires the kiln", "Olga")
    bench.operator.entities.alias("Olga", "Ol\x1bya\n the  potter")
    assert people(bench) == {"Olga": ("Ol Ya The Potter",)}
