"""One question stays one however it is called, and two stay two.

Two are other components, environments, ends of a time or halves of a pair.
"""

from __future__ import annotations

import pytest

from memctl.consolidate.compare import relation_of
from memctl.consolidate.paraphrases import simplify_sentence
from memctl.records.statement import Statement

CHANGED = [
    ("The nightly cleanup time is 02:00", "the nightly cleanup starts at 03:30"),
    ("demo: https://demo.kiln.dev", "The demo URL is https://show.kiln.dev"),
    ("The sandbox lives at https://box.kiln.dev", "The sandbox address is https://play.kiln.dev"),
    ("Ruby version: 3.2", "We run Ruby 3.3"),
    ("Production runs Redis 6", "our Redis version is 7"),
    ("Builds run on Jenkins", "The CI provider is Buildkite"),
    ("Orders API server port = 7001", "the orders API now listens on port 7002"),
    ("Ideas are tracked in Trello", "The idea tracker is Notion"),
    ("As mentioned, the glaze owner is Ida", "the glaze owner became Otto"),
    ("Just a reminder that the kiln timeout is 30s", "Kiln timeout -> 45s"),
    ("The orders port is 7001", "changed orders port: 7001 -> 7002"),
    ("The orders port is 7001", "7002, not 7001, is the orders port"),
    ("The wiki host is Confluence", "Confluence is out, Outline is the wiki host"),
    (
        "The wiki host is Confluence",
        "we no longer use Confluence as the wiki host; Outline instead",
    ),
    ("The orders port is 7001", "Orders port got changed, it's 7002"),
    ("We fire each pot 2 times", "we fire each pot 3 times"),
    ("Answer me in Danish", "reply in Polish from now on"),
    ("I use the Birch theme", "My theme is Maple"),
    ("To test, run make check", "Tests are run with tox -e py"),
    ("Glazing belongs to Ida", "Otto owns glazing"),
    ("The login provider is Keycloak", "as mentioned, the login provider is Okta"),
    ("We deploy to eu-west-1", "The AWS region is us-east-2"),
    ("The forum is at forum.kiln.dev", "The forum host is talk.kiln.io"),
    ("File ideas in Trello", "file ideas in Notion now"),
    ("The shelf limit is 40", "raise the shelf limit from 40 to 60"),
    ("The shelf limit is 40", "please bump our shelf limit to 60"),
    ("The kiln release is due on March 3", "the kiln release slipped to April 9"),
]
AGAIN = [
    ("Note that the demo URL is https://demo.kiln.dev", "demo: https://demo.kiln.dev"),
    ("The nightly cleanup time is 02:00", "the nightly cleanup runs at 02:00"),
    ("Ruby version = 3.3", "We run Ruby 3.3"),
    ("The orders port is 7002", "as mentioned, the orders port is 7002"),
    ("The idea tracker is Notion", "Ideas are tracked in Notion"),
]
APART = [
    ("The orders API port is 7001", "The refunds API port is 7002"),
    ("The API listens on port 7001", "Metrics are exposed on port 7002"),
    ("Staging runs Ruby 3.2", "Production runs Ruby 3.3"),
    ("The mobile app requires Node 18", "The web app requires Node 20"),
    ("The staging URL is https://a.kiln.dev", "The demo URL is https://b.kiln.dev"),
    ("staging: https://a.kiln.dev", "production: https://b.kiln.dev"),
    ("The nightly cleanup starts at 02:00", "The nightly cleanup ends at 03:30"),
    ("The nightly cleanup runs at 02:00", "The weekly cleanup runs at 03:30"),
    ("The beta starts on March 3", "The beta ends on April 9"),
    ("The beta is due on March 3", "The launch is due on April 9"),
    ("The primary region is eu-west-1", "The backup region is us-east-1"),
    ("Backups run in eu-west-1", "Builds run in us-east-1"),
    ("The frontend is built with npm", "The docs are built with yarn"),
    ("Use npm in the web folder", "use pnpm in the api folder"),
    ("The read timeout is 30s", "The write timeout is 45s"),
    ("The session lifetime is 2 days", "The token lifetime is 7 days"),
    ("Log retention is 14 days", "Backup retention is 30 days"),
    ("Ida owns the glaze service", "Otto owns the kiln service"),
    ("Ida owns the glaze service", "Otto leads the glaze team"),
    ("The upload limit is 10 MB", "The download limit is 25 MB"),
    ("The minimum length is 8", "The maximum length is 64"),
    (
        "Docs are published to https://docs.kiln.dev",
        "Packages are published to https://pkg.kiln.dev",
    ),
    ("Bugs are tracked in Linear", "Time is tracked in Toggl"),
    ("We use vim on servers", "We use Zed on laptops"),
    ("Postgres runs on port 5432", "Redis runs on port 6379"),
    ("The orders database is Postgres 16", "The events database is Postgres 17"),
    ("Python 3.12 is required for the worker", "Python 3.11 is required for the CLI"),
    ("CI runs on Jenkins for the firmware", "CI runs on Buildkite for the website"),
    ("We use Ruby 3.2", "We use Postgres 16"),
    ("The debug port is 5005", "The port is 8080"),
    ("Gate 1 leads to yard 1", "Gate 2 leads to yard 2"),
    ("Room 5 has 3 seats", "Room 6 has 3 seats"),
    ("At least 3 reviewers look at it", "At most 5 reviewers look at it"),
    ("Step 2 takes 3 minutes", "Step 3 takes 4 minutes"),
    ("Reply in Danish", "Tests are written in Python"),
    ("We use Redis for caching", "We use Postgres for orders now"),
    ("Ida owns glazing", "Otto owns the kiln now"),
]


def relation(older: str, newer: str) -> str | None:
    at = (("1", older, "2026-01-01"), ("2", newer, "2026-02-01"))
    one, other = (
        Statement(
            name, text, scope="project", project_id="p", status="active", trust=5, observed_at=day
        )
        for name, text, day in at
    )
    return relation_of(other, one) or relation_of(one, other)


@pytest.mark.parametrize(("older", "newer"), CHANGED)
def test_another_answer_to_one_question_excludes_the_first_whatever_the_question_is_called(
    older: str, newer: str
) -> None:
    assert relation(older, newer) in ("contradicts", "updates")


@pytest.mark.parametrize(("older", "newer"), AGAIN)
def test_one_answer_to_one_question_is_told_again(older: str, newer: str) -> None:
    assert relation(older, newer) == "duplicate"


@pytest.mark.parametrize(("a", "b"), APART)
def test_two_questions_stay_two(a: str, b: str) -> None:
    assert relation(a, b) is None and relation(b, a) is None


@pytest.mark.parametrize(
    "text",
    [
        "Use a -> b arrows in diagrams, never ASCII art; they are easier to read",
        "Forget it",
        "a is out of order",
    ],
)
def test_what_is_no_turn_of_phrase_stays_as_it_stands(text: str) -> None:
    assert "instead of" not in simplify_sentence(text) and not simplify_sentence(text).startswith(
        "not "
    )
