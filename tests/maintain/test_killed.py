"""Real maintenance in real processes: killed at any moment the next one goes on, and several at
once come to what one comes to.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from bench import jsonl

from memctl.core.model import Actor, Filter, NewMemory
from memctl.engine.memory_engine import MemoryEngine
from memctl.readers.base import Input
from memctl.settings import config
from memctl.store import (
    event_log,
    evidence,
    links,
    maintenance_steps,
    queue,
    records,
    sources,
    spool,
    upkeep,
)
from memctl.store.database import Database
from memctl.store.migrate import open_store

TOOLS = (
    "kiln",
    "glaze",
    "wheel",
    "clay",
    "slip",
    "sieve",
    "press",
    "oven",
    "brush",
    "mould",
    "rack",
    "pump",
)
COMMAND = (sys.executable, "-m", "memctl", "maintain", "--json")


def furnish(folder: Path, sessions: int) -> Path:
    """A store with sessions that wait in the queue and in the spool, and records that have had
    their time; and its twin.
    """
    path = folder / "memory.db"
    settings = config.load_config(path)
    with MemoryEngine(settings, Actor("agent:claude-code")) as engine:
        for number in range(sessions):
            given = jsonl(*told(number), session=f"5e551011-0000-4000-8000-{number:012d}")
            if number % 4 == 3:
                spool.write_file(
                    settings,
                    "capture",
                    {
                        "text": given.decode(),
                        "trigger": "hook",
                        "actor": "agent:claude-code",
                        "agent": "claude-code",
                        "session_id": None,
                    },
                )
            else:
                engine.capture_session(Input(data=given))
    with MemoryEngine(settings, Actor("operator")) as engine:
        engine.ingest(
            [
                NewMemory(
                    "project", f"The {tool} was rented until spring", valid_until="2020-01-01"
                )
                for tool in TOOLS[:3]
            ]
        )
        engine.ingest(
            [
                NewMemory("project", f"Deploys of the {tool} service go out on {tool} days")
                for tool in TOOLS[:3]
            ]
        )
    return path


DECIDED = (
    "We decided to use SQLite for the ledger because one file is easy to copy.",
    "We decided to write the parser by hand because the grammar is tiny.",
    "We decided to keep invoices as PDF because the accountant prints them.",
    "We decided to run the crawler at night because the site is slow by day.",
    "We decided to host the forum in Lisbon because most readers live there.",
    "We decided to drop Windows support because nobody asked for it.",
    "We decided to sign releases with minisign because gpg confuses people.",
    "We decided to paginate the gallery because thumbnails took too long.",
)


def told(number: int) -> Iterable[tuple[str, str]]:
    """A session; every decision is made in two of them."""
    yield "user", DECIDED[number % len(DECIDED)]
    yield (
        "assistant",
        f"Understood; I changed the {TOOLS[number % len(TOOLS)]} module and its tests pass.",
    )
    yield "user", "Always run make check before you push."


def maintained(*more: str, **variables: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *more],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(path: Path) -> None:
    """Maintain until nothing waits any more."""
    for _ in range(6):
        done = maintained(MEMCTL_DB=str(path))
        out, err = done.communicate(timeout=120)
        assert done.returncode == 0, (out, err)
        if b'"jobs_waiting": 0' in out and b'"unfinished"' not in out:
            return


def picture(path: Path) -> tuple[Counter[object], Counter[object]]:
    """What memory holds, whatever its ids: records with how much stands behind them, and how
    they are linked.
    """
    db = open_store(path, create=False)
    try:
        found = {memory.id: memory for memory in records.select_records(db, Filter())}
        proof = {
            memory_id: {
                (item.source_id, item.quote) for item in evidence.list_of_memory(db, memory_id)
            }
            for memory_id in found
        }
        assert all(
            len(evidence.list_of_memory(db, memory_id)) == len(told)
            for memory_id, told in proof.items()
        ), "evidence stands there twice"
        between = {link for memory_id in found for link in links.list_of_memory(db, memory_id)}
        linked = Counter[object](
            (link.relation, found[link.from_id].content, found[link.to_id].content)
            for link in between
        )
        return Counter(
            (m.type, m.content, m.status, len(proof[m.id])) for m in found.values()
        ), linked
    finally:
        db.close()


def sound(db: Database, settings: config.Config) -> None:
    """Nothing is lost, done twice, half done or left behind."""
    assert {job.state for job in queue.list_recent(db, limit=999)} == {"done"}
    extracted = [
        job.source_id for job in queue.list_recent(db, limit=999) if job.processor == "extract"
    ]
    assert len(extracted) == len(set(extracted))
    # What a kill left half-written beside the copies is removed once it is a day old.
    assert spool.list_files(settings) == [] and all(
        ".tmp" in path.name for path in settings.backups.glob(".*")
    )
    assert (
        event_log.find_broken_links(db) == []
        and upkeep.find_structure_faults(db) == []
        and upkeep.index_is_sound(db)
    )
    assert maintenance_steps.list_running(db) == []


def copy_of(path: Path, folder: Path) -> Path:
    """The same store again, spool and all."""
    import shutil

    folder.mkdir()
    shutil.copytree(path.parent, folder / "store")
    return folder / "store" / path.name


@pytest.mark.proof
def wait_until_at_work(path: Path, run: subprocess.Popen[bytes]) -> None:
    """Wait until a run has claimed a step, or has ended."""
    db = open_store(path, create=False)
    try:
        while run.poll() is None and run.pid not in claiming_processes(db):
            time.sleep(0.01)
    finally:
        db.close()


def claiming_processes(db: Database) -> set[object]:
    return {row.outcome.get("pid") for row in maintenance_steps.list_running(db)}


def test_killed_at_any_moment_the_next_run_goes_on_and_comes_to_the_same(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    one = furnish(tmp_path / "a", sessions=16)
    other = copy_of(one, tmp_path / "b")
    finish(one)
    dice = random.Random(7)
    killed = 0
    for _ in range(14):
        run = maintained(MEMCTL_DB=str(other))
        wait_until_at_work(other, run)
        time.sleep(dice.random() * 0.4)
        killed += run.poll() is None
        run.kill()
        run.communicate()
    assert killed >= 3, "the runs ended before they could be killed"
    finish(other)
    assert picture(other) == picture(one)
    db = open_store(other, create=False)
    try:
        sound(db, config.load_config(other))
        assert len(sources_of(db)) == 16
    finally:
        db.close()


def sources_of(db: Database) -> set[str]:
    return {
        job.source_id
        for job in queue.list_recent(db, limit=999)
        if job.source_id and sources.get_source(db, job.source_id).turn_count
    }


@pytest.mark.proof
def test_four_at_once_come_to_what_one_comes_to(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    one = furnish(tmp_path / "a", sessions=12)
    other = copy_of(one, tmp_path / "b")
    finish(one)
    runs = [maintained(MEMCTL_DB=str(other)) for _ in range(4)]
    for run in runs:
        out, err = run.communicate(timeout=180)
        assert run.returncode == 0, (out, err)
    assert picture(other) == picture(one)
    db = open_store(other, create=False)
    try:
        sound(db, config.load_config(other))
        assert len(list(config.load_config(other).backups.glob("*.db"))) == 1
    finally:
        db.close()
