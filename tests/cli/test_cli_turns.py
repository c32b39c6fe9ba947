"""What was said in captured conversations can be read and searched, by who may read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Said

Here = Callable[..., Said]
SESSION = "5f0c1b52-0000-4000-8000-0000000000{:02}"
TALK = (
    ("Why do the ferries wait?", "The marlinspike semaphore is held by the tide reader."),
    ("Let's use Valkey instead of Redis for the cache, because of the licence.", "Done."),
    ("缓存使用 Valkey 集群", "好的。"),
)


def write_session(
    folder: Path, number: int = 1, talk: tuple[tuple[str, str], ...] = TALK, day: str = "2026-09-20"
) -> Path:
    """A session of Claude Code in a project of this test."""
    project = folder / "harbor"
    (project / ".git").mkdir(parents=True, exist_ok=True)
    lines = []
    for minute, (asked, answered) in enumerate(talk):
        head = {
            "sessionId": SESSION.format(number),
            "cwd": str(project),
            "timestamp": f"{day}T09:{minute:02}:00.000Z",
        }
        said = {"role": "user", "content": asked}
        done = {"role": "assistant", "content": [{"type": "text", "text": answered}]}
        lines.append({**head, "type": "user", "uuid": f"u{number}-{minute}", "message": said})
        lines.append({**head, "type": "assistant", "uuid": f"a{number}-{minute}", "message": done})
    file = folder / f"{SESSION.format(number)}.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


@pytest.fixture
def captured(here: Here, operator: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """One captured session, which nobody has maintained yet; the id of its conversation."""
    assert here("init").code == 0
    done = here("capture-session", write_session(tmp_path), "--json")
    monkeypatch.chdir(tmp_path / "harbor")
    return str(done.data["items"][0]["source_id"])


def list_found(said: Said) -> list[tuple[str, int]]:
    return [(item["role"], item["turn"]) for item in said.data["items"]]


def test_a_session_can_be_searched_before_the_first_maintenance_and_after_it(
    here: Here, captured: str
) -> None:
    for _ in range(2):
        said = here("search", "--turns", "marlinspike", "--json")
        assert said.code == 0, said.stderr
        assert [(item["source_id"], item["turn"]) for item in said.data["items"]] == [(captured, 1)]
        assert "marlinspike semaphore" in said.data["items"][0]["snippet"]
        assert here("maintain", "--step", "turns", "--json").code == 0
    counts = here("maintain", "--reindex", "--step", "turns", "--json").data["steps"]
    assert [step["counts"]["turns_indexed"] for step in counts if step["name"] == "turns"] == [6]


def test_what_was_said_is_in_no_context_and_in_no_search_of_records(
    here: Here, captured: str
) -> None:
    assert here("search", "marlinspike semaphore", "--json").data["items"] == []
    assert "marlinspike" not in here("context", "--task", "marlinspike semaphore").stdout


def test_words_of_scripts_without_blanks_are_found(here: Here, captured: str) -> None:
    for _ in range(2):
        assert list_found(here("search", "--turns", "缓存", "--json")) == [("human", 4)]
        assert here("maintain", "--step", "turns").code == 0


def test_words_in_quotation_marks_must_stand_together(here: Here, captured: str) -> None:
    together = here("search", "--turns", '"marlinspike semaphore"', "--json")
    assert list_found(together) == [("assistant", 1)]
    assert list_found(here("search", "--turns", '"semaphore marlinspike"', "--json")) == []


def test_filters_narrow_a_search_of_turns(here: Here, captured: str, tmp_path: Path) -> None:
    later = write_session(tmp_path, 2, (("Is Valkey up?", "Valkey is up."),), day="2026-10-02")
    assert here("capture-session", later).code == 0
    found = here("search", "--turns", "valkey", "--json").data["items"]
    assert len(found) == 4
    people = here("search", "--turns", "valkey", "--role", "human", "--json")
    assert {role for role, _ in list_found(people)} == {"human"}
    newer = here("search", "--turns", "valkey", "--since", "2026-10-01", "--json")
    assert {item["session_id"] for item in newer.data["items"]} == {SESSION.format(2)}
    older = here("search", "--turns", "valkey", "--until", "2026-10-01", "--json")
    assert {item["session_id"] for item in older.data["items"]} == {SESSION.format(1)}
    assert here("search", "--turns", "valkey", "--from", "codex", "--json").data["items"] == []
    assert here("search", "valkey", "--role", "human").code == 2


def test_a_question_may_say_when(here: Here, captured: str, tmp_path: Path) -> None:
    asked = here("search", "--turns", "what did we discuss in September 2026", "--json")
    assert asked.data["period"] == "in September 2026"
    assert list_found(asked) == [("human", 4), ("human", 2), ("human", 0)]
    assert (
        '("in September 2026": from '
        in here("search", "--turns", "valkey in September 2026").stdout
    )
    assert here("search", "--turns", "valkey in August 2026", "--json").data["items"] == []
    mere = here("search", "--turns", "valkey in August 2026", "--any-time", "--json")
    assert list_found(mere)


def test_turns_are_shown_with_who_said_them_when_and_what_quotes_them(
    here: Here, captured: str
) -> None:
    assert here("maintain", "--json").code == 0
    turns = here("source", "show", captured, "--json").data["turns"]
    assert [turn["role"] for turn in turns] == ["human", "assistant"] * 3
    assert turns[1]["at"] == "2026-09-20T09:00:00.000Z"
    quoting = [quote["id"] for quote in turns[2]["quotes"]]
    inbox = here("inbox", "--json").data["items"]
    assert {item["id"] for item in inbox} & {*quoting}
    around = here("source", "show", captured, "--turn", 2, "--around", 1, "--json").data["turns"]
    assert [turn["number"] for turn in around] == [1, 2, 3]
    assert here("source", "show", captured, "--turn", 6).code == 20


def test_a_conversation_is_shown_by_any_id_that_names_it(here: Here, captured: str) -> None:
    capture = here("log", "events", "--json").data["events"][0]["id"]
    for some_id in (captured, captured[:12], capture, SESSION.format(1)):
        shown = here("source", "show", some_id, "--json")
        assert shown.data["conversation"]["id"] == captured, some_id
    assert here("source", "show", "nothing-of-that").code == 20


def test_conversations_are_listed_newest_first_with_paging(
    here: Here, captured: str, tmp_path: Path
) -> None:
    later = write_session(tmp_path, 2, (("Is it up?", "It is."),), day="2026-10-02")
    assert here("capture-session", later).code == 0
    listed = here("source", "list", "--json").data
    assert [item["session_id"] for item in listed["items"]] == [
        SESSION.format(2),
        SESSION.format(1),
    ]
    assert "1 of 2" in here("source", "list", "--limit", 1).stdout


@pytest.fixture
def private(here: Here, operator: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A session that was captured for its agent alone."""
    assert here("init").code == 0
    file = write_session(tmp_path)
    done = here("capture-session", file, "--scope", "agent", "--json")
    monkeypatch.chdir(tmp_path / "harbor")
    return str(done.data["items"][0]["source_id"])


def test_what_is_private_to_an_agent_is_read_by_no_other(here: Here, private: str) -> None:
    own = here("search", "--turns", "marlinspike", "--agent", "claude-code", "--json")
    assert len(own.data["items"]) == 1
    other = here("search", "--turns", "marlinspike", "--agent", "codex", "--json")
    assert other.data["items"] == []
    assert list_found(here("search", "--turns", "marlinspike", "--json"))


def test_another_project_is_searched_only_if_asked(
    here: Here, captured: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "depot"
    (elsewhere / ".git").mkdir(parents=True)
    assert here("init", "--project", elsewhere).code == 0
    monkeypatch.chdir(elsewhere)
    asked = ("search", "--turns", "marlinspike", "--agent", "codex")
    assert here(*asked, "--json").data["items"] == []
    assert len(here(*asked, "--all-projects", "--json").data["items"]) == 1


def test_what_belongs_to_no_project_is_read_in_its_own_session_alone(
    here: Here, operator: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here("init").code == 0
    chat = tmp_path / "chat.txt"
    chat.write_text("User: The zebra ferry is blue.\n\nAssistant: Noted, a blue zebra ferry.\n")
    monkeypatch.chdir(tmp_path)
    assert here("capture-conversation", chat).code == 0
    asked = ("search", "--turns", "zebra", "--json")
    assert here(*asked).data["items"]
    assert here(*asked, "--agent", "codex", "--all-projects").data["items"] == []
    (source,) = here("source", "list", "--all-projects", "--json").data["items"]
    session = source["session_id"]
    assert here(*asked, "--agent", "codex", "--session", session).data["items"]


def read_bytes(db: Path) -> bytes:
    return b"".join(file.read_bytes() for file in db.parent.glob(f"{db.name}*"))


def test_nothing_of_a_purged_conversation_is_left_in_the_index(
    here: Here, captured: str, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here("maintain", "--step", "turns").code == 0
    assert b"marlinspik" in read_bytes(db)
    assert here("purge", "--source", captured, "--yes", "--json").code == 0
    assert here("search", "--turns", "marlinspike", "--json").data["items"] == []
    assert b"marlinspik" not in read_bytes(db)
    assert here("doctor").code == 0


def test_words_that_are_purged_are_found_no_more(here: Here, captured: str, db: Path) -> None:
    assert here("maintain", "--step", "turns").code == 0
    assert here("purge", "--match", "marlinspike semaphore", "--yes").code == 0
    assert here("search", "--turns", "marlinspike", "--json").data["items"] == []
    assert list_found(here("search", "--turns", "valkey", "--role", "human", "--json"))
    assert here("maintain", "--step", "turns").code == 0
    assert here("search", "--turns", "marlinspike", "--json").data["items"] == []
    assert b"marlinspik" not in read_bytes(db)


def test_a_session_that_grew_or_was_rewritten_is_found_as_it_is_now(
    here: Here, captured: str, tmp_path: Path
) -> None:
    assert here("maintain", "--step", "turns").code == 0
    grown = write_session(tmp_path, 1, (*TALK, ("Name the buoy sextant.", "Done.")))
    assert here("capture-session", grown).code == 0
    for _ in range(2):
        assert list_found(here("search", "--turns", "sextant", "--json")) == [("human", 6)]
        assert len(here("search", "--turns", "marlinspike", "--json").data["items"]) == 1
        assert here("maintain", "--step", "turns").code == 0
    rewritten = write_session(tmp_path, 1, (("Paint the buoy astrolabe red.", "Done."),))
    assert here("capture-session", rewritten).code == 0
    assert list_found(here("search", "--turns", "astrolabe", "--json")) == [("human", 0)]


def test_turns_are_found_after_export_and_import(
    here: Here, captured: str, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here("export", tmp_path / "all.jsonl").code == 0
    monkeypatch.setenv("MEMCTL_DB", str(tmp_path / "other" / "memory.db"))
    assert here("import", tmp_path / "all.jsonl", "--from", "mine").code == 0
    for _ in range(2):
        assert list_found(here("search", "--turns", "marlinspike", "--json")) == [("assistant", 1)]
        assert here("maintain", "--step", "turns").code == 0


HARM = {
    "its words are gone": "DELETE FROM turns_fts_data WHERE id > 10",
    "all of it is gone": "DELETE FROM turns_fts_data",
    "the table is gone": "DROP TABLE turns_fts",
    "the list is gone": "DROP TABLE turn_sources",
    "the list is empty": "DELETE FROM turn_sources",
    "a part is gone": "DROP TABLE turns_fts_docsize",
    "it is scrambled": (
        "UPDATE turns_fts_data SET block = unhex(replace(hex(zeroblob(length(block))), '00', '7B'))"
    ),
}


@pytest.mark.parametrize("harm", HARM)
def test_a_damaged_index_costs_nothing_and_is_made_anew(
    here: Here, captured: str, db: Path, harm: str
) -> None:
    from memctl.store.database import sqlite_library

    assert here("maintain", "--step", "turns").code == 0
    other = sqlite_library().connect(str(db), isolation_level=None)
    other.execute(HARM[harm])
    other.close()
    said = here("search", "--turns", "marlinspike", "--json")
    assert (said.code, list_found(said)) == (0, [("assistant", 1)]), said.stderr
    here("maintain")  # says, where that is so, which table was gone
    assert here("maintain").code == 0
    found = here("search", "--turns", "marlinspike", "--json").data
    assert (len(found["items"]), found["flags"]) == (1, [])
    assert here("doctor").code == 0


def test_what_was_said_beside_a_hit_rises_with_it(
    here: Here, operator: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here("init").code == 0
    talk = (("Which crane lifts?", "The crane lifts."), ("Paint.", "Done."), ("The crane.", "Yes."))
    assert here("capture-session", write_session(tmp_path, 1, talk)).code == 0
    monkeypatch.chdir(tmp_path / "harbor")
    alone = {"MEMCTL_SEARCH_NEIGHBOUR_BOOST": "0"}
    scores = {}
    for name, settings in (("beside", {}), ("alone", alone)):
        with monkeypatch.context() as patch:
            for key, value in settings.items():
                patch.setenv(key, value)
            found = here("search", "--turns", "crane", "--json").data["items"]
        scores[name] = {item["turn"]: item["score"] for item in found}
    assert scores["beside"][0] > scores["alone"][0]
    assert scores["beside"][4] == scores["alone"][4]


def test_hostile_words_are_words(here: Here, captured: str) -> None:
    for words in ('"', "*", "NEAR(a b)", "text: x OR", "\0", "'; DROP TABLE x", "é" * 3000):
        said: Any = here("search", "--turns", "valkey", words, "--json")
        assert said.code == 0, (words, said.stderr)
    assert here("search", "--turns").code == 2
    assert here("search", "--turns", "  ").code == 2
