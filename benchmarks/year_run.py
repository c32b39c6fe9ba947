"""The year happens: sessions are written as transcripts and captured, every night is maintained,
the operator looks into the inbox.

The clock of memctl is moved; everything else is the real engine on a real store in a temporary
home. The operator approves what is true on the day he looks, and rejects what is not or never was;
85 in 100 candidates he looks at within a week, the others within a month. He is no machine: one
true candidate in twenty he overlooks for good, and one in twenty that is no longer true he approves.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import year_files as files
from benchmarks import year_words as words
from benchmarks.year_facts import PROJECTS, SLOTS, Slot
from benchmarks.year_files import Said
from benchmarks.year_world import START, Fact, Key, Session, Stated, World, filled, worded
from memctl import MemoryEngine
from memctl.core import clock, timestamps
from memctl.core.model import Actor, Evidence, Filter, Memory
from memctl.results.records import RecordView
from memctl.results.retrieval import ContextReport
from memctl.settings import config

_WEEK = 7
# The share of true candidates that the operator never sees, and of outdated ones that he approves.
_OVERLOOKED = 0.05
_APPROVED_WRONGLY = 0.05
# The kind of a retirement that is no fault of the memory's.
SLIPPED = "by what the operator approved wrongly"
_GONE = ("superseded", "archived")


class Moment:
    """The clock that memctl asks: it stands still but for a millisecond at each question."""

    def __init__(self) -> None:
        self._now = timestamps.parse_iso(START)

    def time(self) -> float:
        """Unix seconds, in the place of `time.time`."""
        self._now += 0.001
        return self._now

    def __getattr__(self, name: str) -> Any:
        """How long things take, and waiting, is no matter of the calendar."""
        return getattr(time, name)

    def go(self, day: int, hour: float = 0.0) -> None:
        """Move on to an hour of a day; never back."""
        self._now = max(self._now, timestamps.parse_iso(START) + 86400 * day + 3600 * hour)


@contextmanager
def moved() -> Iterator[Moment]:
    """memctl's clock in our hand for a while."""
    moment, usual = Moment(), clock.time
    clock.time = moment  # type: ignore[assignment]
    try:
        yield moment
    finally:
        clock.time = usual


@dataclass
class Night:
    """What one night cost and brought."""

    day: int
    seconds: float
    proposed: int
    duplicates: int
    problems: tuple[str, ...] = ()


class Retired(NamedTuple):
    """A record that was taken out of service though what it states held: on which day, how, its
    words and those of what took its place, and the reason that was given.
    """

    day: int
    kind: str
    text: str
    by: str
    reason: str


@dataclass
class Life:
    """A home with a store and three projects, and all that was said there so far. `errs`: whether
    the operator overlooks and approves wrongly at times.
    """

    home: Path
    world: World
    moment: Moment
    errs: bool = True
    said: dict[str, list[Stated]] = field(default_factory=lambda: defaultdict(list))
    turns: dict[int, list[Said]] = field(default_factory=dict)
    told: dict[int, list[Stated]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    nights: list[Night] = field(default_factory=list)
    review: dict[str, int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    inbox_weeks: Counter[int] = field(default_factory=Counter)
    overlooked: set[str] = field(default_factory=set)
    wrongly_approved: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    wrongly_retired: list[Retired] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.db = self.home / "memory.db"
        self.draw = random.Random(f"life {self.world.seed}/{self.world.family}")
        with self.engine() as engine:
            engine.create_store()
        for number in range(len(PROJECTS)):
            make_project(self.folder(number), PROJECTS[number])

    def moment_of(self, day: int) -> str:
        """Noon of a day."""
        return timestamps.add_seconds(START, seconds=86400 * (day + 0.5))

    def folder(self, project: int) -> Path:
        """Where a project is."""
        return self.home / "work" / PROJECTS[project]

    def engine(self, actor: str = "operator") -> MemoryEngine:
        """memctl as somebody there has it."""
        settings = config.load_config(self.db, env={"HOME": str(self.home), **_embedding()})
        return MemoryEngine(settings, Actor(actor))

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Note how long something takes."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.spent[what] += time.perf_counter() - started

    def day_of(self, session: Session) -> None:
        """One session from its first prompt to its capture."""
        self.moment.go(session.day, session.hour)
        talk = Talk(self, session)
        talk.happen()
        name, parent = self.name_of(session)
        path = files.write(
            self.home, session.agent, name, self.folder(session.project), talk.turns, parent
        )
        self.turns[session.number], self.told[session.number] = talk.turns, talk.told
        self.moment.go(session.day, session.hour + 1.5)
        with self.engine(f"agent:{session.agent}") as engine, self.timed("capture"):
            report = engine.capture_session(path, agent=session.agent)
        for item in report.items:
            self.said[item.source_id] += talk.told

    def name_of(self, session: Session) -> tuple[str, str | None]:
        """The session's id, and its parent's if it is a fork: Codex forks, the others go on in the
        same file.
        """
        if session.number not in self.names:
            own = files.session_id(self.world.seed, session.number)
            before = self.names.get(session.resumes) if session.resumes is not None else None
            self.names[session.number] = before if before and session.agent != "codex" else own
        parent = (
            self.names.get(session.resumes)
            if session.resumes is not None and session.agent == "codex"
            else None
        )
        return self.names[session.number], parent

    def night(self, day: int) -> None:
        """Maintenance, at three in the night that follows."""
        self.moment.go(day, 27)
        started = time.perf_counter()
        with self.engine() as engine, self.timed("maintain"):
            report = engine.maintain()
        self.nights.append(
            Night(
                day,
                time.perf_counter() - started,
                report.proposed,
                report.duplicates,
                tuple(report.problems),
            )
        )

    def look(self, day: int, *, at_all: bool = False) -> None:
        """The operator looks at those candidates whose turn it is, or at all that wait."""
        self.moment.go(day, 32)
        with self.engine() as engine, self.timed("inbox"):
            waiting = list(engine.inbox.list(limit=-1).items)
            for view in waiting:
                if view.memory.id not in self.review:
                    self.review[view.memory.id] = day + self._patience()
                    self.inbox_weeks[day // _WEEK] += 1
            due = [
                view
                for view in waiting
                if view.memory.id not in self.overlooked
                and (at_all or self.review[view.memory.id] <= day)
            ]
            for view in due:
                self._decide(engine, view.memory.id, day)
            self._note_retired(engine, day)

    def _patience(self) -> int:
        return (
            self.draw.randint(0, _WEEK - 1)
            if self.draw.random() < 0.85
            else self.draw.randint(_WEEK, 4 * _WEEK)
        )

    def _decide(self, engine: MemoryEngine, record_id: str, day: int) -> None:
        """Approve what is true, reject what is not; what an approval a moment ago took along is
        left alone.
        """
        view = engine.records.show(record_id)
        if view.memory.status != "inbox":
            return
        verdict = self.verdict(view, day)
        slip = self._draw_slip(view.memory.content)
        if verdict == "true" and slip < _OVERLOOKED:
            self.overlooked.add(record_id)
            self.counts["overlooked"] += 1
            return
        if verdict == "no longer true" and slip < _APPROVED_WRONGLY:
            self.wrongly_approved.add(record_id)
            self.counts["approved wrongly"] += 1
            verdict = "true"
        if verdict == "true":
            done = engine.promote([record_id])
            if done.refused:
                done = engine.promote([record_id], reason="that is how we do it")
            self.counts["approved" if not done.refused else "refused"] += 1
        else:
            engine.inbox.reject([record_id], reason=verdict)
            self.rejected.add(record_id)
            self.counts[f"rejected: {verdict}"] += 1

    def _draw_slip(self, content: str) -> float:
        """A number from 0 to 1, the same for the same words: small ones are slips."""
        draw = random.Random(f"slip {self.world.seed} {plain(content)}")
        return draw.random() if self.errs else 1.0

    def _note_retired(self, engine: MemoryEngine, day: int) -> None:
        """Look at each record that went out of service since the last look."""
        for listed in engine.records.list(Filter(statuses=_GONE)).items:
            record = listed.memory.id
            turned_down = self.rejected | self.overlooked
            if record in self.gone | turned_down or listed.memory.type == "episode":
                continue
            self.gone.add(record)
            view = engine.records.show(record)
            pairs = self.pairs(view)
            if not pairs or any(value != self.current(key, day) for key, value in pairs):
                continue
            links = [
                link
                for link in view.links
                if link.relation == "supersedes" and link.to_id == record
            ]
            newer = [engine.records.show(link.from_id) for link in links]
            if not any(self._says_the_same(view, other) for other in newer):
                reason = "; ".join(link.reason or "" for link in links)
                self.wrongly_retired.append(self._retired(view, newer, reason, day))

    def _says_the_same(self, view: RecordView, other: RecordView) -> bool:
        """Whether one record states a value that another does, for all projects or for the same."""
        mine, theirs = self.pairs(view), self.pairs(other)
        if other.memory.scope != "global":
            return bool(mine & theirs)
        names = {(key[1], value) for key, value in theirs if key}
        return any(key and (key[1], value) in names for key, value in mine)

    def _retired(
        self, view: RecordView, newer: Sequence[RecordView], reason: str, day: int
    ) -> Retired:
        keys = {key for key, _ in self.pairs(view)}
        if not newer:
            kind = f"{view.memory.status}: {view.memory.status_reason or 'without a reason'}"
        elif any(other.memory.id in self.wrongly_approved for other in newer):
            kind = SLIPPED
        elif any(keys & {key for key, _ in self.pairs(other)} for other in newer):
            kind = "by what no longer holds"
        elif all(other.memory.scope == "global" for other in newer):
            kind = "by another fact, for all projects"
        elif any(self.pairs(other) for other in newer):
            kind = "by another fact"
        else:
            kind = "by what says no fact"
        texts = " + ".join(other.memory.content for other in newer)
        return Retired(day, kind, view.memory.content, texts, reason)

    def pairs(self, view: RecordView) -> set[tuple[Key | None, str]]:
        """The facts and values that a record states."""
        told = self.meant(view.memory, view.evidence)
        return {(one.key, one.value) for one in told if one.is_fact}

    def verdict(self, view: RecordView, day: int) -> str:
        """What the operator thinks of a candidate."""
        told = [one for one in self.meant(view.memory, view.evidence) if one.is_fact]
        if not told:
            return "not worth keeping"
        return (
            "true"
            if all(one.value == self.current(one.key, day) for one in told)
            else "no longer true"
        )

    def current(self, key: Key | None, day: int) -> str | None:
        """What holds on a day."""
        return self.world.facts[key].at(day) if key in self.world.facts else None

    def meant(self, memory: Memory, proof: Iterable[Evidence]) -> list[Stated]:
        """What was said in the words of a record: by its own content, else by what it rests on."""
        spoken = [one for item in proof for one in self._spoken(item)]
        own = [
            one
            for one in spoken
            if plain(one.text) in plain(memory.content) or plain(memory.content) in plain(one.text)
        ]
        return list(dict.fromkeys(own or spoken))

    def _spoken(self, item: Evidence) -> list[Stated]:
        quote = plain(item.quote)
        here = self.said.get(item.source_id or "", [])
        return [one for one in here if plain(one.text) in quote or quote in plain(one.text)]


class Talk:
    """One session while it goes on."""

    def __init__(self, life: Life, session: Session) -> None:
        self.life, self.session = life, session
        self.draw = random.Random(f"talk {life.world.seed}/{life.world.family}/{session.number}")
        self.turns: list[Said] = (
            list(life.turns.get(session.resumes, ())) if session.resumes is not None else []
        )
        self.told: list[Stated] = (
            list(life.told.get(session.resumes, ())) if session.resumes is not None else []
        )
        self.family = life.world.family
        self.minute = 0.0
        self.given: list[RecordView] = []

    def happen(self) -> None:
        """From the context at the start to the agent's summary at the end."""
        self._served()
        says = list(self.session.says)
        for stated in says or [None]:  # type: ignore[list-item]
            self._exchange(stated)
        self._agent_acts()
        self._noise()
        self._summary()

    def say(self, who: str, text: str, *stated: Stated) -> None:
        """One message, and what it says."""
        self.minute += self.draw.uniform(0.3, 3)
        at = files.later(START, (self.session.day * 24 + self.session.hour) * 60 + self.minute)
        self.turns.append(Said(who, text, at))
        self.told += stated

    def _served(self) -> None:
        """What memctl gives the agent at the start; not every agent has the hook."""
        life, name = self.life, self.life.name_of(self.session)[0]
        with life.engine(f"agent:{self.session.agent}") as engine, life.timed("context"):
            place = (
                engine.place(
                    life.folder(self.session.project), agent=self.session.agent, session=name
                )
                if life.db.exists()
                else None
            )
            if place is None:
                return
            report = engine.context_for(place=place, session_start=True)
            self.given = shown(engine, report)
        if report.text:
            self.say("given", report.text)

    def _exchange(self, stated: Stated | None) -> None:
        """A task, and what the operator has to say with it: before it, after it, or in answer to
        the agent.
        """
        task = self.draw.choice(words.TASKS[self.family])
        if stated is None:
            self.say("human", task)
        elif stated.form == "correct":
            self.say("human", task)
            self._claim(stated.key, self._old(stated))
            self.say("human", stated.text, stated)
        else:
            self.say("human", self._put(task, stated.text), stated)
        self.say(
            "agent",
            self.draw.choice(
                ("On it.", "I'll have a look.", "Understood, I'm changing that.", "Let me check.")
            ),
        )
        self._tool()

    def _put(self, task: str, text: str) -> str:
        joined = text if text[-1] in ".!?" else text + "."
        return self.draw.choice(
            (text, f"{task} {text}", f"{task}\n\n{text}", f"{joined} {task}", f"{joined}\n{task}")
        )

    def _old(self, stated: Stated) -> str:
        """A value that does not hold any more."""
        fact = self.life.world.facts[stated.key]  # type: ignore[index]
        others = [
            reign.value
            for reign in fact.reigns
            if reign.value != stated.value and reign.day <= self.session.day
        ]
        return others[-1] if others else stated.value

    def _claim(self, key: Key | None, value: str) -> None:
        """The agent says a value."""
        slot = _slot(key)
        if slot is not None:
            text = filled(
                self.draw, self.draw.choice(words.CLAIMS[self.family]), self.family, slot, value
            )
            self.say("agent", text, Stated(text, key, value, "claim"))

    def _tool(self) -> None:
        """A tool prints something old."""
        fact = self._any_fact()
        if fact is not None and fact.slot is not None and self.draw.random() < 0.4:
            value = self.draw.choice(fact.slot.pool(self.session.project))
            text = filled(
                self.draw,
                self.draw.choice(words.TOOL_OUTPUT[self.family]),
                self.family,
                fact.slot,
                value,
            )
            self.say(
                "tool",
                text,
                *(
                    Stated(line, fact.key, value, "tool")
                    for line in text.splitlines()
                    if value in line
                ),
            )

    def _any_fact(self) -> Fact | None:
        known = [
            fact
            for fact in self.life.world.of_project(self.session.project)
            if fact.slot and fact.at(self.session.day)
        ]
        return self.draw.choice(known) if known else None

    def _agent_acts(self) -> None:
        """The agent goes by what it was given, else by what it finds; the operator mostly notices
        when that is out of date.
        """
        for _ in range(2):
            fact = self._any_fact()
            if fact is None or fact.slot is None:
                continue
            value, now = self._believed(fact), fact.at(self.session.day) or ""
            self._claim(fact.key, value)
            if value != now and self.draw.random() < 0.7:
                stated = worded(self.draw, self.family, fact.slot, fact.key, "correct", now, value)
                self.say("human", stated.text, stated)
                self.life.counts["corrections of agents"] += 1

    def _believed(self, fact: Fact) -> str:
        for view in self.given:
            for one in self.life.meant(view.memory, view.evidence):
                if one.key == fact.key:
                    return one.value
        return self.draw.choice(
            [reign.value for reign in fact.reigns if reign.day <= self.session.day]
        )

    def _noise(self) -> None:
        """Small talk, what is only thought aloud, what holds once, what somebody else wrote."""
        for _ in range(self.draw.randint(1, 3)):
            self.say("human", self.draw.choice(words.CHATTER[self.family]))
            self.say("agent", self.draw.choice(("Done.", "Sure.", "The change is in.")))
        for form, texts, share in (
            ("hypothetical", words.HYPOTHETICAL, 0.3),
            ("one-off", words.ONE_OFF, 0.2),
            ("pasted", words.PASTED, 0.1),
        ):
            fact = self._any_fact()
            if fact is not None and fact.slot is not None and self.draw.random() < share:
                value = self.draw.choice(fact.slot.pool(self.session.project))
                text = filled(
                    self.draw,
                    self.draw.choice(texts[self.family]),
                    self.family,
                    fact.slot,
                    value,
                    fact.at(self.session.day) or "",
                )
                self.say("human", text, Stated(text, fact.key, value, form))
                self.say("agent", "I see.")

    def _summary(self) -> None:
        """One agent ends every session with what it holds for the key facts: junk, stale things,
        and what it was given.
        """
        if self.session.agent != "codex" and self.draw.random() > 0.2:
            self.say("agent", "Done.")
            return
        lines = [
            Stated(text, None, "", "junk") for text in self.draw.sample(words.JUNK[self.family], 3)
        ]
        for fact in filter(None, (self._any_fact(), self._any_fact())):
            assert fact.slot is not None
            value = self.draw.choice(
                [reign.value for reign in fact.reigns if reign.day <= self.session.day]
            )
            text = filled(
                self.draw,
                self.draw.choice(words.CLAIMS[self.family]),
                self.family,
                fact.slot,
                value,
            )
            lines.append(Stated(text, fact.key, value, "claim"))
        for view in self.draw.sample(self.given, min(2, len(self.given))):
            known = self.life.meant(view.memory, view.evidence)
            lines.append(
                Stated(
                    view.memory.content,
                    known[0].key if known else None,
                    known[0].value if known else "",
                    "echo",
                )
            )
        text = words.SUMMARIES[self.family].format(
            lines="\n".join(f"- {one.text}" for one in lines)
        )
        self.say("agent", text, *lines)


def days(life: Life, until: int | None = None) -> Iterator[int]:
    """Let the days pass one by one; each is given out in the morning after its night."""
    by_day: dict[int, list[Session]] = defaultdict(list)
    for session in life.world.sessions:
        by_day[session.day].append(session)
    for day in range(life.world.days if until is None else until):
        for session in by_day[day]:
            life.day_of(session)
        if by_day[day]:
            life.night(day)
        if life.db.exists():
            life.look(day)
        yield day


def shown(engine: MemoryEngine, report: ContextReport) -> list[RecordView]:
    """The records of a context, episodes left out: those tell what happened."""
    views = [engine.records.show(item.id) for section in report.sections for item in section.items]
    return [view for view in views if view.memory.type != "episode"]


def active(engine: MemoryEngine) -> Sequence[RecordView]:
    """Every record in force but the episodes."""
    found = engine.records.list(Filter(statuses=("active", "contradicted"))).items
    return [engine.records.show(view.memory.id) for view in found if view.memory.type != "episode"]


def plain(text: str) -> str:
    """Words alone: no capitals, no points at the ends."""
    return " ".join(text.lower().replace("’", "'").strip(" .!:;").split())


def _slot(key: Key | None) -> Slot | None:
    return next((slot for slot in SLOTS if key and slot.name == key[1]), None)


def _embedding() -> dict[str, str]:
    return {
        name: value
        for name, value in config.get_environment().items()
        if name.startswith("MEMCTL_EMBEDDING_")
    }


def make_project(folder: Path, name: str) -> None:
    """A real repository without a commit, with a remote of its own."""
    folder.mkdir(parents=True)
    for args in (("init", "-q"), ("remote", "add", "origin", f"git@git.example:acme/{name}.git")):
        subprocess.run(
            ["git", *args],
            cwd=folder,
            check=True,
            env={"HOME": str(folder), "PATH": "/usr/bin:/bin:/usr/local/bin"},
        )
