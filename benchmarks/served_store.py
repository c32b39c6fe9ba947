"""A store that holds what `served_data` says, made in the ways in which memory comes about: the
operator states, agents propose and claim, sessions are captured, the operator approves, rejects,
corrects, pins and forgets, and `maintain` runs.
"""

from __future__ import annotations

import json
import subprocess
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.served_data import ASKING, EVERYWHERE, PERSON, Data, Record
from memctl import MemoryEngine, NewMemory
from memctl.core.model import Actor, EntityRef
from memctl.settings import config

_EXPIRED_ON = "2026-03-01"
_SAID_AT = "2026-05-04T09:{:02d}:00.000Z"
_WHY = (" because ", " weil ", "; ", ", ")
_OPENINGS = (
    ("Have a look at the last commit, is it clean?", "It is: one file, with a test beside it."),
    ("Merge the branch of yesterday.", "Merged without conflicts and the branch is removed."),
    ("Sort the entries of the changelog.", "Sorted, the newest is on top."),
    ("Rename the helper in that file, please.", "Renamed in its four callers as well."),
    ("Why is the linter red?", "An import was never used; it is gone and the linter is green."),
    ("Explain what this function returns.", "A pair: the value that it found, and where."),
)
_TYPES = {"decision": "decision", "episode": "episode"}
_PROPOSED = frozenset({"undecided", "rejected", "approved"})


@dataclass
class World:
    """A home with projects and the store; `ids` are the records of each key there."""

    home: Path
    data: Data
    ids: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    mishaps: list[str] = field(default_factory=list)

    @property
    def db(self) -> Path:
        """The store."""
        return self.home / "store" / "memory.db"

    def folder(self, project: str) -> Path:
        """Where a project is; a person's and everybody's records are written in the home."""
        known = self.data.projects.get(project)
        return self.home / "work" / known.folder if known else self.home

    def engine(self, actor: str = "operator") -> MemoryEngine:
        """memctl as somebody there has it."""
        return MemoryEngine(config.load_config(self.db, env={"HOME": str(self.home)}), Actor(actor))

    def note(self, key: str, record_id: str) -> None:
        """Remember which record a key became."""
        self.ids.setdefault(key, record_id)
        self.keys[record_id] = key


def build(home: Path, data: Data) -> World:
    """Make the home, the projects and the store, and fill it."""
    world = World(home, data)
    world.db.parent.mkdir(parents=True)
    _make_projects(world)
    later = {record.other for record in data.records.values() if record.state == "superseded"}
    said = [record for record in data.records.values() if record.state.startswith("said-")]
    _hear(world, said)
    for project in (*data.projects, PERSON, EVERYWHERE):
        mine = [
            record
            for record in data.records.values()
            if record.project == project and record.key not in later and record not in said
        ]
        _write(world, project, mine)
    _supersede(world)
    _treat(world)
    with world.engine() as engine:
        report = engine.maintain()
        world.mishaps += [f"maintain: {problem}" for problem in report.problems]
    _check(world)
    return world


def _make_projects(world: World) -> None:
    with world.engine() as engine:
        engine.init()
        for project in world.data.projects:
            folder = world.folder(project)
            folder.mkdir(parents=True)
            subprocess.run(["git", "init", "-q", str(folder)], check=True)
            engine.init(project=folder)
        for project in world.data.projects.values():
            for other in project.linked:
                if other < project.name:
                    continue
                engine.projects.link(project.folder, world.data.projects[other].folder)


def _hear(world: World, said: Iterable[Record]) -> None:
    """One session for each statement; then the operator looks at what was proposed of it."""
    sources: dict[str, Record] = {}
    for number, record in enumerate(said):
        path = world.home / "sessions" / f"{_session(record.key)}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(_transcript(record, world.folder(record.project), number), "utf-8")
        with world.engine(f"agent:{ASKING}") as engine:
            report = engine.capture_session(path, agent=ASKING)
        sources.update({item.source_id: record for item in report.items if item.source_id})
    with world.engine() as engine:
        engine.maintain()
        for view in engine.inbox.list(limit=-1).items:
            heard = {
                sources[part.source_id].key for part in view.evidence if part.source_id in sources
            }
            for key in sorted(heard):
                world.note(key, view.memory.id)
        for record in said:
            found = [name for name, key in world.keys.items() if key == record.key]
            if record.state == "said-rejected" and found:
                engine.inbox.reject(found, reason="not what we want")
            if record.state == "said-approved" and found:
                engine.inbox.decide(approve=found, reason="agreed")
    silent = [record for record in said if record.key not in world.ids]
    approved = [record for record in silent if record.state == "said-approved"]
    for project in sorted({record.project for record in approved}):
        _write(world, project, [record for record in approved if record.project == project])
    world.mishaps += [f"{record.key}: said, and not proposed" for record in silent]


def _write(world: World, project: str, records: Iterable[Record]) -> None:
    """State records: the operator's by the operator, proposals and claims by an agent."""
    by: dict[str, list[Record]] = {}
    for record in records:
        by.setdefault(_writer(record), []).append(record)
    for actor, mine in by.items():
        with world.engine(actor) as engine:
            agent = actor.removeprefix("agent:") if actor != "operator" else None
            place = engine.place(world.folder(project), agent=agent)
            report = engine.ingest([_new(record) for record in mine], place=place)
            views = [item.record for item in report.items]
        for record, view in zip(mine, views, strict=True):
            world.note(record.key, view.memory.id)
    with world.engine() as engine:
        for actor, mine in by.items():
            ids = [world.ids[record.key] for record in mine]
            if actor == "operator":
                waiting = [name for name in ids if _status(engine, name) == "inbox"]
                engine.promote(waiting, reason="agreed in the team") if waiting else None


def _supersede(world: World) -> None:
    with world.engine() as engine:
        for record in world.data.records.values():
            if record.state != "superseded":
                continue
            new = world.data.records[record.other]
            report = engine.records.correct(
                world.ids[record.key], new.text, reason="changed", rationale=_reason(new)
            )
            made = next(
                view.memory for view in report.changed if view.memory.id != world.ids[record.key]
            )
            world.note(new.key, made.id)
            engine.records.edit(made.id, {"title": new.title or new.text[:80], "kind": new.kind})
            if _status(engine, made.id) == "inbox":
                engine.promote([made.id], reason="agreed in the team")


def _treat(world: World) -> None:
    """What the operator does with records: approve, reject, forget, pin, mark contradictions."""
    groups: dict[str, list[str]] = {}
    for record in world.data.records.values():
        groups.setdefault(record.state, []).append(world.ids.get(record.key, ""))
    with world.engine() as engine:
        for state, treat in (
            ("approved", lambda ids: engine.inbox.decide(approve=ids, reason="agreed")),
            ("rejected", lambda ids: engine.inbox.reject(ids, reason="no")),
            ("archived", lambda ids: engine.forget(ids, reason="no longer so")),
            ("pinned", engine.records.pin),
        ):
            if state in groups:
                treat(groups[state])
        for name, alias in world.data.aliases:
            engine.entities.alias(name, alias)
        for record in world.data.records.values():
            if record.state == "contradicted":
                a, b = world.ids[record.other], world.ids[record.key]
                if not engine.records.show(a).contradicted_by:
                    engine.records.link(a, "contradicts", b)


def _check(world: World) -> None:
    """Note each record that did not become what it was to be."""
    wanted = {
        "undecided": "inbox",
        "said-undecided": "inbox",
        "rejected": "archived",
        "said-rejected": "archived",
        "archived": "archived",
        "superseded": "superseded",
        "contradicted": "contradicted",
    }
    paired = {
        record.other for record in world.data.records.values() if record.state == "contradicted"
    }
    with world.engine() as engine:
        for record in world.data.records.values():
            if record.key not in world.ids:
                continue
            state = "contradicted" if record.key in paired else wanted.get(record.state, "active")
            found = _status(engine, world.ids[record.key])
            if found != state and not (record.state == "expired" and found == "archived"):
                world.mishaps.append(f"{record.key}: {found} instead of {state}")


def _status(engine: MemoryEngine, record_id: str) -> str:
    return str(engine.records.show(record_id).memory.status)


def _writer(record: Record) -> str:
    if record.state in _PROPOSED or record.state == "claimed":
        return f"agent:{ASKING}"
    return f"agent:{record.other}" if record.state == "private" else "operator"


def _new(record: Record) -> NewMemory:
    everywhere = record.project in (PERSON, EVERYWHERE)
    usual = "profile" if record.project == PERSON else "project"
    type_ = _TYPES.get(record.kind, usual)
    scope = "agent" if record.state == "private" else "global" if everywhere else "project"
    kinds: tuple[Any, ...] = tuple(entity.partition(":") for entity in record.entities)
    return NewMemory(
        type=type_,
        kind=record.kind,
        scope=scope,
        content=record.text,
        title=record.title or None,
        rationale=_reason(record),
        always_load=record.state == "always",
        valid_until=_EXPIRED_ON if record.state == "expired" else None,
        entities=tuple(EntityRef(kind, name) for kind, _, name in kinds),
    )


def _reason(record: Record) -> str | None:
    """Why a decision was made, as its own words say; without such words, the statement itself."""
    if record.kind != "decision" or record.project in (PERSON, EVERYWHERE):
        return None
    return next(
        (record.text.split(word, 1)[1].strip() for word in _WHY if word in record.text), record.text
    )


def _session(key: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"served/{key}"))


def _transcript(record: Record, folder: Path, number: int) -> str:
    """A short session of Claude Code in which the person says it."""
    asked, answered = _OPENINGS[number % len(_OPENINGS)]
    turns = (
        ("user", asked),
        ("assistant", answered),
        ("user", record.text),
        ("assistant", "Understood."),
    )
    lines = []
    for place, (role, text) in enumerate(turns):
        content: Any = text if role == "user" else [{"type": "text", "text": text}]
        message = {"role": role, "content": content}
        if role == "assistant":
            message |= {"id": f"msg-{place}", "model": "claude-x"}
        lines.append(
            {
                "uuid": f"{_session(record.key)}-{place}",
                "parentUuid": f"{_session(record.key)}-{place - 1}" if place else None,
                "isSidechain": False,
                "sessionId": _session(record.key),
                "cwd": str(folder),
                "version": "2.1.0",
                "timestamp": _SAID_AT.format((number * 4 + place) % 60),
                "type": role,
                "message": message,
            }
        )
    return "".join(json.dumps(line) + "\n" for line in lines)
