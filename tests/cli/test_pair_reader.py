"""A learned reading of pairs, through the real commands: it proposes, and retires nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.core.errors import EmbeddingUnavailable
from memctl.embed import slot_path
from memctl.retrieve import slot_vectors

OLDER = "Ship the nightly build to testers via TestFlight."
NEWER = "Testers get the nightly build from Firebase now."
NAMING = "Testers get the nightly build from Firebase now, no longer through TestFlight."


@pytest.fixture
def said(here: Callable[..., Any], operator: None, tmp_path: Path) -> Callable[..., list[str]]:
    """Write statements, each a day after the one before, and maintain; their ids."""

    def write(*texts: str, **fields: object) -> list[str]:
        rows = [
            {
                "type": "project",
                "content": text,
                "scope": "global",
                "observed_at": f"2026-03-{day:02d}T09:00:00Z",
                **fields,
            }
            for day, text in enumerate(texts, 2)
        ]
        file = tmp_path / "said.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        run = here("ingest", "--file", str(file), "--json")
        assert run.code == 0, run
        assert here("maintain").code == 0
        return [item["record"]["id"] for item in run.data["items"]]

    return write


def test_unlike_words_for_one_question_are_proposed_as_a_replacement(
    here: Callable[..., Any], said: Callable[..., list[str]]
) -> None:
    older, newer = said(OLDER, NEWER)
    [item] = here("conflicts", "--json").data["items"]
    assert [side["id"] for side in item["sides"]] == [older, newer]
    assert item["newer"] == newer and "may answer the same question" in item["reason"]
    assert here("show", older, "--json").data["status"] != "superseded"


def test_what_is_named_as_given_up_is_superseded(
    here: Callable[..., Any], said: Callable[..., list[str]]
) -> None:
    older, _ = said(OLDER, NAMING)
    assert here("show", older, "--json").data["status"] == "superseded"
    assert here("conflicts", "--json").data["items"] == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Uploads are scanned by ClamAV.", "Uploads are stored in S3 now."),
        ("We host the docs on Netlify.", "The marketing site moved from Netlify to Cloudflare."),
        ("The coffee machine is descaled on Fridays.", "Deploys moved from Fridays to Tuesdays."),
        ("Backups are stored in S3.", "Uploads moved from S3 to a bucket at Hetzner."),
        (OLDER, "Testers get the nightly build from Firebase."),  # nothing changed, as it is told
    ],
)
def test_another_question_is_left_alone(
    here: Callable[..., Any], said: Callable[..., list[str]], older: str, newer: str
) -> None:
    ids = said(older, newer)
    assert here("conflicts", "--json").data["items"] == []
    found = [here("show", each, "--json").data["status"] for each in ids]
    assert found == ["active", "active"]


def test_a_dismissed_proposal_does_not_come_back(
    here: Callable[..., Any], said: Callable[..., list[str]]
) -> None:
    older, newer = said(OLDER, NEWER)
    assert here("resolve", older, newer, "--dismiss").code == 0
    assert here("edit", older, "--title", "How testers get builds").code == 0
    assert here("maintain").code == 0
    assert here("conflicts", "--json").data["items"] == []


def test_without_the_reader_rules_compare_and_it_is_said(
    here: Callable[..., Any], said: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str = "") -> bytes:
        raise EmbeddingUnavailable("no_slot_path", "the low-rank path is gone", hint="reinstall")

    monkeypatch.setattr(slot_path, "read_slot_path", refuse)
    slot_vectors._find_reader_once.cache_clear()
    said(OLDER, NEWER)
    assert here("conflicts", "--json").data["items"] == []
    assert slot_vectors.NO_READER in here("maintain", "--step", "embed", "--json").data["flags"]
    checks = {check["name"]: check for check in here("doctor", "--json").data["checks"]}
    assert checks["pair_reader"]["state"] == "note"
    assert "rules and the other vectors alone" in checks["pair_reader"]["detail"]
    monkeypatch.undo()
    slot_vectors._find_reader_once.cache_clear()
