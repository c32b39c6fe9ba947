"""Backfill: the sessions that agents left on this machine before memctl was here, taken in one by one, newest first.

Polite and resumable: each session is a capture of its own in one short transaction, nothing is locked while a file is read, and a file
that was taken in is not read again until it changes. A run that ends at any moment, however it ends, goes on where it was. Nothing is
extracted; that is for maintenance.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memctl import capture, clock, config, homes, projects, readers
from memctl.config import Config
from memctl.data import dataclass as frozen
from memctl.db import Db
from memctl.errors import MemctlError, NothingInIt, RefusedByPolicy, UnknownFormat, UsageError
from memctl.homes import Found
from memctl.readers.base import Input
from memctl.results import BackfillAgent, BackfillReport, CaptureReport
from memctl.store import meta
from memctl.store import projects as known_projects

TRIGGER = "backfill"
# What a first estimate assumes; later ones use what earlier runs measured.
USUAL_BYTES_A_SECOND = 15_000_000
_SPEED = "backfill_speed"
_MOST_NOTES = 20
# Where a session says in its first lines which folder it ran in.
_FOLDER = re.compile(rb'"(?:cwd|directory|workspace(?:_?path|Folder)?|worktree)"\s*:\s*"((?:[^"\\]|\\.){1,4096})"')

Progress = Callable[[int, int], None]


@frozen(frozen=True, slots=True)
class Wanted:
    """Which past sessions to take in: of these agents (all if empty), changed since (ISO), of one project, at most so many files."""

    agents: tuple[str, ...] = ()
    since: str | None = None
    project: str | None = None
    limit: int | None = None


@dataclass(slots=True)
class _Run:
    """What became of the files so far."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    bytes_read: int = 0
    sessions: int = 0
    interrupted: bool = False

    def count(self, agent: str, what: str, number: int = 1) -> None:
        self.counts.setdefault(agent, Counter())[what] += number


def backfill(
    open_db: capture.OpenDb, settings: Config, actor: str, wanted: Wanted, *, dry_run: bool = False, progress: Progress | None = None
) -> BackfillReport:
    """Take in what is new among the past sessions; `progress` is told of bytes done and in all. Raises UsageError for an unknown agent."""
    run, begun = _Run(), clock.parse(clock.now())
    db = open_db()
    files = _plan(db, wanted, run)
    speed = float(meta.get(db, _SPEED) or USUAL_BYTES_A_SECOND)
    if not dry_run:
        _work_off(open_db, settings, actor, files, run, progress or (lambda done, total: None))
    seconds = 0.0 if dry_run else clock.parse(clock.now()) - begun
    return _report(files, run, seconds, speed, dry_run)


def _plan(db: Db, wanted: Wanted, run: _Run) -> list[Found]:
    """The files to read, newest first; those that were read before and have not changed are only counted."""
    since = clock.parse(wanted.since) if wanted.since else 0.0
    project = projects.place(db, None, project=wanted.project).project_id if wanted.project else None
    files: list[Found] = []
    for found in _all_found(db, wanted.agents):
        if found.changed < since:
            run.count(found.agent, "older")
        elif _is_sub_agent(found):
            run.count(found.agent, "sub_agents")
        elif _is_known(db, found):
            run.count(found.agent, "known")
        elif project is not None and not _belongs(db, found, project):
            run.count(found.agent, "elsewhere")
        else:
            files.append(found)
    files.sort(key=lambda found: (-found.changed, str(found.path)))
    for found in files[: wanted.limit]:
        run.count(found.agent, "files")
        run.count(found.agent, "bytes", found.size)
    for found in files[wanted.limit :] if wanted.limit is not None else []:
        run.count(found.agent, "over_limit")
    return files[: wanted.limit]


def _all_found(db: Db, agents: Iterable[str]) -> Iterator[Found]:
    chosen = tuple(agents) or homes.AGENTS
    unknown = [agent for agent in chosen if agent not in homes.AGENTS]
    if unknown:
        raise UsageError(f"no sessions are known of {', '.join(unknown)}", hint=f"known are {', '.join(homes.AGENTS)}")
    folders = [Path(value) for project in known_projects.everything(db) for kind, value in project.aliases if kind == "path"]
    for agent in dict.fromkeys(chosen):
        yield from homes.past(agent, config.environ(), folders)


def _is_sub_agent(found: Found) -> bool:
    """Whether a file tells what one agent asked of another: none of it is the operator's word, and the parent has the outcome."""
    return "subagents" in found.path.parts


def _belongs(db: Db, found: Found, project: str) -> bool:
    """Whether a session says that it ran in a folder of the project; a database is asked session by session and counts as elsewhere."""
    match = None if found.is_database else _FOLDER.search(_head(found.path))
    if match is None:
        return False
    folder = match[1].decode("utf-8", "replace").replace("\\\\", "\\").replace("\\/", "/")
    return Path(folder).is_absolute() and projects.place(db, Path(folder)).project_id == project


def _head(path: Path) -> bytes:
    try:
        return Input(path=path).head()
    except OSError:
        return b""


def _work_off(open_db: capture.OpenDb, settings: Config, actor: str, files: list[Found], run: _Run, progress: Progress) -> None:
    total, begun = sum(found.size for found in files), clock.parse(clock.now())
    progress(0, total)
    try:
        for found in files:
            _take(open_db, settings, actor, found, run)
            run.bytes_read += found.size
            progress(run.bytes_read, total)
    except KeyboardInterrupt:
        run.interrupted = True
    seconds = clock.parse(clock.now()) - begun
    if seconds > 1:
        db = open_db()
        with db.write():
            meta.put(db, _SPEED, str(round(run.bytes_read / seconds)))


def _take(open_db: capture.OpenDb, settings: Config, actor: str, found: Found, run: _Run) -> None:
    """Take in one file; whatever it is, the next one follows."""
    state = _state(found)
    request = capture.Request(Input(path=found.path), TRIGGER, actor, agent=found.agent, keeps_unread=False)
    try:
        report = capture.capture(open_db, settings, request)
    except NothingInIt:
        _remember(open_db(), found, state)
        run.count(found.agent, "empty")
    except UnknownFormat as error:
        _note(run, found, "refused", error)
    except RefusedByPolicy as error:
        _note(run, found, "ignored", error)
    except (MemctlError, OSError) as error:
        run.count(found.agent, "failed")
        run.problems.append(f"{found.path}: {error}")
    else:
        _count(run, found, report)
        if report.state != "spooled":
            _remember(open_db(), found, state)


def _count(run: _Run, found: Found, report: CaptureReport) -> None:
    outcomes = Counter(item.outcome for item in report.items)
    run.sessions += sum(outcomes.values()) - outcomes["unchanged"]
    best = next((name for name in ("captured", "rewritten", "grown") if outcomes[name]), report.state)
    run.count(found.agent, {"rewritten": "grown"}.get(best, best))


def _note(run: _Run, found: Found, what: str, error: MemctlError) -> None:
    run.count(found.agent, what)
    if len(run.notes) < _MOST_NOTES:
        run.notes.append(f"{what}: {found.path}: {error}")


def _mark(found: Found) -> str:
    return "backfill:" + hashlib.sha256(os.fsencode(found.path)).hexdigest()[:24]


def _state(found: Found) -> str:
    """Size and time of all files that a session is made of, the log of a database included."""
    parts = [*readers.parts_of(found.path), *([found.path.with_name(found.path.name + "-wal")] if found.is_database else [])]
    said = hashlib.sha256()
    for part in parts:
        try:
            seen = part.stat()
        except OSError:
            continue
        said.update(f"{part.name} {seen.st_size} {seen.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return said.hexdigest()[:24]


def _is_known(db: Db, found: Found) -> bool:
    return meta.get(db, _mark(found)) == _state(found)


def _remember(db: Db, found: Found, state: str) -> None:
    with db.write():
        meta.put(db, _mark(found), state)


def _report(files: list[Found], run: _Run, seconds: float, speed: float, dry_run: bool) -> BackfillReport:
    size = sum(found.size for found in files)
    names = ("files", "bytes", "captured", "grown", "unchanged", "spooled", "known", "older", "elsewhere", "sub_agents", "over_limit",
             "empty", "refused", "ignored", "failed")  # fmt: skip
    agents = tuple(BackfillAgent(agent, **{name: counts[name] for name in names}) for agent, counts in sorted(run.counts.items()))
    return BackfillReport(
        agents, len(files), size, run.bytes_read, run.sessions, round(seconds, 1), round(size / speed, 1), tuple(run.notes),
        tuple(run.problems), run.interrupted, dry_run,
    )  # fmt: skip
