"""What a later statement of a session does to the candidate of an earlier one."""

from __future__ import annotations

import pytest

from memctl.core.model import OPERATOR_SAID, Candidate, Span, Transcript, Turn
from memctl.extract.build import build_candidate
from memctl.extract.overruling import settle_changes
from memctl.extract.transcript_view import TranscriptView


def settle(older: str, later: str, answer: str = "Ok.") -> list[Candidate]:
    """The candidates that stand where the first statement was one."""
    words = (("human", older), ("assistant", answer), ("human", later))
    turns = tuple(Turn(n, role, "text", text) for n, (role, text) in enumerate(words))  # type: ignore[arg-type]
    view = TranscriptView(Transcript("claude-code", "claude-code", "s", turns))
    span = Span(0, 0, len(older), older)
    first = build_candidate(
        view, "operator.statement", "project", "convention", 0.6, OPERATOR_SAID, [span]
    )
    return settle_changes(view, [first])


@pytest.mark.parametrize(
    ("older", "later"),
    [
        ("all dates must be ISO 8601 strings", "the mobile folks hate that. millis then, ISO goes"),
        ("never deploy on fridays", "ok Fridays are fine by now, we have feature flags"),
        ("use pytest-mock in all tests", "plain monkeypatch covers all, let's lose pytest-mock"),
        ("the bot answers in a formal tone", "that formal thing sounds stiff, go casual"),
        ("always squash commits before merging", "changed my mind, keep the commits as they are"),
        ("we pin dependencies to exact versions", "instead of exact pins use compatible ranges"),
        ("our base image must be alpine", "musl keeps biting us. back to debian slim"),
        ("put secrets into 1Password", "Legal vetoed 1Password, so it's Vault for secrets"),
        ("branches begin with the ticket", "nah ticket at the end of the branch reads nicer"),
        ("we must never store IP addresses", "so storing IP addresses is allowed again"),
        ("we use Celery for background jobs", "Celery is overkill. RQ will do for background jobs"),
        ("the rate limit must be 60 requests a minute", "double it to 120"),
        ("always reply with bullet points", "enough with the bullets, write prose"),
        ("docstrings are in Google style", "numpy style docstrings after all, sphinx likes them"),
        ("every PR needs two reviewers", "two reviewers is slowing us down, one is plenty"),
        ("let's stick with SQLite", "hm no, concurrent writers kill SQLite, we need Postgres"),
        ("please never touch the legacy folder", "legacy folder is fair game now, it is frozen"),
        ("the cookie must last 14 days", "sorry typo, 4 days"),
        ("we go with feature branches", "trunk based instead, feature branches rot"),
    ],
)
def test_the_later_statement_stands_with_the_earlier_as_its_history(older: str, later: str) -> None:
    (left,) = settle(older, later)
    assert left.evidence[0].turn == 2 and left.evidence[-1].quote == older
    assert left.corrects is not None and left.corrects.quote == older


@pytest.mark.parametrize(
    "later",
    ["forget that", "scrap that rule", "ignore what I just said about the endpoints", "undo that"],
)
def test_what_is_only_taken_back_leaves_nothing(later: str) -> None:
    assert settle("the endpoints need an integration test", later) == []


@pytest.mark.parametrize(
    ("older", "later", "answer"),
    [
        ("we use UTC in the database", "show local time in the UI instead of UTC", "Ok."),
        ("never log request bodies", "log the response status instead", "Ok."),
        ("we use Redis for sessions", "forget the typo in the README, I fixed it", "Ok."),
        ("we use Redis for sessions", "no, forget it", "Shall I add a cache too?"),
        ("the config has a section a provider", "no toml sections we don't know about", "Ok."),
        ("follow the session pattern", "To resume the other session instead, run it", "Ok."),
        ("we deploy on Thursdays", "should we deploy on Tuesdays instead?", "Ok."),
        ("Requests time out after 30 seconds", "make it 9 seconds", "The pause is 5 seconds."),
    ],
)
def test_a_statement_about_something_else_takes_nothing_back(
    older: str, later: str, answer: str
) -> None:
    assert older in [each.content for each in settle(older, later, answer)]
