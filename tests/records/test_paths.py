"""Every record has a place in a tree of folders, with names that every file system takes."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.core.model import Memory
from memctl.records import paths

AT = "2026-06-01T00:00:00.000Z"


def record(**changed: Any) -> Memory:
    plain: dict[str, Any] = {
        "id": "M1",
        "type": "project",
        "kind": "fact",
        "scope": "project",
        "status": "active",
        "title": "t",
        "content": "words",
        "summary": "s",
        "owner": "shared",
        "source_kind": "manual",
        "confidence": 0.9,
        "trust": 3,
        "observed_at": AT,
        "fingerprint": "f",
        "created_at": AT,
        "updated_at": AT,
        "project_id": "P",
    }
    return Memory(**plain | changed)


@pytest.mark.parametrize(
    ("changed", "folder"),
    [
        ({}, "projects/harbor/facts"),
        ({"type": "decision", "kind": "decision"}, "projects/harbor/decisions"),
        ({"kind": "convention", "scope": "repo"}, "projects/harbor/conventions"),
        ({"kind": "task_hint", "type": "task_hint"}, "projects/harbor/hints"),
        ({"kind": "", "type": "decision"}, "projects/harbor/decisions"),
        ({"kind": "Rückfrage"}, "projects/harbor/rückfrages"),
        ({"scope": "global", "project_id": None}, "global/facts"),
        ({"scope": "global", "type": "profile", "kind": "preference"}, "profile"),
        ({"scope": "agent", "agent_id": "codex"}, "agents/codex/facts"),
        ({"scope": "session", "session_id": "s/1"}, "sessions/s-1/facts"),
        ({"status": "inbox"}, "inbox"),
        ({"status": "superseded"}, "archive"),
        ({"status": "archived"}, "archive"),
        ({"status": "contradicted"}, "projects/harbor/facts"),
    ],
)
def test_a_record_lies_where_it_holds(changed: dict[str, Any], folder: str) -> None:
    assert "/".join(paths.find_folder(record(**changed), "harbor")) == folder


def test_what_waits_lies_where_it_would_hold_if_status_does_not_count() -> None:
    waiting = record(status="inbox", kind="command")
    assert paths.find_folder(waiting, "harbor", by_status=False) == (
        "projects",
        "harbor",
        "commands",
    )


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Use uPlot, not Recharts!", "use-uplot-not-recharts"),
        ("../../etc/passwd", "etc-passwd"),
        ("Straße nach Zürich", "strasse-nach-zürich"),
        ("缓存使用 Valkey", "缓存使用-valkey"),
        ("हिन्दी में", "हिन्दी-में"),
        ("!!!", "untitled"),
        ("", "untitled"),
    ],
)
def test_a_title_becomes_words_with_hyphens(title: str, slug: str) -> None:
    assert paths.make_slug(title) == slug


@given(st.text(max_size=300))
def test_every_name_is_one_that_file_systems_take(text: str) -> None:
    for name in (paths.make_slug(text), paths.make_name(text)):
        assert name
        assert len(name.encode("utf-8")) <= 190
        assert not set(name) & set('/\\:*?"<>|\0')
        assert name[-1] not in " ."
        assert not name.startswith(".")
        assert unicodedata.is_normalized("NFC", name)
    assert paths.make_slug(paths.make_slug(text)) == paths.make_slug(text)


@pytest.mark.parametrize("name", ["CON", "nul.txt", "lpt1"])
def test_no_name_is_that_of_a_device(name: str) -> None:
    assert paths.make_name(name) == f"{name}-"
