"""Any file is taken in or refused cleanly: a bad line is named and stops nothing, and nothing
gets out or up by way of a file.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.core.errors import NothingInIt, StoreTooNew, UnknownFormat, UsageError
from memctl.core.model import Filter
from memctl.exchange import import_
from memctl.store import event_log, records
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange import houses
from tests.exchange.houses import OPERATOR, add, exported, furnished, memory, outcomes, take

EMPTY = {"memctl_export": 1, "schema": 1, "counts": {}, "sha256": {}}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    store = open_store(tmp_path / "here.db", create=True)
    yield store
    store.close()


@pytest.fixture
def text(tmp_path: Path) -> str:
    """A good export."""
    there = furnished(tmp_path / "there.db")
    try:
        return exported(there)
    finally:
        there.close()


def with_line(text: str, bad: str | bytes, at: int = 1) -> bytes:
    """An export with one more line after line `at`."""
    lines = text.encode().split(b"\n")
    return b"\n".join([*lines[:at], bad if isinstance(bad, bytes) else bad.encode(), *lines[at:]])


def row(text: str, section: str, **changed: Any) -> str:
    """The first row of a section, changed."""
    values = next(
        value for value in map(json.loads, text.splitlines()) if value.get("section") == section
    )
    return json.dumps({**values, **changed})


def only(report, number: int) -> str:
    """The one problem of a report, which names its line."""
    told = [problem for problem in report.problems if "the manifest counts" not in problem]
    assert len(told) == 1 and told[0].startswith(f"line {number}: "), told
    return told[0]


BAD = {
    "broken JSON": "{",
    "a list": "[1]",
    "no section": '{"a":1}',
    "an unknown section": '{"section":"passwords","id":"A"}',
    "a section that is a list": '{"section":["memories"]}',
    "a key twice": '{"section":"projects","section":"memories"}',
    "a number that is none": '{"section":"links","confidence":NaN}',
    "a number too large": '{"section":"links","confidence":1e999}',
    "a depth bomb": '{"section":' + "[" * 100_000 + "]" * 100_000 + "}",
    "a deep object": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "no UTF-8": b'{"section":"\xff\xfe"}',
    "NUL": b"\0\0\0",
    "a huge number": '{"section":"stream","seq":' + "9" * 5000 + "}",
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_bad_line_is_named_and_the_rest_comes_in(
    db: Database, text: str, bad: str | bytes
) -> None:
    report = take(db, with_line(text, bad))
    only(report, 2)
    assert outcomes(report) == {"inserted": 4}
    assert exported(db) == text


CHANGED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a lone surrogate": ("memories", {"content": "\ud800"}, "lone surrogate"),
    "text for a number": ("memories", {"trust": "5"}, "whole number"),
    "true for a number": ("memories", {"trust": True}, "whole number"),
    "too large a number": ("memories", {"access_count": 2**70}, "whole number"),
    "trust above all": ("memories", {"trust": 6}, "not allowed"),
    "an unknown status": ("memories", {"status": "holy"}, "not allowed"),
    "no content": ("memories", {"content": ""}, "not allowed"),
    "a stranger's column": ("memories", {"admin": 1}, "does not know"),
    "alternatives that are none": ("memories", {"alternatives": [{"x": 1}]}, "alternatives"),
    "a path for an id": ("memories", {"id": "../../etc/passwd"}, "is not an id"),
    "a project that is not there": ("memories", {"project_id": "0" * 26}, "not there"),
    "a record that is not there": ("evidence", {"memory_id": "0" * 26}, "not there"),
    "an end that is not there": ("links", {"to_id": "0" * 26}, "not there"),
    "a source that is not there": ("source_parts", {"source_id": "0" * 26}, "not there"),
    "a role that is none": (
        "source_parts",
        {"turns": [{"seq": 0, "role": "god", "kind": "text", "text": "x"}], "turn_count": 1},
        "role",
    ),
    "turns that are none": ("source_parts", {"turns": ["x"], "turn_count": 1}, "turn"),
    "turns counted wrong": ("source_parts", {"turn_count": 9}, "counts"),
    "no base64": ("sources", {"raw": "*"}, "base64"),
    "broken JSON inside": ("saved_views", {"definition": "{"}, "is not JSON"),
    "a number of the stream beyond all": ("stream", {"seq": 2**62}, "seq"),
    "a number of the stream twice": ("stream", {}, "twice"),
    "an entity twice": ("entities", {"id": "0" * 26}, "twice"),
}


@pytest.mark.parametrize(("section", "changed", "why"), CHANGED.values(), ids=CHANGED)
def test_a_row_that_cannot_be_is_named_and_the_rest_comes_in(
    db: Database, text: str, section: str, changed: dict[str, Any], why: str
) -> None:
    fresh = (
        {}
        if section in ("stream", "entities")
        else {"id": "F" * 26}
        if "id" in json.loads(row(text, section))
        else {}
    )
    if section == "saved_views":
        fresh = {"name": "other"}
    if section == "source_parts":
        fresh = {"part": 7}
    bad = row(text, section, **{**fresh, **changed})
    last = max(
        number
        for number, line in enumerate(text.splitlines(), 1)
        if f'"section":"{section}"' in line
    )
    report = take(db, with_line(text, bad, at=last))
    told = [problem for problem in report.problems if problem.startswith(f"line {last + 1}: ")]
    assert any(why in problem for problem in told), report.problems
    assert exported(db) == text
    assert event_log.find_broken_links(db) == []


def test_a_line_that_was_changed_afterwards_is_told_and_taken(db: Database, text: str) -> None:
    report = take(db, text.replace("metric screws", "square screws"))
    assert any(problem.startswith("memories: the checksum") for problem in report.problems)
    assert outcomes(report) == {"inserted": 4}


def test_a_history_that_was_changed_afterwards_is_told(db: Database, text: str) -> None:
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if '"section":"stream"' in line)
    lines[at] = lines[at].replace('"actor":"operator"', '"actor":"somebody"')
    report = take(db, "\n".join(lines) + "\n")
    assert any("the chain breaks here" in problem for problem in report.problems)
    assert event_log.find_broken_links(db) == []


def test_a_missing_line_is_told(db: Database, text: str) -> None:
    lines = [line for line in text.splitlines() if '"section":"saved_views"' not in line]
    assert take(db, "\n".join(lines) + "\n").problems == (
        "saved_views: the manifest counts 1, the file has 0",
    )


@pytest.mark.parametrize("data", [b"", b"\n", b"  \n"])
def test_an_empty_file_has_nothing_in_it(db: Database, data: bytes) -> None:
    with pytest.raises(NothingInIt):
        take(db, data)


@pytest.mark.parametrize(
    "data",
    [
        b"hello\nworld\n",
        b"{}\n",
        b'{"memctl_export":true,"schema":1}\n',
        b"\x89PNG\r\n",
        b"[" * 100_000,
        b'{"memctl_export":1}',
    ],
)
def test_a_file_that_is_no_export_is_refused(db: Database, data: bytes) -> None:
    with pytest.raises(UnknownFormat):
        take(db, data)
    assert exported(db).splitlines()[1:] == []


@pytest.mark.parametrize("changed", [{"memctl_export": 2}, {"schema": 99}])
def test_an_export_of_a_newer_program_is_refused(db: Database, changed: dict[str, int]) -> None:
    with pytest.raises(StoreTooNew):
        take(db, json.dumps({**EMPTY, **changed}) + "\n")


def test_a_file_that_cannot_be_read_is_a_usage_error(db: Database, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(UsageError):
            import_.import_file(db, houses.settings(db.path), OPERATOR, path, dry_run=False)


def test_a_pipe_that_the_shell_opened_is_read_too(db: Database, text: str) -> None:
    ours, theirs = os.pipe()

    def write() -> None:
        with os.fdopen(theirs, "w", encoding="utf-8") as stream:
            stream.write(text)

    writer = threading.Thread(target=write)
    writer.start()
    pipe = Path(f"/dev/fd/{ours}")
    import_.import_file(db, houses.settings(db.path), OPERATOR, pipe, origin="mine", dry_run=False)
    writer.join()
    os.close(ours)
    assert exported(db) == text


def test_paths_in_a_file_are_only_data(db: Database, text: str, tmp_path: Path) -> None:
    before = sorted(path for path in tmp_path.rglob("*") if "here.db" not in path.name)
    evil = "../../../escaped"
    lines = [
        json.dumps({**value, "path": evil})
        if value.get("section") == "sources"
        else json.dumps(value)
        for value in map(json.loads, text.splitlines())
    ]
    take(db, "\n".join(lines) + "\n")
    after = sorted(
        path
        for path in tmp_path.rglob("*")
        if "here.db" not in path.name and path.name != "incoming.jsonl"
    )
    assert before == after and not (tmp_path / evil).exists()


def test_many_bad_lines_are_counted_not_listed(db: Database, text: str) -> None:
    report = take(db, text + "{\n" * 5000)
    assert len(report.problems) < 300 and "more" in report.problems[-1]


def test_sql_in_a_file_is_only_text(db: Database, text: str) -> None:
    words = "'); DROP TABLE memories; --"
    take(db, text.replace("metric screws", words))
    assert any(words in each.content for each in records.select_records(db, Filter()))


LINES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("topic", ["", "tide", "record|", "links"])
def test_an_event_of_an_unknown_topic_breaks_no_import(db: Database, text: str, topic: str) -> None:
    rows = [json.loads(line) for line in text.splitlines()]
    for at in [n for n, row in enumerate(rows) if row.get("topic") not in (None, "record")]:
        changed = [dict(row) for row in rows]
        changed[at]["topic"] = topic
        take(db, "\n".join(map(json.dumps, changed)) + "\n")
    assert event_log.find_broken_links(db) == []


@settings(max_examples=60)
@given(data=st.data())
def test_no_change_of_any_value_breaks_an_import(
    db: Database, text: str, data: st.DataObject
) -> None:
    rows = [json.loads(line) for line in text.splitlines()]
    at = data.draw(st.integers(1, len(rows) - 1))
    column = data.draw(st.sampled_from(sorted(rows[at])))
    rows[at][column] = data.draw(LINES)
    take(db, "\n".join(json.dumps(each) for each in rows) + "\n")
    assert event_log.find_broken_links(db) == []
    houses.export.export_store(db, houses.settings(db.path), None)


@settings(max_examples=60)
@given(noise=st.binary(max_size=200))
def test_any_bytes_after_the_manifest_are_reported_at_most(db: Database, noise: bytes) -> None:
    take(db, json.dumps(EMPTY).encode() + b"\n" + noise)


def test_a_checksum_is_over_the_bytes_of_the_section(text: str) -> None:
    lines = text.encode().splitlines(keepends=True)
    section = b"".join(line for line in lines if b'"section":"entities"' in line)
    assert json.loads(lines[0])["sha256"]["entities"] == hashlib.sha256(section).hexdigest()


def test_a_merge_with_a_bad_line_keeps_what_was_here(db: Database, text: str) -> None:
    (known,) = add(db, memory("Something was here before"))
    report = take(db, with_line(text, "{"))
    assert records.get_record(db, known).content == "Something was here before"
    assert outcomes(report) == {"inserted": 4}


def test_secrets_in_a_file_from_elsewhere_are_removed_on_the_way_in(
    db: Database, text: str
) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    report = take(db, text.replace("metric screws", f"metric screws {key}"))
    assert outcomes(report) == {"inserted": 4}
    assert key not in exported(db)
    assert "[REDACTED:" in exported(db)
