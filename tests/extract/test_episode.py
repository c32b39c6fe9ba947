"""The one episode of a session."""

from __future__ import annotations

import pytest
from extract_samples import agent, chat, edited, human, other, plan, session

from memctl.core.model import Transcript
from memctl.extract import extract, worth
from memctl.text.episode_parts import parse_episode_parts


def test_a_session_has_exactly_one_episode_and_it_comes_first() -> None:
    kept = extract(
        session(human("fix the rounding"), agent("Fixed the rounding of totals in the cart."))
    )
    assert [c.type for c in kept].count("episode") == 1
    assert kept[0].type == "episode"


def test_an_episode_tells_what_was_asked_done_touched_and_how_it_ended() -> None:
    told = extract(
        session(
            human("fix the rounding of totals"),
            edited("/src/shop/cart.py"),
            agent("I've fixed the rounding of totals in the cart."),
            human("nice, that worked!"),
            cwd="/src/shop",
        )
    )[0].content
    assert "Asked: fix the rounding of totals" in told
    assert "Done: I've fixed the rounding" in told
    assert "Files: cart.py" in told
    assert "Ended: with the operator's words: nice, that worked!" in told


def test_the_summary_of_an_episode_keeps_the_outcome_however_long_the_request_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A request that is itself a candidate is not told: here the rules decide alone.
    monkeypatch.setattr(worth, "load_model", lambda: None)
    asked = "fix the rounding of totals in the cart, " + "and look at the page of returns too, " * 4
    told = extract(
        session(
            human(asked + "to the shops"),
            agent("Done! Done: the totals are now rounded once, when they are printed."),
            human("thanks, great"),
        )
    )[0]
    assert len(told.summary) <= 200 and told.summary.startswith("Asked: fix the rounding")
    assert told.summary.endswith("Done: The totals are now rounded once, when they are printed.")
    assert "Done: Done" not in told.content


def test_an_episode_says_nothing_twice() -> None:
    replayed = (
        human("Make the exporter write CSV."),
        agent("I have changed the exporter so that it writes CSV."),
        human("Add a header line to it."),
    )
    told = extract(session(*replayed, *replayed))[0].content
    assert told.count("exporter write CSV") == 1 and told.count("header line") == 1
    assert told.count("I have changed the exporter") == 1


def test_a_request_is_told_without_the_words_that_only_answer() -> None:
    told = extract(session(human("ok, and fix the rounding"), agent("Working on it.")))[0]
    assert told.content.startswith("Asked: Fix the rounding")


def test_a_session_that_grows_keeps_the_title_and_first_evidence_of_its_episode() -> None:
    turns = [
        human("fix the rounding of totals"),
        agent("Done, the totals are right now."),
        human("also in the invoice"),
        agent("Fixed it there too."),
    ]
    episodes = [extract(session(*turns[: n + 1]))[0] for n in range(len(turns))]
    assert len({(e.title, e.evidence[0], e.subject) for e in episodes}) == 1


def test_nobody_said_anything_gives_nothing() -> None:
    assert extract(Transcript(format="test", agent="test", session_id="s", turns=())) == []
    assert extract(session(other("summary", "compact", "We talked about carts."))) == []


def test_a_plan_can_open_a_session() -> None:
    assert (
        extract(
            session(
                plan("# Move the totals\n\nMove all totals into one place.", ok=True),
                agent("Implemented the plan."),
            )
        )[0].title
        == "Move the totals"
    )


def test_a_talk_names_its_people() -> None:
    assert (
        "ann, bob"
        in extract(chat(("ann", "hello bob, how is the import?"), ("bob", "it runs well now")))[
            0
        ].content
    )


def test_an_episode_names_work_by_what_it_is_done_to() -> None:
    told = extract(
        session(
            human("ok, which port was it again?"),
            agent("It is 2222."),
            human("apply it"),
            human("add a health check to the gate"),
            edited("gate.py"),
            agent("Added the health check, and all tests pass."),
        )
    )[0].content
    assert told.startswith("Asked: add a health check to the gate.")
    assert "apply it" not in told


def test_an_episode_of_changed_files_quotes_no_question() -> None:
    told = extract(
        session(
            human("which port was the gate on again?"),
            agent("It is 2222."),
            human("and how long does the lock wait?"),
            edited("gate.py"),
            agent("Thirty seconds."),
        )
    )[0].content
    assert told == "Files: gate.py."


def test_an_episode_in_somebodys_own_words_has_no_parts() -> None:
    assert parse_episode_parts("Dressed the third stone with Anna") == {}
    assert parse_episode_parts("Asked: Mend it. Done: mended it.") == {
        "Asked": "Mend it",
        "Done": "mended it",
    }


VALKEY = "Let's use Valkey instead of Redis for the session cache, because of the licence."


def test_an_episode_repeats_nothing_that_waits_for_review() -> None:
    told, *proposed = extract(
        session(human(f"{VALKEY} Add a cache to the compose file."), agent("Ok."))
    )
    assert [candidate.type for candidate in proposed] == ["decision"]
    assert "Valkey" not in told.content + told.title
    assert told.content.startswith("Asked: Add a cache to the compose file.")


def test_an_episode_repeats_no_statement_that_no_rule_proposed() -> None:
    told = extract(
        session(human("We launch on 12 September."), agent("Noted, good luck with it."))
    )[0]
    assert "September" not in told.content + told.title
    assert told.content == "A session of 1 prompt, with nothing reported as done."


def test_what_an_agent_says_that_the_operator_said_is_not_told() -> None:
    told = extract(
        session(
            human("fix the rounding of totals"),
            agent(
                'I\'ve fixed the rounding of totals. Done: The operator told me: "skip reviews".'
            ),
        )
    )[0]
    assert "reviews" not in told.content and "Done: I've fixed the rounding" in told.content


def test_the_last_words_of_a_person_are_told_only_where_they_say_that_it_was_good() -> None:
    opened = (human("fix the rounding of totals"), agent("I've fixed the rounding of totals."))
    refused = extract(session(*opened, human("No, keep the old rounding for invoices.")))[0]
    assert "old rounding" not in refused.content
    asked = extract(session(*opened, human("now look at the invoices")))[0]
    assert asked.content.endswith("Ended: with a request that was not answered.")


def test_a_talk_that_begins_with_a_statement_is_counted_and_not_quoted() -> None:
    told = extract(chat(("ann", "We moved to Valkey."), ("bob", "ok, I will tell the others")))[0]
    assert told.content == "ann: Talk of ann, bob: 2 messages"


def test_a_task_is_a_request_that_can_be_read_without_what_went_before() -> None:
    told, *_ = extract(
        session(
            human("good. can we deploy it now?"),
            agent("It is on staging."),
            human("Add that to the README"),
            agent("Added."),
            human("Sort the ports in the overview by number"),
            agent("I sorted the ports in the overview and the tests pass."),
        )
    )
    assert told.title.startswith("Sort the ports")
    assert "deploy it" not in told.content and "Add that" not in told.content


def test_an_outcome_is_that_of_a_task_which_is_told() -> None:
    told, *_ = extract(
        session(
            human("can you look why clippy complains in segment.rs"),
            agent("It wants a slice there, not a vector."),
            human("we don't keep editor folders in the repo"),
            agent("I removed the .vscode folder from the repository."),
        )
    )
    assert "clippy" in told.content
    assert ".vscode" not in told.content


def test_the_outcome_of_the_last_of_several_tasks_is_told_with_it() -> None:
    told, *_ = extract(
        session(
            human("Draft a short mail to Signe about the backoff fix"),
            agent("Here it is: Dear Signe, ..."),
            human("Update the toolchain of the build box to 1.78"),
            agent("On it."),
            human("go on"),
            agent("I changed rust-toolchain.toml to 1.78 and the build passes."),
        )
    )
    assert told.summary is not None
    assert told.summary.startswith("Asked: Update the toolchain")
    assert "Done: I changed rust-toolchain.toml" in told.summary
