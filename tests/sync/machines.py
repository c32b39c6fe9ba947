"""Real stores that follow one another, with the places between them in memory.

Each machine has its own clock, which may be days off, and its own sequence of changes. What it
wrote for others is a list; others read of it what a test lets through.
"""

from __future__ import annotations

import io
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from memctl.core import clock, timestamps
from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import replace
from memctl.core.model import Actor, Filter, Memory, NewMemory
from memctl.engine.memory_engine import MemoryEngine
from memctl.history import rebuild
from memctl.maintain.checks import records as check_records
from memctl.settings import config
from memctl.store import event_log, links, records, sync_changes
from memctl.store.database import Database
from memctl.sync import applying, shared_export
from memctl.sync.applying import ReceivedChange
from memctl.sync.collecting import Collector
from memctl.sync.sharing import name_own_stream
from memctl.sync.stored_graph import build_change

_START = 1_770_000_000.0


class World:
    """The time that passes everywhere, and ids that a seed decides."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
        self.chance = random.Random(seed)
        self._seconds = _START
        self._offset = 0.0
        monkeypatch.setattr(clock, "_read_seconds", self._read)
        monkeypatch.setattr(clock, "sleep", lambda seconds: None)
        monkeypatch.setattr(clock.os, "urandom", self.chance.randbytes)

    def _read(self) -> float:
        self._seconds += 0.005
        return self._seconds + self._offset

    def pass_time(self, seconds: float) -> None:
        self._seconds += seconds

    @contextmanager
    def clock_of(self, offset: float) -> Iterator[None]:
        before, self._offset = self._offset, offset
        try:
            yield
        finally:
            self._offset = before

    @property
    def now(self) -> str:
        return timestamps.format_iso(self._seconds + self._offset)


class Machine:
    """One store of a member."""

    def __init__(
        self, world: World, folder: Path, name: str, *, member: str = "ada", offset: float = 0.0
    ) -> None:
        self.world, self.name, self.member, self.offset = world, name, member, offset
        self.path = folder / name / "memory.db"
        self.path.parent.mkdir(parents=True)
        self.config = config.load_config(self.path, env={"HOME": str(folder / name)})
        values = {**self.config.values, "backup.every_days": 0, "embedding.model": "none"}
        self.config = replace(self.config, values=values)
        self.engine = MemoryEngine(self.config, Actor("operator"))
        self.engine.create_store()
        self.replica = f"replica of {name}"

    def close(self) -> None:
        self.engine.close()

    def keep_backup(self) -> Path:
        """A copy of the store as it is."""
        self.close()
        copy = self.path.with_suffix(".kept")
        shutil.copy(self.path, copy)
        return copy

    def put_back(self, copy: Path) -> None:
        """The store of an old copy; it knows itself by a new name from then on."""
        self.close()
        for each in self.path.parent.glob("memory.db-*"):
            each.unlink()
        shutil.copy(copy, self.path)
        self.engine = MemoryEngine(self.config, Actor("operator"))
        self.replica += ", put back"

    @property
    def db(self) -> Database:
        return self.engine.open_to_write()

    @contextmanager
    def at_work(self) -> Iterator[MemoryEngine]:
        """What happens by the clock of this machine."""
        with self.world.clock_of(self.offset):
            yield self.engine

    def say(self, content: str, type_: str = "project", **given: object) -> Memory:
        item = NewMemory(type_, content, **given)  # type: ignore[arg-type]
        with self.at_work() as engine:
            return engine.ingest([item]).items[0].record.memory

    def get(self, memory: Memory | str) -> Memory:
        return records.get_record(self.db, memory if isinstance(memory, str) else memory.id)

    def find(self, memory: Memory | str) -> Memory | None:
        return records.find_record(self.db, memory if isinstance(memory, str) else memory.id)

    def all(self, *statuses: str) -> list[Memory]:
        found = records.select_records(self.db, Filter(statuses=statuses))
        return sorted(found, key=lambda memory: memory.id)

    def collector(self) -> Collector:
        return Collector(self.db, self.config, replica=self.replica, member=self.member)

    def collect(self) -> None:
        with self.at_work():
            self.collector().collect_all(BoundedWork())

    def send(self, streams: Sequence[str] | None = None) -> list[ReceivedChange]:
        """All that this machine has to say to others in some streams (its own ones by default)."""
        self.collect()
        wanted = [name_own_stream(self.member)] if streams is None else streams
        return [
            ReceivedChange(stream, self.replica, each.number, build_change(each))
            for stream in wanted
            for each in sync_changes.list_range(self.db, stream, self.replica, 1, 2**52)
        ]

    def choose_new(self, received: Sequence[ReceivedChange]) -> list[ReceivedChange]:
        """Those beyond what is here already."""
        have = sync_changes.read_vector(self.db)
        return [each for each in received if each.number > have.get((each.stream, each.replica), 0)]

    def take(self, received: Sequence[ReceivedChange]) -> dict[str, int]:
        with self.at_work():
            return dict(
                applying.take_changes(
                    self.db, self.config, self.member, self.collector(), received
                ).counts
            )

    def export(self) -> str:
        out = io.StringIO()
        shared_export.write_shared_export(self.db, self.member, out)
        return out.getvalue()

    def check(self) -> None:
        """Nothing that doctor finds wrong with the records: the log leads to the tables."""
        assert rebuild.find_differences(self.db) == []
        assert event_log.find_broken_links(self.db) == []
        for check in (check_records.check_hashes, check_records.check_rows):
            found = [each.check for each in check(self.db, self.config)]
            assert [each for each in found if each.state == "problem"] == []

    def list_conflicts(self) -> set[frozenset[str]]:
        found = links.list_open_contradictions(self.db)
        return {frozenset((each.from_id, each.to_id)) for each in found}


def meet(*machines: Machine, rounds: int = 2, streams: Sequence[str] | None = None) -> None:
    """Let machines tell each other everything."""
    for _ in range(rounds):
        told = [(each, each.send(streams)) for each in machines]
        for one in machines:
            for other, changes in told:
                if other is not one:
                    one.take(changes)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch, 18)


@pytest.fixture
def open_machine(world: World, tmp_path: Path) -> Iterator[Callable[..., Machine]]:
    made: list[Machine] = []

    def open_one(name: str, **given: object) -> Machine:
        made.append(Machine(world, tmp_path, name, **given))  # type: ignore[arg-type]
        return made[-1]

    yield open_one
    for each in made:
        each.close()
