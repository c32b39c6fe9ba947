"""What is made here becomes changes that travel: which, in which streams, and with what in them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from bench import Bench

from memctl.core.bounded_work import BoundedWork
from memctl.core.model import Memory
from memctl.store import sync_changes, sync_group
from memctl.store.sync_group import StoredShare
from memctl.sync.change import Change, decode_change
from memctl.sync.collecting import Collector
from memctl.sync.merging import merge_subject
from memctl.sync.portable import TravelForm

REPLICA = "R" * 26
AT = "2026-03-04T05:06:07.000Z"
# A secret of the operator's own kind.
IGNORED = {"capture.ignore": {"projects": [], "paths": [], "patterns": [r"QQZX-\d{4}"]}}


def collect(bench: Bench, *, member: str = "ada", replica: str = REPLICA) -> int:
    collector = Collector(bench.db, bench.config, replica=replica, member=member)
    return collector.collect_all(BoundedWork())


def changes_of(bench: Bench, subject: str) -> list[Change]:
    stored = sync_changes.list_of_subject(bench.db, subject)
    return [decode_change(each.body) for each in stored if each.body is not None]


def read_graph(bench: Bench, subject: str) -> list[Change]:
    """All changes of a subject; those that were erased say nothing but have their place."""
    return [
        decode_change(each.body)
        if each.body is not None
        else Change(
            each.id,
            each.replica,
            each.member,
            each.subject,
            each.stamp,
            each.parents,
            None,
            0,
            (),
        )
        for each in sync_changes.list_of_subject(bench.db, subject)
    ]


def tell_verbs(bench: Bench, memory: Memory) -> list[str]:
    """What was done to a record, by the changes that travel."""
    return [
        event.verb
        for change in changes_of(bench, memory.id)
        for event in change.events
        if event.topic == "record"
    ]


def share(bench: Bench, project: str, audience: str, **given: Any) -> None:
    with bench.db.write():
        sync_group.put_share(bench.db, StoredShare(project, audience, **given), AT)


def streams(bench: Bench, memory: Memory) -> list[str]:
    """The streams in which all changes of a record have numbers."""
    numbered = Counter(
        each.stream for each in sync_changes.list_numberings_of_subject(bench.db, memory.id)
    )
    many = len(sync_changes.list_of_subject(bench.db, memory.id))
    assert set(numbered.values()) <= {many}, numbered
    return sorted(numbered)


def check_state(bench: Bench, memory: Memory) -> None:
    """What the changes of a record come to is what stands here."""
    form = TravelForm(bench.db)
    state = merge_subject(read_graph(bench, memory.id))
    assert state.fields == form.read_fields(memory.id)
    rows = {cell: row for cell, row in state.rows.items() if row is not None}
    assert rows == form.read_rows(memory.id)


def test_what_was_there_before_the_first_sync_is_collected_once(bench: Bench) -> None:
    bench.placed = True
    first = bench.put("The kiln burns oak", tags=("fuel",))
    bench.put("I like short answers", "profile")
    assert collect(bench) >= 2
    assert collect(bench) == 0
    assert tell_verbs(bench, first) == ["created"]
    assert streams(bench, first) == ["own:ada"]
    check_state(bench, first)


def test_what_is_done_later_follows_what_was_collected(bench: Bench) -> None:
    bench.placed = True
    memory = bench.put("The kiln burns oak")
    collect(bench)
    bench.operator.records.edit(memory.id, {"content": "The kiln burns ash"})
    bench.operator.forget([memory.id])
    assert collect(bench) == 2
    first, *later = changes_of(bench, memory.id)
    assert [change.parents for change in later] == [(first.id,), (later[0].id,)]
    assert first.stamp < later[0].stamp < later[1].stamp
    assert sync_changes.list_heads(bench.db, memory.id) == {later[-1].id: later[-1].stamp}
    check_state(bench, memory)


def test_words_that_were_changed_again_before_anybody_saw_them_are_overtaken(bench: Bench) -> None:
    bench.placed = True
    memory = bench.put("The kiln burns oak")
    collect(bench)
    for words in ("The kiln burns ash", "The kiln burns beech"):
        bench.operator.records.edit(memory.id, {"content": words})
    collect(bench)
    assert [each.is_overtaken for each in changes_of(bench, memory.id)] == [False, True, False]


def test_two_stores_with_the_same_history_tell_the_same_changes(bench: Bench) -> None:
    bench.placed = True
    memory = bench.put("The kiln burns oak")
    bench.operator.records.edit(memory.id, {"content": "The kiln burns ash"})
    file = bench.folder / "all.jsonl"
    bench.operator.export(file)
    copy = bench.folder / "copy"
    copy.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        other = Bench(copy, patch)
        other.operator.import_(file, origin="mine")
        for each, replica in ((bench, "A" * 26), (other, "B" * 26)):
            collect(each, replica=replica)
        assert changes_of(bench, memory.id)[:2] == changes_of(other, memory.id)[:2]


def test_candidates_stay_at_home_until_they_are_approved_and_then_tell_all(bench: Bench) -> None:
    bench.take(("user", "fact The kiln burns oak"), ("assistant", "claim The kiln is red"))
    wanted, other = sorted(
        (each for each in bench.all("inbox") if each.type == "project"), key=lambda m: m.content
    )
    collect(bench)
    assert changes_of(bench, wanted.id) == []
    bench.operator.inbox.reject([other.id])
    bench.operator.inbox.decide(approve=[wanted.id])
    collect(bench)
    assert tell_verbs(bench, wanted) == ["proposed", "promoted"]
    assert changes_of(bench, other.id) == []
    check_state(bench, wanted)


def test_candidates_travel_where_that_was_asked_for(bench: Bench) -> None:
    bench.take(("user", "fact The kiln burns oak"))
    (wanted,) = (each for each in bench.all("inbox") if each.type == "project")
    assert wanted.project_id
    share(bench, wanted.project_id, "own", with_candidates=True)
    collect(bench)
    bench.operator.inbox.reject([wanted.id])
    collect(bench)
    assert tell_verbs(bench, wanted) == ["proposed", "rejected"]
    check_state(bench, wanted)


def test_a_project_that_is_shared_later_tells_the_group_all_that_was_said_of_it(
    bench: Bench,
) -> None:
    bench.placed = True
    memory = bench.put("The kiln burns oak")
    assert memory.project_id
    collect(bench)
    bench.operator.records.edit(memory.id, {"content": "The kiln burns ash"})
    share(bench, memory.project_id, "group")
    collect(bench)
    assert streams(bench, memory) == ["own:ada", f"project:{memory.project_id}"]
    assert len(changes_of(bench, memory.id)) == 2


def test_what_is_not_shared_any_more_stays_here_and_comes_whole_when_it_is_again(
    bench: Bench,
) -> None:
    bench.placed = True
    memory = bench.put("The kiln burns oak")
    assert memory.project_id
    collect(bench)
    share(bench, memory.project_id, "never")
    bench.operator.records.edit(memory.id, {"content": "The kiln burns ash"})
    collect(bench)
    numbered = sync_changes.list_numberings_of_subject(bench.db, memory.id)
    assert len(numbered) == 1 and len(changes_of(bench, memory.id)) == 2
    share(bench, memory.project_id, "own")
    collect(bench)
    assert streams(bench, memory) == ["own:ada"]
    assert tell_verbs(bench, memory) == ["created", "edited"]


def test_what_is_private_or_about_a_person_does_not_go_to_others(bench: Bench) -> None:
    share(bench, "", "group")
    everywhere = bench.put("Builds run in containers", "project", scope="global")
    private = bench.put("I scratch here", "task_hint", scope="agent", agent_id="claude-code")
    profile = bench.put("I like short answers", "profile")
    collect(bench)
    assert streams(bench, everywhere) == ["own:ada", "project:global"]
    assert streams(bench, private) == [] and streams(bench, profile) == ["own:ada"]
    share(bench, "", "group", types=("profile",))
    collect(bench)
    assert streams(bench, profile) == ["own:ada", "project:global"]


def test_what_is_done_to_another_members_record_stays_at_home(bench: Bench) -> None:
    bench.placed = True
    memory = bench.put("The kiln burns oak")
    with bench.db.write():
        sync_changes.put_subject(bench.db, memory.id, "project:P", "bo")
    collect(bench)
    bench.operator.forget([memory.id])
    collect(bench)
    assert changes_of(bench, memory.id) == []


def test_links_mentions_evidence_votes_and_verdicts_travel_as_they_stand(bench: Bench) -> None:
    bench.placed = True
    old = bench.put("The kiln burns oak", tags=("fuel/wood", "oak"))
    new = bench.put("Vitaly tends the kiln", tags=("people",))
    bench.operator.records.link(new.id, "related_to", old.id, reason="both are about the kiln")
    bench.operator.records.link(new.id, "supports", old.id)
    collect(bench)
    bench.operator.records.link(new.id, "supports", old.id, remove=True)
    bench.operator.records.edit(old.id, {"tags": ["fuel"]})
    bench.operator.records.give_feedback("good", [old.id], reason="it helped")
    bench.operator.records.confirm([new.id])
    bench.operator.records.correct(old.id, "The kiln burns gas")
    bench.operator.forget([new.id])
    collect(bench)
    for memory in bench.all():
        check_state(bench, memory)


def test_undoing_and_reverting_travel_too(bench: Bench) -> None:
    bench.take(("user", "fact The kiln burns oak"))
    (wanted,) = (each for each in bench.all("inbox") if each.type == "project")
    bench.operator.inbox.decide(approve=[wanted.id], tags=["fuel"])
    collect(bench)
    bench.operator.undo()
    collect(bench)
    check_state(bench, wanted)
    bench.operator.undo()
    collect(bench)
    check_state(bench, wanted)


def test_the_card_of_a_project_tells_no_folder_of_this_machine(bench: Bench) -> None:
    bench.placed = True
    memory = bench.put("The kiln burns oak")
    bench.operator.projects.alias("kiln", "name", "furnace")
    collect(bench)
    (card,) = changes_of(bench, f"project:{memory.project_id}")
    (event,) = card.events
    assert event.after == {"name": "kiln", "aliases": [["name", "furnace"]]}
    assert str(bench.home) not in str(card)
    bench.operator.projects.alias("kiln", "remote", "example.com/kiln")
    collect(bench)
    assert collect(bench) == 0
    *_, card = changes_of(bench, f"project:{memory.project_id}")
    assert card.events[0].after == {
        "name": "kiln",
        "aliases": [["name", "furnace"], ["remote", "example.com/kiln"]],
    }


def test_secrets_that_are_stored_do_not_leave(bench: Bench) -> None:
    bench.placed = True
    memory = bench.put("The door opens with QQZX-3141")
    bench.settings(**IGNORED)
    collector = Collector(bench.db, bench.config, replica=REPLICA, member="ada")
    collector.collect_all(BoundedWork())
    assert "QQZX-3141" not in str(changes_of(bench, memory.id))
    assert collector.redacted == {memory.id}


def test_a_purged_record_leaves_nothing_but_that(bench: Bench) -> None:
    bench.placed = True
    memory = bench.put("The kiln burns oak that nobody counted")
    collect(bench)
    bench.operator.upkeep.purge([memory.id])
    stored = sync_changes.list_of_subject(bench.db, memory.id)
    assert [each.body for each in stored] == [None]
    collect(bench)
    assert merge_subject(read_graph(bench, memory.id)).is_purged
    assert streams(bench, memory) == ["own:ada"]


def test_words_that_are_purged_leave_nothing_and_the_rest_is_said_anew(bench: Bench) -> None:
    bench.placed = True
    other = bench.put("The stove burns oak", tags=("fuel",))
    memory = bench.put("The kiln of Anselm Quillfeather burns oak", tags=("fuel",))
    bench.operator.records.link(memory.id, "supports", other.id, reason="Anselm Quillfeather said")
    collect(bench)
    bench.operator.records.edit(memory.id, {"content": "The kiln burns oak, and beech at times"})
    collect(bench)
    bench.operator.upkeep.purge(match="Anselm Quillfeather")
    left = [each.body for each in sync_changes.list_after(bench.db, 0, 99) if each.body]
    assert b"Quillfeather" not in b"".join(left)
    collect(bench)
    if memory.id in {each.id for each in bench.all()}:
        check_state(bench, memory)
    check_state(bench, other)
    assert collect(bench) == 0


def test_redaction_of_what_is_stored_takes_back_what_was_collected(bench: Bench) -> None:
    bench.placed = True
    memory = bench.put("The door opens with QQZX-3141")
    collect(bench)
    assert "QQZX-3141" in str(changes_of(bench, memory.id))
    bench.settings(**IGNORED)
    bench.operator.upkeep.redact_secrets()
    assert "QQZX-3141" not in str(changes_of(bench, memory.id))
    collect(bench)
    restated, *_ = changes_of(bench, memory.id)
    assert {event.topic for event in restated.events} >= {"scrub", "record", "evidence"}
    check_state(bench, memory)


def test_the_reason_of_a_link_to_a_purged_record_goes_with_it(bench: Bench) -> None:
    bench.placed = True
    old, new = bench.put("The kiln burns oak"), bench.put("The kiln stands in the yard")
    bench.operator.records.link(new.id, "related_to", old.id, reason="zebra stripes")
    collect(bench)
    bench.operator.upkeep.purge([old.id])
    assert b"zebra" not in b"".join(
        each.body or b"" for each in sync_changes.list_after(bench.db, 0, 99)
    )
    collect(bench)
    check_state(bench, new)


def test_a_purged_project_and_conversation_leave_nothing(bench: Bench) -> None:
    bench.take(("user", "fact The kiln burns oak"), ("assistant", "It does."))
    (wanted,) = (each for each in bench.all("inbox") if each.type == "project")
    bench.operator.inbox.decide(approve=[wanted.id])
    collect(bench)
    bench.operator.upkeep.purge(project="kiln")
    left = [each.body for each in sync_changes.list_after(bench.db, 0, 99) if each.body]
    assert b"kiln" not in b"".join(left) and b"oak" not in b"".join(left)
    collect(bench)
    assert merge_subject(read_graph(bench, wanted.id)).is_purged
    assert collect(bench) == 0
