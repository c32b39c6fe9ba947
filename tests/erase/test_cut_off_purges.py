"""A purge takes many short transactions; whatever a kill cuts off is finished and said."""

from __future__ import annotations

import pytest
from bench import Bench

from memctl.core.errors import NotFound, StoreLocked
from memctl.core.frozen import replace
from memctl.core.model import Memory, Query
from memctl.erase import purge, purge_run
from memctl.history import rebuild
from memctl.maintain import doctor
from memctl.store import (
    chunks,
    erase,
    event_log,
    migrate,
    records,
    semantic,
    unfinished,
    vector_index,
)
from tests.killing import Killed, play_another_process

WORDS = "The vault key number 0 lies under the third flowerpot"


def put(bench: Bench, number: int = 0) -> tuple[Memory, str]:
    """What is to go, and its words, which also stand in another record and in a lookup."""
    words = f"The vault key number {number} lies under the third flowerpot"
    memory = bench.put(words)
    bench.put(f"Ilse said on Monday: {words}", type_="episode")
    bench.operator.search(Query(words))
    return memory, words


@pytest.fixture
def gone(bench: Bench) -> Memory:
    """What is to go."""
    return put(bench)[0]


def purge_and_die(bench: Bench, monkeypatch: pytest.MonkeyPatch, gone: Memory, at: int) -> bool:
    """Purge in a process that ends when its transaction number `at` begins; False if it had
    fewer.
    """
    left = at
    begin = bench.db._begin_writing

    def begin_or_die() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        begin()

    with monkeypatch.context() as patch:
        play_another_process(patch)
        patch.setattr(chunks, "CHUNK_SECONDS", 0.0)
        patch.setattr(bench.db, "_begin_writing", begin_or_die)
        try:
            bench.operator.upkeep.purge([gone.id])
        except Killed:
            return True
    return False


def is_clean(bench: Bench, words: str = WORDS) -> bool:
    """Whether nothing of the words is in the store's files."""
    erase.empty_log(bench.db)
    files = [bench.config.db, *bench.config.db.parent.glob("*-wal")]
    return not any(words.encode() in file.read_bytes() for file in files)


def check(bench: Bench) -> None:
    bench.check()
    assert event_log.find_broken_links(bench.db) == []
    assert rebuild.find_differences(bench.db) == []
    assert unfinished.list_operations(bench.db) == []


def test_a_purge_killed_at_any_transaction_is_finished_by_maintenance(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(1, 100):
        gone, words = put(bench, at)
        if not purge_and_die(bench, monkeypatch, gone, at):
            break
        assert [one.kind for one in unfinished.list_abandoned(bench.db)] == [purge.KIND]
        report = bench.operator.maintain(steps=["finish"])
        assert report.problems == (purge_run.FINISHED_EARLIER,)
        check(bench)
        assert is_clean(bench, words), f"killed at transaction {at}"
    assert at > 5


def test_a_purge_killed_before_its_first_transaction_has_changed_nothing(
    bench: Bench, gone: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert purge_and_die(bench, monkeypatch, gone, 0)
    assert bench.state(gone) == "active"
    check(bench)


def test_the_same_purge_again_finishes_what_was_cut_off_and_says_so(
    bench: Bench, gone: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert purge_and_die(bench, monkeypatch, gone, 6)
    report = bench.operator.upkeep.purge([gone.id])
    assert gone.id in report.records and purge_run.FINISHED_EARLIER in report.notes
    assert is_clean(bench)
    check(bench)


def test_a_purge_of_something_else_also_finishes_what_was_cut_off(
    bench: Bench, gone: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = bench.put("Tea is at four")
    assert purge_and_die(bench, monkeypatch, gone, 6)
    report = bench.operator.upkeep.purge([other.id])
    assert report.records == (other.id,) and purge_run.FINISHED_EARLIER in report.notes
    assert is_clean(bench)


def test_what_was_purged_before_is_said_to_be_purged(bench: Bench, gone: Memory) -> None:
    bench.operator.upkeep.purge([gone.id])
    with pytest.raises(NotFound, match=f"{gone.id} was purged at 20.*nothing left to purge"):
        bench.operator.upkeep.purge([gone.id[:12]])


def test_a_plan_says_that_an_earlier_purge_is_not_finished(
    bench: Bench, gone: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = bench.put("Tea is at four")
    assert purge_and_die(bench, monkeypatch, gone, 3)
    plan = bench.operator.upkeep.purge([other.id], dry_run=True)
    assert "is not finished" in plan.notes[0]


def test_two_purges_at_once_are_refused_with_a_code_that_means_try_again(
    bench: Bench, gone: Memory
) -> None:
    with bench.db.write():
        unfinished.begin_operation(bench.db, purge.KIND, {"records": []}, actor="operator")
    with pytest.raises(StoreLocked, match="another purge"):
        bench.operator.upkeep.purge([gone.id])


def test_words_that_others_write_during_a_purge_go_too(
    bench: Bench, gone: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = bench.put("Tea is at four", type_="episode")
    other = migrate.open_store(bench.config.db, create=False)

    def write_elsewhere() -> None:
        monkeypatch.setattr(chunks, "pause_between_chunks", lambda: None)
        changed = replace(beside, content=f"{beside.content}. {WORDS}")
        with other.write():
            records.replace_record(
                other, beside, changed, verb="edited", actor="operator", cause="edit"
            )

    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 0.0)
    monkeypatch.setattr(chunks, "pause_between_chunks", write_elsewhere)
    bench.operator.upkeep.purge([gone.id])
    other.close()
    assert bench.get(beside).content == "Tea is at four. [PURGED]" and is_clean(bench)
    check(bench)


def test_the_vectors_of_what_is_purged_are_overwritten(bench: Bench, gone: Memory) -> None:
    width = 384
    vector = bytes(number % 251 for number in range(width))
    n = records.find_number(bench.db, gone.id)
    with bench.db.write():
        number = semantic.ensure_model(bench.db, "toy", width, "f", gone.created_at)
        model = semantic.Model(number, "toy", width, "f")
        semantic.put_vector(bench.db, number, n, gone, vector)
        if vector_index.load_extension(bench.db):
            vector_index.make_table(bench.db, model)
            vector_index.index_some(bench.db, number, 10)
    erase.empty_log(bench.db)
    assert vector in bench.config.db.read_bytes()
    bench.operator.upkeep.purge([gone.id])
    erase.empty_log(bench.db)
    assert vector not in bench.config.db.read_bytes()


def test_every_command_but_a_hook_says_that_a_purge_was_cut_off_until_it_is_finished(
    bench: Bench, gone: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert purge_and_die(bench, monkeypatch, gone, 3)
    bench.operator.close()
    bench.agent.close()
    bench.agent.search(Query("tea"))
    assert ["was cut off" in str(each) for each in bench.agent.list_warnings()] == [True]
    bench.operator.upkeep.purge([gone.id])
    assert bench.operator.list_warnings() == []
    bench.agent.close()
    bench.agent.search(Query("tea"))
    assert bench.agent.list_warnings() == []


def test_doctor_names_what_was_cut_off_and_no_break_in_the_event_log(
    bench: Bench, gone: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert purge_and_die(bench, monkeypatch, gone, 6)
    said = {check.name: check for check in doctor.doctor(bench.config, repair=False).checks}
    assert said["unfinished"].state == "problem" and "was cut off" in said["unfinished"].detail
    assert said["event_log"].state == "note"
    bench.operator.upkeep.purge([gone.id])
    said = {check.name: check for check in doctor.doctor(bench.config, repair=False).checks}
    assert (said["unfinished"].state, said["event_log"].state) == ("ok", "ok")
