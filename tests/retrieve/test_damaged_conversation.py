"""A damaged stored conversation stops no command: each goes on, names it, and purge removes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl import MemoryEngine
from memctl.erase import scan
from memctl.exchange import export
from memctl.store import sources
from tests.exchange import houses

CHAT = [
    {"role": "user", "content": "From now on, always run the kiln tests before a commit."},
    {"role": "assistant", "content": "Noted."},
]


def capture(engine: MemoryEngine, turns: list[dict[str, str]], name: str) -> str:
    path = engine.open_or_create().path.with_name(f"{name}.json")
    path.write_text(json.dumps(turns))
    return engine.capture_conversation(path).items[0].source_id


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[MemoryEngine]:
    with MemoryEngine.open(tmp_path / "memory.db", actor="operator") as opened:
        yield opened


@pytest.fixture
def damaged(engine: MemoryEngine) -> str:
    """A store with two conversations and what they say, of which one is damaged; its id."""
    source_id = capture(engine, CHAT, "first")
    capture(engine, [{"role": "user", "content": "The harbour office opens at nine."}], "second")
    engine.maintain()
    db = engine.open_to_read()
    (packed,) = db._conn.execute(
        "SELECT turns FROM source_parts WHERE source_id = ?", (source_id,)
    ).fetchone()
    flipped = bytearray(packed)
    flipped[len(flipped) // 2] ^= 4
    db._conn.execute("DROP TRIGGER IF EXISTS source_parts_updated")
    db._conn.execute(
        "UPDATE source_parts SET turns = ? WHERE source_id = ?", (bytes(flipped), source_id)
    )
    return source_id


def warned(engine: MemoryEngine) -> list[str]:
    return [str(error) for error in engine.list_warnings()]


def test_explain_goes_on_and_names_it(engine: MemoryEngine, damaged: str) -> None:
    (record,) = [
        row["id"]
        for row in engine.open_to_read().all("records.everything")
        if row["type"] != "episode"
    ][:1]
    engine.explain(record)
    assert any(damaged in text for text in warned(engine))


def test_an_export_leaves_it_out_and_says_so(engine: MemoryEngine, damaged: str) -> None:
    report = export.export_store(
        engine.open_to_read(), houses.settings(engine.open_to_read().path), None
    )
    assert [text for text in report.problems if damaged in text]
    assert "harbour office" in (report.text or "")


def test_a_session_is_captured_whole_again(engine: MemoryEngine, damaged: str) -> None:
    capture(engine, [*CHAT, {"role": "user", "content": "And lint it."}], "first")
    capture(engine, CHAT, "first")
    texts = [
        turn.text
        for row in engine.open_to_read().all("sources.everything")
        for turn in sources.read_turns(engine.open_to_read(), row["id"])
    ]
    assert CHAT[0]["content"] in texts


def test_a_scan_for_secrets_goes_on_and_names_it(engine: MemoryEngine, damaged: str) -> None:
    scan.find_secrets(engine.open_to_read(), houses.settings(engine.open_to_read().path))
    assert any(damaged in text for text in warned(engine))


def test_words_are_purged_elsewhere_and_it_is_named(engine: MemoryEngine, damaged: str) -> None:
    engine.upkeep.purge(match="harbour office")
    assert any(damaged in text for text in warned(engine))


def test_it_can_be_purged(engine: MemoryEngine, damaged: str) -> None:
    engine.upkeep.purge(source=damaged)
    assert sources.find_source(engine.open_to_read(), damaged) is None
