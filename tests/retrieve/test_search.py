"""A search returns what the caller may see, best first, and says why."""

from __future__ import annotations

import pytest
from invented import House

from memctl.core.errors import UsageError
from memctl.core.model import Place
from memctl.store import logs, spool


def test_words_find_a_record_whatever_their_inflection(house: House) -> None:
    house.add("Deployments run through the staging cluster")
    assert house.found("how do we deploy?") == ["Deployments run through the staging cluster"]


@pytest.mark.parametrize(
    "text",
    [
        "c++",
        "node.js -x",
        'a "quoted',
        "foo-bar*",
        "NEAR(x y)",
        "title: x OR",
        "(",
        "\0",
        "",
        "   ",
        "^a + b",
    ],
)
def test_no_query_is_a_syntax_error(house: House, text: str) -> None:
    house.add("node.js and c++ are used")
    house.search(text)


def test_an_identifier_is_found_whole_and_by_its_parts(house: House) -> None:
    house.add("The limit stands in retrieve/score_table.py as MaxRetries")
    for text in (
        "score_table.py",
        "retrieve/score_table.py",
        "max retries",
        "MaxRetries",
        "what is in score_table?",
    ):
        assert house.found(text), text


def test_two_characters_of_chinese_find_their_record(house: House) -> None:
    house.add("部署前必须先运行测试")
    house.add("数据库使用字符集")
    assert house.found("测试") == ["部署前必须先运行测试"]
    assert "'测试'" in house.search("测试").items[0].why


def test_an_accent_more_or_less_does_not_matter(house: House) -> None:
    house.add("Meet at the café behind the mill")
    assert house.found("cafe") and house.found("Café")


@pytest.mark.parametrize("status", ["inbox", "superseded", "archived"])
def test_what_is_not_in_force_appears_only_when_asked_for(house: House, status: str) -> None:
    house.add("The kiln burns at night", status=status)
    assert house.found("kiln") == []
    assert house.found("kiln", include=(status,)) == ["The kiln burns at night"]


def test_both_sides_of_a_contradiction_appear_and_name_each_other(house: House) -> None:
    a = house.add("The kiln burns at night", status="contradicted")
    b = house.add("The kiln burns by day", status="contradicted")
    house.link(a, "contradicts", b)
    hits = {hit.record.memory.id: hit for hit in house.search("when does the kiln burn").items}
    assert hits[a.id].record.contradicted_by == (b.id,) and hits[b.id].record.contradicted_by == (
        a.id,
    )
    assert f"contradicted by {b.id}" in hits[a.id].why


@pytest.mark.parametrize(("trust", "first"), [(5, "later"), (2, "earlier")])
def test_of_two_that_contradict_each_other_the_later_word_of_no_less_trust_stands_first(
    house: House, trust: int, first: str
) -> None:
    old = house.add(
        "The kiln burns at night at night",
        status="contradicted",
        trust=5,
        observed_at="2026-01-02T00:00:00.000Z",
    )
    new = house.add(
        "By day, since the move, is when we burn the kiln",
        trust=trust,
        observed_at="2026-02-02T00:00:00.000Z",
    )
    house.link(old, "contradicts", new)
    hits = [hit.record.memory.id for hit in house.search("does the kiln burn at night").items]
    assert hits == ([new.id, old.id] if first == "later" else [old.id, new.id])


def test_a_record_of_an_unlinked_project_must_be_far_more_relevant(house: House) -> None:
    other = house.project("bakery")
    house.add("Sourdough proofing takes fourteen hours", project_id=other.id)
    assert house.found("must the oven and sourdough wait for delivery") == []
    strong = house.search("sourdough proofing hours").items
    assert [hit.matched_scope for hit in strong] == ["other project"] and "bakery" in strong[0].why
    assert house.found("must the oven and sourdough wait for delivery", all_projects=True)


def test_a_record_of_a_linked_project_counts_as_near(house: House) -> None:
    other = house.project("bakery")
    house.join(other, house.mill)
    house.add("Sourdough proofing takes fourteen hours", project_id=other.id)
    assert [
        hit.matched_scope for hit in house.search("how long must the sourdough wait").items
    ] == ["linked project"]


def test_an_agents_own_notes_reach_no_other_agent(house: House) -> None:
    house.add("The grindstone was reseated", scope="agent", agent_id="claude-code")
    assert house.found("grindstone", place=Place(house.mill.id, agent_id="claude-code"))
    for place in (
        Place(house.mill.id),
        Place(house.mill.id, agent_id="claude"),
        Place(),
        Place(agent_id="codex"),
    ):
        assert (
            house.found(
                "grindstone",
                place=place,
                all_projects=True,
                include=("inbox", "archived", "superseded"),
            )
            == []
        )


def test_an_agents_notes_on_one_project_stay_there(house: House) -> None:
    bakery = house.project("bakery")
    house.add(
        "The grindstone was reseated", scope="agent", agent_id="claude", project_id=house.mill.id
    )
    assert house.found("grindstone", place=Place(house.mill.id, agent_id="claude"))
    assert (
        house.found("grindstone", place=Place(bakery.id, agent_id="claude"), all_projects=True)
        == []
    )


def test_working_memory_reaches_no_other_session(house: House) -> None:
    house.add("Editing the sluice gate now", scope="session", session_id="s-1", agent_id="claude")
    assert house.found("sluice gate", place=Place(house.mill.id, session_id="s-1"))
    for place in (
        Place(house.mill.id),
        Place(house.mill.id, session_id="s-2"),
        Place(house.mill.id, agent_id="claude"),
    ):
        assert house.found("sluice gate", place=place, all_projects=True) == []


def test_filters_leave_out_what_does_not_fit(house: House) -> None:
    house.add("Kiln fact", confidence=0.4, at="2026-01-01T00:00:00.000Z")
    house.add("Kiln decision", type="decision", kind="decision", rationale="heat")
    house.add("Kiln preference", type="profile")
    assert house.found("kiln", types=("decision",)) == ["Kiln decision"]
    assert house.found("kiln", kinds=("preference",)) == ["Kiln preference"]
    assert house.found("kiln", scopes=("global",)) == ["Kiln preference"]
    assert set(house.found("kiln", min_confidence=0.5)) == {"Kiln decision", "Kiln preference"}
    assert set(house.found("kiln", since="2026-02-01")) == {"Kiln decision", "Kiln preference"}


def test_what_is_not_valid_now_does_not_appear(house: House) -> None:
    house.add("Kiln closed for repair", valid_until="2020-01-01T00:00:00.000Z")
    house.add("Kiln moves to the barn", valid_from="2999-01-01T00:00:00.000Z")
    house.add(
        "Kiln open today",
        valid_from="2020-01-01T00:00:00.000Z",
        valid_until="2999-01-01T00:00:00.000Z",
    )
    assert house.found("kiln") == ["Kiln open today"]


def test_equal_results_keep_one_order(house: House) -> None:
    for name in "abcdef":
        house.add(f"Kiln {name}{name}{name}")
    first = house.search("kiln")
    assert [hit.record.memory.id for hit in first.items] == sorted(
        hit.record.memory.id for hit in first.items
    )
    assert [hit.record.memory.id for hit in house.search("kiln").items] == [
        hit.record.memory.id for hit in first.items
    ]


def test_the_limit_holds_and_keeps_the_best(house: House) -> None:
    for n in range(8):
        house.add(f"Kiln note {'x' * n} about bricks", confidence=n / 10)
    assert len(house.found("kiln bricks", limit=3)) == 3
    assert house.found("kiln bricks", limit=1)[0].startswith("Kiln note xxxxxxx ")


def test_near_duplicates_are_folded_into_the_best(house: House) -> None:
    house.add("The kiln must cool for six hours before the door is opened by anyone")
    house.add("The kiln must cool for six hours before the door is opened by anyone here", trust=2)
    assert house.found("kiln cool door") == [
        "The kiln must cool for six hours before the door is opened by anyone"
    ]


def test_each_result_says_honestly_why(house: House) -> None:
    house.add("Bricks are fired twice", title="Kiln rule", trust=2, at="2026-02-03T00:00:00.000Z")
    hit = house.search("kiln bricks voodoo").items[0]
    assert hit.why == (
        "matches 'kiln', 'bricks' in its title, summary and content; from this project; an "
        "agent claims it, observed 2026-02-03"
    )
    assert (
        set(hit.parts) == {"lexical", "semantic", "scope", "freshness", "confidence", "trust"}
        and hit.parts["semantic"] == 0.0
    )
    assert hit.matched_scope == "project" and 0 < hit.score <= hit.parts["lexical"]


def test_a_result_carries_its_evidence_and_project(house: House) -> None:
    house.add("Bricks are fired twice")
    view = house.search("bricks").items[0].record
    assert [item.quote for item in view.evidence] == [
        "Bricks are fired twice"
    ] and view.project == "mill"
    assert view.memory.id.startswith(view.short) and len(view.short) >= 10


def test_results_say_that_vectors_are_off(house: House) -> None:
    assert house.search("anything").flags == ("no_vectors", "not_embedded")


def test_a_search_leaves_one_log_line_with_every_candidate(house: House) -> None:
    kept = house.add("Kiln bricks are fired twice in the old barn")
    weak = house.add(
        "wet, dark, far from any house, lake or river " * 6 + "barn", title="-", summary="-"
    )
    report = house.search(
        "kiln bricks fired twice in the old barn by whom and why at dawn or dusk",
        types=("project",),
    )
    spool.flush_logs(house.db, house.config)
    line = logs.resolve_log(house.db, report.retrieval_id)
    assert (
        line["returned"] == [kept.id]
        and line["command"] == "search"
        and line["filters"]["types"] == ["project"]
    )
    assert {item["id"]: item["outcome"] for item in line["candidates"]} == {
        kept.id: "returned",
        weak.id: "below_floor",
    }
    assert house.search("kiln").items[0].record.memory.access_count == 1


def test_a_time_that_is_none_is_refused(house: House) -> None:
    with pytest.raises(UsageError):
        house.search("kiln", since="yesterday-ish")


def test_words_in_a_store_of_one_record_are_not_worth_less(house: House) -> None:
    house.add("Tests run with pytest")
    assert house.found("how do I run the tests") == ["Tests run with pytest"]


def test_deploy_and_deployment_are_one_word(house: House) -> None:
    house.add("Deployments need two approvals")
    house.add("We deploy on Tuesdays")
    assert len(house.found("deploy")) == len(house.found("deployment")) == 2


def test_words_of_a_superseded_record_bring_up_what_stands_in_its_place_however_long_the_chain(
    house: House,
) -> None:
    first = house.add("The mill door is painted green", status="superseded")
    second = house.add("Its colour is ochre", status="superseded")
    third = house.add("Blue, since the flood")
    house.link(second, "supersedes", first)
    house.link(third, "supersedes", second)
    report = house.search("is the mill door painted green")
    assert [hit.record.memory.content for hit in report.items] == ["Blue, since the flood"]
    assert report.items[0].boosted_by == first.id
    assert (
        house.found("is the mill door painted green", include=("superseded",))[0]
        == "Blue, since the flood"
    )


def test_a_superseded_record_of_another_place_brings_up_nothing(house: House) -> None:
    elsewhere = house.project("bakery")
    first = house.add(
        "The oven door is painted green", status="superseded", project_id=elsewhere.id
    )
    second = house.add("Blue, since the flood", project_id=elsewhere.id)
    house.link(second, "supersedes", first)
    assert house.found("is the oven door painted green") == []
