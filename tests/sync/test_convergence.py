"""Stores that changed the same records, apart and together: equal at the end, and nothing lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memctl.core.errors import MemctlError
from memctl.core.model import Memory, Place
from memctl.store import event_log
from memctl.sync.applying import ReceivedChange
from tests.killing import Killed, play_another_process
from tests.sync.machines import Machine, World

DAYS = 86400.0
WORDS = ("kiln", "oven", "wheel", "glaze", "clay", "shelf")
# A purge is answered with what holds of records that lost words by it, and that once more.
MOST_ROUNDS = 12
LIVING = ("active", "contradicted", "inbox")


class Life:
    """What a person does on several machines that now and then tell each other of it."""

    def __init__(self, world: World, machines: list[Machine]) -> None:
        self.world, self.machines = world, machines
        self.chance = world.chance
        self.sent: dict[str, list[ReceivedChange]] = {each.name: [] for each in machines}
        self.said: set[str] = set()
        self.purged: set[str] = set()
        self.did: list[str] = []

    def live(self, steps: int) -> None:
        for _ in range(steps):
            machine = self.chance.choice(self.machines)
            if self.chance.random() < 0.3:
                self.tell(machine, self.chance.choice(self.machines))
            else:
                self.act(machine)
            self.world.pass_time(self.chance.choice([0.1, 60, 5000]))

    def act(self, machine: Machine) -> None:
        acts: list[Callable[[Machine], object]] = [
            *[self.say] * 4,
            *[self.edit] * 4,
            self.forget,
            self.reject,
            self.tag,
            self.pin,
            self.undo,
            self.correct,
            self.merge,
            self.contradict,
            self.resolve,
            self.consolidate,
            self.revert,
        ]
        if self.chance.random() < 0.04:
            acts = [self.purge]
        chosen = self.chance.choice(acts)
        try:
            chosen(machine)
        except MemctlError as error:
            self.did.append(f"{machine.name} {chosen.__name__}: {error}")
        else:
            self.did.append(f"{machine.name} {chosen.__name__}")

    def pick(self, machine: Machine, *statuses: str) -> Memory | None:
        found = machine.all(*(statuses or LIVING))
        return self.chance.choice(found) if found else None

    def compose(self) -> str:
        one, other = self.chance.sample(WORDS, 2)
        return f"The {one} beside the {other} is number {self.chance.randrange(40)} today"

    def say(self, machine: Machine) -> None:
        said = machine.say(self.compose())
        self.said.add(said.content)

    def edit(self, machine: Machine) -> None:
        if memory := self.pick(machine):
            content = self.compose()
            with machine.at_work() as engine:
                engine.records.edit(memory.id, {"content": content})

    def forget(self, machine: Machine) -> None:
        if memory := self.pick(machine):
            with machine.at_work() as engine:
                engine.forget([memory.id], reason="over")

    def reject(self, machine: Machine) -> None:
        if memory := self.pick(machine):
            with machine.at_work() as engine:
                engine.inbox.decide(reject=[memory.id])

    def tag(self, machine: Machine) -> None:
        if memory := self.pick(machine):
            key = self.chance.choice(["add_tags", "drop_tags"])
            with machine.at_work() as engine:
                engine.records.edit(memory.id, {key: [self.chance.choice(["a", "b"])]})

    def pin(self, machine: Machine) -> None:
        if memory := self.pick(machine):
            with machine.at_work() as engine:
                if memory.protected:
                    engine.records.unpin([memory.id])
                else:
                    engine.records.pin([memory.id])

    def undo(self, machine: Machine) -> None:
        with machine.at_work() as engine:
            engine.undo()

    def revert(self, machine: Machine) -> None:
        if memory := self.pick(machine, "active", "archived", "superseded", "contradicted"):
            with machine.at_work() as engine:
                engine.revert(memory.id)

    def correct(self, machine: Machine) -> None:
        if memory := self.pick(machine):
            with machine.at_work() as engine:
                engine.records.correct(memory.id, self.compose())

    def merge(self, machine: Machine) -> None:
        one, other = self.pick(machine), self.pick(machine)
        if one and other and one.id != other.id:
            with machine.at_work() as engine:
                engine.records.merge(one.id, other.id)

    def contradict(self, machine: Machine) -> None:
        one, other = self.pick(machine), self.pick(machine)
        if one and other and one.id != other.id:
            with machine.at_work() as engine:
                engine.records.link(one.id, "contradicts", other.id)

    def resolve(self, machine: Machine) -> None:
        conflicts = sorted(map(sorted, machine.list_conflicts()))
        if conflicts:
            pair = self.chance.choice(conflicts)
            with machine.at_work() as engine:
                if self.chance.random() < 0.5:
                    engine.conflicts.resolve(pair, Place(), keep=self.chance.choice(pair))
                else:
                    engine.conflicts.resolve(pair, Place(), dismiss=True)

    def consolidate(self, machine: Machine) -> None:
        with machine.at_work() as engine:
            engine.consolidate()

    def purge(self, machine: Machine) -> None:
        if memory := self.pick(machine, "active", "archived", "contradicted", "superseded"):
            with machine.at_work() as engine:
                report = engine.upkeep.purge([memory.id])
            self.purged |= set(report.records)

    def tell(self, one: Machine, other: Machine) -> None:
        """One machine hears of another: some of what it said, twice, or not at all."""
        if one is other:
            return
        told = one.send()
        self.sent[one.name] = told
        if self.chance.random() < 0.15:
            return  # Lost on the way; it is sent again some time.
        some = [each for each in told if self.chance.random() < 0.9]
        if self.chance.random() < 0.2:
            some += self.chance.sample(told, len(told) // 2)
        if self.chance.random() < 0.5:
            self.chance.shuffle(some)
        while some:
            size = self.chance.randint(1, len(some))
            if self.chance.random() < 0.1:
                self.cut_off(other, some[:size])
            other.take(some[:size])
            some = some[size:]
        other.check()

    def cut_off(self, machine: Machine, received: list[ReceivedChange]) -> None:
        """A machine stops dead while it takes changes in, somewhere."""
        left = self.chance.randrange(30)
        append = event_log.append_change

        def append_or_stop(*given: Any, **named: Any) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            append(*given, **named)

        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            play_another_process(patch)
            patch.setattr(event_log, "append_change", append_or_stop)
            machine.take(received)

    def meet_all(self) -> None:
        """Tell each other everything until nobody has anything new to say."""
        told: dict[str, list[ReceivedChange]] = {}
        for _ in range(MOST_ROUNDS):
            now = {each.name: each.send() for each in self.machines}
            if now == told:
                return
            told = now
            for machine in self.machines:
                names = [name for name in told if name != machine.name]
                self.chance.shuffle(names)
                for name in names:
                    machine.take(machine.choose_new(told[name]))
        raise AssertionError("they never end telling each other something new")

    def check(self) -> None:
        for machine in self.machines:
            machine.check()
        first, *others = [each.export() for each in self.machines]
        for machine, other in zip(self.machines[1:], others, strict=True):
            assert other.splitlines() == first.splitlines(), machine.name
        told = first
        words = {memory.content for memory in self.machines[0].all()}
        for machine in self.machines:
            assert not [each for each in self.purged if machine.find(each) is not None]
        for content in self.said if not self.purged else ():
            assert content in words or content in told, content


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path


def live(
    monkeypatch: pytest.MonkeyPatch, folder: Path, seed: int, *, machines: int, steps: int
) -> Life:
    world = World(monkeypatch, seed)
    made = [
        Machine(world, folder, f"machine {n}", offset=world.chance.uniform(-30, 30) * DAYS)
        for n in range(machines)
    ]
    life = Life(world, made)
    try:
        life.live(steps)
        life.meet_all()
        life.check()
    finally:
        for each in made:
            each.close()
    return life


@pytest.mark.parametrize("seed", range(3))
def test_machines_that_lived_apart_are_equal_once_they_met(
    monkeypatch: pytest.MonkeyPatch, folder: Path, seed: int
) -> None:
    live(monkeypatch, folder, seed, machines=3, steps=40)


@pytest.mark.proof
def test_sixteen_machines_are_equal_once_they_met(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    record_property: Callable[[str, object], None],
) -> None:
    life = live(monkeypatch, folder, 16, machines=16, steps=300)
    record_property("machines", len(life.machines))
    record_property("operations", len(life.did))


@pytest.mark.proof
def test_many_lives_end_equal(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    record_property: Callable[[str, object], None],
) -> None:
    operations = 0
    for seed in range(100, 130):
        life = live(monkeypatch, folder / str(seed), seed, machines=5, steps=80)
        operations += len(life.did)
    record_property("lives", 30)
    record_property("operations", operations)
