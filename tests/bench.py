"""A bench for tests of a memory's life: one store, its operator, its agents, invented sessions, and
an extractor that does as told.

`Bench.agent` acts as an agent, `Bench.operator` with the operator's hand. `told` is the extractor:
a human line that begins with `fact `, `prefer ` or `decide ` (`... because ...`) and an assistant's
line that begins with `claim ` each become one candidate.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from memctl.core.frozen import replace
from memctl.core.model import (
    AGENT_CLAIMED,
    OPERATOR_SAID,
    Actor,
    Candidate,
    Filter,
    Memory,
    NewMemory,
    Place,
    Span,
    Transcript,
    Turn,
)
from memctl.engine.memory_engine import MemoryEngine
from memctl.maintain import ingestion_jobs
from memctl.readers.base import Input
from memctl.results.captures import CaptureReport
from memctl.results.maintenance import MaintainReport
from memctl.settings import config
from memctl.settings.config import Config
from memctl.store import event_log, evidence, links, records, sources
from memctl.store.database import Database

SESSION = "5e551011-0000-4000-8000-00000000000a"
LIVING = ("active", "contradicted", "inbox")
FORMS = {
    "fact": ("project", "fact", "project"),
    "prefer": ("profile", "preference", "global"),
    "decide": ("decision", "decision", "project"),
}


def jsonl(*turns: tuple[str, str], session: str = SESSION, cwd: str | None = None) -> bytes:
    """A session in the manner of Claude Code: turns are pairs of `user` or `assistant` and what
    was said.
    """
    return b"".join(
        _line(number, role, text, session, cwd) for number, (role, text) in enumerate(turns, 1)
    )


def _line(number: int, role: str, text: str, session: str, cwd: str | None) -> bytes:
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    message = {
        "role": role,
        "content": content,
        **({"id": f"m{number}", "model": "claude-x"} if role == "assistant" else {}),
    }
    entry = {
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number > 1 else None,
        "isSidechain": False,
        "sessionId": session,
        "cwd": cwd,
        "version": "2.1.0",
        "timestamp": f"2026-03-04T05:06:{number:02d}.000Z",
        "type": role,
        "message": message,
    }
    return (
        json.dumps(
            {key: value for key, value in entry.items() if value is not None or key == "parentUuid"}
        ).encode()
        + b"\n"
    )


def told(transcript: Transcript) -> list[Candidate]:
    """What the turns say in so many words; an episode first when the assistant said anything."""
    found = [
        candidate
        for place, turn in enumerate(transcript.turns)
        if turn.kind == "text"
        for candidate in _told(place, turn)
    ]
    spoken = [place for place, turn in enumerate(transcript.turns) if turn.role == "assistant"]
    return [*(_episode(transcript, spoken) if spoken else []), *found]


def _told(place: int, turn: Turn) -> Iterator[Candidate]:
    start = 0
    for line in turn.text.split("\n"):
        word, _, rest = line.partition(" ")
        if turn.role == "human" and word in FORMS and rest:
            yield _candidate(
                place, start + len(word) + 1, rest, *FORMS[word], OPERATOR_SAID, turn.ts
            )
        if turn.role == "assistant" and word == "claim" and rest:
            yield _candidate(
                place,
                start + len(word) + 1,
                rest,
                "project",
                "fact",
                "project",
                AGENT_CLAIMED,
                turn.ts,
            )
        start += len(line) + 1


def _candidate(
    place: int,
    start: int,
    words: str,
    type_: Any,
    kind: str,
    scope: Any,
    trust: int,
    at: str | None,
) -> Candidate:
    what, _, why = words.partition(" because ")
    span = Span(place, start, start + len(words), words)
    return Candidate(
        type_,
        kind,
        scope,
        what[:40],
        what,
        what,
        0.8,
        trust,
        (span,),
        rationale=why or None,
        rule="told",
        observed_at=at,
    )


def _episode(transcript: Transcript, spoken: list[int]) -> list[Candidate]:
    last = transcript.turns[spoken[-1]]
    span = Span(spoken[-1], 0, len(last.text), last.text)
    content = f"A session of {len(transcript.turns)} turns"
    return [
        Candidate(
            "episode",
            "summary",
            "project",
            content,
            content,
            content,
            0.7,
            AGENT_CLAIMED,
            (span,),
            rule="told",
        )
    ]


class Bench:
    """An empty store and those who work on it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ingestion_jobs, "extract", told)
        self.folder = folder
        self.path = folder / "store" / "memory.db"
        self.config = config.load_config(self.path)
        # Copies of the store would keep what tests of erasing look for.
        self.config = replace(self.config, values={**self.config.values, "backup.every_days": 0})
        self.operator = MemoryEngine(self.config, Actor("operator"))
        self.agent = MemoryEngine(self.config, Actor("agent:claude-code"))
        self.home = folder / "kiln"
        self.home.mkdir()
        self.placed = False
        self.operator.create_store()

    @property
    def db(self) -> Database:
        """The open store."""
        return self.operator.open_to_write()

    def settings(self, **values: Any) -> Config:
        """Other settings for the engines from here on; `__` stands for the dot."""
        changed: Mapping[str, Any] = {
            key.replace("__", "."): value for key, value in values.items()
        }
        self.config = replace(self.config, values={**self.config.values, **changed})
        self.operator.config = self.agent.config = self.config
        return self.config

    def capture(
        self, *turns: tuple[str, str], session: str = SESSION, **given: Any
    ) -> CaptureReport:
        """Capture a session held in the kiln."""
        return self.agent.capture_session(
            Input(data=jsonl(*turns, session=session, cwd=str(self.home))), **given
        )

    def maintain(self, **given: Any) -> MaintainReport:
        """Maintain; a problem fails the test."""
        report = self.operator.maintain(**given)
        assert report.problems == ()
        return report

    def take(self, *turns: tuple[str, str], session: str = SESSION) -> MaintainReport:
        """Capture a session and extract it."""
        self.capture(*turns, session=session)
        return self.maintain()

    def put(
        self, content: str, type_: str = "project", *, by: MemoryEngine | None = None, **given: Any
    ) -> Memory:
        """One record written by hand, by the operator unless said otherwise.

        What an agent says, and everything where `placed` is set, is about the kiln.
        """
        writer = by or self.operator
        is_placed = self.placed or (writer is self.agent and "project" not in given)
        place = self.place if is_placed else None
        item = NewMemory(type_, content, **given)
        return writer.ingest([item], place=place).items[0].record.memory

    @property
    def place(self) -> Place:
        """The kiln, a project; what an agent says of no project waits for the operator."""
        return self.operator.place_to_write(self.home)

    def get(self, memory: Memory | str) -> Memory:
        """A record as it stands now."""
        return records.get_record(self.db, memory if isinstance(memory, str) else memory.id)

    def state(self, memory: Memory | str) -> str:
        """The status of a record now."""
        return self.get(memory).status

    def all(self, *statuses: str, type_: str | None = None) -> list[Memory]:
        """Records of some statuses (or all), oldest first."""
        found = records.select_records(
            self.db, Filter(statuses=statuses, types=(type_,) if type_ else ())
        )
        return sorted(found, key=lambda memory: memory.id)

    def one(self, *statuses: str, type_: str | None = None) -> Memory:
        """The only record of those statuses; episodes do not count unless asked for."""
        found = [
            memory
            for memory in self.all(*statuses, type_=type_)
            if type_ or memory.type != "episode"
        ]
        assert len(found) == 1, [(memory.status, memory.content) for memory in found]
        return found[0]

    def check(self) -> None:
        """Assert what must hold in every store at any time."""
        for memory in self.all():
            proof = evidence.list_of_memory(self.db, memory.id)
            assert memory.trust <= max((item.trust for item in proof), default=0), (
                f"{memory.id} outranks its evidence"
            )
            for item in proof:
                self._check_quote(
                    item.source_id, item.turn, item.span_start, item.span_end, item.quote
                )
            assert event_log.replay_fields(
                self.db, memory.id, "9999"
            ) == records.extract_history_fields(memory), "the stream does not replay to the record"
            self._check_status(memory)
        assert event_log.find_broken_links(self.db) == []

    def _check_quote(
        self,
        source_id: str | None,
        turn: int | None,
        start: int | None,
        end: int | None,
        quote: str,
    ) -> None:
        if source_id is not None:
            assert turn is not None
            assert sources.read_turns(self.db, source_id)[turn].text[start:end] == quote

    def _check_status(self, memory: Memory) -> None:
        touching = links.list_of_memory(self.db, memory.id)
        ends = {
            link.to_id if link.from_id == memory.id else link.from_id
            for link in touching
            if self._is_open(link)
        }
        against = [
            other
            for other in records.list_by_ids(self.db, ends).values()
            if other.status in ("active", "contradicted")
        ]
        replaced = [
            link for link in touching if link.relation == "supersedes" and link.to_id == memory.id
        ]
        if memory.status in ("active", "contradicted"):
            weighty = any(other.trust >= memory.trust for other in against)
            assert memory.status == ("contradicted" if weighty else "active"), (
                f"{memory.content!r} is {memory.status}"
            )
            assert not replaced, f"{memory.content!r} is {memory.status}, but superseded"
            assert memory.type != "decision" or memory.rationale, (
                f"{memory.content!r} has no rationale"
            )
        if memory.status == "superseded":
            assert replaced, f"{memory.content!r} is superseded by nothing"

    @staticmethod
    def _is_open(link: Any) -> bool:
        return link.relation == "contradicts" and link.resolved_at is None
