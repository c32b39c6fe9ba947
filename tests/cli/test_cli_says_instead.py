"""What gives something up, swaps two names, gives up something else or calls a tool that is turned
down for another use takes no record out of service, by the real command; what says the same does.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from claude_lines import make_lines

Run = Callable[..., Any]
Write = Callable[[str, str], list[dict[str, Any]]]

pytestmark = pytest.mark.needs("weights")


@pytest.fixture
def write(here: Run, operator: None, tmp_path: Path) -> Write:
    """Let the operator say two things, a day apart; maintain; return the records."""
    assert here("init").code == 0

    def tell(older: str, newer: str) -> list[dict[str, Any]]:
        lines = [
            {"type": "project", "content": text, "observed_at": f"2026-03-0{day}T10:00:00Z"}
            for day, text in ((1, older), (2, newer))
        ]
        file = tmp_path / "told.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        done = here("ingest", "--file", file, "--json")
        assert done.code == 0, done.stdout
        assert here("maintain", "--json").data["problems"] == []
        ids = [item["record"]["id"] for item in done.data["items"]]
        return [here("show", each, "--json").data for each in ids]

    return tell


def list_merges(records: list[dict[str, Any]]) -> list[str]:
    reasons = [link["reason"] or "" for record in records for link in record["links"]]
    return [reason for reason in reasons if reason.startswith("merged: ")]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # gives up what the other affirms
        (
            "Poetry manages the dependencies of the importer.",
            "Kick out Poetry, uv manages the dependencies of the importer.",
        ),
        ("the builds: make (was mage)", "the builds: mage"),
        ("has taken the place of /rpc/v2 as endpoint root.", "endpoint root is /rpc/v2, fyi."),
        # names or numbers change places
        ("Anna reviews what Boris writes.", "Boris reviews what Anna writes."),
        (
            "Postgres is replicated into ClickHouse every hour.",
            "ClickHouse is replicated into Postgres every hour.",
        ),
        ("throw Poetry out, uv does builds", "throw uv out, Poetry does builds"),
        ("we ditched mage, make does builds", "we ditched make, mage does builds"),
        (
            "Nope, 60 requests per minute was the old quota per API key, today it's 300 requests"
            " per minute. (Corrects: “The code relies on 60 requests per minute per API key.”)",
            "Nope, 300 requests per minute was the old quota per API key, today it's 60 requests"
            " per minute. (Corrects: “300 requests per minute is the client quota.”)",
        ),
        # another name that is a common word, or no name by its letters
        ("Anna owns PDF export.", "Tom owns PDF export."),
    ],
)
def test_what_says_something_instead_is_not_merged(write: Write, older: str, newer: str) -> None:
    assert list_merges(write(older, newer)) == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Tests are run with npm test.", "Use pnpm, not npm."),
        ("yarn build makes the bundle", "Use pnpm instead of yarn."),
        ("Unit tests are run with poetry run pytest.", "We switched from poetry to uv."),
        (
            "We replaced go test by just test.",
            "golangci-lint is gone; staticcheck does static checks.",
        ),
    ],
)
def test_a_tool_that_is_turned_down_retires_no_other_use_of_it(
    write: Write, older: str, newer: str
) -> None:
    records = write(older, newer)
    assert [record["status"] for record in records] == ["active", "active"]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We deploy with Kamal.", "Kamal is what we deploy with."),
        ("Invoices are rendered with WeasyPrint.", "WeasyPrint renders the invoices."),
        ("Log files are kept 90 days.", "Logs are kept for 90 days."),
        ("The staging cluster sits in Dublin.", "Dublin is where the staging cluster sits."),
        ("Payments go through Adyen.", "Adyen handles the payments."),
        ("The stack is Postgres and Redis.", "The stack is Redis and Postgres."),
    ],
)
def test_what_says_the_same_is_still_merged(write: Write, older: str, newer: str) -> None:
    assert len(set(list_merges(write(older, newer)))) == 1


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("v3 ships in Q2", "Q2 was wishful thinking, v3 is planned for autumn"),
        ("Anna owns PDF export.", "tom owns PDF export"),
        ("NATS carries the PDF jobs.", "NATS never worked out, SQS carries the PDF jobs"),
        ("HTTP/2 is served by Caddy.", "get rid of Caddy, HTTP/2 is served by nginx"),
    ],
)
def test_what_denies_a_record_beside_a_task_does_not_confirm_it(
    here: Run, operator: None, tmp_path: Path, rule: str, words: str
) -> None:
    assert here("init").code == 0
    project = tmp_path / "harbor"
    project.mkdir()

    def hold(*said: str, day: int) -> list[dict[str, Any]]:
        session = tmp_path / f"{day}.jsonl"
        lines = make_lines(
            ("fix the footer of the page", *said, "run the tests"), day, str(project)
        )
        session.write_text("\n".join(map(json.dumps, lines)) + "\n")
        assert here("capture-session", session, "--agent", "claude-code").code == 0
        assert here("maintain", "--quiet").code == 0
        waiting: list[dict[str, Any]] = here("inbox", "--all", "--json").data["items"]
        return waiting

    [one] = hold("From now on uploads are stored in R2.", day=1)
    assert here("inbox", "--json", "--approve", one["id"]).code == 0
    assert here("edit", one["id"], "--content", rule).code == 0
    assert here("maintain", "--quiet").code == 0
    hold(f"rename the button to Send. {words}", day=4)
    known = here("show", one["id"], "--json").data
    assert words not in [item["quote"] for item in known["evidence"]]
