"""Memories written by hand: as words, from standard input, many from a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def everything(here: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = here(
        "list", "--all", "--status", "active", "--status", "inbox", "--json"
    ).data["items"]
    return found


def test_one_memory_takes_all_its_fields(here: Run, operator: None) -> None:
    done = here(
        "ingest",
        "Times are stored in UTC",
        "--type",
        "decision",
        "--kind",
        "storage",
        "--title",
        "UTC",
        "--summary",
        "UTC in storage",
        "--rationale",
        "clocks change",
        "--alternative",
        "local time",
        "--alternative",
        "both",
        "--subject",
        "times",
        "--confidence",
        "0.7",
        "--always-load",
        "--valid-from",
        "2026-01-01",
        "--valid-until",
        "2027-01-01",
        "--entity",
        "tool:SQLite",
        "--json",
    )
    (saved,) = done.data["items"]
    record = saved["record"]
    assert saved["outcome"] == "created"
    wanted = {
        "type": "decision",
        "kind": "storage",
        "title": "UTC",
        "summary": "UTC in storage",
        "rationale": "clocks change",
        "alternatives": ["local time", "both"],
        "confidence": 0.7,
        "always_load": True,
        "valid_from": "2026-01-01T00:00:00.000Z",
        "valid_until": "2027-01-01T00:00:00.000Z",
        "entities": [{"kind": "tool", "name": "SQLite"}],
        "project": "work",
        "scope": "project",
    }
    assert {name: record[name] for name in wanted} == wanted


def test_text_comes_from_standard_input_too(here: Run) -> None:
    assert here("ingest", "-", stdin="Deploys happen on Tuesdays\n").code == 0
    assert here("ingest", stdin="Backups run at night\n").code == 0
    assert {item["content"] for item in everything(here)} == {
        "Deploys happen on Tuesdays",
        "Backups run at night",
    }


def test_nothing_to_remember_is_a_usage_error(here: Run, db: Path) -> None:
    assert here("ingest").code == here("ingest", "  ").code == 2
    assert not db.exists()


def test_global_memories_know_no_project_and_register_none(here: Run) -> None:
    here("ingest", "Prefer small functions", "--global")
    (record,) = everything(here)
    assert (record["scope"], record["project_id"]) == ("global", None)
    assert here("project", "list", "--json").data["items"] == []


def test_an_agents_word_counts_as_an_agents(here: Run, operator: None) -> None:
    here("init")
    here("ingest", "The cache is warm at noon", "--agent", "codex")
    (record,) = everything(here)
    assert (record["trust"], record["source_ref"]) == ("agent_claimed", "manual:agent:codex")


YAML = """\
items:
  - content: Tests run with pytest -q
    kind: command
  - content: Use SQLite
    type: decision
    rationale: one small box
    alternatives: [Redis, a file per day]
    entities: [tool:SQLite]
    valid_from: 2026-03-01
    confidence: 0.8
"""


@pytest.mark.parametrize("name", ["many.yaml", "many.json", "list.json", "many.jsonl"])
def test_many_memories_come_from_a_file(here: Run, tmp_path: Path, name: str) -> None:
    import yaml

    value = yaml.safe_load(YAML)
    value["items"][1]["valid_from"] = "2026-03-01"
    texts = {
        "many.yaml": YAML,
        "many.json": json.dumps(value),
        "list.json": json.dumps(value["items"]),
        "many.jsonl": "\n".join(map(json.dumps, value["items"])) + "\n\n",
    }
    (tmp_path / name).write_text(texts[name])
    done = here("ingest", "--file", tmp_path / name, "--json")
    assert [saved["record"]["type"] for saved in done.data["items"]] == ["project", "decision"]
    assert done.data["items"][1]["record"]["alternatives"] == ["Redis", "a file per day"]
    assert done.data["items"][1]["record"]["valid_from"].startswith("2026-03-01")


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        (
            "a.yaml",
            "- content: fine\n- content: odd\n  colour: red\n",
            "line 2 (item 2): no such key: colour",
        ),
        ("a.yaml", "- content: fine\n- kind: fact\n", "line 2 (item 2): has no content"),
        ("a.yaml", "- content: no\n", "content must be text"),
        ("a.yaml", "- content: x\n  confidence: high\n", "confidence must be a number"),
        ("a.yaml", "- content: x\n  always_load: 1\n", "always_load must be true or false"),
        ("a.yaml", "- content: x\n  entities: [Vitya]\n", "'Vitya' is not KIND:NAME"),
        ("a.yaml", "- just text\n", "line 1 (item 1): is not an object"),
        ("a.yaml", "- content: a\x1b[31mb\n", "not valid YAML: unacceptable character #x001b"),
        ("a.yaml", "memories: []\n", "an object with `items`"),
        ("a.yaml", "", "holds no list"),
        ("a.yaml", "- content: [unclosed\n", "not valid YAML"),
        ("a.yaml", "- !!python/object/apply:os.system ['true']\n", "not valid YAML"),
        ("a.json", '[{"content": "x", "type": "poem"}]', "poem"),
        ("a.json", "[1,", "not valid JSON"),
        ("a.jsonl", '{"content": "x"}\n{"content": }\n', "line 2: not valid JSON"),
        ("a.jsonl", '{"content": "x"}\n{"text": "x"}\n', "line 2: no such key: text"),
    ],
)
def test_a_bad_item_is_named_and_nothing_is_written(
    here: Run, tmp_path: Path, name: str, text: str, where: str
) -> None:
    here("init")
    (tmp_path / name).write_text(text)
    failed = here("ingest", "--file", tmp_path / name)
    assert (failed.code, failed.stdout) == (2, "")
    assert where in failed.stderr
    assert everything(here) == []


def test_a_missing_file_is_a_usage_error(here: Run, tmp_path: Path) -> None:
    assert here("ingest", "--file", tmp_path / "none.yaml").code == 2
    assert here("ingest", "--file", tmp_path).code == 2
    assert here("ingest", "text", "--file", tmp_path / "none.yaml").code == 2


def test_options_fill_what_the_items_of_a_file_leave_open(here: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("- content: one\n- content: two\n  kind: command\n")
    here("ingest", "--file", tmp_path / "a.yaml", "--kind", "fact", "--global")
    assert {(item["content"], item["kind"], item["scope"]) for item in everything(here)} == {
        ("one", "fact", "global"),
        ("two", "command", "global"),
    }


def test_a_hooks_json_on_standard_input_names_the_session(
    here: Run, session: Path, tmp_path: Path
) -> None:
    said = {
        "session_id": "5f1d2c3b",
        "transcript_path": str(session),
        "cwd": str(tmp_path / "work"),
        "hook_event_name": "SessionEnd",
    }
    done = here("capture-session", "--agent", "claude-code", "--json", stdin=json.dumps(said))
    assert done.data["state"] == "captured"
    again = here("capture-session", "-", "--json", stdin=session.read_text())
    assert again.data["state"] == "unchanged"


def test_a_hooks_json_whose_transcript_is_gone_is_a_usage_error(here: Run) -> None:
    assert (
        here(
            "capture-session", stdin='{"session_id": "nowhere-0000", "transcript_path": "/nowhere"}'
        ).code
        == 2
    )
    assert here("capture-session").code == here("capture-conversation").code == 2


@pytest.mark.parametrize("when", ["7d", "12h", "2026-01-31", "2026-01-31T09:00Z", "2w"])
def test_times_are_dates_times_or_spans_back(here: Run, operator: None, when: str) -> None:
    here("ingest", "Something new", "--global")
    assert here("list", "--since", when, "--json").data["total"] == 1


@pytest.mark.parametrize("when", ["some day", "2026-13-01", "7 parsecs", ""])
def test_other_times_are_usage_errors(here: Run, when: str) -> None:
    here("init")
    assert here("list", "--since", when).code == 2


# -- what is no UTF-8 is refused, not stored with its odd bytes replaced


WORDS = "The kiln is fired on Monday"
ODD = {
    "odd byte": (b"The kiln \xff bad", "not UTF-8"),
    "UTF-16": (WORDS.encode("utf-16"), "UTF-16"),
    "UTF-16, big end first": (b"\xfe\xff" + WORDS.encode("utf-16-be"), "UTF-16"),
    "UTF-32": (WORDS.encode("utf-32"), "UTF-32"),
}
TAKES_TEXT = [
    ("ingest", "-"),
    ("ingest",),
    ("profile", "set", "kiln", "-"),
    ("correct", "01JV3KQX2M", "-"),
    ("ingest", "--file", "odd.yaml"),
    ("ingest", "--file", "odd.jsonl"),
]


@pytest.mark.parametrize("words", TAKES_TEXT, ids=" ".join)
@pytest.mark.parametrize(("raw", "said"), ODD.values(), ids=ODD)
def test_text_that_is_not_utf_8_is_refused_and_its_encoding_named(
    here: Run, tmp_path: Path, words: tuple[str, ...], raw: bytes, said: str
) -> None:
    for name in ("odd.yaml", "odd.jsonl"):
        (tmp_path / "work" / name).write_bytes(raw)
    here("init")
    done = here(*words, stdin=raw)
    assert done.code == 2 and said in done.stderr, done
    assert here("list", "--json").data["total"] == 0


def test_the_command_itself_refuses_odd_bytes(memctl: Run, db: Path) -> None:
    for raw, said in ODD.values():
        done = memctl("ingest", "-", stdin=raw)
        assert done.code == 2 and said in done.stderr


def test_a_text_on_standard_input_is_kept_as_it_is(here: Run, operator: None) -> None:
    here("ingest", "-", "--global", stdin=b"\xef\xbb\xbfThe caf\xc3\xa9 opens at nine\n")
    (kept,) = here("list", "--json").data["items"]
    assert kept["content"] == "The café opens at nine"
    kept_id = kept["id"]
    assert here("correct", kept_id, "-", stdin="The café opens at ten\n").code == 0
    assert here("profile", "set", "cup", "-", stdin="Tea, no sugar\n").code == 0
    found = here("list", "--json").data["items"]
    said = {item["content"] for item in found}
    assert "The café opens at ten" in said
    assert any(text.endswith("Tea, no sugar") for text in said)
    assert here("correct", kept_id, "-").code == here("profile", "set", "cup", "-").code == 2


def test_a_text_in_another_encoding_is_not_called_free_of_secrets(here: Run) -> None:
    assert here("redact", "-", stdin="password: x".encode("utf-16")).code == 2


def test_a_transcript_in_utf_16_is_read_by_its_mark(
    here: Run, session: Path, tmp_path: Path
) -> None:
    other = tmp_path / "utf16.jsonl"
    other.write_bytes(session.read_text().encode("utf-16"))
    first = here("capture-session", other, "--json")
    assert first.code == 0 and first.data["items"][0]["turns"] > 0
    again = here("capture-session", "-", "--json", stdin=other.read_bytes())
    assert again.data["items"][0]["turns"] == first.data["items"][0]["turns"]


@pytest.mark.parametrize("command", ["capture-session", "capture-conversation"])
def test_a_capture_without_a_store_says_where_it_waits(
    memctl: Run, db: Path, session: Path, command: str
) -> None:
    for words, stdin in (((session,), ""), (("-",), session.read_text())):
        done = memctl(command, *words, "--json", stdin=stdin, env={"CLAUDECODE": "1"})
        assert done.code == 0
        said = f"memctl: no store at {db}; kept in the spool at {done.data['spool_file']}"
        assert done.stderr == f"{said} until `memctl init`\n"
    assert not db.exists()
    assert memctl("init").code == 0
    assert memctl(command, session).stderr == ""


def test_a_hook_without_a_store_is_silent_and_logs_where_the_session_waits(
    memctl: Run, db: Path, session: Path
) -> None:
    call = {
        "session_id": "5f1d2c3b",
        "transcript_path": str(session),
        "hook_event_name": "SessionEnd",
    }
    done = memctl("hook", "claude-code", "SessionEnd", stdin=json.dumps(call))
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    logged = (db.parent / "hook.log").read_text()
    assert f"no store at {db}; kept in the spool at {db}.spool/" in logged
