"""An expression of the operator (`capture.ignore.patterns`) holds on every way into memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import jsonl

from memctl import hook
from memctl.core.errors import StoreLocked
from memctl.core.model import Actor, NewMemory, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.llm import calls
from memctl.llm import settings as model_settings
from memctl.readers.base import Input
from memctl.settings.config import load_config
from memctl.store import spool

SECRET = "millwheel-4711"
SETTINGS = 'capture:\n  ignore:\n    patterns: ["millwheel-[0-9]{4}"]\n'


@pytest.fixture
def engine(db: Path, home: Path) -> MemoryEngine:
    folder = home / ".config" / "memctl"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(SETTINGS)
    return MemoryEngine(load_config(db), Actor("operator"))


def assert_hidden(engine: MemoryEngine) -> None:
    """The secret is in no file beside the store, and was replaced in what an export shows."""
    exported = engine.export().text or ""
    assert SECRET not in exported and "[REDACTED:pattern:" in exported
    assert_in_no_file(engine)


def assert_in_no_file(engine: MemoryEngine) -> None:
    for path in engine.config.db.parent.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


def test_in_a_captured_session(engine: MemoryEngine) -> None:
    engine.capture_session(Input(data=jsonl(("user", f"fact the key is {SECRET}"))))
    engine.maintain()
    assert_hidden(engine)


def test_in_a_captured_conversation(engine: MemoryEngine) -> None:
    engine.capture_conversation(Input(data=f"# Notes\n\nUse {SECRET} here.\n".encode()))
    engine.maintain()
    assert_hidden(engine)


def test_in_a_manual_write(engine: MemoryEngine) -> None:
    engine.ingest([NewMemory("project", f"The key is {SECRET}", scope="global", quote=SECRET)])
    assert_hidden(engine)


def test_in_edits_reasons_and_names(engine: MemoryEngine) -> None:
    made = engine.ingest([NewMemory("project", "Tests run at night", scope="global")])
    memory_id = made.items[0].record.memory.id
    engine.records.edit(memory_id, {"content": f"It is {SECRET}"}, reason=f"since {SECRET}")
    corrected = engine.records.correct(memory_id, f"Now {SECRET}", reason=SECRET, rationale=SECRET)
    engine.forget([corrected.changed[0].memory.id], reason=f"because of {SECRET}")
    engine.upsert_profile_fact("place", f"At {SECRET}")
    engine.views.save("mine", "search", {"query": SECRET})
    assert_hidden(engine)


def test_in_an_import(engine: MemoryEngine, tmp_path: Path, home: Path) -> None:
    engine.ingest([NewMemory("project", "Tests run at night", scope="global")])
    text = (engine.export().text or "").replace("Tests run at night", f"The key is {SECRET}")
    (tmp_path / "in.jsonl").write_text(text)
    other = MemoryEngine(load_config(tmp_path / "other" / "m.db"), Actor("operator"))
    other.import_(tmp_path / "in.jsonl")
    assert_hidden(other)
    other.close()


def test_in_what_a_model_answers(engine: MemoryEngine) -> None:
    redactor = model_settings.read_settings(engine.config).redactor
    assert SECRET not in calls._clean_error(f"the key is {SECRET}", redactor)


def test_in_the_log_of_retrievals(engine: MemoryEngine) -> None:
    engine.init()
    engine.search(Query(f"where is {SECRET}", engine.place(None)))
    engine.close()
    assert_in_no_file(engine)


def test_in_the_spool(
    engine: MemoryEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_busy() -> object:
        raise StoreLocked("busy")

    engine.init()
    with monkeypatch.context() as patched:
        patched.setattr(engine, "open_or_create", raise_busy)
        engine.capture_session(Input(data=jsonl(("user", f"fact it is {SECRET}"))))
    engine.captures.request(
        tmp_path / "later.jsonl",
        agent="claude-code",
        session_id=SECRET,
        trigger="test",
        said=[("user", SECRET)],
    )
    assert len(spool.list_files(engine.config)) == 2
    assert_in_no_file(engine)


def test_in_the_log_of_hooks(engine: MemoryEngine, db: Path) -> None:
    engine.init()
    hook._log_trouble(db, f"Stop {SECRET}", ValueError(f"no file {SECRET}"))
    assert "[REDACTED:pattern" in (db.parent / "hook.log").read_text()
    assert_in_no_file(engine)
