"""Changes by hand keep what was, and none lets trust rise without the operator."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from bench import Bench

from memctl.core import clock, timestamps
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.model import AGENT_CLAIMED, OPERATOR_SAID, EntityRef, NewMemory, Query
from memctl.store import entity_lookup, event_log, evidence, links, records, tombstones

KILN, TRUNK, MAIN = (
    "The kiln is oil fired",
    "The default branch is trunk",
    "The default branch is main",
)


def verbs(bench: Bench, memory: Any) -> list[str]:
    return [event.verb for event in event_log.list_of_memory(bench.db, memory.id)]


@pytest.fixture(autouse=True)
def about_one_project(bench: Bench) -> None:
    """What holds in every project is the operator's alone to change."""
    bench.placed = True


# -- edit and confirm ---------------------------------------------------------


def test_an_edit_keeps_what_was_in_the_stream(bench: Bench) -> None:
    memory = bench.put(KILN)
    bench.operator.records.edit(
        memory.id, {"kind": "Constraint", "summary": "oil"}, reason="clearer"
    )
    event = event_log.list_of_memory(bench.db, memory.id)[-1]
    assert (event.verb, event.cause, event.before and event.before["kind"]) == (
        "edited",
        "clearer",
        "fact",
    )
    assert (bench.get(memory).kind, bench.get(memory).trust) == ("constraint", OPERATOR_SAID)
    bench.check()


@pytest.mark.parametrize("name", ["title", "content", "summary", "rationale", "alternatives"])
def test_an_agents_wording_of_what_the_operator_said_falls_to_the_agents_trust(
    bench: Bench, name: str
) -> None:
    memory = bench.put(KILN)
    bench.agent.records.edit(
        memory.id, {name: ["gas"] if name == "alternatives" else "The kiln is gas fired"}
    )
    assert bench.get(memory).trust == AGENT_CLAIMED
    bench.check()


def test_an_edit_that_changes_no_words_leaves_trust(bench: Bench) -> None:
    memory = bench.put(KILN)
    bench.agent.records.edit(
        memory.id, {"valid_until": "2030-01-01", "kind": "idea", "content": KILN}
    )
    assert bench.get(memory).trust == OPERATOR_SAID


def test_an_edit_that_changes_nothing_writes_nothing(bench: Bench) -> None:
    memory = bench.put(KILN)
    bench.operator.records.edit(memory.id, {"content": KILN})
    assert verbs(bench, memory) == ["created"]


UNFIT = [
    {"status": "active"},
    {"trust": 5},
    {"content": ""},
    {"type": "opinion"},
    {"confidence": 2},
    {"protected": "yes"},
    {"alternatives": "one"},
    {"content": "x" * 70_000},
    {"owner": "agent"},
]


@pytest.mark.parametrize("changes", UNFIT, ids=range(len(UNFIT)))
def test_what_cannot_be_set_is_a_usage_error(bench: Bench, changes: dict[str, Any]) -> None:
    memory = bench.put(KILN)
    with pytest.raises(UsageError):
        bench.operator.records.edit(memory.id, changes)
    assert verbs(bench, memory) == ["created"]


def test_no_edit_by_an_agent_makes_or_changes_a_profile_fact_in_force(bench: Bench) -> None:
    fact, profile = bench.put(KILN, by=bench.agent), bench.put("Prefers tea", "profile")
    for memory, changes in (
        (fact, {"type": "profile"}),
        (profile, {"content": "Prefers coffee"}),
        (profile, {"type": "project"}),
    ):
        with pytest.raises(RefusedByPolicy):
            bench.agent.records.edit(memory.id, changes)
    bench.operator.forget([fact.id])
    with pytest.raises(RefusedByPolicy):
        bench.agent.records.edit(fact.id, {"type": "profile"})


def test_a_decision_in_force_never_loses_its_rationale(bench: Bench) -> None:
    decision, fact = bench.put("Cone six", "decision", rationale="stoneware"), bench.put(KILN)
    for memory, changes in (
        (decision, {"rationale": ""}),
        (decision, {"rationale": None}),
        (fact, {"type": "decision"}),
    ):
        with pytest.raises(RefusedByPolicy, match="rationale"):
            bench.operator.records.edit(memory.id, changes)
    bench.operator.records.edit(fact.id, {"type": "decision", "rationale": "oil is at hand"})
    bench.check()


def test_an_edit_that_settles_a_contradiction_releases_both(bench: Bench) -> None:
    one, two = bench.put(MAIN), bench.put(TRUNK)
    bench.operator.records.edit(two.id, {"content": "The kiln stands in the barn"})
    assert (bench.state(one), bench.state(two)) == ("active", "active")
    bench.operator.records.edit(two.id, {"content": TRUNK})
    assert (bench.state(one), bench.state(two)) == ("contradicted", "contradicted")
    bench.check()


def test_an_agents_edit_takes_weight_from_what_it_touches(bench: Bench) -> None:
    one, two = bench.put(MAIN), bench.put(TRUNK)
    bench.agent.records.edit(two.id, {"content": "The default branch is develop"})
    assert (bench.state(one), bench.state(two)) == ("active", "contradicted")
    bench.check()


def test_the_operator_vouches_for_a_claim(bench: Bench) -> None:
    memory = bench.put(KILN, by=bench.agent)
    with pytest.raises(RefusedByPolicy):
        bench.agent.records.confirm([memory.id])
    bench.operator.records.confirm([memory.id, memory.id])
    assert (bench.get(memory).trust, bench.get(memory).confidence) == (OPERATOR_SAID, 0.95)
    assert len(evidence.list_of_memory(bench.db, memory.id)) == 2
    bench.check()


def test_a_confirmed_claim_weighs_against_what_it_contradicts(bench: Bench) -> None:
    said, claimed = bench.put(MAIN), bench.put(TRUNK, by=bench.agent)
    bench.operator.records.confirm([claimed.id])
    assert (bench.state(said), bench.state(claimed)) == ("contradicted", "contradicted")
    bench.check()


def test_what_is_archived_is_not_confirmed(bench: Bench) -> None:
    memory = bench.put(KILN)
    bench.operator.forget([memory.id])
    assert bench.operator.records.confirm([memory.id]).refused[0].reason == "it is archived"


# -- correct ------------------------------------------------------------------


def test_a_correction_stands_beside_what_it_supersedes(bench: Bench) -> None:
    old = bench.put(KILN, entities=(EntityRef("tool", "kiln"),), always_load=True)
    new, shown = (
        view.memory
        for view in bench.operator.records.correct(
            old.id, "The kiln is gas fired", reason="rebuilt"
        ).changed
    )
    assert (new.status, shown.status, new.always_load) == ("active", "superseded", True)
    assert entity_lookup.list_refs_by_memory(bench.db, [new.id])[new.id] == [
        EntityRef("tool", "kiln")
    ]
    assert bench.operator.records.show(old.id).superseded_by == new.id
    bench.check()


def test_an_agents_correction_of_the_operators_word_is_only_proposed(bench: Bench) -> None:
    old = bench.put(KILN)
    report = bench.agent.records.correct(old.id, "The kiln is gas fired")
    assert (report.verb, bench.state(old), report.changed[0].memory.status) == (
        "proposed",
        "active",
        "inbox",
    )
    assert report.changed[0].contradicted_by == (old.id,)
    bench.check()


@pytest.mark.parametrize(
    "way",
    [
        lambda agent, pinned, _: agent.forget([pinned]),
        lambda agent, pinned, _: agent.records.edit(pinned, {"always_load": False}),
        lambda agent, pinned, _: agent.records.edit(pinned, {"valid_until": "2020-01-01"}),
        lambda agent, pinned, _: agent.records.edit(pinned, {"type": "task_hint"}),
        lambda agent, pinned, _: agent.records.edit(pinned, {"content": "The kiln is wood fired"}),
        lambda agent, pinned, _: agent.revert(pinned),
        lambda agent, pinned, claim: agent.records.link(pinned, "derived_from", claim),
        lambda agent, pinned, claim: agent.records.link(claim, "supersedes", pinned),
        lambda agent, pinned, claim: agent.records.link(claim, "contradicts", pinned),
        lambda agent, pinned, _: agent.records.correct(pinned, "The kiln is gas fired"),
    ],
)
def test_an_agent_silences_nothing_that_the_operator_pinned(bench: Bench, way: Any) -> None:
    pinned, claim = bench.put(KILN, always_load=True), bench.put(TRUNK, by=bench.agent)
    with suppress(RefusedByPolicy):
        changed = way(bench.agent, pinned.id, claim.id)
        assert not changed.refused or changed.refused[0].id == pinned.id
    kept = bench.get(pinned)
    assert (kept.status, kept.trust, kept.content, kept.always_load) == (
        "active",
        OPERATOR_SAID,
        KILN,
        True,
    )
    assert kept.type == "project" and kept.valid_until is None
    bench.check()


def test_an_agent_corrects_its_own_claim(bench: Bench) -> None:
    old = bench.put(KILN, by=bench.agent)
    assert bench.agent.records.correct(old.id, "The kiln is gas fired").verb == "corrected"
    assert bench.state(old) == "superseded"
    bench.check()


def test_a_correction_is_weighed_against_the_rest(bench: Bench) -> None:
    standing, old = bench.put(MAIN), bench.put(KILN)
    new = bench.operator.records.correct(old.id, TRUNK).changed[0].memory
    assert (bench.state(standing), bench.state(new)) == ("contradicted", "contradicted")
    bench.check()


def test_a_corrected_contradiction_is_settled(bench: Bench) -> None:
    one, two = bench.put(MAIN), bench.put(TRUNK)
    bench.operator.records.correct(two.id, "The kiln stands in the barn")
    assert (bench.state(one), bench.state(two)) == ("active", "superseded")
    bench.check()


def test_what_is_not_in_force_is_not_corrected_nor_by_the_same_words(bench: Bench) -> None:
    memory = bench.put(KILN)
    with pytest.raises(UsageError, match="same"):
        bench.operator.records.correct(memory.id, "the kiln is oil fired!")
    with pytest.raises(UsageError):
        bench.operator.records.correct(memory.id, " \0 ")
    bench.operator.forget([memory.id])
    with pytest.raises(UsageError, match="archived"):
        bench.operator.records.correct(memory.id, "gas")


def test_neither_a_correction_nor_an_edit_by_an_agent_brings_back_what_was_forgotten(
    bench: Bench,
) -> None:
    bench.operator.forget([bench.put(KILN).id])
    other = bench.put("The roof leaks", by=bench.agent)
    for attempt in (
        lambda: bench.agent.records.correct(other.id, KILN),
        lambda: bench.agent.records.edit(other.id, {"content": KILN}),
    ):
        with pytest.raises(RefusedByPolicy, match="forgotten before"):
            attempt()


# -- forget and revert --------------------------------------------------------


def test_what_is_forgotten_is_archived_under_its_reason(bench: Bench) -> None:
    one, two = bench.put(MAIN), bench.put(TRUNK)
    assert (
        bench.operator.forget([two.id], reason="wrong", dry_run=True).dry_run
        and bench.state(two) == "contradicted"
    )
    bench.operator.forget([two.id, two.id[:20]], reason="wrong")
    assert (bench.state(two), bench.get(two).status_reason, bench.state(one)) == (
        "archived",
        "forgotten: wrong",
        "active",
    )
    assert "already" in bench.operator.forget([two.id]).refused[0].reason
    bench.check()


def test_an_agent_forgets_no_profile_fact(bench: Bench) -> None:
    profile = bench.put("Prefers tea", "profile")
    assert len(bench.agent.forget([profile.id]).refused) == 1
    assert bench.state(profile) == "active"


def test_reverting_undoes_the_last_change_and_reverting_again_redoes_it(bench: Bench) -> None:
    memory = bench.put(KILN)
    bench.operator.records.edit(memory.id, {"content": "The kiln is gas fired"})
    bench.operator.revert(memory.id)
    assert bench.get(memory).content == KILN
    bench.operator.revert(memory.id)
    assert bench.get(memory).content == "The kiln is gas fired"
    bench.check()


def test_reverting_a_creation_archives_it(bench: Bench) -> None:
    one, two = bench.put(MAIN), bench.put(TRUNK)
    bench.operator.revert(two.id, seq=event_log.list_of_memory(bench.db, two.id)[0].seq)
    assert (bench.state(two), bench.state(one)) == ("archived", "active")
    bench.check()


def test_the_operator_takes_back_a_forgetting_and_the_contradiction_is_back_too(
    bench: Bench,
) -> None:
    one, two = bench.put(MAIN), bench.put(TRUNK)
    bench.operator.forget([two.id])
    bench.operator.revert(two.id)
    assert (bench.state(one), bench.state(two)) == ("contradicted", "contradicted")
    assert tombstones.find_of_memory(bench.db, two.id) is None
    bench.check()


def test_reverting_a_supersession_leaves_no_successor(bench: Bench) -> None:
    old = bench.put(KILN)
    new = bench.operator.records.correct(old.id, "The kiln is gas fired").changed[0].memory
    bench.operator.revert(old.id)
    assert (bench.state(old), bench.operator.records.show(old.id).superseded_by) == ("active", None)
    bench.operator.forget([new.id])
    bench.check()


def test_an_undone_merge_is_not_made_again(bench: Bench) -> None:
    one, two = bench.put("The request timeout is 30 seconds"), bench.put("Request timeout is 30s")
    bench.operator.consolidate()
    gone = next(memory for memory in (one, two) if bench.state(memory) == "superseded")
    bench.operator.revert(gone.id)
    assert bench.operator.consolidate().steps == ()
    assert bench.state(gone) == "active"
    bench.check()


def test_an_unknown_change_is_named(bench: Bench) -> None:
    memory = bench.put(KILN)
    with pytest.raises(NotFound):
        bench.operator.revert(memory.id, seq=999)


def test_an_agent_that_takes_its_edit_back_does_not_get_the_trust_back(bench: Bench) -> None:
    memory = bench.put(KILN)
    bench.agent.records.edit(memory.id, {"content": "The kiln is gas fired"})
    bench.agent.revert(memory.id)
    assert (bench.get(memory).content, bench.get(memory).trust) == (KILN, AGENT_CLAIMED)


def test_an_agent_reverts_nothing_that_raises_trust(bench: Bench) -> None:
    said, claimed = bench.put(KILN), bench.put("The roof leaks", by=bench.agent)
    bench.operator.records.link(said.id, "derived_from", claimed.id)
    with pytest.raises(RefusedByPolicy):
        bench.agent.revert(said.id)


def test_an_agent_brings_nothing_back_that_was_judged(bench: Bench) -> None:
    one, two = bench.put(MAIN), bench.put(TRUNK)
    bench.operator.forget([two.id])
    with pytest.raises(RefusedByPolicy):
        bench.agent.revert(two.id)
    bench.take(("user", "fact the shelves are made of cordierite"))
    waiting = bench.one("inbox")
    bench.operator.inbox.reject([waiting.id], reason="no")
    with pytest.raises(RefusedByPolicy):
        bench.agent.revert(waiting.id)
    assert (bench.state(one), bench.state(two), bench.state(waiting)) == (
        "active",
        "archived",
        "archived",
    )


def test_an_agent_cannot_put_its_old_words_under_the_operators_confirmation(bench: Bench) -> None:
    memory = bench.put("The kiln explodes at cone six", by=bench.agent)
    bench.agent.records.edit(memory.id, {"content": KILN})
    edited = event_log.list_of_memory(bench.db, memory.id)[-1].seq
    bench.operator.records.confirm([memory.id])
    bench.agent.revert(memory.id, seq=edited)
    assert (bench.get(memory).content, bench.get(memory).trust) == (
        "The kiln explodes at cone six",
        AGENT_CLAIMED,
    )
    bench.check()


def test_an_agent_cannot_revert_a_record_into_a_profile_fact(bench: Bench) -> None:
    memory = bench.put("Prefers tea", "profile")
    bench.operator.records.edit(memory.id, {"type": "project"})
    with pytest.raises(RefusedByPolicy):
        bench.agent.revert(memory.id)
    assert bench.get(memory).owner == "shared"


# -- links --------------------------------------------------------------------


def test_a_contradiction_by_hand_is_explicit_until_it_is_taken_back_for_good(bench: Bench) -> None:
    one, two = bench.put(MAIN), bench.put(TRUNK)
    assert (
        bench.operator.records.link(one.id, "contradicts", two.id).changed[0].memory.status
        == "contradicted"
    )
    bench.operator.records.link(two.id, "contradicts", one.id, remove=True)
    bench.operator.consolidate()
    assert (bench.state(one), bench.state(two)) == ("active", "active")
    with pytest.raises(NotFound):
        bench.operator.records.link(two.id, "contradicts", one.id, remove=True)
    bench.operator.records.link(two.id, "contradicts", one.id, reason="they do after all")
    assert (bench.state(one), bench.state(two)) == ("contradicted", "contradicted")
    bench.check()


def test_a_supersession_by_hand_and_its_undoing(bench: Bench) -> None:
    one, two = bench.put(KILN), bench.put("The roof leaks")
    bench.operator.records.link(one.id, "supersedes", two.id)
    assert bench.state(two) == "superseded"
    bench.check()
    bench.operator.records.link(one.id, "supersedes", two.id, remove=True)
    assert bench.state(two) == "active"
    bench.check()


def test_superseding_and_parting_makes_no_candidate_active(bench: Bench) -> None:
    bench.take(("user", "decide fire at cone six"), ("assistant", "claim the roof leaks"))
    standing = bench.put(KILN)
    for waiting in bench.all("inbox"):
        bench.operator.records.link(standing.id, "supersedes", waiting.id)
        bench.operator.records.link(standing.id, "supersedes", waiting.id, remove=True)
        assert bench.state(waiting) == "inbox"
    bench.check()


def test_only_the_operator_restores_what_was_superseded(bench: Bench) -> None:
    one, two = bench.put(KILN, by=bench.agent), bench.put("The roof leaks", by=bench.agent)
    bench.agent.records.link(one.id, "supersedes", two.id)
    with pytest.raises(RefusedByPolicy):
        bench.agent.records.link(one.id, "supersedes", two.id, remove=True)


def test_only_the_living_are_superseded_and_only_by_what_is_in_force(bench: Bench) -> None:
    one, two, three = (
        bench.put(KILN),
        bench.put("The roof leaks"),
        bench.put("Cone six", "decision"),
    )
    bench.operator.forget([two.id])
    for first, second in ((one, two), (two, one), (three, one)):
        with pytest.raises(UsageError):
            bench.operator.records.link(first.id, "supersedes", second.id)


def test_an_agent_supersedes_nothing_that_is_trusted_more(bench: Bench) -> None:
    said, claimed = bench.put(KILN), bench.put("The roof leaks", by=bench.agent)
    with pytest.raises(RefusedByPolicy):
        bench.agent.records.link(claimed.id, "supersedes", said.id)


def test_what_is_derived_from_weaker_words_is_as_weak(bench: Bench) -> None:
    said, claimed = bench.put(KILN), bench.put("The roof leaks", by=bench.agent)
    bench.operator.records.link(said.id, "derived_from", claimed.id)
    assert bench.get(said).trust == AGENT_CLAIMED
    profile = bench.put("Prefers tea", "profile")
    with pytest.raises(RefusedByPolicy):
        bench.agent.records.link(profile.id, "derived_from", claimed.id)
    bench.check()


def test_an_agent_hides_no_contradiction_between_profile_facts(bench: Bench) -> None:
    one, two = bench.put("Prefers tea", "profile"), bench.put("Never prefers tea", "profile")
    bench.operator.records.link(one.id, "contradicts", two.id)
    with pytest.raises(RefusedByPolicy):
        bench.agent.records.link(one.id, "contradicts", two.id, remove=True)


def test_other_links_come_and_go_without_touching_the_records(bench: Bench) -> None:
    one, two = bench.put(KILN), bench.put("The roof leaks")
    for relation in ("supports", "applies_to", "related_to"):
        bench.agent.records.link(one.id, relation, two.id, reason="a\0b \ud800")  # type: ignore[arg-type]
        bench.agent.records.link(one.id, relation, two.id, remove=True)  # type: ignore[arg-type]
    assert links.list_of_memory(bench.db, one.id) == []
    assert verbs(bench, one) == ["created"]


@pytest.mark.parametrize(("relation", "error"), [("hates", UsageError), ("supports", UsageError)])
def test_a_link_needs_a_known_relation_and_two_records(
    bench: Bench, relation: Any, error: type[Exception]
) -> None:
    memory = bench.put(KILN)
    with pytest.raises(error):
        bench.operator.records.link(memory.id, relation, memory.id)


# -- what holds for all -------------------------------------------------------


def test_a_reason_is_stored_without_secrets_and_as_text(bench: Bench) -> None:
    secret = "ghp_" + "aZ3kQ9mW1xR7tY5bN8vC2dF6gH4jL0pS1eU3"
    reason = f"see {secret} \ud800 \0"
    memory = bench.put(KILN)
    bench.operator.records.edit(memory.id, {"kind": "constraint"}, reason=reason)
    bench.operator.records.confirm([memory.id], reason=reason)
    new = (
        bench.operator.records.correct(memory.id, "The kiln is gas fired", reason=reason)
        .changed[0]
        .memory
    )
    bench.operator.forget([new.id], reason=reason)
    kept = repr(
        [
            *event_log.list_recent(bench.db, limit=99),
            *links.list_of_memory(bench.db, new.id),
            bench.get(new),
        ]
    )
    assert secret not in kept and "\\x00" not in kept and "see [REDACTED:" in kept


def test_two_hands_at_once_lose_neither_change(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = bench.put(KILN)
    seen = records.resolve_record

    def interrupted(db: Any, text: str) -> Any:
        assert db.in_transaction, (
            "a record is read before the store is held: another's change would be overwritten"
        )
        return seen(db, text)

    monkeypatch.setattr(records, "resolve_record", interrupted)
    bench.operator.records.edit(memory.id, {"kind": "constraint"})
    bench.operator.records.confirm([memory.id])
    bench.operator.records.correct(memory.id, "The kiln is gas fired")
    bench.operator.forget([memory.id])
    bench.operator.revert(memory.id)
    bench.operator.promote([memory.id])


def test_expiry_reads_and_writes_in_one_go(bench: Bench) -> None:
    memory = bench.put(
        KILN, valid_until=timestamps.format_iso(timestamps.parse_iso(clock.now()) + 0.01)
    )
    while clock.now() <= (memory.valid_until or ""):
        pass
    assert bench.maintain().expired == 1
    assert bench.get(memory).status_reason == "expired"
    bench.check()


def test_a_correction_that_only_an_agent_proposes_casts_no_doubt_on_what_is_served(
    bench: Bench,
) -> None:
    kept = (
        bench.operator.ingest([NewMemory("project", "The kiln is fired with gas", scope="global")])
        .items[0]
        .record.memory
    )
    proposed = bench.agent.records.correct(kept.id, "The kiln is fired with oil").changed[0].memory
    assert (proposed.status, bench.operator.records.show(kept.id).contradicted_by) == (
        "inbox",
        (proposed.id,),
    )
    hit = bench.agent.search(Query("kiln fired with gas")).items[0]
    assert (hit.record.memory.id, hit.record.contradicted_by) == (kept.id, ())
    text = bench.agent.context_for(task="fire the kiln with gas").text
    assert "gas" in text and "disputed" not in text and proposed.id[:10] not in text


def test_new_content_is_headed_by_itself_unless_a_title_was_given(bench: Bench) -> None:
    plain, titled = (
        bench.put("The port is 8000"),
        bench.put("The host is alder", title="Where it runs"),
    )
    bench.operator.records.edit(plain.id, {"content": "The port is 9000"})
    bench.operator.records.edit(titled.id, {"content": "The host is birch"})
    assert (bench.get(plain).title, bench.get(plain).summary) == (
        "The port is 9000",
        "The port is 9000",
    )
    assert (bench.get(titled).title, bench.get(titled).summary) == (
        "Where it runs",
        "The host is birch",
    )


def test_an_agent_does_not_settle_a_contradiction_by_forgetting_the_other_side(
    bench: Bench,
) -> None:
    said, claimed = bench.put(MAIN), bench.put(TRUNK, by=bench.agent)
    assert [
        link.resolved_at
        for link in links.list_of_memory(bench.db, said.id)
        if link.relation == "contradicts"
    ] == [None]
    report = bench.agent.forget([said.id])
    assert report.refused and bench.state(said) == "active"
    assert not bench.agent.forget([claimed.id]).refused, "its own side it may take back"
    assert not bench.agent.forget([said.id]).refused, (
        "without a contradiction what is shared is shared"
    )
