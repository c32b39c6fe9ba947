"""Erasing and redacting at the command line: shown first, asked, refused to agents, then gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conftest import Ran

WORDS = "the vault opens with Bluebird-4711"


def put(memctl: Callable[..., Ran], words: str = WORDS) -> str:
    found: str = memctl("ingest", words, "--global", "--json").data["items"][0]["record"]["id"]
    return found


def test_a_purge_shows_its_plan_and_asks(
    pty_memctl: Callable[..., Ran], memctl: Callable[..., Ran], db: Path
) -> None:
    record = put(memctl)
    kept = pty_memctl("purge", record, answers=[(r"\[y/N\]", "n")])
    assert WORDS in kept.stdout and kept.code == 130 and WORDS.encode() in db.read_bytes()
    gone = pty_memctl("purge", record, answers=[(r"This cannot be undone\. \[y/N\]", "y")])
    assert gone.code == 0 and "purged 1 record" in gone.stdout
    assert b"Bluebird" not in b"".join(
        path.read_bytes() for path in db.parent.rglob("*") if path.is_file()
    )


def test_an_agent_may_not_purge_even_with_yes(memctl: Callable[..., Ran], db: Path) -> None:
    record = put(memctl)
    for words in (("purge", record, "--yes"), ("purge", "--match", "Bluebird-4711", "--yes")):
        said = memctl(*words)
        assert said.code == 21 and "needs the operator at a terminal" in said.stderr
    assert memctl("show", record).code == 0


def test_a_script_of_the_operators_says_yes(
    memctl: Callable[..., Ran], home: Path, db: Path
) -> None:
    folder = home / ".config" / "memctl"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("operator:\n  require_terminal: false\n")
    record = put(memctl)
    assert memctl("purge", record).code == 2
    planned = memctl("purge", record, "--dry-run", "--json")
    assert planned.data["titles"] == {record: WORDS} and planned.data["dry_run"]
    assert memctl("purge", "--match", "Bluebird-4711", "--yes", "--json").data["records"] == [
        record
    ]
    assert memctl("show", record).code == 20
    assert memctl("purge", "--match", "Bluebird-4711", "--yes").code == 20


def test_a_capture_of_what_is_ignored_ends_with_its_own_code(
    memctl: Callable[..., Ran], home: Path, tmp_path: Path, db: Path
) -> None:
    folder = home / ".config" / "memctl"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("capture:\n  ignore:\n    paths: ['*/secret-notes']\n")
    notes = tmp_path / "secret-notes" / "memories.yaml"
    notes.parent.mkdir()
    notes.write_text(f"- content: {WORDS}\n")
    for words in (("capture-conversation", notes), ("ingest", "--file", notes)):
        said = memctl(*map(str, words))
        assert (
            said.code == 21 and "not stored: capture.ignore.paths has */secret-notes" in said.stderr
        )
