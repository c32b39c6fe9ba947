"""An export taken into a store that has something: nothing is lost, nothing forgotten returns,
nothing gains trust.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl.core import clock
from memctl.core.model import AGENT_CLAIMED, Evidence, Filter, Job, Link, Turn
from memctl.history import rebuild
from memctl.records import relations
from memctl.store import (
    entities,
    entity_lookup,
    entity_merging,
    event_log,
    evidence,
    lexical,
    links,
    projects,
    queue,
    records,
    sources,
    succession,
    tombstones,
    upkeep,
)
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange.houses import (
    AGENT,
    DAY,
    OPERATOR,
    add,
    add_source,
    bury,
    change,
    exported,
    furnished,
    memory,
    outcomes,
    take,
)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Database]:
    """A store that is not empty."""
    db = open_store(tmp_path / "here.db", create=True)
    add(db, memory("Something was here before"))
    yield db
    db.close()


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Database]:
    """Another, empty store."""
    db = open_store(tmp_path / "there.db", create=True)
    yield db
    db.close()


def sound(db: Database) -> bool:
    """Whether stream, index, hashes and references of a store are whole."""
    ills = (
        event_log.find_broken_links(db),
        *upkeep.find_drifted(db),
        upkeep.find_unindexed(db),
        upkeep.find_damaged_records(db),
        upkeep.find_dangling(db),
    )
    return not any(ills) and upkeep.index_is_sound(db)


def changes_nothing(db: Database, text: str, actor=OPERATOR) -> bool:
    """Whether taking a file in leaves everything as it is and says so."""
    before = exported(db)
    report = take(db, text, actor)
    told = {
        outcome for counts in report.counts.values() for outcome, count in counts.items() if count
    }
    return told <= {"identical", "skipped"} and exported(db) == before


def test_what_is_new_is_inserted_with_its_history_and_found(here: Database, tmp_path: Path) -> None:
    report = take(here, exported(furnished(tmp_path / "a.db")))
    assert report.problems == ()
    assert outcomes(report) == {"inserted": 4}
    assert lexical.count_indexed(here) == 5 and sound(here)
    (brass,) = [each for each in records.select_records(here, Filter()) if "brass" in each.content]
    assert [event.verb for event in event_log.list_of_memory(here, brass.id)] == [
        "created",
        "edited",
    ]


@pytest.mark.parametrize("actor", [OPERATOR, AGENT])
def test_the_same_file_twice_is_identical_the_second_time(
    here: Database, tmp_path: Path, actor
) -> None:
    text = exported(furnished(tmp_path / "a.db"))
    take(here, text, actor)
    assert changes_nothing(here, text, actor)
    assert sound(here)


def test_an_agent_that_brings_back_what_is_here_brings_no_conflict(tmp_path: Path) -> None:
    db = furnished(tmp_path / "a.db")
    assert changes_nothing(db, exported(db), AGENT)


def test_a_store_knows_its_own_export(tmp_path: Path) -> None:
    db = furnished(tmp_path / "a.db")
    report = take(db, exported(db))
    assert {
        outcome for counts in report.counts.values() for outcome, count in counts.items() if count
    } == {"identical"}


def test_the_newer_state_wins_and_the_older_stays_in_the_stream(
    here: Database, there: Database
) -> None:
    (known,) = add(here, memory("Tea is served at four"))
    take(there, exported(here))
    change(there, known, DAY.format(2), content="Tea is served at five")
    report = take(here, exported(there))
    assert outcomes(report) == {"updated": 1, "identical": 1}
    assert records.get_record(here, known).content == "Tea is served at five"
    last = event_log.list_of_memory(here, known)[-1]
    assert (
        last.verb == "imported"
        and last.before["content"] == "Tea is served at four"
        and last.cause.startswith("import ")
    )
    assert changes_nothing(here, exported(there)) and sound(here)


def test_an_older_state_that_was_never_here_is_kept_in_the_stream_only(
    here: Database, there: Database
) -> None:
    (known,) = add(here, memory("Tea is served at four"))
    take(there, exported(here))
    change(there, known, DAY.format(2), content="Tea is served at five")
    change(here, known, DAY.format(3), content="Tea is served at six")
    report = take(here, exported(there))
    assert outcomes(report) == {"conflict": 1, "identical": 1}
    assert records.get_record(here, known).content == "Tea is served at six"
    assert "Tea is served at five" in {
        (event.before or {}).get("content") for event in event_log.list_of_memory(here, known)
    }
    assert (
        event_log.replay_fields(here, known, "2999-01-01T00:00:00.000Z")["content"]
        == "Tea is served at six"
    )
    assert changes_nothing(here, exported(there)) and sound(here)


def test_a_tie_stays_as_it_is_here(here: Database, there: Database) -> None:
    (known,) = add(here, memory("Tea is served at four"))
    take(there, exported(here))
    change(there, known, DAY.format(2), content="Tea is served at five")
    change(here, known, DAY.format(2), content="Tea is served at six")
    assert outcomes(take(here, exported(there)))["conflict"] == 1
    assert records.get_record(here, known).content == "Tea is served at six"


def test_an_old_export_of_the_same_store_is_no_conflict(here: Database) -> None:
    (known,) = add(here, memory("Tea is served at four"))
    old = exported(here)
    change(here, known, DAY.format(2), content="Tea is served at five")
    assert changes_nothing(here, old)
    assert records.get_record(here, known).content == "Tea is served at five"


def test_a_forgotten_memory_does_not_return_on_import(here: Database) -> None:
    (known,) = add(here, memory("The cat is called Gearbox"))
    old = exported(here)
    bury(here, known)
    report = take(here, old)
    assert outcomes(report) == {"skipped": 1, "identical": 1}
    assert records.get_record(here, known).status == "archived"


def test_forgotten_content_does_not_return_under_another_id(
    here: Database, there: Database
) -> None:
    (known,) = add(here, memory("The cat is called Gearbox"))
    bury(here, known)
    forged = memory("The cat is called Gearbox", fingerprint="0" * 64)
    add(there, memory("the cat is called  gearbox."), forged, memory("The dog is called Cog"))
    report = take(here, exported(there))
    assert outcomes(report) == {"skipped": 2, "inserted": 1}
    assert outcomes(report, "evidence")["skipped"] == 2
    assert not any(
        "cat" in str(row["after"])
        for row in here.all("event_log.everything")
        if row["memory_id"] != known
    )


def test_forgotten_words_do_not_return_in_another_record(here: Database, there: Database) -> None:
    (known,) = add(here, memory("The cat is called Gearbox"))
    bury(here, known, "purged", quote="my cat Gearbox sleeps on the router")
    add(
        there, memory("There is a cat near the router"), quote="my cat Gearbox sleeps on the router"
    )
    report = take(here, exported(there))
    assert outcomes(report) == {"skipped": 1}
    assert report.problems == ()
    assert len(records.select_records(here, Filter())) == 2 and sound(here)


def test_what_was_forgotten_there_is_archived_here(here: Database, there: Database) -> None:
    same_id, same_words = add(here, memory("Tea is served at four"), memory("Biscuits are square"))
    take(there, exported(here))
    bury(there, same_id)
    (other,) = add(there, memory("Ginger is hot"))
    bury(there, other)
    (twin,) = add(here, memory("Ginger is hot"))
    report = take(here, exported(there))
    assert report.problems == ()
    assert {records.get_record(here, each).status for each in (same_id, twin)} == {"archived"}
    assert records.get_record(here, same_words).status == "active"
    assert tombstones.find_of_memory(here, same_id)["verdict"] == "forgotten" and sound(here)


def test_a_verdict_that_was_lifted_here_stays_lifted(here: Database, there: Database) -> None:
    (known,) = add(here, memory("Tea is served at four"))
    bury(here, known)
    old = exported(here)
    with here.write():
        tombstones.lift_tombstone(here, known)
    change(here, known, "2999-01-01T00:00:00.000Z", status="active", status_reason=None)
    take(here, old)
    assert records.get_record(here, known).status == "active"
    assert tombstones.find_of_memory(here, known) is None


def test_an_agents_import_brings_no_trust(here: Database, there: Database) -> None:
    source = None
    with there.write():
        source = add_source(there, "s")
        queue.add_job(
            there,
            Job(
                "E" * 26,
                "hook",
                "operator",
                "queued",
                0,
                DAY.format(1),
                DAY.format(1),
                DAY.format(1),
                source.id,
            ),
        )
    mine, shared = add(
        there,
        memory(
            "I never review on Mondays",
            type="profile",
            owner="operator",
            trust=5,
            always_load=True,
            protected=True,
        ),
        memory("Deploys need two people", trust=5),
    )
    text = exported(there)
    take(here, text, AGENT)
    assert records.get_record(here, mine).status == "inbox"
    for each in (records.get_record(here, mine), records.get_record(here, shared)):
        assert (each.trust, each.always_load, each.protected) == (AGENT_CLAIMED, False, False)
        assert {proof.trust for proof in evidence.list_of_memory(here, each.id)} == {AGENT_CLAIMED}
    assert records.get_record(here, shared).status == "active"
    assert sources.get_source(here, source.id).trust == AGENT_CLAIMED
    assert queue.count_by_state(here) == {"done": 1}
    assert event_log.replay_fields(here, mine, "2999-01-01T00:00:00.000Z")["trust"] == AGENT_CLAIMED
    assert changes_nothing(here, text, AGENT) and sound(here)


def test_a_profile_fact_that_calls_itself_the_agents_is_still_the_operators(
    here: Database, there: Database
) -> None:
    (mine,) = add(there, memory("I never review on Mondays", type="profile", owner="agent"))
    take(here, exported(there), AGENT)
    assert records.get_record(here, mine).status == "inbox"


def test_an_agents_import_does_not_change_what_the_operator_vouched_for(
    here: Database, there: Database
) -> None:
    said, protected, claimed = add(
        here,
        memory("Said by the operator", trust=5),
        memory("Protected", protected=True),
        memory("Claimed", status="inbox"),
    )
    take(there, exported(here))
    for each in (said, protected, claimed):
        change(there, each, DAY.format(2), content="Replaced", status="active")
    report = take(here, exported(there), AGENT)
    assert outcomes(report) == {"conflict": 2, "updated": 1, "identical": 1}
    assert (
        records.get_record(here, said).content == "Said by the operator"
        and records.get_record(here, protected).content == "Protected"
    )
    assert (
        records.get_record(here, claimed).content,
        records.get_record(here, claimed).status,
    ) == (
        "Replaced",
        "inbox",
    )


def test_an_agents_import_does_not_forget_what_the_operator_said(
    here: Database, there: Database
) -> None:
    (said,) = add(here, memory("Said by the operator", trust=5))
    take(there, exported(here))
    bury(there, said)
    take(here, exported(there), AGENT)
    assert (
        records.get_record(here, said).status == "active"
        and tombstones.find_of_memory(here, said) is None
    )


def test_an_agents_import_does_not_link_projects(tmp_path: Path, here: Database) -> None:
    report = take(here, exported(furnished(tmp_path / "a.db")), AGENT)
    assert outcomes(report, "project_links") == {"skipped": 1}


def test_a_dry_run_says_what_the_real_run_does_and_does_nothing(
    here: Database, tmp_path: Path
) -> None:
    text = exported(furnished(tmp_path / "a.db"))
    before = exported(here)
    planned = take(here, text, dry_run=True)
    assert planned.dry_run and exported(here) == before
    assert planned.counts == take(here, text).counts


def test_entities_meet_by_name(here: Database, there: Database) -> None:
    from memctl.core.model import EntityRef
    from memctl.store import entities

    at = DAY.format(1)
    ids = []
    for db in (here, there):
        (known,) = add(db, memory(f"Brass for {db.path.stem}"))
        ids.append(known)
        with db.write():
            entities.attach_entities(db, known, [EntityRef("concept", "Brass")], at)
            entities.add_alias(
                db,
                f"messing-{db.path.stem}",
                entities.ensure_entity(db, "concept", "Brass", at),
                None,
                at,
            )
    report = take(here, exported(there))
    assert report.problems == ()
    assert entity_lookup.list_refs_by_memory(here, ids) == {
        each: [EntityRef("concept", "Brass")] for each in ids
    }
    assert len(here.all("entities.everything")) == 1 and len(here.all("entities.all_aliases")) == 2


def test_an_alias_that_is_taken_stays_where_it_is(here: Database, there: Database) -> None:
    for db in (here, there):
        with db.write():
            project = projects.insert(db, db.path.stem, None, DAY.format(1))
            projects.add_alias(db, project.id, "remote", "example.org/x", DAY.format(1))
    report = take(here, exported(there))
    assert outcomes(report, "aliases") == {"conflict": 1}
    assert len(report.problems) == 1 and "project adopt" in report.problems[0]
    assert take(here, exported(there)).problems == ()
    assert projects.by_alias(here, "remote", "example.org/x").name == "here"


TURNS = tuple(Turn(n, "human", "text", f"turn {n}") for n in range(4))


def grow(db: Database, source_id: str, turns: tuple[Turn, ...], at: str) -> None:
    from memctl.core.frozen import replace

    with db.write():
        source = sources.get_source(db, source_id)
        sources.add_turns(db, source_id, turns, at)
        total = sources.read_turns(db, source_id)
        sources.grow_source(
            db,
            replace(
                source,
                turn_count=len(total),
                turns_hash=sources.compute_turns_hash(total),
                updated_at=at,
            ),
        )


def test_a_session_that_grew_there_grows_here(here: Database, there: Database) -> None:
    with here.write():
        source = add_source(here, "s", turns=TURNS[:2])
    take(there, exported(here))
    grow(there, source.id, TURNS[2:], DAY.format(2))
    report = take(here, exported(there))
    assert outcomes(report, "sources") == {"updated": 1}
    assert outcomes(report, "source_parts") == {"identical": 1, "inserted": 1}
    assert tuple(sources.read_turns(here, source.id)) == TURNS
    assert sources.get_source(here, source.id).turn_count == 4


def test_a_session_that_went_two_ways_stays_as_it_is_here(here: Database, there: Database) -> None:
    with here.write():
        source = add_source(here, "s", turns=TURNS[:2])
    take(there, exported(here))
    grow(there, source.id, TURNS[3:], DAY.format(3))
    grow(here, source.id, TURNS[2:3], DAY.format(2))
    report = take(here, exported(there))
    assert outcomes(report, "sources") == {"conflict": 1}
    assert tuple(sources.read_turns(here, source.id)) == TURNS[:3]


def test_evidence_of_both_sides_is_kept(here: Database, there: Database) -> None:
    (known,) = add(here, memory("Tea is served at four"))
    take(there, exported(here))
    with there.write():
        evidence.insert_evidence(
            there,
            [Evidence("Z" * 26, known, "tea? at four!", "human", 5, DAY.format(2), DAY.format(2))],
        )
    take(here, exported(there))
    assert {proof.quote for proof in evidence.list_of_memory(here, known)} == {
        "Tea is served at four",
        "tea? at four!",
    }


def test_a_record_without_history_gets_one(here: Database, there: Database) -> None:
    (known,) = add(there, memory("Tea is served at four"))
    lines = [line for line in exported(there).splitlines() if '"section":"stream"' not in line]
    report = take(here, "\n".join(lines) + "\n")
    assert len(report.problems) == 1 and "stream" in report.problems[0]
    (event,) = event_log.list_of_memory(here, known)
    assert (
        event.verb == "imported"
        and event.before is None
        and json.loads(json.dumps(event.after))["content"] == "Tea is served at four"
    )


def test_no_import_lets_a_record_supersede_itself_by_way_of_others(
    here: Database, there: Database
) -> None:
    both = [memory("The pump is red"), memory("The pump is blue")]
    for db in (here, there):
        add(db, *both)
    with here.write():
        relations.supersede(here, both[1], both[0], reason=None, actor="operator", cause="test")
    with there.write():
        relations.supersede(there, both[0], both[1], reason=None, actor="operator", cause="test")
    text = exported(there)
    report = take(here, text)
    assert [problem for problem in report.problems if "cycle" in problem]
    assert succession.find_cycles(here) == [] and succession.read_chain(here, both[0].id) == [
        both[1].id
    ]
    assert [row for row in take(here, text).counts["links"].items() if row[1]] == []


def test_what_was_taken_away_here_does_not_come_back_by_an_older_file(tmp_path: Path) -> None:
    db = open_store(tmp_path / "memory.db", create=True)
    for content in ("First", "Second"):
        add(db, memory(content))
    one, two = (each.id for each in records.select_records(db, Filter()))
    with db.write(), event_log.group_changes(db, actor="operator", cause="test"):
        links.insert_link(db, Link(clock.new_id(), one, "supports", two, "operator", clock.now()))
        olga = entities.ensure_entity(db, "person", "Olga", clock.now())
        entities.add_alias(db, "Olya", olga, None, clock.now())
    file = exported(db)
    with db.write(), event_log.group_changes(db, actor="operator", cause="test"):
        links.delete_link(db, one, "supports", two)
        entity_merging.drop_alias(db, entity_lookup.list_aliases(db, [olga])[olga][0])
    take(db, file)
    assert (
        links.find_between(db, one, "supports", two) is None
        and entity_lookup.list_aliases(db, [olga]) == {}
    )
    assert rebuild.find_differences(db) == []
    db.close()


def test_what_was_said_in_a_checkout_that_is_known_here_too_comes_whole(
    here: Database, tmp_path: Path
) -> None:
    other = furnished(tmp_path / "furnished.db")
    text = exported(other)
    sections = ("sources", "evidence", "memories", "repos")
    rows = {name: count_rows(other, name) for name in sections}
    other.close()
    at = DAY.format(1)
    with here.write():
        mine = projects.insert(here, "Orrery here", "/src/orrery2", at)
        place = {"name": "orrery", "root_path": "/src/orrery2", "remote_url": None}
        place |= {"git_common_dir": "/src/orrery2/.git", "root_commit": "ab12"}
        repo_id = projects.ensure_repo(here, mine.id, place, at)
    report = take(here, text)
    assert report.problems == ()
    inserted = {name: report.counts[name]["inserted"] for name in sections}
    assert inserted == rows
    assert projects.repo_id(here, "/src/orrery2/.git") == repo_id
    again = take(here, text)
    assert again.problems == ()
    assert not any(again.counts[name]["inserted"] for name in sections)


def count_rows(db: Database, section: str) -> int:
    """How many rows of a section an export of the store has."""
    rows = [json.loads(line) for line in exported(db).splitlines()]
    return sum(row.get("section") == section for row in rows)
