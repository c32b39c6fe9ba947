"""Only `init`, `setup` and a person's first write make a store; elsewhere the rest say so."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memctl.core.errors import NoStore
from memctl.core.model import Actor, NewMemory
from memctl.engine.memory_engine import MemoryEngine
from memctl.settings import synced_folders
from memctl.settings.config import load_config
from memctl.store import spool

FACT = NewMemory(type="project", content="The tide cache is a SQLite file", scope="global")
TRANSCRIPT = json.dumps(
    {
        "type": "user",
        "uuid": "u1",
        "sessionId": "5e551011-0000-4000-8000-00000000000a",
        "promptSource": "typed",
        "message": {"role": "user", "content": "Use pnpm, never npm."},
    }
).encode()


@pytest.mark.parametrize(
    "words",
    [
        ("maintain",),
        ("maintain", "--steps"),
        ("maintain", "--dry-run"),
        ("search", "tide"),
        ("context",),
        ("list",),
        ("status",),
        ("doctor",),
        ("consolidate",),
        ("backup",),
        ("export",),
        ("promote", "01JV"),
        ("forget", "01JV"),
        ("pin", "01JV"),
        ("project", "list"),
        ("log",),
    ],
)
def test_without_a_store_a_command_says_so_and_makes_none(
    memctl: Callable, db: Path, words: tuple[str, ...]
) -> None:
    done = memctl(*words)
    assert done.code == 10 and "memctl init" in done.stderr and "MEMCTL_DB" in done.stderr
    assert not db.exists()


def test_an_agent_does_not_begin_a_store(db: Path) -> None:
    with MemoryEngine.open(db, actor="agent:claude-code") as engine, pytest.raises(NoStore):
        engine.ingest([FACT])
    assert not db.exists()


@pytest.mark.parametrize("actor", ["operator", "agent:unknown"])
def test_a_persons_first_write_begins_a_store(db: Path, actor: str) -> None:
    with MemoryEngine.open(db, actor=actor) as engine:
        engine.ingest([FACT])
    assert db.is_file()


def test_what_an_agent_captures_before_there_is_a_store_waits_for_one(db: Path) -> None:
    with MemoryEngine.open(db, actor="agent:claude-code") as engine:
        report = engine.capture_session(TRANSCRIPT)
    assert report.state == "spooled" and not db.exists()
    config = load_config(db)
    assert len(spool.list_files(config, "capture")) == 1
    with MemoryEngine(config, Actor("operator")) as engine:
        engine.init()
        engine.maintain()
    assert spool.list_files(config, "capture") == []


def test_setup_makes_the_store_that_its_hooks_write_to(db: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.setup.connect(["claude-code"], dry_run=True)
        assert not db.exists()
        engine.setup.connect(["claude-code"])
    assert db.is_file()


SYNCED = {
    "Dropbox": "Dropbox",
    "Dropbox (Harbor Office)": "Dropbox",
    "OneDrive - Harbor": "OneDrive",
    "Google Drive": "Google Drive",
    "Nextcloud": "Nextcloud",
    "ownCloud": "ownCloud",
    "Library/Mobile Documents/com~apple~CloudDocs": "iCloud",
    "Library/CloudStorage/Box-Box": "a cloud drive",
    "Sync": "Syncthing",
}


@pytest.mark.parametrize(("folder", "service"), SYNCED.items())
def test_init_and_doctor_warn_of_a_store_that_a_service_copies(
    memctl: Callable, tmp_path: Path, folder: str, service: str
) -> None:
    path = tmp_path / folder / "notes" / "memory.db"
    done = memctl("--db", path, "init")
    assert done.code == 0 and f"copied to other machines by {service}" in done.stdout
    checks = memctl("--db", path, "doctor", "--json").data["checks"]
    assert [check["state"] for check in checks if check["name"] == "sync"] == ["problem"]


def test_a_folder_of_syncthing_is_known_by_its_mark(tmp_path: Path) -> None:
    (tmp_path / ".stfolder").mkdir()
    assert synced_folders.find_sync_service(tmp_path / "a" / "b") == "Syncthing"


@pytest.mark.parametrize(
    "name", ["Dropboxes", "OneDriver", "dropbox", "harbor", "iCloudy", "Sync-notes", "sync"]
)
def test_a_folder_that_is_only_called_alike_is_none(tmp_path: Path, name: str) -> None:
    assert synced_folders.find_sync_service(Path("/home/ada") / name) is None


CONFLICTS = (
    "memory (Ada's conflicted copy 2026-01-02).db",
    "memory (conflicted copy 2026-01-02 030405).db",
    "memory (1).db",
    "memory.sync-conflict-20260102-030405-ABCDEFG.db",
    "memory_conflict-20260102-030405.db",
    "memory 2.db",
)


def test_doctor_names_the_copies_that_a_service_made(memctl: Callable, db: Path) -> None:
    memctl("init")
    for name in (*CONFLICTS, "memory.db.bak", "memory-old.db", "memories 2.db"):
        (db.parent / name).touch()
    assert synced_folders.list_conflict_copies(db) == sorted(CONFLICTS)
    done = memctl("doctor")
    assert done.code == 1 and f"{len(CONFLICTS)} copies that a service made" in done.stdout


def test_init_says_that_a_temporary_folder_is_no_project(memctl: Callable, db: Path) -> None:
    scratch = Path(os.environ["TMPDIR"])
    scratch.mkdir(exist_ok=True)
    done = memctl("init", "--project", scratch)
    assert done.code == 0 and "was not registered" in done.stdout


def test_doctor_names_what_is_wrong_with_the_settings(
    memctl: Callable, db: Path, tmp_path: Path
) -> None:
    memctl("init")
    (tmp_path / "wrong.yaml").write_text("search:\n  limit: -5\n")
    wrong = {"MEMCTL_CONFIG": str(tmp_path / "wrong.yaml")}
    done = memctl("doctor", env=wrong)
    assert done.code == 1 and "search.limit must be a whole number from 1 to 1000" in done.stdout
    assert memctl("search", "tide", env=wrong).code == 2


def test_doctor_names_a_relative_folder_of_xdg(memctl: Callable, home: Path) -> None:
    odd = {"XDG_DATA_HOME": "rel"}
    assert memctl("init", env=odd).code == 0
    assert (home / ".local/share/memctl/memory.db").is_file()
    assert "XDG_DATA_HOME is the relative path" in memctl("doctor", env=odd).stdout
