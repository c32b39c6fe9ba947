"""An invented inbox of 40 candidates, with the right answer to each: what a person who knows both
projects would say at once.

Good ones, junk, restatements of a record, conflicts with one, some of another project, some without
a project, proposals by an agent. What stands against what is the memory's own finding, not given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memctl import MemoryEngine
from memctl.core.model import OPERATOR_SAID, Actor, Candidate, NewMemory, Span, Transcript
from memctl.maintain import ingestion_jobs
from memctl.readers.base import Input
from memctl.settings import config

HERE, OTHER = "harbor-tides", "kiosk"
# Answers: what a person wants to become of a candidate.
APPROVE, REJECT, MERGE, INSTEAD = "approve", "reject", "merge", "instead"
# Approve it after its scope is made global, or as a decision whose reason has to be typed.
EVERYWHERE, REASON = "everywhere", "reason"
# Approve it once it is said to belong to HERE.
PLACE = "place"


@dataclass(frozen=True)
class Wanted:
    """One candidate: its words, what it is, and the answer that it deserves.

    `because` is the reason that was said with a decision; `reason` the one that has to be typed.
    """

    text: str
    answer: str
    type: str = "project"
    kind: str = "fact"
    scope: str = "project"
    because: str | None = None
    reason: str = ""


def _fact(text: str, answer: str = APPROVE, kind: str = "fact") -> Wanted:
    return Wanted(text, answer, kind=kind)


def _preference(text: str, answer: str = APPROVE) -> Wanted:
    return Wanted(text, answer, "profile", "preference", "global")


def _decision(text: str, because: str | None = None, reason: str = "") -> Wanted:
    return Wanted(
        text, REASON if reason else APPROVE, "decision", "decision", because=because, reason=reason
    )


# Records in force before the review, by project (None: global).
RECORDS: Mapping[str | None, Sequence[str]] = {
    HERE: (
        "Tide data is cached in SQLite for six hours",
        "The public API listens on port 8080",
        "Deploys go out on Thursdays",
        "Water levels are stored in centimetres above chart datum",
        "Run make lint before every push",
    ),
    OTHER: (
        "Ticket prices are kept in whole cents",
        "The kiosk screen times out after 90 seconds",
    ),
    None: ("Answer in British English",),
}

# Sessions in which the candidates were said: their project, and what was said in them.
SESSIONS: Mapping[str, tuple[str | None, Sequence[Wanted]]] = {
    "tide-station": (
        HERE,
        (
            _fact("Station codes are four capital letters"),
            _fact("The gauge at Pier 4 reports every five minutes"),
            _fact("Never write to the gauge table from a request handler", kind="constraint"),
            _decision("We use Valkey for the warning queue", "Redis changed its licence"),
            _fact("The harbour office renews its certificates in March"),
            _fact("ok let's look at the other file first", REJECT),
            _decision("Warnings are sent by SMS only", reason="mail came too late in the storm"),
            _fact("Forecasts come from the hydrographic office as GRIB files"),
            _fact("Cached tide data lives in SQLite, for six hours", MERGE),
            _fact("Deploys go out on Fridays", INSTEAD),
        ),
    ),
    "alerts": (
        HERE,
        (
            _fact("Low water is anything under 40 centimetres"),
            _fact("Alert texts are at most 160 characters", kind="constraint"),
            _fact("Test phones are listed in tests/phones.yaml"),
            _fact("The on-call rota is kept in the ops calendar"),
            _fact("Run make lint ahead of any git push", MERGE, "convention"),
            _fact("The public API listens on port 8081", INSTEAD),
            _fact("let me think about that for a moment", REJECT),
            _fact("We keep levels in centimetres, relative to chart datum", MERGE),
            _preference("Keep commits small, one topic each"),
            _preference("Answer in American English", INSTEAD),
            _decision("The map is drawn with MapLibre", "Leaflet has no vector tiles"),
        ),
    ),
    # What another team wrote was pasted here: nothing of it is about this project.
    "pasted-notes": (
        HERE,
        (
            _fact("The billing team deploys from Jenkins", REJECT),
            _fact("Invoices are written in COBOL", REJECT),
            _fact("The billing database is Oracle 19", REJECT),
            _fact("Refunds need two signatures", REJECT, "constraint"),
            _fact("The ledger closes at 18:00", REJECT),
            _fact("Dunning letters go out on Mondays", REJECT),
        ),
    ),
    "kiosk-screen": (
        OTHER,
        (
            _fact("The kiosk prints on 80 mm paper"),
            _fact("The coin slot takes euros only"),
            _fact("The kiosk screen goes dark after 90 seconds idle", MERGE),
            _fact("Use pnpm in the web folder", EVERYWHERE, "convention"),
            _fact("The lobby kiosk runs Debian 12"),
        ),
    ),
    # Held in a folder that belongs to no project.
    "nowhere": (
        None,
        (
            _fact("The tide gauge firmware is flashed over serial", PLACE),
            _fact("The gauge simulator needs Python 3.11", PLACE),
        ),
    ),
}
# What an agent proposes; it is no fact of its own, so that it waits.
PROPOSED: Sequence[Wanted] = (
    _fact("Run the migrations with make migrate", APPROVE, "convention"),
    _fact("Format Go files before every commit", APPROVE, "convention"),
    _fact("Always ask before you touch the gauge table", REJECT, "constraint"),
    # Of a record of the other project.
    _fact("Prices of tickets are kept in whole cents", MERGE, "convention"),
    _fact("Name migration files by date", APPROVE, "convention"),
    _fact("Skip the slow tests on Fridays", REJECT, "convention"),
)
_BY_TEXT = {each.text: each for _project, said in SESSIONS.values() for each in said} | {
    each.text: each for each in PROPOSED
}


def find_wanted(text: str) -> Wanted:
    """Return a candidate and its right answer by its words."""
    return _BY_TEXT[text]


def find_session(text: str) -> Sequence[Wanted]:
    """Return all candidates that were said in the same session, or proposed by the same agent."""
    said = [said for _project, said in SESSIONS.values()]
    return next((each for each in (*said, PROPOSED) if _BY_TEXT[text] in each), ())


def list_wanted() -> Sequence[Wanted]:
    """Return all candidates."""
    return tuple(_BY_TEXT.values())


def build(folder: Path) -> MemoryEngine:
    """Make the store with its projects, records and candidates; the operator's engine is returned.

    Nothing outside the folder is read or written.
    """
    settings = config.load_config(folder / "memory.db", env={"HOME": str(folder)})
    operator = MemoryEngine(settings, Actor("operator"))
    operator.create_store()
    places = {name: _make_project(folder / name) for name in (HERE, OTHER)}
    for name, texts in RECORDS.items():
        given = {"scope": "global"} if name is None else {"kind": "fact"}
        operator.ingest(
            [
                NewMemory(
                    "profile" if name is None else "project",
                    text,
                    observed_at="2026-01-10T09:00:00Z",
                    **given,
                )
                for text in texts
            ],
            place=None if name is None else operator.place_to_write(places[name]),
        )
    with MemoryEngine(settings, Actor("agent:claude-code")) as agent:
        for session, (name, said) in SESSIONS.items():
            cwd = None if name is None else places[name]
            agent.capture_session(Input(data=_write_session(session, cwd, said)), cwd=cwd)
    known = ingestion_jobs.extract
    try:
        setattr(ingestion_jobs, "extract", _extract)  # noqa: B010 what is proposed is given here
        operator.maintain()
    finally:
        setattr(ingestion_jobs, "extract", known)  # noqa: B010
    with MemoryEngine(settings, Actor("agent:codex")) as agent:
        place = agent.place_to_write(places[HERE])
        agent.ingest([NewMemory(w.type, w.text, kind=w.kind) for w in PROPOSED], place=place)
    return operator


def _make_project(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".memctl.yaml").write_text(f"project: {folder.name}\n")
    return folder


def _write_session(name: str, cwd: Path | None, said: Sequence[Wanted]) -> bytes:
    """Write a session as Claude Code does: each statement, and an answer to it."""
    lines = []
    for number, wanted in enumerate(said):
        words = f"{wanted.text}, because {wanted.because}" if wanted.because else wanted.text
        for role, text in (("user", words), ("assistant", f"Noted. Step {number + 1} is done.")):
            lines.append(_write_line(name, cwd, len(lines) + 1, role, text))
    return b"".join(lines)


def _write_line(session: str, cwd: Path | None, number: int, role: str, text: str) -> bytes:
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    message: dict[str, Any] = {"role": role, "content": content}
    if role == "assistant":
        message |= {"id": f"m{number}", "model": "claude-x"}
    entry = {
        "uuid": f"{session}-{number}",
        "parentUuid": f"{session}-{number - 1}" if number > 1 else None,
        "isSidechain": False,
        "sessionId": session,
        "cwd": None if cwd is None else str(cwd),
        "version": "2.1.0",
        "timestamp": f"2026-03-04T05:{number // 60:02d}:{number % 60:02d}.000Z",
        "type": role,
        "message": message,
    }
    return json.dumps(entry).encode() + b"\n"


def _extract(transcript: Transcript, *_args: Any, **_options: Any) -> list[Candidate]:
    return list(_find_candidates(transcript))


def _find_candidates(transcript: Transcript) -> Iterator[Candidate]:
    for place, turn in enumerate(transcript.turns):
        text = turn.text.partition(", because ")[0]
        if turn.role != "human" or text not in _BY_TEXT:
            continue
        wanted = _BY_TEXT[text]
        yield Candidate(
            wanted.type,  # type: ignore[arg-type]
            wanted.kind,
            wanted.scope,  # type: ignore[arg-type]
            text[:60],
            text,
            text,
            0.9 if wanted.answer in (APPROVE, REASON) else 0.7,
            OPERATOR_SAID,
            (Span(place, 0, len(text), text),),
            rationale=wanted.because,
            rule="invented",
            observed_at=turn.ts,
        )
