"""Purged means gone: no byte of it in any file of the store, and nothing that is read later
brings it back.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import SESSION, Bench, jsonl

from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.model import Actor, EntityRef, Filter, NewMemory, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.history import rebuild
from memctl.maintain import doctor
from memctl.readers.base import Input
from memctl.records import purge_filter
from memctl.settings import config
from memctl.store import (
    derived_tables,
    event_log,
    records,
    sources,
    spool,
    tombstones,
    vector_index,
)
from memctl.store.database import Database, sqlite_library
from tests.retrieve.test_damaged_index import VECTOR_HARMS

WORDS = "the vault below the kiln opens with the word Bluebird-4711"
# The vector stays in its chunk, but nothing leads to it.
ONE_ENTRY = "DELETE FROM memories_vec_rowids WHERE rowid = :n"
OTHER = "the tide tables are printed on Mondays"


def files(bench: Bench) -> list[Path]:
    return [
        path
        for path in sorted(bench.path.parent.rglob("*"))
        if path.is_file() and path.parent.name != "memory.db.backups"
    ]


def holding(bench: Bench, words: str) -> list[str]:
    """The files in which any longer piece of some words stands."""
    pieces = [words[at : at + 16].encode() for at in range(max(1, len(words) - 15))]
    return [
        path.name for path in files(bench) if any(piece in path.read_bytes() for piece in pieces)
    ]


def sound(bench: Bench) -> None:
    """The store is whole after an erasure: what doctor says of its content is good."""
    bench.check()
    said = {check.name: check for check in doctor.doctor(bench.config, repair=False).checks}
    for name in (
        "schema",
        "integrity",
        "references",
        "record_hashes",
        "evidence_hashes",
        "event_log",
        "history",
        "index",
    ):
        assert said[name].state == "ok", said[name]


def test_a_record_goes_with_all_that_hangs_on_it_and_leaves_a_tombstone_without_content(
    bench: Bench,
) -> None:
    gone = bench.put(WORDS, entities=(EntityRef("person", "Ottoline Quill"),))
    kept = bench.put(OTHER)
    bench.operator.records.link(gone.id, "related_to", kept.id)
    bench.operator.records.edit(gone.id, {"title": "Opens with Bluebird-4711"})
    bench.operator.search(Query("what does the vault open with"))
    bench.operator.write_logs()
    report = bench.operator.upkeep.purge([gone.id])
    assert report.records == (gone.id,) and report.remains == () and report.notes == ()
    bench.operator.close()
    bench.agent.close()
    assert (
        holding(bench, WORDS) == []
        and holding(bench, "Opens with Bluebird-4711") == []
        and holding(bench, "Ottoline Quill") == []
    )
    with pytest.raises(NotFound):
        records.get_record(bench.db, gone.id)
    verdict = tombstones.find_of_memory(bench.db, gone.id)
    assert verdict is not None and (verdict["verdict"], verdict["reason"]) == ("purged", None)
    last = event_log.list_of_memory(bench.db, gone.id)[-1]
    assert (last.verb, last.before, last.after, last.actor) == ("purged", None, None, "operator")
    assert bench.get(kept).content == OTHER
    sound(bench)


def test_what_was_said_goes_from_the_conversation_too_and_the_rest_of_it_stays(
    bench: Bench,
) -> None:
    bench.take(("user", f"fact {WORDS}\nfact {OTHER}"), ("assistant", f"noted: {WORDS}"))
    [gone] = [memory for memory in bench.all("inbox") if memory.content == WORDS]
    report = bench.operator.upkeep.purge([gone.id])
    assert report.rewritten["turn"] == 2
    [source] = {
        item.source_id
        for memory in bench.all()
        for item in bench.operator.records.show(memory.id).evidence
    }
    assert [turn.text for turn in sources.read_turns(bench.db, source)] == [
        f"fact [PURGED]\nfact {OTHER}",
        "noted: [PURGED]",
    ]
    bench.operator.close()
    bench.agent.close()
    assert holding(bench, WORDS) == []
    sound(bench)


def test_neither_a_capture_nor_an_import_brings_it_back(bench: Bench) -> None:
    said = (("user", f"fact {WORDS}\nfact {OTHER}"), ("assistant", "noted"))
    bench.take(*said)
    export = bench.folder / "export.jsonl"
    bench.operator.export(export)
    [gone] = [memory for memory in bench.all("inbox") if memory.content == WORDS]
    bench.operator.upkeep.purge([gone.id])
    assert bench.capture(*said).state == "unchanged"
    assert bench.capture(*said, ("user", "fact the kiln is old")).items[0].outcome == "grown"
    bench.capture(*said, session="5e551011-0000-4000-8000-00000000000b")
    bench.maintain()
    bench.operator.import_(export)
    assert [memory.content for memory in bench.all() if "Bluebird" in memory.content] == []
    bench.operator.close()
    bench.agent.close()
    assert holding(bench, WORDS) == []


def test_a_session_goes_with_everything_that_rests_on_it_alone(bench: Bench) -> None:
    bench.settings(capture__keep_raw=True)
    bench.take(("user", f"fact {WORDS}"), ("assistant", "noted"))
    bench.take(("user", f"fact {OTHER}"), session="5e551011-0000-4000-8000-00000000000b")
    export = bench.folder / "export.jsonl"
    bench.operator.export(export)
    report = bench.operator.upkeep.purge(session=SESSION)
    assert len(report.sources) == 1 and len(report.records) == 2
    with pytest.raises(RefusedByPolicy, match="was purged"):
        bench.capture(("user", f"fact {WORDS}"), ("assistant", "noted"))
    with pytest.raises(RefusedByPolicy, match="was purged"):
        bench.capture(("user", f"fact {WORDS}"), ("assistant", "noted"), ("user", "more"))
    bench.operator.import_(export)
    assert [memory.content for memory in bench.all()] == [OTHER]
    bench.operator.close()
    bench.agent.close()
    assert holding(bench, WORDS) == []
    sound(bench)


def test_a_record_that_rests_on_another_session_too_stays_and_rests_on_that(bench: Bench) -> None:
    bench.take(("user", f"fact {OTHER}"))

    bench.take(
        ("user", "hello"), ("user", f"fact {OTHER}"), session="5e551011-0000-4000-8000-00000000000b"
    )
    assert len(bench.operator.records.show(bench.one("inbox").id).evidence) == 2
    report = bench.operator.upkeep.purge(session=SESSION)
    assert report.records == ()
    [kept] = [memory for memory in bench.all() if memory.content == OTHER]
    assert len(bench.operator.records.show(kept.id).evidence) == 1
    sound(bench)


def test_a_project_goes_with_its_name(bench: Bench) -> None:
    (bench.home / ".memctl.yaml").write_text("project: bluebird-vault\n")
    bench.take(("user", f"fact {WORDS}"))
    bench.put(OTHER)
    bench.operator.upkeep.purge(project="bluebird-vault")
    bench.operator.close()
    bench.agent.close()
    assert holding(bench, WORDS) == [] and holding(bench, "bluebird-vault") == []
    assert [memory.content for memory in bench.all()] == [OTHER]
    sound(bench)


def test_a_text_is_cut_out_wherever_it_stands(bench: Bench) -> None:
    bench.take(("user", f"fact {OTHER} and Bluebird-4711"), ("assistant", "Bluebird-4711 it is"))
    bench.put("the word is Bluebird-4711")
    bench.operator.views.save("vault", "search", {"query": "Bluebird-4711"})
    bench.operator.search(Query("Bluebird-4711"))
    bench.operator.write_logs()
    (bench.path.parent / "hook.log").write_text(
        "2026-01-01T00:00:00.000Z trouble with Bluebird-4711\nkept\n"
    )
    spool.write_file(
        bench.config,
        "request",
        {"path": "/x/Bluebird-4711.jsonl", "agent": None, "session_id": None, "trigger": "t"},
    )
    report = bench.operator.upkeep.purge(match="Bluebird-4711")
    assert {"turn", "view", "log", "spool"} <= set(report.rewritten)
    bench.operator.close()
    bench.agent.close()
    assert holding(bench, "Bluebird-4711") == []
    assert (
        bench.path.parent / "hook.log"
    ).read_text() == "2026-01-01T00:00:00.000Z trouble with [PURGED]\nkept\n"
    assert not [memory for memory in bench.all() if "Bluebird" in memory.content]
    sound(bench)


def test_vectors_go_from_both_tables(bench: Bench) -> None:
    gone, kept = bench.put(WORDS), bench.put(OTHER)
    bench.maintain()
    before = int(bench.db.value("records.numbers", id=gone.id))
    bench.operator.upkeep.purge([gone.id])
    assert bench.db.all("semantic.vectors", model_id=1, numbers=json.dumps([before])) == []
    assert bench.get(kept).content == OTHER
    assert [
        hit.record.memory.id for hit in bench.operator.search(Query("tide tables printed")).items
    ] == [kept.id]


@pytest.mark.needs("extension")
@pytest.mark.parametrize("harm", [*VECTOR_HARMS, ONE_ENTRY, None])
def test_vectors_go_from_a_damaged_table_and_from_one_that_was_put_aside(
    bench: Bench, harm: str | None
) -> None:
    gone, kept = bench.put(WORDS), bench.put(OTHER)
    bench.maintain()
    number = int(bench.db.value("records.numbers", id=gone.id))
    [row] = bench.db.all("semantic.vectors", model_id=1, numbers=json.dumps([number]))
    pieces = [bytes(row["vector"][at : at + 32]) for at in range(0, len(row["vector"]), 32)]
    if harm is None:
        vector_index.put_aside(bench.db)
    else:
        bench.operator.close()
        raw = sqlite_library().connect(str(bench.path))
        # What another program leaves in free pages is in no table any more.
        raw.execute("PRAGMA secure_delete = ON")
        raw.execute(harm, {"n": number} if ":n" in harm else {})
        raw.commit()
        raw.close()
    assert bench.operator.upkeep.purge([gone.id]).notes == ()
    assert derived_tables.list_replaced(bench.db) == []
    bench.operator.close()
    bench.agent.close()
    assert not [piece for path in files(bench) for piece in pieces if piece in path.read_bytes()]
    bench.maintain()
    assert [hit.record.memory.id for hit in bench.operator.search(Query("tide tables")).items] == [
        kept.id
    ]


def test_older_backups_are_named_and_left_alone(bench: Bench) -> None:
    gone = bench.put(WORDS)
    made = bench.operator.upkeep.backup().path
    report = bench.operator.upkeep.purge([gone.id])
    assert report.backups == (made,) and WORDS[:20].encode() in Path(made).read_bytes()


def test_a_reader_that_holds_the_log_open_is_told_of(bench: Bench) -> None:
    gone = bench.put(WORDS)
    reader = Database(bench.path)
    with reader.snapshot():
        reader.all("records.everything")
        report = bench.operator.upkeep.purge([gone.id])
        assert any("another process reads the store" in note for note in report.notes)
        assert set(report.remains) <= {str(bench.path), f"{bench.path}-wal"} and report.remains
    reader.close()
    bench.operator.close()
    bench.agent.close()
    assert holding(bench, WORDS) == []


def test_only_the_operator_may(bench: Bench) -> None:
    gone = bench.put(WORDS)
    with pytest.raises(RefusedByPolicy):
        bench.agent.upkeep.purge([gone.id])
    assert bench.get(gone).content == WORDS


def test_a_plan_shows_what_would_go_and_writes_nothing(bench: Bench) -> None:
    gone = bench.put(WORDS)
    report = bench.operator.upkeep.purge([gone.id], dry_run=True)
    assert report.dry_run and report.records == (gone.id,) and report.titles[gone.id]
    assert bench.get(gone).content == WORDS


def test_a_purge_of_nothing_is_refused(bench: Bench) -> None:
    with pytest.raises(UsageError):
        bench.operator.upkeep.purge()
    with pytest.raises(UsageError):
        bench.operator.upkeep.purge(match="abc")
    bench.put(OTHER)
    for wanted in (
        {"match": "never said"},
        {"session": "none"},
        {"source": "01JV3KQX2M"},
        {"project": "none"},
    ):
        with pytest.raises(NotFound):
            bench.operator.upkeep.purge(**wanted)


def test_a_text_that_only_copies_hold_names_them(bench: Bench) -> None:
    gone = bench.put(WORDS)
    copy = str(bench.operator.upkeep.backup().path)
    bench.operator.upkeep.purge([gone.id])
    with pytest.raises(NotFound, match="older copies do") as refused:
        bench.operator.upkeep.purge(match="Bluebird-4711")
    assert copy in str(refused.value) and "delete" in (refused.value.hint or "")
    with pytest.raises(NotFound) as refused:
        bench.operator.upkeep.purge(match="never said")
    assert copy not in str(refused.value)


def test_the_same_words_by_another_capture_are_purged_from_piped_text(bench: Bench) -> None:
    bench.operator.upkeep.purge([bench.put(WORDS).id])
    source = Input(data=jsonl(("user", f"remember: {WORDS}!"), cwd=str(bench.home)))
    report = bench.agent.capture_session(source)
    assert sources.read_turns(bench.db, report.items[0].source_id)[0].text == "remember: [PURGED]!"


def test_an_export_after_a_purge_is_taken_in_whole_and_keeps_it_away_there_too(
    bench: Bench,
) -> None:
    bench.take(("user", f"fact {WORDS}"), ("assistant", "noted"))
    before, after = bench.folder / "before.jsonl", bench.folder / "after.jsonl"
    bench.operator.export(before)
    bench.operator.upkeep.purge([bench.one("inbox").id])
    bench.operator.export(after)
    other = MemoryEngine(config.load_config(bench.folder / "other" / "m.db"), Actor("operator"))
    assert other.import_(after).problems == ()
    other.import_(before)
    assert not [
        memory
        for memory in other.records.list(Filter()).items
        if "Bluebird" in memory.memory.content
    ]
    other.close()


def test_purged_words_do_not_come_back_inside_other_words_nor_in_what_is_told_about_a_session(
    bench: Bench, tmp_path: Path
) -> None:
    bench.capture(("user", "the word is Bluebird-4711, and nobody else knows it"))
    bench.operator.upkeep.purge(match="Bluebird-4711")
    folder = tmp_path / "Bluebird-4711"
    folder.mkdir()
    entry = json.loads(
        jsonl(("user", 'xBluebird-4711x is "Bluebird-4711"'), session="grown", cwd=str(folder))
    )
    file = folder / "grown.jsonl"
    file.write_text(json.dumps({**entry, "gitBranch": "fix/Bluebird-4711"}))
    bench.agent.capture_session(Input(path=file))
    bench.operator.close()
    bench.agent.close()
    assert holding(bench, "Bluebird-4711") == []
    turns = [
        turn.text
        for source in sources.list_of_session(bench.db, "claude-code", "grown")
        for turn in sources.read_turns(bench.db, source.id)
    ]
    assert turns == ['x[PURGED]x is "[PURGED]"']


def test_words_that_only_a_log_holds_are_purged(bench: Bench) -> None:
    bench.put(OTHER)
    log = bench.path.parent / "hook.log"
    log.write_text("2026-02-01T00:00:00Z claude-code stop: Trouble: Bluebird-4711\n")
    bench.operator.upkeep.purge(match="Bluebird-4711")
    assert "Bluebird" not in log.read_text() and "[PURGED]" in log.read_text()


def test_looking_for_many_purged_words_in_a_large_text_takes_no_longer_than_reading_it_a_few_times(
    bench: Bench,
) -> None:
    for number in range(120):
        bench.put(f"{number * 7919} is the number of box {number}{'x' * number} in the vault")
    bench.operator.upkeep.purge(
        list({memory.id for memory in records.select_records(bench.db, Filter())})
    )
    cuts = purge_filter.read_filter(bench.db, bench.config)
    assert cuts is not None
    text = "the tide tables of box 17 are printed on Mondays. " * 4000
    hashed: list[int] = []
    counting = purge_filter.PurgeFilter(
        cuts.key, {start: _Counted(of, hashed) for start, of in cuts.by_start.items()}
    )
    assert counting.cut_text(text) is text
    assert len(hashed) < 2 * len(text)


class _Counted(dict[int, frozenset[str]]):
    """Lengths that note each look-up of a hash."""

    def __init__(self, of: dict[int, frozenset[str]], into: list[int]) -> None:
        super().__init__(of)
        self._into = into

    def __getitem__(self, length: int) -> frozenset[str]:
        self._into.append(length)
        return super().__getitem__(length)


def test_an_agent_does_not_bring_purged_words_back_by_hand(bench: Bench) -> None:
    other = bench.put(OTHER, by=bench.agent)
    bench.operator.upkeep.purge([bench.put(WORDS).id])
    for text in (WORDS, f"I hear that {WORDS}, they say"):
        with pytest.raises(RefusedByPolicy, match="purged") as refused:
            bench.agent.ingest([NewMemory("project", text)])
        assert "Bluebird" not in str(refused.value)
        with pytest.raises(RefusedByPolicy):
            bench.agent.records.edit(other.id, {"content": text})
        with pytest.raises(RefusedByPolicy):
            bench.agent.records.correct(other.id, text)
    assert bench.put(f"I hear that {WORDS}, they say").status == "active"


def test_what_a_purged_record_contradicted_stands_by_itself_again(bench: Bench) -> None:
    one, two = (
        bench.put("The request timeout is 30 seconds"),
        bench.put("The request timeout is 45 seconds"),
    )
    assert bench.state(two) == "contradicted"
    bench.operator.upkeep.purge([one.id])
    assert bench.state(two) == "active"
    bench.check()
    assert rebuild.find_differences(bench.db) == []


def test_a_blank_at_the_end_of_purged_words_keeps_longer_words_whole(bench: Bench) -> None:
    told = ("the furnace holds a zirconia plate", "zirconian sand is kept in the shed")
    bench.operator.ingest([NewMemory("project", text) for text in told])
    bench.operator.upkeep.purge(match="zirconia ")
    assert not holding(bench, "a zirconia plate")
    assert holding(bench, "zirconian sand is kept")
