"""Candidates: exact words, nothing twice, nothing that was judged, nothing above its evidence."""

from __future__ import annotations

from pathlib import Path

import bench as workbench
import pytest
from bench import Bench, told

from memctl.core.frozen import replace
from memctl.core.model import (
    AGENT_CLAIMED,
    OPERATOR_IMPLIED,
    OPERATOR_SAID,
    Candidate,
    EntityRef,
    Span,
    Transcript,
)
from memctl.maintain import ingestion_jobs
from memctl.store import entity_lookup, event_log, evidence, links

FACT = ("user", "fact the shelves are made of cordierite")
MORE = ("user", "fact the glaze is celadon")
_LINE = workbench._line
REPLY = ("assistant", "claim the roof leaks")


def test_a_candidate_waits_with_the_exact_words_and_the_trust_of_who_said_them(
    bench: Bench,
) -> None:
    bench.take(FACT, REPLY)
    said, claimed = bench.all("inbox")
    assert [(m.content, m.trust) for m in (said, claimed)] == [
        (FACT[1][5:], OPERATOR_SAID),
        (REPLY[1][6:], AGENT_CLAIMED),
    ]
    assert said.project_id is not None and said.source_kind == "conversation"
    bench.check()


def test_what_a_session_outside_any_project_proposes_is_private_to_it(
    bench: Bench, home: Path
) -> None:
    bench.home = home
    bench.take(FACT)
    found = bench.one("inbox")
    assert (found.scope, found.project_id, found.is_unplaced) == ("session", None, True)


def test_a_session_that_grows_proposes_only_what_is_new(bench: Bench) -> None:
    bench.take(FACT)
    report = bench.take(FACT, MORE)
    assert (report.proposed, report.duplicates) == (1, 1)
    assert len(evidence.list_of_memory(bench.db, bench.all("inbox")[0].id)) == 1
    bench.check()


def test_the_same_words_in_another_session_corroborate(bench: Bench) -> None:
    bench.take(FACT)
    before = bench.one("inbox")
    bench.take(("user", "hi"), FACT, session="another")
    after = bench.one("inbox")
    assert (after.id, after.trust) == (
        before.id,
        before.trust,
    ) and after.confidence > before.confidence
    assert len(evidence.list_of_memory(bench.db, after.id)) == 2
    bench.check()


def test_a_candidate_that_was_edited_is_not_proposed_again_from_its_words(bench: Bench) -> None:
    bench.take(FACT)
    memory = bench.one("inbox")
    bench.operator.records.edit(memory.id, {"content": "Shelves: cordierite, 20 mm"})
    bench.take(("user", "hello"), FACT)
    assert bench.take(("user", "hey"), FACT, MORE).proposed == 1
    assert [m.content for m in bench.all("inbox")] == ["Shelves: cordierite, 20 mm", MORE[1][5:]]


def test_a_record_that_expired_is_not_proposed_again_from_its_own_session(bench: Bench) -> None:
    bench.take(FACT)
    memory = bench.one("inbox")
    bench.operator.promote([memory.id])
    bench.operator.records.edit(memory.id, {"valid_until": "2020-01-01"})
    bench.maintain()
    assert bench.take(FACT, MORE).proposed == 1
    assert bench.state(memory) == "archived"


def test_what_was_superseded_is_stale_when_read_again_and_news_when_said_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.take(("user", "fact The default branch is main"))
    old = bench.one("inbox")
    bench.operator.promote([old.id])
    bench.operator.records.correct(old.id, "The default branch is trunk")
    assert (
        bench.take(("user", "so\nfact The default branch is main"), session="older").proposed == 0
    )
    monkeypatch.setattr(workbench, "_line", _in_2099)
    assert (
        bench.take(
            ("user", "back again\nfact The default branch is main"), session="newer"
        ).proposed
        == 1
    )
    assert bench.one("inbox").content == "The default branch is main"
    bench.check()


def _in_2099(number: int, role: str, text: str, session: str, cwd: str | None) -> bytes:
    return _LINE(number, role, text, session, cwd).replace(b"2026-03-04", b"2099-03-04")


def test_two_candidates_that_cannot_both_hold_are_linked_but_take_nothing_from_what_is_active(
    bench: Bench,
) -> None:
    standing = bench.put("The default branch is main", project=None)
    bench.home = bench.folder / "nowhere"
    report = bench.take(
        ("user", "fact The default branch is trunk\nfact The default branch is develop")
    )
    assert report.contradictions >= 1
    assert bench.state(standing) == "active"
    bench.check()


def test_a_near_duplicate_is_merged_and_the_provenance_of_both_is_kept(bench: Bench) -> None:
    bench.take(("user", "fact The request timeout is 30 seconds"))
    report = bench.take(("user", "fact Request timeout is 30s"), session="another")
    assert (report.proposed, report.duplicates) == (0, 1)
    kept, gone = bench.one("inbox"), bench.one("superseded")
    assert {item.quote for item in evidence.list_of_memory(bench.db, kept.id)} == {
        "The request timeout is 30 seconds",
        "Request timeout is 30s",
    }
    assert gone.status_reason == f"merged into {kept.id}" and evidence.list_of_memory(
        bench.db, gone.id
    )
    bench.check()


def test_an_agents_echo_of_a_candidate_raises_no_trust(bench: Bench) -> None:
    bench.take(("assistant", "claim The request timeout is 30 seconds"))
    bench.take(("user", "hm"), ("assistant", "claim Request timeout is 30s"), session="another")
    assert bench.one("inbox").trust == AGENT_CLAIMED
    bench.check()


def test_a_forgotten_memory_is_not_proposed_again(bench: Bench) -> None:
    bench.take(FACT)
    memory = bench.one("inbox")
    bench.operator.promote([memory.id])
    bench.operator.forget([memory.id])
    assert bench.take(("user", "once more"), FACT, session="another").rejected_again == 1
    assert bench.all("inbox") == []


# -- episodes -----------------------------------------------------------------


def test_a_session_has_one_episode_which_is_told_anew_when_it_grows(bench: Bench) -> None:
    bench.take(FACT, REPLY)
    first = bench.one(type_="episode")
    bench.take(FACT, REPLY, MORE, ("assistant", "done"))
    second = bench.one(type_="episode")
    assert (first.id, first.status, second.content) == (second.id, "active", "A session of 4 turns")
    assert [item.quote for item in evidence.list_of_memory(bench.db, second.id)] == ["done"]
    assert event_log.list_of_memory(bench.db, second.id)[-1].verb == "retold"
    bench.check()


def test_a_rewritten_session_still_has_one_episode_however_often(bench: Bench) -> None:
    for opening in ("one", "two", "three"):
        bench.take(("user", opening), REPLY, ("user", f"{opening} again"))
    assert len(bench.all(type_="episode")) == 1
    bench.check()


def test_an_episode_that_is_told_anew_loses_the_trust_of_the_old_words(bench: Bench) -> None:
    bench.take(FACT, REPLY)
    bench.operator.records.confirm([bench.one(type_="episode").id])
    bench.take(FACT, REPLY, MORE, ("assistant", "done"))
    assert bench.one(type_="episode").trust == AGENT_CLAIMED
    bench.check()


def test_a_forgotten_episode_stays_forgotten_when_its_session_grows(bench: Bench) -> None:
    bench.take(FACT, REPLY)
    bench.agent.forget([bench.one(type_="episode").id])
    bench.take(FACT, REPLY, MORE, ("assistant", "done"))
    assert bench.one(type_="episode").status == "archived"


def test_episodes_wait_where_the_config_says_so(bench: Bench) -> None:
    bench.settings(promotion__episodes=False)
    bench.take(FACT, REPLY)
    assert bench.one(type_="episode").status == "inbox"


# -- names --------------------------------------------------------------------


def named(bench: Bench, name: str) -> str:
    memory = bench.put(
        f"About {name} and {len(bench.all())}", entities=(EntityRef("person", name),)
    )
    return entity_lookup.list_refs_by_memory(bench.db, [memory.id])[memory.id][0].name


def test_names_that_are_said_to_be_one_stand_for_one(bench: Bench) -> None:
    before = bench.put("About Vitya", entities=(EntityRef("person", "Vitya"),))
    bench.take(("user", "Vitya is short for Vitaly."))
    assert named(bench, "Vitya") == named(bench, "vitya") == named(bench, "Vitaly") == "Vitaly"
    assert [
        ref.name for ref in entity_lookup.list_refs_by_memory(bench.db, [before.id])[before.id]
    ] == ["Vitaly"]


def test_a_role_stands_for_its_holder_until_there_are_two(bench: Bench) -> None:
    bench.take(("user", "My boss is Vitaly."))
    assert named(bench, "my boss") == "Vitaly"
    bench.take(("user", "My boss is Olga."), session="another")
    assert named(bench, "my boss") == "my boss"


def test_what_an_agent_says_makes_no_names_one(bench: Bench) -> None:
    bench.take(("assistant", "Vitya is short for Vitaly."))
    assert named(bench, "Vitya") == "Vitya"


def test_a_correction_in_the_same_session_stands_against_what_it_corrects(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def extract(transcript: Transcript) -> list[Candidate]:
        wrong, right = told(transcript)
        return [wrong, replace(right, corrects=wrong.evidence[0])]

    monkeypatch.setattr(ingestion_jobs, "extract", extract)
    bench.take(("user", "fact the oven is blue\nfact the oven was painted green"))
    wrong, right = bench.all("inbox")
    assert [
        (link.relation, {link.from_id, link.to_id})
        for link in links.list_of_memory(bench.db, right.id)
    ] == [("contradicts", {wrong.id, right.id})]


def test_an_agents_words_beside_the_operators_consent_stay_the_agents(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def extract(transcript: Transcript) -> list[Candidate]:
        plan, yes = (
            Span(n, 0, len(turn.text), turn.text) for n, turn in enumerate(transcript.turns)
        )
        why = {"rationale": "the clay", "trust": OPERATOR_IMPLIED}
        shared = {
            "type": "decision",
            "kind": "decision",
            "scope": "project",
            "title": "t",
            "content": plan.quote,
            "summary": "s",
            **why,
        }
        return [Candidate(confidence=0.8, evidence=(plan, yes), **shared)]  # type: ignore[arg-type]

    monkeypatch.setattr(ingestion_jobs, "extract", extract)
    bench.take(("assistant", "Shall we fire at cone six?"), ("user", "Yes, cone six"))
    proof = evidence.list_of_memory(bench.db, bench.one("inbox").id)
    assert [(item.role, item.trust) for item in proof] == [
        ("human", OPERATOR_IMPLIED),
        ("assistant", AGENT_CLAIMED),
    ]
    bench.check()
