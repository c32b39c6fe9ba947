"""Who changes his mind is heard: the newer words are proposed, the older ones are their history,
and the inbox shows both sides.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from claude_lines import make_lines

Run = Callable[..., Any]
Hold = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def hold(here: Run, tmp_path: Path, operator: None) -> Hold:
    """`hold(*words, day=N)` holds a session: the operator's words, each answered by the agent (or
    by the second of a pair); returns the inbox after maintenance.
    """
    assert here("init").code == 0
    project = tmp_path / "harbor"
    project.mkdir()

    def take(*words: str | tuple[str, str], day: int = 1, name: str = "") -> list[dict[str, Any]]:
        path = tmp_path / f"{name or day}.jsonl"
        path.write_text("\n".join(map(json.dumps, make_lines(words, day, str(project)))) + "\n")
        assert here("capture-session", path, "--agent", "claude-code").code == 0
        assert here("maintain", "--quiet").code == 0
        found: list[dict[str, Any]] = here("inbox", "--all", "--json").data["items"]
        return found

    return take


def contents(items: Sequence[dict[str, Any]]) -> list[str]:
    return [item["content"] for item in items]


def approve(here: Run, items: Sequence[dict[str, Any]], *more: str) -> Any:
    ids = [item["id"] for item in items]
    done = here("inbox", "--json", "--approve", *ids, *more)
    assert done.code == 0, done.stdout
    return done.data


# -- within a session ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "We use gRPC between the services from now on.",
            "We drop gRPC again and go back to REST, the browsers need it.",
        ),
        (
            "From now on reminders go out through twilio.",
            "Then we switch from twilio to seven.io for the reminders.",
        ),
        (
            "Let's go with sled for the disk buffer.",
            "Sled is a dead end for us, we replace it with plain segment files.",
        ),
        (
            "From now on the deploys run on Jenkins.",
            "No more Jenkins, GitHub Actions it is.",
        ),
        (
            "From now on we deploy on Thursdays.",
            "I changed my mind about the deploys: Tuesdays are better.",
        ),
        (
            "Uploads are limited to 20 MB, never more.",
            "Change of plan: uploads are limited to 50 MB, not 20 MB.",
        ),
    ],
)
def test_the_newer_half_is_proposed_and_the_older_is_its_history(
    hold: Hold, older: str, newer: str
) -> None:
    (item,) = hold(older, newer)
    assert item["content"].lower().rstrip(".") == newer.lower().rstrip(".")
    quotes = [each["quote"] for each in item["evidence"]]
    assert quotes[0].rstrip(".") == newer.rstrip(".") and quotes[-1].rstrip(".") == older.rstrip(
        "."
    )


@pytest.mark.parametrize(
    ("older", "newer", "resolved"),
    [
        (
            "We never open more than 25 connections.",
            "make it 40 instead",
            "We never open more than 40 connections (instead of 25).",
        ),
        (
            "We never open more than 25 connections.",
            "not 25, 40",
            "We never open more than 40 connections (instead of 25).",
        ),
        (
            "please always write commit messages in German",
            "actually no, English. The new colleague is from Porto.",
            "Always write commit messages in English (instead of German)",
        ),
        (
            "Exports must always be CSV files with commas.",
            "actually make it tab-separated",
            "Make it tab-separated (changes: “Exports must always be CSV files with commas.”)",
        ),
    ],
)
def test_a_change_that_leans_on_what_was_said_is_told_with_its_words(
    hold: Hold, older: str, newer: str, resolved: str
) -> None:
    assert contents(hold(older, newer)) == [resolved]


@pytest.mark.parametrize("words", ["scrap that", "forget that rule", "never mind"])
def test_what_is_taken_back_is_not_proposed(hold: Hold, words: str) -> None:
    assert hold("Always run the linter before you commit.", words) == []


def test_who_goes_back_to_what_held_is_taken_at_his_first_word(hold: Hold) -> None:
    found = hold(
        "We use Postgres for the events.",
        "Let's switch from Postgres to DuckDB for the events.",
        "hm, let's stay with what we had",
    )
    assert contents(found) == ["We use Postgres for the events."]


def test_only_the_last_of_several_values_is_proposed(hold: Hold) -> None:
    found = hold(
        "The upload limit is 30 MB for everybody, always.",
        "The upload limit is 50 MB for everybody, always.",
    )
    assert contents(found) == ["The upload limit is 50 MB for everybody, always."]


def test_a_statement_of_two_values_keeps_the_one_that_nobody_changed(hold: Hold) -> None:
    found = hold(
        "We always launch on 12 September, with a rollout of 10 %.",
        "Change of plan: the rollout starts at 15 %, not 10 %.",
    )
    assert set(contents(found)) == {
        "We always launch on 12 September",
        "Change of plan: the rollout starts at 15 %, not 10 %.",
    }


@pytest.mark.parametrize(
    ("older", "later"),
    [
        # A question weighs, and changes nothing yet.
        ("From now on we deploy on Thursdays.", "should we deploy on Tuesdays instead?"),
        # What the agent offers is refused, not what was said before.
        (
            "We should never ask before deleting files.",
            "no, forget it",
        ),
        # Another thing, though it has a number of the same kind.
        ("We never open more than 25 connections.", "the timeout goes up to 40 seconds"),
        # A contrast about something else.
        ("We always indent Python with 4 spaces.", "Use tabs, not spaces, in Makefiles."),
        # The value belongs to what the agent just said.
        ("Requests must time out after 30 seconds.", "make it 9 seconds instead"),
    ],
)
def test_what_nobody_took_back_stands(hold: Hold, older: str, later: str) -> None:
    answers = {
        "no, forget it": "Shall I skip the confirmation for folders too?",
        "make it 9 seconds instead": "The retry pause is 5 seconds.",
    }
    found = hold((older, answers.get(later, "Ok.")), later)
    assert older in contents(found)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Wir nutzen ab jetzt Jenkins für die Builds.",
            "Wir wechseln von Jenkins auf GitHub Actions für die Builds.",
        ),
        ("从现在开始我们用MySQL存储订单。", "我们把MySQL换成PostgreSQL来存储订单"),
    ],
)
def test_a_change_of_mind_in_another_language_is_proposed(
    hold: Hold, older: str, newer: str
) -> None:
    assert contents(hold(older, newer)) == [newer]


# -- across sessions ----------------------------------------------------------------------------


def test_a_change_that_names_what_a_record_says_is_proposed_in_its_place(
    here: Run, hold: Hold
) -> None:
    approve(here, hold("let's go with sled for the disk buffer then", day=1))
    (item,) = hold("sled is a dead end for us. we replace it with segment files", day=2)
    (old,) = item["replaces"]
    assert item["others"] == {old: "let's go with sled for the disk buffer then"}
    page = here("inbox").stdout
    assert "would replace" in page and "let's go with sled" in page
    assert [one["id"] for one in approve(here, [item])["replaced"]] == [old]
    served = here("context", "--project", "harbor").stdout
    assert "segment files" in served and "go with sled" not in served


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Backups must run at 02:30.", "the backups collide at 02:30, move them to 04:15"),
        ("From now on go-live is the 1st of december", "go-live moves to the 8th of december"),
        ("cap the backoff at 30 seconds, never more", "make the backoff cap 60 seconds instead"),
        ("We use Redis for the queue from now on.", "we don't use Redis for the queue any more"),
    ],
)
def test_a_change_that_no_rule_proposes_is_proposed_where_a_record_says_the_older(
    here: Run, hold: Hold, older: str, newer: str
) -> None:
    approve(here, hold(older, day=1))
    found = hold(newer, day=2)
    assert newer in contents(found)
    item = next(each for each in found if each["content"] == newer)
    assert [older] == list(item["others"].values())


def test_without_such_a_record_a_bare_change_is_no_candidate(hold: Hold) -> None:
    assert hold("make the backoff cap 60 seconds instead") == []


def test_where_rules_do_not_agree_both_sides_stand_until_somebody_decides(
    here: Run, hold: Hold
) -> None:
    old = hold("keep it at 1.78, their build box can't go higher", day=1)
    approve(here, old)
    (item,) = hold("their build box got an update, so MSRV goes up to 1.80", day=2)
    assert item["replaces"] == [] and item["contradicted_by"] == [old[0]["id"]]
    done = here("inbox", "--approve", item["id"]).stdout
    assert "contradicts" in done and "keep it at 1.78" in done and "memctl resolve" in done
    (pair,) = here("conflicts", "--json").data["items"]
    assert {side["id"] for side in pair["sides"]} == {item["id"], old[0]["id"]}


def test_a_property_of_what_is_given_up_is_not_retired(here: Run, hold: Hold) -> None:
    old = hold("gRPC calls must always time out after 5 s.", day=1)
    approve(here, old)
    found = hold("we drop gRPC again and go back to REST", day=2)
    for item in found:
        assert item["replaces"] == []
        approve(here, [item])
    assert here("show", old[0]["id"], "--json").data["status"] in ("active", "contradicted")


def test_two_candidates_that_wait_show_each_other(here: Run, hold: Hold) -> None:
    (old,) = hold("From now on reminders go out through twilio.", day=1)
    found = hold("Then we switch from twilio to seven.io for the reminders.", day=2)
    new = next(item for item in found if "seven.io" in item["content"])
    assert new["replaces"] == [old["id"]]
    kept = next(item for item in found if item["id"] == old["id"])
    assert list(kept["others"]) == [new["id"]]
    approve(here, [new])
    assert here("show", old["id"], "--json").data["status"] == "superseded"


@pytest.mark.parametrize(
    ("key", "open_pairs", "status"), [("b", 0, "active"), ("i", 0, "superseded"), ("a", 1, None)]
)
def test_in_the_review_a_key_says_what_becomes_of_the_other_side(
    here: Run,
    hold: Hold,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    open_pairs: int,
    status: str | None,
) -> None:
    old = hold("keep it at 1.78, their build box can't go higher", day=1)
    approve(here, old)
    hold("their build box got an update, so MSRV goes up to 1.80", day=2)
    asked: list[str] = []
    said: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return key

    monkeypatch.setattr("memctl.cli.prompts.is_person", lambda: True)
    monkeypatch.setattr("memctl.cli.prompts.ask", answer)
    monkeypatch.setattr("memctl.cli.prompts.say", lambda *lines: said.extend(lines))
    assert here("inbox", "--review").code == 0
    assert "[i]nstead  [b]oth hold" in asked[0]
    assert any("contradicts" in line and "keep it at 1.78" in line for line in said)
    assert len(here("conflicts", "--json").data["items"]) == open_pairs
    if status is not None:
        assert here("show", old[0]["id"], "--json").data["status"] == status


def test_what_the_operator_orders_is_told_as_the_mail_before_it_tells_it(
    here: Run, hold: Hold
) -> None:
    approve(here, hold("From now on an appointment takes 25 minutes.", day=1))
    mail = "here's a mail:\n  From: Dr. Oswald\n  From June on appointments take 30 minutes"
    found = hold(
        (f"{mail} instead of 25, the cleaning stays.", "That changes one setting."),
        "yes, make it 30 minutes",
        day=2,
    )
    assert [list(item["others"].values()) for item in found] == [
        ["From now on an appointment takes 25 minutes."]
    ]
    assert found[0]["content"].startswith("From June on appointments take 30 minutes")


def test_what_stays_is_told_with_the_agents_words_for_it(hold: Hold) -> None:
    found = hold(
        ("what rust version do they need?", "The MSRV is 1.78, set in Cargo.toml."),
        "keep it at 1.78, their build box can't go higher",
    )
    (item,) = [each for each in found if each["content"].startswith("keep it")]
    assert item["content"].endswith("(of: “The MSRV is 1.78, set in Cargo.toml.”)")


# -- a session that grows -----------------------------------------------------------------------


def test_a_candidate_that_later_words_of_its_session_overrule_leaves_the_inbox(
    here: Run, hold: Hold
) -> None:
    (old,) = hold("We never open more than 25 connections.", name="pool")
    found = hold("We never open more than 25 connections.", "make it 40 instead", name="pool")
    assert contents(found) == ["We never open more than 40 connections (instead of 25)."]
    record = here("show", old["id"], "--json").data
    assert (record["status"], record["superseded_by"]) == ("superseded", found[0]["id"])


def test_a_candidate_that_is_scrapped_later_in_its_session_leaves_the_inbox(
    here: Run, hold: Hold
) -> None:
    (old,) = hold("Always run the linter before you commit.", name="lint")
    assert hold("Always run the linter before you commit.", "scrap that", name="lint") == []
    record = here("show", old["id"], "--json").data
    assert record["status"] == "archived"
    assert "later words of the same session" in record["status_reason"]


def test_an_approved_record_that_is_scrapped_later_in_its_session_is_asked_about(
    here: Run, hold: Hold
) -> None:
    approve(here, hold("Always run the linter before you commit.", name="lint"))
    hold("Always run the linter before you commit.", "scrap that", name="lint")
    (proposal,) = here("inbox", "--json").data["proposals"]
    assert proposal["kind"] == "archive"
    assert "later words of the same session" in here("inbox").stdout
