"""What becomes of a note, as properties: nothing changed is written over, a run settles all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memctl.vault import plan
from memctl.vault.plan import Base, NoteSide, RecordSide

hashes = st.sampled_from(("h1", "h2", "h3"))
times = st.sampled_from(("t1", "t2"))
records = st.builds(RecordSide, hashes, times, st.sampled_from(("active", "inbox", "archived")))
notes = st.builds(NoteSide, hashes, times, st.booleans(), st.booleans())
bases = st.builds(
    Base, hashes, times, st.sampled_from(("", "h1", "h2")), st.booleans(), st.just("r1")
)
OVERWRITING = {plan.WRITE}


@given(st.none() | records, st.none() | notes, st.none() | bases)
def test_a_note_is_only_written_over_if_it_says_what_it_said_when_both_were_the_same(
    record: RecordSide | None, note: NoteSide | None, base: Base | None
) -> None:
    decision = plan.decide(record, note, base)
    if decision == plan.WRITE:
        assert note is not None and base is not None and note.hash == base.hash
    if decision == plan.TAKE_IN:
        assert record is not None and note is not None
        if base is not None and not base.conflict:
            assert record.hash == base.hash, "the record is as it was"
            assert note.updated >= base.updated, "the note was written from it, or from a later one"


@given(st.none() | records, st.none() | notes, st.none() | bases)
def test_once_all_is_settled_a_second_run_does_nothing(
    record: RecordSide | None, note: NoteSide | None, base: Base | None
) -> None:
    decision = plan.decide(record, note, base)
    if decision in plan.WRITABLE and record is not None:
        settled = NoteSide(record.hash, record.updated)
        after = plan.decide(record, settled, Base(record.hash, record.updated))
        assert after == plan.SAME


@given(records, notes)
def test_what_is_the_same_on_both_sides_is_never_in_conflict(
    record: RecordSide, note: NoteSide
) -> None:
    same = NoteSide(record.hash, note.updated, True, note.has_conflict_note)
    for base in (None, Base("h9", "t9"), Base("h9", "t9", "h8"), Base("h9", "t9", "", True)):
        assert plan.decide(record, same, base) == plan.SAME


@given(
    st.dictionaries(st.sampled_from("ABCDEF"), records),
    st.dictionaries(st.sampled_from("ABCDEF"), notes),
    st.dictionaries(st.sampled_from("ABCDEF"), bases),
)
def test_each_note_is_decided_on_its_own(
    all_records: dict[str, RecordSide], all_notes: dict[str, NoteSide], all_bases: dict[str, Base]
) -> None:
    together = plan.decide_all(all_records, all_notes, all_bases)
    backwards = plan.decide_all(
        dict(reversed(all_records.items())),
        dict(reversed(all_notes.items())),
        dict(reversed(all_bases.items())),
    )
    assert together == backwards
    for each, decision in together.items():
        alone = plan.decide(all_records.get(each), all_notes.get(each), all_bases.get(each))
        assert decision == alone


@given(bases)
def test_what_was_the_same_is_kept_as_one_text(base: Base) -> None:
    assert plan.unpack_base(base.pack()) == base


def test_what_nobody_packed_is_unknown() -> None:
    for text in ("", "x", "ours", "theirs h t - -", "ours - t - -", "ours h t"):
        assert plan.unpack_base(text) is None


def test_both_sides_changed_is_a_conflict_until_the_one_beside_is_gone() -> None:
    record, base = RecordSide("h2", "t2", "active"), Base("h1", "t1")
    assert plan.decide(record, NoteSide("h3", "t1"), base) == plan.CONFLICT
    told = Base("h1", "t1", "h2")
    assert plan.decide(record, NoteSide("h3", "t1", True, True), told) == plan.OPEN_CONFLICT
    assert plan.decide(record, NoteSide("h3", "t1", True, False), told) == plan.TAKE_IN
    moved_on = RecordSide("h4", "t3", "active")
    assert plan.decide(moved_on, NoteSide("h3", "t1", True, False), told) == plan.CONFLICT


def test_who_wrote_from_an_older_version_overwrites_nothing() -> None:
    """An editor that read the note before memctl wrote it anew saves the old words."""
    record, base = RecordSide("h2", "t2", "active"), Base("h2", "t2")
    assert plan.decide(record, NoteSide("h3", "t1"), base) == plan.CONFLICT


def test_the_note_that_memctl_placed_is_the_original() -> None:
    paths = ["z/placed.md", "a.md", "b/c.md"]
    assert plan.choose_original(paths, {"z/placed.md": True}) == "z/placed.md"
    assert plan.choose_original(paths, {}) == "a.md"
