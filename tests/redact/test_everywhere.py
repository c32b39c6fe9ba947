"""One secret of each of many kinds is planted in every field of every way in, and then looked
for in every file that memctl wrote.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import jsonl
from conftest import Ran
from corpus import SECRETS
from drawing import Sample, sample

from memctl.core.errors import MemctlError, StoreLocked
from memctl.core.model import Actor, EntityRef, NewMemory, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.hook import run_hook
from memctl.readers.base import Input
from memctl.settings.config import load_config
from memctl.store import spool

# Kinds that are known by themselves, and kinds that only what stands before them gives away.
KINDS = (
    "github classic",
    "anthropic",
    "aws access key",
    "slack bot",
    "jwt",
    "pkcs8 key",
    "postgres url",
    "env password",
    "bearer",
    "stripe secret",
)
PLANTED: dict[str, Sample] = {}


def plant(where: str, kind: str = "github classic") -> str:
    """A secret that stands nowhere else, in the words that it is usually found in."""
    return PLANTED.setdefault(where, sample(SECRETS[kind], where)).text


def bare(where: str) -> str:
    """A token by itself, as it may stand in a name or a path."""
    return PLANTED.setdefault(where, sample("⟦ghp_«A36»⟧", where)).text


@pytest.fixture
def engine(db: Path, home: Path) -> MemoryEngine:
    PLANTED.clear()
    return MemoryEngine(load_config(db), Actor("operator"))


def told(engine: MemoryEngine, folder: Path) -> None:
    """Every kind in every field of a captured session, as a file, piped, in the spool and with
    the raw text kept.
    """
    engine.config = engine.config.__class__(
        {**engine.config.values, "capture.keep_raw": True},
        engine.config.origins,
        engine.config.path,
        engine.config.db,
    )
    said = [("user", f"fact it runs with {plant(f'turn {kind}', kind)}") for kind in KINDS]
    said += [("assistant", f"claim noted {plant(f'answer {kind}', kind)}") for kind in KINDS]
    lines = [json.loads(line) for line in jsonl(*said, cwd=f"{folder}/{bare('cwd')}").splitlines()]
    for line in lines:
        line |= {
            "gitBranch": f"fix-{bare('branch')}",
            "sessionId": bare("session id"),
            "version": bare("version"),
        }
    use = {
        "type": "tool_use",
        "id": f"toolu_{bare('call id')}",
        "name": "Bash",
        "input": {"command": plant("tool input", "curl user")},
    }
    lines.append(
        {
            **lines[-1],
            "uuid": "t1",
            "type": "assistant",
            "message": {"id": "t", "role": "assistant", "content": [use]},
        }
    )
    result = {
        "type": "tool_result",
        "tool_use_id": use["id"],
        "content": plant("tool result", "openai project"),
    }
    lines.append(
        {
            **lines[-1],
            "uuid": "t2",
            "type": "user",
            "message": {"role": "user", "content": [result]},
        }
    )
    lines.append({"type": "summary", "summary": f"About {bare('title')}", "leafUuid": "u1"})
    lines.append({"type": bare("unknown kind"), "sessionId": "s"})
    raw = "\n".join(map(json.dumps, lines)).encode()
    file = folder / bare("folder name") / f"{bare('file name')}.jsonl"
    file.parent.mkdir()
    file.write_bytes(raw)
    engine.capture_session(
        file, agent=None, session_id=bare("given session"), trigger="capture-session"
    )
    engine.capture_conversation(
        Input(data=f"# Notes\n\nUse {plant('notes', 'gitlab personal')} here, always.\n".encode())
    )
    for piped in (b"neither this nor that", plant("unreadable", "npm").encode()):
        with pytest.raises(MemctlError):
            engine.capture_session(Input(data=piped * 3), agent=bare("agent name"))


def spooled(engine: MemoryEngine, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A capture, and a request, that wait beside a store which is busy."""

    def busy() -> object:
        raise StoreLocked("busy")

    with monkeypatch.context() as then:
        then.setattr(engine, "open_or_create", busy)
        engine.capture_session(
            Input(
                data=jsonl(
                    ("user", f"fact {plant('spooled', 'digitalocean')}"),
                    session=bare("spooled session"),
                )
            )
        )
    engine.captures.request(
        folder / "later.jsonl",
        agent=bare("requested agent"),
        session_id=bare("requested session"),
        trigger=bare("requested trigger"),
        said=[("user", plant("said", "hugging face"))],
    )


def hooked(db: Path, folder: Path) -> None:
    """Calls of hooks, good and bad."""
    transcript = folder / "hooked.jsonl"
    transcript.write_bytes(
        jsonl(("user", f"fact {plant('hooked', 'linear')}"), session=bare("hooked session"))
    )
    call = {
        "session_id": bare("hooked session"),
        "transcript_path": str(transcript),
        "cwd": str(folder),
    }
    for event, more in (
        ("SessionEnd", {}),
        ("UserPromptSubmit", {"prompt": f"why does {plant('prompt', 'replicate')} fail"}),
        ("Stop", {"last_assistant_message": plant("last message", "grafana")}),
        (bare("event"), {}),
        (
            "SessionEnd",
            {"transcript_path": f"/{bare('missing file')}", "session_id": bare("missing session")},
        ),
    ):
        run_hook(
            "claude-code",
            event,
            json.dumps({**call, "hook_event_name": event, **more}).encode(),
            db,
        )
    run_hook(bare("hook agent"), "Stop", b"{}", db)
    run_hook("claude-code", "Stop", plant("no json", "notion").encode(), db)


def written(engine: MemoryEngine) -> str:
    """Records by hand, changed in every way; the id of one."""
    item = NewMemory(
        "decision",
        plant("content", "sendgrid"),
        kind="decision",
        title=bare("item title"),
        summary=plant("summary", "vault"),
        rationale=plant("rationale", "pinecone"),
        alternatives=(plant("alternative", "groq"),),
        subject=bare("subject"),
        entities=(EntityRef("tool", bare("entity")),),
        source_ref=bare("source ref"),
        quote=plant("quote", "xai"),
        scope="global",
    )
    made = engine.ingest([item]).items[0].record.memory
    other = engine.ingest(
        [
            NewMemory(
                "project",
                "Tests run with pytest -q",
                scope="session",
                session_id=bare("record session"),
            )
        ]
    )
    engine.upsert_profile_fact(bare("profile key"), plant("profile value", "json password"))
    engine.records.edit(
        made.id,
        {"content": plant("edited", "planetscale"), "title": bare("edited title")},
        reason=plant("edit reason", "pulumi"),
    )
    engine.records.link(
        made.id, "supports", other.items[0].record.memory.id, reason=plant("link reason", "sonar")
    )
    new = engine.records.correct(
        made.id,
        plant("corrected", "figma"),
        reason=plant("correct reason", "doppler"),
        rationale="because",
    )
    engine.forget([new.changed[0].memory.id], reason=plant("forget reason", "airtable"))
    engine.views.save(
        "planted",
        "search",
        {"query": plant("view query", "telegram"), "project": bare("view project")},
    )
    return made.id


def asked(engine: MemoryEngine, folder: Path) -> None:
    """Searches and contexts, with and without a busy store."""
    place = engine.place(None, session=bare("asking session"))
    engine.search(Query(plant("search", "discord bot"), place))
    engine.context_for(place=place, task=plant("task", "twilio key"))
    engine.write_logs()
    engine.init(project=folder / bare("project folder"))


def carried(engine: MemoryEngine, folder: Path) -> None:
    """An export of another memory that was never redacted."""
    engine.export(folder / "out.jsonl")
    lines = (folder / "out.jsonl").read_text().splitlines()
    changed = [
        line.replace("Tests run with pytest -q", plant("imported", "databricks")) for line in lines
    ]
    (folder / "in.jsonl").write_text("\n".join(changed) + "\n")
    other = MemoryEngine(load_config(folder / "store" / "other.db"), Actor("operator"))
    other.import_(folder / "in.jsonl")
    other.close()


def left(folder: Path) -> list[str]:
    """What is left of any planted secret in any file, and where."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        raw = path.read_bytes()
        for where, planted in PLANTED.items():
            for secret in planted.secrets:
                tail = secret[len(secret) // 3 :].encode()
                if any(tail[at : at + 12] in raw for at in range(0, max(1, len(tail) - 11), 4)):
                    found.append(f"{where} in {path.name}")
    return found


def test_no_byte_of_any_secret_is_in_any_file(
    engine: MemoryEngine,
    db: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    memctl: Callable[..., Ran],
) -> None:
    told(engine, tmp_path)
    hooked(db, tmp_path)
    written(engine)
    asked(engine, tmp_path)
    spooled(engine, tmp_path, monkeypatch)
    engine.maintain()
    carried(engine, tmp_path)
    exported = (tmp_path / "out.jsonl").read_text()
    assert exported.count("[REDACTED:") > 50 and (tmp_path / "store" / "other.db").exists()
    (tmp_path / "store" / "export.jsonl").write_text(exported)
    engine.upkeep.backup()
    assert left(tmp_path / "store") == []
    engine.close()
    assert left(tmp_path / "store") == []
    assert len(PLANTED) > 60


def test_what_waits_in_the_spool_holds_none_either(
    engine: MemoryEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.init()
    spooled(engine, tmp_path, monkeypatch)
    assert len(spool.list_files(engine.config)) == 2
    assert left(tmp_path / "store") == []


def test_the_key_itself_is_neither_exported_nor_backed_up(
    engine: MemoryEngine, tmp_path: Path
) -> None:
    engine.ingest([NewMemory("project", plant("keyed"), scope="global")])
    from memctl.redact import store_key

    key = store_key.load_key(engine.config.db)
    assert key is not None
    text = engine.export().text or ""
    copy = Path(engine.upkeep.backup().path or "")
    assert (
        key.hex() not in text
        and key not in copy.read_bytes()
        and not store_key.locate_key(copy).exists()
    )


def test_an_error_of_the_config_reaches_the_log_without_the_secret(
    db: Path, home: Path, engine: MemoryEngine
) -> None:
    engine.init()
    folder = home / ".config" / "memctl"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(f"capture:\n  keep_raw: {bare('setting')}\n")
    run_hook("claude-code", "Stop", b"{}", db)
    assert "ConfigError" in (db.parent / "hook.log").read_text()
    assert left(db.parent) == []
    assert os.listdir(folder) == ["config.yaml"]


def test_an_import_is_cleansed_in_every_column(
    engine: MemoryEngine, tmp_path: Path, db: Path
) -> None:
    (tmp_path / "kiln").mkdir()
    engine.init(project=tmp_path / "kiln")
    engine.capture_session(
        Input(data=jsonl(("user", "fact the kiln is old"), ("assistant", "noted")))
    )
    made = (
        engine.ingest(
            [
                NewMemory(
                    "project",
                    "Tests run with pytest -q",
                    scope="global",
                    entities=(EntityRef("tool", "pytest"),),
                )
            ]
        )
        .items[0]
        .record.memory
    )
    other = (
        engine.ingest([NewMemory("project", "Tides are printed", scope="global")])
        .items[0]
        .record.memory
    )
    engine.records.link(made.id, "supports", other.id, reason="so it is")
    engine.records.edit(made.id, {"subject": "testing"}, reason="clearer")
    engine.forget([other.id], reason="no longer")
    engine.views.save("tides", "search", {"query": "tides"})
    engine.export(tmp_path / "out.jsonl")
    free = {
        "projects": ("name", "root_path"),
        "sources": ("agent", "session_id", "path", "title", "cwd", "git_branch", "unknown"),
        "memories": (
            "status_reason",
            "title",
            "content",
            "summary",
            "subject",
            "rationale",
            "source_ref",
            "alternatives",
        ),
        "evidence": ("quote", "speaker"),
        "links": ("reason", "actor"),
        "entities": ("name",),
        "stream": ("after", "actor", "cause"),
        "tombstones": ("reason", "actor"),
        "saved_views": ("name", "definition"),
        "ingestion_events": ("trigger", "actor", "error", "outcome"),
        "source_parts": ("turns",),
        "aliases": ("value",),
        "repos": ("name", "root_path", "remote_url"),
    }
    lines = []
    for number, line in enumerate((tmp_path / "out.jsonl").read_text().splitlines()):
        row = json.loads(line)
        for column in free.get(row.get("section", ""), ()):
            where = f"{row['section']}.{column} {number}"
            old = row.get(column)
            if column == "turns":
                old[0] |= {
                    "text": plant(f"{where} text", "anthropic"),
                    "speaker": bare(f"{where} speaker"),
                    "tool": bare(f"{where} tool"),
                }
            else:
                row[column] = (
                    {**old, "x": bare(where)}
                    if isinstance(old, dict)
                    else [bare(where)]
                    if isinstance(old, list)
                    else bare(where)
                )
        lines.append(json.dumps(row))
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    folder = tmp_path / "fresh"
    folder.mkdir()
    with MemoryEngine(load_config(folder / "m.db"), Actor("operator")) as fresh:
        fresh.import_(tmp_path / "in.jsonl")
    assert len(PLANTED) > 25 and b"[REDACTED:" in (folder / "m.db").read_bytes()
    assert left(folder) == []
