"""What a statement is: whose, of what kind, how far it reaches, and how it is worded."""

from __future__ import annotations

import time

import pytest
from extract_samples import agent, contents, found, human, plan, proposed, ran, refusal

from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID, Candidate
from memctl.extract.build import clean_statement, make_headline, make_title

REVIEW = (
    "ParseTides unconditionally calls loadTable, but loadTable is only implemented in "
    "table_unix.go behind a build tag. "
    "This will cause build failures on other systems because loadTable is undefined there; "
    "consider adding a plain version in a separate "
    "file so the package stays buildable on all supported platforms."
)


def one(*turns: object) -> Candidate:
    """The only candidate of a session."""
    kept = found(*turns)  # type: ignore[arg-type]
    assert len(kept) == 1, contents(kept)
    return kept[0]


@pytest.mark.parametrize(
    ("words", "scope"),
    [
        ("From now on ask me before you delete anything.", "project"),
        ("I prefer short answers over long ones.", "project"),
        ("Never push to main without asking me.", "project"),
        ("let's not leave all the tests to the very end", "project"),
        ("/plans:go keep each commit in a working state please", "project"),
        ("Only stop if you want to deviate from the plan.", "project"),
        ("In all my projects, ask me before you delete anything.", "global"),
        ("Never push to main without asking me, no matter which repo.", "global"),
        ("I prefer short answers over long ones, everywhere.", "global"),
    ],
)
def test_how_an_agent_is_to_work_is_the_operators_profile(words: str, scope: str) -> None:
    kept = one(human(words))
    assert (kept.type, kept.kind, kept.scope, kept.trust) == (
        "profile",
        "preference",
        scope,
        OPERATOR_SAID,
    )


@pytest.mark.parametrize(
    "words",
    [
        "Tests must never call the tide API, because the quota is shared.",
        "Make sure that those tables don't land in our own commits.",
        "Comments in `tides.py` must always name the harbour.",
        "Every commit hook must keep the `tides.lock` file.",
        "The plan page should never show prices.",
    ],
)
def test_a_rule_for_the_code_is_the_projects_whatever_it_speaks_of(words: str) -> None:
    kept = one(human(words))
    assert (kept.type, kept.scope) == ("project", "project")
    assert kept.kind in ("constraint", "convention")


def test_a_rule_keeps_its_reason() -> None:
    assert (
        one(human("Tests must never call the tide API, because the quota is shared.")).rationale
        == "the quota is shared"
    )


@pytest.mark.parametrize("more", ["", "\n\nthoughts?"])
def test_a_pasted_review_is_neither_a_preference_nor_a_decision(more: str) -> None:
    kept = proposed(human(REVIEW + more))
    assert kept
    assert {c.type for c in kept} == {"project"}
    assert {c.trust for c in kept} == {OPERATOR_IMPLIED}
    assert max(c.confidence for c in kept) <= 0.6


def test_what_stands_under_a_reviewers_name_is_pasted() -> None:
    kept = proposed(
        human(
            "fix these\n\nCopilot:\n\nEvery handler of the harbour page must always close the "
            "file that it has opened."
        )
    )
    assert [(c.type, c.trust) for c in kept] == [("project", OPERATOR_IMPLIED)]


def test_a_pasted_document_is_implied_at_most() -> None:
    document = (
        "# Plan\n\n## Constraints\n\n- No new service at runtime.\n\n## Steps\n\n- Add the "
        "key.\n\n## Later\n\nPrices are out of scope."
    )
    kept = found(human(document))
    assert kept
    assert {c.trust for c in kept} == {OPERATOR_IMPLIED}


@pytest.mark.parametrize(
    ("words", "why", "over"),
    [
        ("I think we should separate the two queues for clarity.", "for clarity", ()),
        ("We should use one table because the joins are slow.", "the joins are slow", ()),
        ("use postgres, not sqlite, for the integration tests", None, ("sqlite",)),
        ("Let's use the event loop instead of a thread.", None, ("a thread",)),
        (
            "The two importers duplicate each other's parsing. We should merge them.",
            "The two importers duplicate each other's parsing",
            (),
        ),
    ],
)
def test_a_decision_has_a_reason_or_something_it_was_chosen_over(
    words: str, why: str | None, over: tuple[str, ...]
) -> None:
    kept = one(human(words))
    assert (kept.type, kept.kind, kept.rationale, kept.alternatives) == (
        "decision",
        "decision",
        why,
        over,
    )


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("We should start with the harbour page.", "convention"),
        ("We will keep the tables on the old server.", "constraint"),
        ("We should fall back to the nickname if there is no name.", "convention"),
    ],
)
def test_a_choice_without_either_is_a_convention_or_constraint_of_the_project(
    words: str, kind: str
) -> None:
    kept = one(human(words))
    assert (kept.type, kept.kind) == ("project", kind)


def test_a_question_that_offers_ways_names_what_was_not_taken() -> None:
    offer = (
        "There are two ways.\n\nA) one table for all ports\nB) a table for each port\n\nWhich "
        "do you prefer?"
    )
    kept = found(agent(offer), human("B, a table for each port should be fine"))
    assert [(c.type, c.alternatives) for c in kept] == [("decision", ("one table for all ports",))]


def test_a_numbered_report_offers_nothing() -> None:
    report = (
        "Done:\n\n1. The tables for each port are in place.\n2. The page shows the "
        "tides.\n\nShall I continue?"
    )
    assert all(
        not c.alternatives
        for c in found(
            agent(report), human("the page for each port should only show the tides of today")
        )
    )


def test_words_typed_after_a_rejected_plan_were_chosen_over_it() -> None:
    kept = found(
        plan("Put the badge inside the search bar.", ok=False),
        human("Completely outside the search bar"),
    )
    assert (kept[0].type, kept[0].alternatives) == (
        "decision",
        ("Put the badge inside the search bar.",),
    )


@pytest.mark.parametrize(
    "words",
    ["Next time we should look at the slow import.", "next time let's clean up the port table"],
)
def test_what_is_to_be_done_next_time_is_work_put_off(words: str) -> None:
    assert (one(human(words)).type, one(human(words)).kind) == ("project", "todo")


def test_what_the_agent_is_to_do_next_time_is_a_preference() -> None:
    assert one(human("Next time ask me before you drop a table.")).type == "profile"


@pytest.mark.parametrize(
    "words", ["Keep going", "Yes, keep going.", "keep going until it is done", "keep it up"]
)
def test_keep_going_is_no_constraint(words: str) -> None:
    assert found(agent("Shall I continue with the next step?"), human(words)) == []


def test_nothing_names_a_broad_topic_as_its_subject() -> None:
    kept = found(
        human(
            "Never push to main without asking me. Use pytest for all tests. We use pnpm here, "
            "not npm."
        ),
        ran("make test && make lint", "ok"),
        ran("go test ./...", "ok"),
    )
    assert len(kept) >= 3
    assert {c.subject for c in kept} == {None}


def test_a_correction_says_what_is_right_and_what_it_corrects() -> None:
    kept = one(
        agent("The list covers 7 ports."), human("Why is it 7? The table has more ports than that.")
    )
    assert (
        kept.content == "The table has more ports than that. (Corrects: “The list covers 7 ports.”)"
    )
    assert kept.title == "The table has more ports than that"


def test_a_refusal_about_the_code_is_no_profile() -> None:
    kept = one(
        agent("Writing it."), refusal("the port must come from `config.toml`", "write server.py")
    )
    assert (kept.type, kept.scope) == ("project", "project")


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("I think we should separate the queues.", "We should separate the queues"),
        ("yes, but we don't need to commit", "We don't need to commit"),
        ("No new service at runtime.", "No new service at runtime"),
        ("Right of the title", "Right of the title"),
        ("So **the cache** is shared.", "The cache is shared"),
        ("readFeed drops the last row", "readFeed drops the last row"),
        ("/plans:go keep it small", "Keep it small"),
        ("(12) ⚠️ the port is fixed", "The port is fixed"),
        ("we need to pass both right?", "We need to pass both"),
        ("https://a.example/b", "https://a.example/b"),
    ],
)
def test_a_title_begins_with_the_point(words: str, title: str) -> None:
    assert make_title(words) == title


def test_a_long_title_is_cut_where_a_clause_ends() -> None:
    long = (
        "The importer of the harbour tables reads every file twice, once for the names and once "
        "more for the heights of the tides"
    )
    assert make_headline(long) == "The importer of the harbour tables reads every file twice…"
    assert len(make_headline("word " * 60)) <= 80


def test_what_has_to_be_looked_into_is_the_task_at_hand() -> None:
    assert found(human("I reckon that we have to check which error is thrown.")) == []


def test_a_long_prompt_with_a_pasted_part_is_pasted_where_nobody_speaks_in_it() -> None:
    more = (
        "Where a port is truly unknown, keep the entry of the table but mark it as such in the "
        "list that is shown to the harbour master."
    )
    kept = proposed(human(f"{REVIEW}\n\n{more}\n\n{'The rest is fine as it is. ' * 12}"))
    assert {c.trust for c in kept} == {OPERATOR_IMPLIED}
    assert more in contents(kept)


@pytest.mark.parametrize(
    "lead",
    [
        "should not ",
        "you must ",
        "no, ",
        "not to ",
        "i think that ",
        "it seems like ",
        "step 1: ",
        "because of ",
        "so and ",
    ],
)
def test_a_sentence_of_nothing_but_lead_ins_is_read_at_once(lead: str) -> None:
    started = time.process_time()
    found(agent("Which do you prefer?"), human(f"always {lead * (600 // len(lead))}x"))
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "words",
    [
        "/healthz returns 200 even while the queue is full",
        "/rpc has taken the place of the old endpoint",
        "/metrics must stay behind the firewall",
    ],
)
def test_a_path_that_a_sentence_speaks_of_is_no_command(words: str) -> None:
    assert clean_statement(words) == words


def test_a_command_before_a_statement_is_left_out() -> None:
    assert clean_statement("/plan keep the parser in one file") == "keep the parser in one file"
