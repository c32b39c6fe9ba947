"""A step that its time limit cuts off reports exactly what the store says was done, and the next
run does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from bench import Bench, jsonl, told
from mill import Mill, ran

from memctl.core import clock
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Candidate, EntityRef, Memory, Query, Transcript
from memctl.maintain import execute, ingestion_jobs
from memctl.maintain.run_state import CUT_OFF, MaintenanceRun
from memctl.records import proposals
from memctl.results.maintenance import MaintainReport, StepReport
from memctl.settings.config import Config
from memctl.store import projects, queue, records, spool
from memctl.store.database import Database
from memctl.store.migrate import open_store
from memctl.store.records import Filter

LONG_AGO = "2020-01-01T00:00:00.000Z"
WORDS = ("kiln", "glaze", "wheel", "sieve", "press")


@dataclass(frozen=True, slots=True)
class House:
    """A store in which something waits for a step."""

    db: Database
    config: Config
    # What the step is expected to have done once it is done, by the names under which it counts.
    expected: Mapping[str, int]
    # What the store says was done, by the same names.
    measure: Callable[[], Mapping[str, int]]
    # Whether every run looks at all of it, and counts it again.
    is_repeated: bool = False


def count_rows(db: Database, query: str) -> int:
    return int(db._conn.execute(query).fetchone()[0])


def count_status(bench: Bench, status: str) -> int:
    return len(bench.all(status))


def made_old(bench: Bench, content: str, type_: str = "project") -> Memory:
    """A record that an agent wrote long ago and nobody used since."""
    memory = bench.put(content, type_, by=bench.agent)
    aged = replace(memory, observed_at=LONG_AGO, updated_at=LONG_AGO, confidence=0.7)
    with bench.db.write():
        records.replace_record(bench.db, memory, aged, verb="edited", actor="test", cause="test")
    return bench.get(memory)


# -- one situation a step --


def furnish_promote(bench: Bench, _patch: pytest.MonkeyPatch) -> House:
    bench.settings(promotion__rules=[{"type": "project"}])
    bench.capture(*(("user", f"fact the {word} is made of oak") for word in WORDS))
    bench.maintain(steps=["extract", "consolidate"])
    return House(
        bench.db,
        bench.config,
        {"promoted": 5},
        lambda: {"promoted": 5 - count_status(bench, "inbox")},
    )


def furnish_extract(bench: Bench, _patch: pytest.MonkeyPatch) -> House:
    for number, word in enumerate(WORDS):
        bench.capture(("user", f"fact the {word} is made of oak"), session=f"s{number}")
    return House(
        bench.db,
        bench.config,
        {"jobs_done": 5, "proposed": 5},
        lambda: {
            "jobs_done": queue.count_by_state(bench.db).get("done", 0),
            "proposed": count_status(bench, "inbox"),
        },
    )


def furnish_take_in(bench: Bench, _patch: pytest.MonkeyPatch) -> House:
    bench.put("The store is there")
    for number, word in enumerate(WORDS):
        text = jsonl(("user", f"the {word} is made of oak"), session=f"s{number}").decode()
        names = {"trigger": "hook", "actor": "agent:claude-code", "agent": "claude-code"}
        spool.write_file(bench.config, "capture", {**names, "text": text, "session_id": None})
    return House(
        bench.db,
        bench.config,
        {"spool_taken": 5},
        lambda: {"spool_taken": 5 - len(spool.list_files(bench.config))},
    )


def furnish_entities(bench: Bench, _patch: pytest.MonkeyPatch) -> House:
    with bench.db.write():
        for name in ("postgres", "PostgreSQL", "k8s", "Kubernetes", "make files", "make-files"):
            tool = {"id": clock.new_id(), "kind": "tool", "name": name}
            bench.db.run("entities.insert", **tool, created_at=clock.now())
    for name in ("Bob", "Robert Smith", "Kate", "Katherine Jones"):
        bench.put(f"{name} was there", entities=(EntityRef("person", name),))

    def measure() -> Mapping[str, int]:
        tools = "FROM entities WHERE kind = 'tool' AND merged_into IS NULL"
        return {
            "merged": 6 - count_rows(bench.db, f"SELECT count(*) {tools}"),
            "proposed": len(proposals.list_open(bench.db, "merge_entities")),
        }

    return House(bench.db, bench.config, {"merged": 3, "proposed": 2}, measure)


def furnish_consolidate(bench: Bench, patch: pytest.MonkeyPatch) -> House:
    patch.setattr("memctl.maintain.compare_step._BATCH", 2)
    for word in WORDS:
        bench.put(f"The {word} stands in its own room", "project", by=bench.agent)
        bench.put(f"The {word} stands in its own room.", "project", by=bench.operator)
    merged_before = count_status(bench, "superseded")
    return House(
        bench.db,
        bench.config,
        {},
        lambda: {"merge": count_status(bench, "superseded") - merged_before},
    )


def furnish_tiers(folder: Path) -> House:
    mill = Mill(folder)
    mill.config = replace(mill.config, values={**mill.config.values, "patterns.digest_after": 1})
    for day in (3, 4, 9, 10, 17, 18):
        commands = ran("git pull", "./scripts/clean.sh", "make tables")
        mill.session(f"2026-03-{day:02d}", *commands)

    def measure() -> Mapping[str, int]:
        made = records.select_records(mill.db, Filter())
        return {
            "proposed": sum((one.rule or "") in ("tiers.steps", "tiers.together") for one in made),
            "digests_written": sum(one.rule == "tiers.week" for one in made),
        }

    return House(mill.db, mill.config, {"digests_written": 3, "proposed": 1}, measure)


def furnish_expire(bench: Bench, _patch: pytest.MonkeyPatch) -> House:
    for word in WORDS:
        bench.put(f"The {word} is rented", valid_until=LONG_AGO)
    return House(
        bench.db, bench.config, {"expired": 5}, lambda: {"expired": count_status(bench, "archived")}
    )


def furnish_age(bench: Bench, _patch: pytest.MonkeyPatch) -> House:
    bench.settings(decay__archive_after_days=30)
    for word in WORDS:
        made_old(bench, f"Look into the {word} next", "task_hint")
    return House(
        bench.db,
        bench.config,
        {"archived": 5},
        lambda: {"archived": count_status(bench, "archived")},
    )


def furnish_cold(bench: Bench, _patch: pytest.MonkeyPatch) -> House:
    bench.settings(decay__rates={"project": 0.01})
    for word in WORDS:
        made_old(bench, f"The {word} is painted green")
    return House(
        bench.db,
        bench.config,
        {"proposed": 5},
        lambda: {"proposed": len(proposals.list_open(bench.db, "archive"))},
    )


def furnish_evict(bench: Bench, _patch: pytest.MonkeyPatch) -> House:
    bench.settings(limits__max_active={"project": 1})
    for word in WORDS:
        made_old(bench, f"The {word} is painted green")
    return House(
        bench.db, bench.config, {"evicted": 4}, lambda: {"evicted": count_status(bench, "archived")}
    )


def furnish_quality(bench: Bench, patch: pytest.MonkeyPatch) -> House:
    def by_session(transcript: Transcript) -> list[Candidate]:
        return [replace(one, rule=transcript.session_id) for one in told(transcript)]

    patch.setattr(ingestion_jobs, "extract", by_session)
    bench.settings(quality__mute_after=4, quality__mute_below=0.9)
    for rule in ("rule.a", "rule.b", "rule.c"):
        facts = (("user", f"fact the {word} of {rule} is made of oak") for word in WORDS)
        bench.capture(*facts, session=rule)
    bench.maintain(steps=["extract"])
    bench.operator.inbox.reject([memory.id for memory in bench.all("inbox")])
    return House(
        bench.db,
        bench.config,
        {"mutes_proposed": 3},
        lambda: {"mutes_proposed": len(proposals.list_open(bench.db, "mute"))},
    )


def furnish_citations(bench: Bench, patch: pytest.MonkeyPatch) -> House:
    patch.setattr("memctl.records.citations._BATCH", 1)
    folder = bench.folder / "works"
    folder.mkdir()
    with bench.db.write():
        projects.insert(bench.db, "works", str(folder), clock.now())
    for word in WORDS:
        (folder / f"{word}.py").write_text("")
        bench.put(f"Read `{word}.py` before the {word} is oiled", project="works")
    return House(
        bench.db,
        bench.config,
        {"cited": 5},
        lambda: {"cited": count_rows(bench.db, "SELECT count(*) FROM citations")},
        is_repeated=True,
    )


def furnish_pins(bench: Bench, _patch: pytest.MonkeyPatch) -> House:
    for word in WORDS:
        with bench.db.write():
            projects.insert(bench.db, word, None, clock.now())
        bench.put(f"Never open the {word} when it is hot", project=word, kind="constraint")
    chosen = "FROM meta WHERE key LIKE 'loaded%' AND value LIKE '%by rule%'"
    return House(
        bench.db,
        bench.config,
        {"loaded": 5},
        lambda: {"loaded": count_rows(bench.db, f"SELECT count(*) {chosen}")},
        is_repeated=True,
    )


def furnish_index(bench: Bench, patch: pytest.MonkeyPatch) -> House:
    patch.setattr("memctl.maintain.index_step._BATCH", 2)
    for word in WORDS:
        bench.put(f"The {word} is painted green")
    bench.db.script("DELETE FROM memories_fts")
    return House(
        bench.db,
        bench.config,
        {"reindexed": 5},
        lambda: {"reindexed": count_rows(bench.db, "SELECT count(*) FROM memories_fts")},
    )


def furnish_retention(bench: Bench, patch: pytest.MonkeyPatch) -> House:
    patch.setattr("memctl.maintain.tidy_step._BATCH", 2)
    bench.settings(logs__keep_days=10)
    bench.put("The kiln is painted green")
    for word in WORDS:
        bench.operator.search(Query(f"{word} painted"))
    bench.db.script(f"UPDATE retrieval_logs SET at = '{LONG_AGO}'")
    number = count_rows(bench.db, "SELECT count(*) FROM retrieval_logs")
    return House(
        bench.db,
        bench.config,
        {"logs_pruned": number},
        lambda: {
            "logs_pruned": number - count_rows(bench.db, "SELECT count(*) FROM retrieval_logs")
        },
    )


FURNISH: Mapping[str, Callable[[Bench, pytest.MonkeyPatch], House]] = {
    "promote": furnish_promote,
    "extract": furnish_extract,
    "take_in": furnish_take_in,
    "entities": furnish_entities,
    "consolidate": furnish_consolidate,
    "expire": furnish_expire,
    "age": furnish_age,
    "cold": furnish_cold,
    "evict": furnish_evict,
    "quality": furnish_quality,
    "citations": furnish_citations,
    "pins": furnish_pins,
    "index": furnish_index,
    "retention": furnish_retention,
}


# -- cutting --


def cut_after(patch: pytest.MonkeyPatch, asks: int) -> None:
    """Let the time of the next step be over after it has asked so many times whether it is."""
    left = iter([False] * asks)
    patch.setattr(MaintenanceRun, "_is_time_over", lambda run: next(left, True))


def run_step(house: House, step: str) -> StepReport:
    report: MaintainReport = execute.maintain(house.db, house.config, only=[step])
    assert report.problems == ()
    return next(one for one in report.steps if one.name == step)


def subtract(after: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    return {name: many - before[name] for name, many in after.items()}


def counted(report: StepReport, names: Mapping[str, Any]) -> dict[str, int]:
    return {name: int(report.counts.get(name, 0)) for name in names}


def check_cut(house: House, step: str, asks: int) -> None:
    """Cut the step off, then let it come to its end; each time it counts what the store says."""
    before = house.measure()
    with pytest.MonkeyPatch.context() as patch:
        cut_after(patch, asks)
        first = run_step(house, step)
    between = house.measure()
    assert counted(first, between) == subtract(between, before)
    second = run_step(house, step)
    after = house.measure()
    assert second.state == "done"
    if first.state == "unfinished":
        assert first.reason == CUT_OFF
        assert house.is_repeated or counted(second, after) == subtract(after, between)
    total = subtract(after, before)
    assert {name: total[name] for name in house.expected} == house.expected


@pytest.mark.parametrize("asks", [0, 1, 2, 4])
@pytest.mark.parametrize("step", FURNISH)
def test_a_step_that_is_cut_off_reports_what_it_did_and_the_next_run_does_the_rest(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, step: str, asks: int
) -> None:
    house = FURNISH[step](bench, monkeypatch)
    check_cut(house, step, asks)


@pytest.mark.parametrize("asks", range(6))
def test_patterns_that_are_cut_off_report_what_was_proposed(tmp_path: Path, asks: int) -> None:
    check_cut(furnish_tiers(tmp_path), "patterns", asks)


@pytest.mark.parametrize("step", [*FURNISH])
def test_a_step_without_time_says_that_it_was_cut_off(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    house = FURNISH[step](bench, monkeypatch)
    cut_after(monkeypatch, 0)
    report = run_step(house, step)
    assert (report.state, report.reason) == ("unfinished", CUT_OFF)


def test_what_a_run_writes_after_a_step_was_cut_off_is_kept(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish_promote(bench, monkeypatch)
    furnish_expire(bench, monkeypatch)
    asked: list[str] = []

    def is_over_in_promote(run: MaintenanceRun) -> bool:
        asked.append(run._step)
        return asked.count("promote") > 2 and run._step == "promote"

    with monkeypatch.context() as patch:
        patch.setattr(MaintenanceRun, "_is_time_over", is_over_in_promote)
        report = bench.operator.maintain()
    assert (report.promoted, report.expired, report.problems) == (2, 5, ())
    bench.operator.close()
    db = open_store(bench.path, create=False)
    try:
        statuses = [memory.status for memory in records.select_records(db, Filter())]
        assert (statuses.count("inbox"), statuses.count("archived")) == (3, 5)
        with db.write():
            pass
    finally:
        db.close()


def test_a_step_that_fails_reports_what_it_did_before(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = furnish_expire(bench, monkeypatch)
    from memctl.records import relations

    calls: list[int] = []
    set_status = relations.set_status

    def fail_at_third(*given: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise ZeroDivisionError("the saw")
        return set_status(*given, **more)

    monkeypatch.setattr(relations, "set_status", fail_at_third)
    report = next(one for one in bench.operator.maintain(steps=["expire"]).steps)
    assert (report.state, report.counts) == ("failed", {"expired": 2})
    assert house.measure() == {"expired": 2}
