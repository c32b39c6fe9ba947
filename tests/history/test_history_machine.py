"""Whatever is done in whatever order: the stream leads to everything that is stored, evidence is
never lost, and all can be undone.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from bench import FORMS, Bench
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memctl.core import clock
from memctl.core.errors import MemctlError
from memctl.core.model import RELATIONS, TYPES, EntityRef, NewMemory, Place
from memctl.history import rebuild
from memctl.records import proposals
from memctl.store import event_log, records, tracked_rows

WORDS = st.sampled_from(
    [
        "The default branch is main",
        "The default branch is trunk",
        "the default branch is main!",
        "The request timeout is 30 seconds",
        "Request timeout is 45 seconds",
        "Prefers tea",
        "Use npm",
        "Use pnpm instead of npm",
        "The kiln is oil fired",
        "Vitya is the lead of the kiln team",
        "The kiln burns at cone six",
    ]
)
NAMES = st.sampled_from(["Vitya", "Vitaly", "the lead", "kiln"])
picks = st.integers(0, 30)
whys = st.sampled_from([None, "because of the clay"])
hands = st.sampled_from(["operator", "agent"])
LIVING = ("active", "contradicted", "inbox", "superseded")


class Everybody(RuleBasedStateMachine):
    """The operator and an agent at work on one store."""

    @initialize()
    def furnish(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.patch = pytest.MonkeyPatch()
        self.bench = Bench(Path(self.folder.name), self.patch)
        self.session, self.evidence = 0, set[str]()

    def teardown(self) -> None:
        if not hasattr(self, "bench"):
            return
        try:
            self.everything_is_undone()
            self.the_records_are_made_anew_from_nothing()
        finally:
            self.bench.operator.close()
            self.bench.agent.close()
            self.patch.undo()
            self.folder.cleanup()

    def attempt(self, hand: str, action: str, *given: Any, **named: Any) -> None:
        """Do it; to be refused is fine, anything else that breaks is not."""
        with suppress(MemctlError):
            attrgetter(f"{hand}.{action}")(self.bench)(*given, **named)

    def pick(self, place: int) -> str:
        everything = self.bench.all()
        return everything[place % len(everything)].id if everything else "01"

    # -- what is done ---------------------------------------------------------

    @rule(hand=hands, words=WORDS, type_=st.sampled_from(TYPES), why=whys, name=NAMES)
    def write(self, hand: str, words: str, type_: str, why: str | None, name: str) -> None:
        self.attempt(
            hand,
            "ingest",
            [NewMemory(type_, words, rationale=why, entities=(EntityRef("person", name),))],
        )

    @rule(words=WORDS)
    def set_profile(self, words: str) -> None:
        self.attempt("operator", "upsert_profile_fact", "drink", words)

    @rule(words=WORDS, speaker=st.sampled_from(["claim", *FORMS]))
    def take(self, words: str, speaker: str) -> None:
        self.session += 1
        self.bench.take(
            ("assistant" if speaker == "claim" else "user", f"{speaker} {words}"),
            session=f"session-{self.session}",
        )

    @rule()
    def consolidate(self) -> None:
        self.bench.operator.consolidate()

    @rule(hand=hands, place=picks, why=whys)
    def promote(self, hand: str, place: int, why: str | None) -> None:
        self.attempt(hand, "promote", [self.pick(place)], reason=why)

    @rule(hand=hands, place=picks)
    def reject(self, hand: str, place: int) -> None:
        self.attempt(hand, "inbox.reject", [self.pick(place)], reason="no")

    @rule(
        hand=hands,
        place=picks,
        words=WORDS,
        name=st.sampled_from(["content", "title", "rationale", "subject"]),
    )
    def edit(self, hand: str, place: int, words: str, name: str) -> None:
        self.attempt(hand, "records.edit", self.pick(place), {name: words})

    @rule(hand=hands, place=picks, words=WORDS)
    def correct(self, hand: str, place: int, words: str) -> None:
        self.attempt(hand, "records.correct", self.pick(place), words)

    @rule(place=picks)
    def confirm(self, place: int) -> None:
        self.attempt("operator", "records.confirm", [self.pick(place)])

    @rule(hand=hands, place=picks)
    def forget(self, hand: str, place: int) -> None:
        self.attempt(hand, "forget", [self.pick(place)])

    @rule(
        hand=hands,
        place=picks,
        other=picks,
        relation=st.sampled_from(RELATIONS),
        remove=st.booleans(),
    )
    def link(self, hand: str, place: int, other: int, relation: str, remove: bool) -> None:
        self.attempt(
            hand, "records.link", self.pick(place), relation, self.pick(other), remove=remove
        )

    @rule(
        hand=hands,
        place=picks,
        other=picks,
        way=st.sampled_from(["keep", "supersede", "both", "dismiss"]),
    )
    def resolve(self, hand: str, place: int, other: int, way: str) -> None:
        one, two = self.pick(place), self.pick(other)
        ways = {
            "keep": {"keep": one},
            "supersede": {"supersede": (one, two)},
            "both": {"both": True},
            "dismiss": {"dismiss": True},
        }
        self.attempt(hand, "conflicts.resolve", (one, two), Place(), **ways[way])

    @rule(
        hand=hands,
        name=NAMES,
        other=NAMES,
        way=st.sampled_from(["merge", "split", "undo", "alias", "no alias"]),
    )
    def name(self, hand: str, name: str, other: str, way: str) -> None:
        calls = {
            "merge": ("entities.merge", (name, other), {}),
            "split": ("entities.split", (name, [other]), {}),
            "undo": ("entities.split", (name,), {"undo_merge": True}),
            "alias": ("entities.alias", (name, other), {}),
            "no alias": ("entities.alias", (name, other), {"remove": True}),
        }
        action, given, named = calls[way]
        self.attempt(hand, action, *given, **named)

    @rule(hand=hands, place=picks, action=st.sampled_from(["records.pin", "records.unpin"]))
    def pin(self, hand: str, place: int, action: str) -> None:
        self.attempt(hand, action, [self.pick(place)])

    @rule(hand=hands, place=picks, verdict=st.sampled_from(["good", "bad"]))
    def say_whether_it_helped(self, hand: str, place: int, verdict: str) -> None:
        self.attempt(hand, "records.give_feedback", verdict, [self.pick(place)])

    @rule(
        place=picks, action=st.sampled_from(["inbox.accept_proposals", "inbox.decline_proposals"])
    )
    def decide_a_proposal(self, place: int, action: str) -> None:
        memory_id = self.pick(place)
        with self.bench.db.write():
            offered = proposals.offer_proposal(
                self.bench.db, "archive", memory_id, reason="cold", actor="maintain"
            )
        if offered:
            self.attempt("operator", action, [offered])

    @rule(rule_name=st.just("told"), muted=st.booleans())
    def mute(self, rule_name: str, muted: bool) -> None:
        self.attempt("operator", "upkeep.mute_rule", rule_name, muted=muted)

    @rule(hand=hands, place=picks)
    def revert_a_record(self, hand: str, place: int) -> None:
        self.attempt(hand, "revert", self.pick(place))

    @rule(hand=hands, back=st.integers(1, 30))
    def revert_a_change(self, hand: str, back: int) -> None:
        changes = event_log.list_matching(self.bench.db)
        if changes:
            self.attempt(hand, "revert", str(changes[-min(back, len(changes))].seq))

    @rule(actor=st.sampled_from(["agent:claude-code", "maintain"]))
    def revert_an_actor(self, actor: str) -> None:
        self.attempt("operator", "revert", actor=actor)

    # -- what must hold -------------------------------------------------------

    @precondition(lambda self: hasattr(self, "bench"))
    @invariant()
    def the_stream_leads_to_everything(self) -> None:
        assert rebuild.find_differences(self.bench.db) == []
        assert event_log.find_broken_links(self.bench.db) == []

    @precondition(lambda self: hasattr(self, "bench"))
    @invariant()
    def evidence_is_never_lost(self) -> None:
        here = set(tracked_rows.list_withdrawn(self.bench.db))
        assert self.evidence <= here
        self.evidence = here

    @precondition(lambda self: hasattr(self, "bench"))
    @invariant()
    def the_store_is_true_to_itself(self) -> None:
        self.bench.check()

    def everything_is_undone(self) -> None:
        before = {memory.id for memory in self.bench.all()}
        self.bench.operator.revert(since="1970-01-01T00:00:00.000Z")
        assert self.bench.all(*LIVING) == []
        assert {memory.id for memory in self.bench.all()} == before, (
            "records are archived, not deleted"
        )
        assert self.evidence <= set(tracked_rows.list_withdrawn(self.bench.db))
        for topic in ("alias", "tombstone", "proposal", "outcome", "mute"):
            assert tracked_rows.list_by_item(self.bench.db, topic) == {}, topic
        assert rebuild.find_differences(self.bench.db) == []

    def the_records_are_made_anew_from_nothing(self) -> None:
        db = self.bench.db
        before = [records.extract_history_fields(memory) for memory in self.bench.all()]
        rows = {topic: tracked_rows.list_by_item(db, topic) for topic in tracked_rows.KEYS}
        db.script(
            "BEGIN; PRAGMA defer_foreign_keys = ON; DELETE FROM memory_links; DELETE FROM "
            "memory_entities; DELETE FROM tombstones; COMMIT"
        )
        db.script(
            "PRAGMA foreign_keys = OFF; DELETE FROM memories; DELETE FROM memories_fts; PRAGMA "
            "foreign_keys = ON;"
        )
        report = self.bench.operator.history.rebuild()
        assert report.left == ()
        assert [records.extract_history_fields(memory) for memory in self.bench.all()] == before
        assert {topic: tracked_rows.list_by_item(db, topic) for topic in tracked_rows.KEYS} == rows


TestEverybody = Everybody.TestCase
TestEverybody.settings = settings(max_examples=25, stateful_step_count=25, phases=(Phase.generate,))


def test_all_can_be_undone_after_a_day_of_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch)
    at = clock.now()
    bench.take(
        ("user", "fact The default branch is main"), ("user", "decide Use npm because it is there")
    )
    bench.operator.promote([memory.id for memory in bench.all("inbox")])
    decision = bench.one("active", type_="decision")
    bench.operator.records.correct(decision.id, "Use pnpm", rationale="it is faster")
    bench.operator.revert(since=at)
    assert bench.all(*LIVING) == []
    assert rebuild.find_differences(bench.db) == []
