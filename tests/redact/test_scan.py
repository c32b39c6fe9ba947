"""Secrets from before a rule knew them are found wherever they stand, never shown, and replaced
with everything kept in order.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench import Bench
from conftest import Ran
from corpus import SECRETS
from drawing import sample

from memctl.core.errors import RefusedByPolicy
from memctl.core.model import EntityRef, Query
from memctl.erase.rewrite import move_span
from memctl.maintain import doctor
from memctl.redact import store_key
from memctl.redact.secret_replacer import SecretReplacer
from memctl.results.erasure import RedactionReport
from memctl.store import evidence, sources, spool

TOKEN = sample(SECRETS["github classic"], "scan").secrets[0]
PASSWORD = "Qv7!rill-Lantern"
SAID = f"fact the key is {TOKEN} and 'password: {PASSWORD}' opens it"


@pytest.fixture
def leaky(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A store from the time when no rule knew these secrets."""
    with monkeypatch.context() as then:
        then.setattr(SecretReplacer, "redact", lambda _self, text, rules=None: text)
        then.setattr(SecretReplacer, "redact_value", lambda _self, value, rules=None: value)
        bench.settings(capture__keep_raw=True)
        bench.take(("user", SAID), ("assistant", f"I ran curl -H 'Authorization: token {TOKEN}'"))
        bench.put(
            f"Deploy with {TOKEN}",
            rationale=f"because {TOKEN}",
            entities=(EntityRef("tool", TOKEN),),
        )
        bench.operator.views.save("deploy", "search", {"query": TOKEN})
        bench.operator.search(Query(TOKEN))
        bench.operator.write_logs()
        spool.write_file(
            bench.config,
            "request",
            {"path": f"/x/{TOKEN}.jsonl", "agent": None, "session_id": None, "trigger": "t"},
        )
        (bench.path.parent / "hook.log").write_text(
            f"2026-01-01T00:00:00.000Z trouble with {TOKEN}\n"
        )
    return bench


def places(report: RedactionReport) -> set[str]:
    return {item.place for item in report.items}


def test_a_scan_tells_place_and_kind_and_never_the_secret(leaky: Bench) -> None:
    report = leaky.operator.upkeep.scan_for_secrets()
    assert {
        "turn",
        "source",
        "record",
        "evidence",
        "entity",
        "retrieval",
        "view",
        "log",
        "stream",
        "spool",
    } <= places(report)
    assert TOKEN[4:20] not in repr(report) and PASSWORD not in repr(report)
    [turn] = [item for item in report.items if item.id.endswith("turn 0")]
    assert turn.kinds == {"github": 1, "password": 1} and turn.fields == ("text",)
    assert not report.applied


def test_applying_replaces_everything_in_place_and_leaves_the_store_whole(leaky: Bench) -> None:
    leaky.operator.upkeep.redact_secrets()
    assert leaky.operator.upkeep.scan_for_secrets().items == ()
    leaky.check()
    said = {found.name: found.state for found in doctor.doctor(leaky.config, repair=False).checks}
    for name in (
        "schema",
        "integrity",
        "record_hashes",
        "evidence_hashes",
        "event_log",
        "history",
        "index",
    ):
        assert said[name] == "ok", name
    leaky.operator.close()
    leaky.agent.close()
    files = [path for path in leaky.path.parent.rglob("*") if path.is_file()]
    assert [
        path.name
        for path in files
        if TOKEN.encode()[4:20] in path.read_bytes() or PASSWORD.encode() in path.read_bytes()
    ] == []


def test_quotes_still_stand_at_their_place(leaky: Bench) -> None:
    leaky.operator.upkeep.redact_secrets()
    [memory] = [memory for memory in leaky.all("inbox") if "opens it" in memory.content]
    explained: Any = leaky.operator.explain(memory.id)
    assert [item.state for item in explained.evidence] == ["intact"]
    [proof] = evidence.list_of_memory(leaky.db, memory.id)
    assert proof.quote.startswith("the key is [REDACTED:github:") and proof.quote.endswith(
        "opens it"
    )
    assert sources.read_turns(leaky.db, proof.source_id or "")[0].text.endswith(proof.quote)


def test_the_same_session_captured_again_is_the_same_session(leaky: Bench) -> None:
    leaky.operator.upkeep.redact_secrets()
    said = (("user", SAID), ("assistant", f"I ran curl -H 'Authorization: token {TOKEN}'"))
    assert leaky.capture(*said, ("user", "more")).items[0].outcome == "grown"


def test_only_the_operator_may_rewrite_what_is_stored(leaky: Bench) -> None:
    with pytest.raises(RefusedByPolicy):
        leaky.agent.upkeep.redact_secrets()


@pytest.mark.parametrize(
    ("old", "new", "span", "piece"),
    [
        ("a SECRET b", "a [REDACTED:x:12345678] b", (2, 8), "[REDACTED:x:12345678]"),
        ("a SECRET b", "a [REDACTED:x:12345678] b", (9, 10), "b"),
        ("a SECRET b", "a [REDACTED:x:12345678] b", (0, 1), "a"),
        ("a SECRET b", "a [PURGED] b", (0, 10), "a [PURGED] b"),
        ("a SECRET b", "a [PURGED] b", (4, 6), "[PURGED]"),
        ("SECRET", "[PURGED]", (0, 6), "[PURGED]"),
        ("x S y S z", "x [PURGED] y [PURGED] z", (4, 9), "y [PURGED] z"),
    ],
)
def test_a_piece_is_found_again_after_words_were_put_in(
    old: str, new: str, span: tuple[int, int], piece: str
) -> None:
    start, end = move_span(old, new, *span)
    assert new[start:end] == piece


def test_the_command_filters_a_text_and_scans_a_store(
    memctl: Callable[..., Ran], db: Path, tmp_path: Path
) -> None:
    filtered = memctl("redact", "-", stdin=f"the token is {TOKEN}, he said\n")
    assert (
        filtered.code == 0
        and filtered.stdout.startswith("the token is [REDACTED:github:")
        and filtered.stdout.endswith(", he said\n")
    )
    note = tmp_path / "note.txt"
    note.write_text(f"password={PASSWORD}")
    assert memctl("redact", str(note), "--json").data["kinds"] == {"password": 1}
    memctl("init")
    assert memctl("redact", "--scan").code == 0
    assert memctl("redact").code == 2 and memctl("redact", "--apply", "-").code == 2


def test_a_key_is_made_once_and_is_private(db: Path) -> None:
    first = store_key.load_key(db)
    assert first is not None and len(first) == store_key.KEY_BYTES
    store_key._KEYS.clear()
    assert store_key.load_key(db) == first
    assert store_key.locate_key(db).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in db.parent.iterdir()] == [store_key.locate_key(db).name]


def test_where_no_key_can_be_made_placeholders_carry_no_hash(tmp_path: Path) -> None:
    assert store_key.load_key(tmp_path / "missing" / "m.db") is None
    damaged = tmp_path / "m.db"
    store_key.locate_key(damaged).write_bytes(b"short")
    assert store_key.load_key(damaged) is None
