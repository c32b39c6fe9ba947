"""One row whose text is damaged stops no command that answers: it is marked or left out, and told.

And it stops no maintenance: the step that needs it fails, the others run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.core.errors import StoreDamaged
from memctl.retrieve import vectors
from memctl.store.database import sqlite_library

pytestmark = pytest.mark.usefixtures("operator")

# Columns of text, each of a row that answers are made of.
PLACES = (
    ("memories", "content"),
    ("memories", "title"),
    ("evidence", "quote"),
    ("memory_events", "after"),
    ("memory_events", "actor"),
    ("projects", "name"),
    ("entities", "name"),
    ("entity_aliases", "alias"),
    ("sources", "title"),
    ("ingestion_events", "error"),
    ("meta", "value"),
    ("maintenance_steps", "outcome"),
)
ANSWERS: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("stats",),
    ("list",),
    ("list", "--status", "inbox"),
    ("list", "--as-of", "2100-01-01"),
    ("search", "tide gauge harbor"),
    ("context", "--task", "harbor"),
    ("show", "ID"),
    ("explain", "ID"),
    ("digest",),
    ("inbox", "--all"),
    ("conflicts",),
    ("entity", "list"),
    ("project", "list"),
    ("profile", "list"),
    ("view", "list"),
    ("log",),
    ("log", "changes"),
    ("log", "retrievals"),
    ("consolidate", "--dry-run"),
    ("redact", "--scan"),
    ("maintain", "--dry-run"),
    ("doctor",),
    ("export",),
)


@pytest.fixture
def damage(db: Path, here: Callable[..., Any], candidates: list[Any]) -> Callable[..., None]:
    """Write over a column of the row that was written first, as a flipped bit would."""
    for text in ("The tide gauge of Vitaly Sidorov is at the harbor", "We use uv for the harbor"):
        assert here("ingest", text, "--type", "profile", "--scope", "global").code == 0
    assert here("inbox", "--approve", candidates[0]["id"]).code == 0
    assert here("maintain").code == 0

    def write_over(table: str, column: str) -> None:
        raw = sqlite_library().connect(str(db), isolation_level=None)
        named = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        triggers = raw.execute(named).fetchall()
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        columns = raw.execute(f"SELECT name, pk FROM pragma_table_info('{table}')").fetchall()
        (key,) = (name for name, place in columns if place == 1)
        changed = raw.execute(
            f"UPDATE {table} SET {column} = cast(x'41ff' AS text) "
            f"WHERE {key} = (SELECT min({key}) FROM {table})"
        ).rowcount
        assert changed >= 1, f"{table} has no row"
        for _, text in triggers:
            raw.execute(text)
        raw.close()

    return write_over


@pytest.mark.proof
@pytest.mark.parametrize(("table", "column"), PLACES)
def test_every_answer_is_given_over_a_damaged_row(
    here: Callable[..., Any], damage: Callable[..., None], table: str, column: str
) -> None:
    some_id = here("list", "--json").data["items"][-1]["id"]
    damage(table, column)
    codes = {
        words: here(*(some_id if word == "ID" else word for word in words)).code
        for words in ANSWERS
    }
    assert {words: code for words, code in codes.items() if code not in (0, 1)} == {}


@pytest.mark.parametrize("words", [("digest",), ("inbox", "--all"), ("log", "changes")])
def test_an_answer_says_what_is_no_text_any_more(
    here: Callable[..., Any], damage: Callable[..., None], words: tuple[str, ...]
) -> None:
    damage("memory_events", "actor")
    damage("projects", "name")
    said = here(*words)
    assert said.code == 1 and "holds what is no text" in said.stderr


def test_the_index_is_written_anew_over_a_damaged_row(
    here: Callable[..., Any], damage: Callable[..., None]
) -> None:
    damage("memories", "content")
    said = here("maintain", "--reindex", "--step", "index")
    assert said.code == 1 and "holds what is no text" in said.stderr
    assert "reindex" in said.stdout or "rewritten" in said.stdout, said.stdout
    assert here("search", "uv harbor").code in (0, 1)


def test_a_step_that_cannot_read_a_row_fails_alone(
    here: Callable[..., Any], candidates: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def meet_a_damaged_row(*_given: object) -> None:
        raise StoreDamaged("memory.db: Could not decode to UTF-8 column 'name' with text 'A'")

    monkeypatch.setattr(vectors, "embed_waiting", meet_a_damaged_row)
    said = here("maintain", "--step", "embed", "--step", "optimise", "--json")
    states = {step["name"]: step["state"] for step in said.data["steps"]}
    assert (said.code, states) == (1, {"embed": "failed", "optimise": "done"})


def test_what_is_written_back_is_never_read_with_marks(
    here: Callable[..., Any], damage: Callable[..., None]
) -> None:
    some_id = here("list", "--json").data["items"][-1]["id"]
    damage("memories", "content")
    damaged = here("edit", some_id, "--title", "Another title")
    listed = here("list", "--json")
    assert "\ufffd" not in listed.stdout or damaged.code == 13
