"""Capture the sessions that agents left on this machine before memctl was installed, newest first.

Polite and resumable: each session is a capture of its own in one short transaction, nothing is
locked while a file is read, and a captured file is not read again until it changes. A run that ends
at any moment is continued by the next. Nothing is extracted here; maintenance does that.
"""

from __future__ import annotations

import errno
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from memctl.agents import session_locations
from memctl.agents.session_locations import SessionFile
from memctl.capture import known_files, session
from memctl.capture.request import CaptureRequest
from memctl.capture.unread_folders import find_unread
from memctl.core import clock, timestamps
from memctl.core.errors import (
    MemctlError,
    NotFound,
    NothingInIt,
    PackedFormat,
    RefusedByPolicy,
    StoreLocked,
    UnknownFormat,
    UsageError,
)
from memctl.core.frozen import dataclass as frozen
from memctl.core.frozen import replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.records import projects
from memctl.redact.redactor import Redactor, make_redactor
from memctl.redact.sanitize import sanitize_text
from memctl.results.backfill import BackfillAgent, BackfillReport
from memctl.results.captures import CaptureReport
from memctl.settings import config
from memctl.settings.config import Config
from memctl.store import meta
from memctl.store import projects as known_projects
from memctl.store.database import Database

TRIGGER = "backfill"
# What a first estimate assumes; later ones use what earlier runs measured.
USUAL_BYTES_PER_SECOND = 15_000_000
_SPEED_KEY = "backfill_speed"
_MAX_NOTES = 20
# A store that took nothing so many times in a row is left alone; each time waits for the lock.
_MAX_REFUSALS = 3
# Counts of what was read in vain, and of all.
_FRUITLESS = frozenset({"files", "bytes", "empty", "refused", "failed"})
# Where a session says in its first lines which folder it ran in.
_FOLDER = compile_later(
    rb'"(?:cwd|directory|workspace(?:_?path|Folder)?|worktree)"\s*:\s*"((?:[^"\\]|\\.){1,4096})"'
)

Progress = Callable[[int, int], None]
ProjectTest = Callable[[Path], bool]


@frozen(frozen=True, slots=True)
class BackfillOptions:
    """Which past sessions to capture: of these agents (all if empty), changed since (ISO), so many
    files.

    `project` is the name of a known project, or any folder.
    """

    agents: tuple[str, ...] = ()
    since: str | None = None
    project: str | None = None
    limit: int | None = None


@dataclass(slots=True)
class _BackfillRun:
    """What became of the files so far."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    # Known files of each agent from which nothing was captured.
    in_vain: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    bytes_read: int = 0
    sessions: int = 0
    refusals: int = 0
    interrupted: bool = False

    def count(self, agent: str, what: str, number: int = 1) -> None:
        self.counts.setdefault(agent, Counter())[what] += number

    def note(self, text: str) -> None:
        if len(self.notes) < _MAX_NOTES:
            self.notes.append(text)


@dataclass(slots=True)
class _ConversationFilter:
    """Selects conversations of a file where only its reader can tell; counts those it declined."""

    since: str
    in_project: ProjectTest | None
    declined: int = 0

    def __call__(self, transcript: Transcript) -> bool:
        last = transcript.ended_at or transcript.started_at
        folder = Path(transcript.cwd or "")
        asked = not (last and last < self.since) and (
            self.in_project is None or (folder.is_absolute() and self.in_project(folder))
        )
        self.declined += not asked
        return asked


def backfill(
    open_db: session.OpenDatabase,
    settings: Config,
    actor: str,
    wanted: BackfillOptions,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> BackfillReport:
    """Capture what is new among the past sessions.

    `progress` gets how many bytes are done, and of how many. Raises UsageError for an unknown
    agent.
    """
    run, begun = _BackfillRun(), timestamps.parse_iso(clock.now())
    db = open_db()
    in_project = (
        _make_project_test(db, wanted.project, make_redactor(settings))
        if wanted.project is not None
        else None
    )
    files = _select_files(db, wanted, in_project, run)
    speed = float(meta.get_number(db, _SPEED_KEY) or USUAL_BYTES_PER_SECOND)
    if not dry_run:
        take = _FileCapture(open_db, settings, actor, wanted.since or "", in_project, run)
        _capture_files(take, files, progress or (lambda done, total: None))
    _report_unread(wanted.agents or session_locations.AGENTS, run)
    seconds = 0.0 if dry_run else timestamps.parse_iso(clock.now()) - begun
    return _build_report(files, run, seconds, speed, dry_run, make_redactor(settings))


def _make_project_test(db: Database, project: str, redactor: Redactor) -> ProjectTest:
    """Make a test whether a folder belongs to a project, given by name or as a folder.

    Raises NotFound.
    """
    root: Path | None = None
    try:
        known = projects.find_place(db, None, project=project, redactor=redactor).project_id
    except NotFound:
        folder = Path(project)
        around = projects.read_surroundings(folder, redactor) if folder.is_dir() else None
        if around is None:
            raise
        known, root = projects.find_place(db, folder, redactor=redactor).project_id, around.root

    @cache
    def belongs(folder: Path) -> bool:
        around = projects.read_surroundings(folder, redactor)
        if around is None:
            return False
        is_bare = around.git_common_dir is None and around.marker is None
        if root is not None and (around.root == root or (is_bare and root in around.root.parents)):
            return True
        return (
            known is not None
            and projects.find_place(db, folder, redactor=redactor).project_id == known
        )

    return belongs


def _select_files(
    db: Database, wanted: BackfillOptions, in_project: ProjectTest | None, run: _BackfillRun
) -> list[SessionFile]:
    """Select the files to read, newest first.

    Files that were read before and have not changed are only counted.
    """
    since = timestamps.parse_iso(wanted.since) if wanted.since else -math.inf
    files: list[SessionFile] = []
    listed, copies = session_locations.split_copies(_list_session_files(db, wanted.agents, run))
    for found in copies:
        run.count(found.agent, "copies")
    for found in listed:
        if found.changed < since:
            run.count(found.agent, "older")
        elif _is_sub_agent(found):
            run.count(found.agent, "sub_agents")
        elif (known := known_files.find_known(db, found)) is not None:
            run.count(found.agent, "known")
            run.in_vain[found.agent] += known == "in vain"
        elif in_project is not None and not _may_belong(found, in_project):
            run.count(found.agent, "elsewhere")
        else:
            files.append(replace(found, size=known_files.read_file_state(found)[0]))
    files.sort(key=lambda found: (-found.changed, str(found.path)))
    for found in files[: wanted.limit]:
        run.count(found.agent, "files")
        run.count(found.agent, "bytes", found.size)
    for found in files[wanted.limit :] if wanted.limit is not None else []:
        run.count(found.agent, "over_limit")
    return files[: wanted.limit]


def _list_session_files(
    db: Database, agents: Iterable[str], run: _BackfillRun
) -> Iterator[SessionFile]:
    chosen = tuple(agents) or session_locations.AGENTS
    unknown = [agent for agent in chosen if agent not in session_locations.AGENTS]
    if unknown:
        raise UsageError(
            f"no sessions are known of {', '.join(unknown)}",
            hint=f"known are {', '.join(session_locations.AGENTS)}",
        )
    folders = [
        Path(value)
        for project in known_projects.everything(db)
        for kind, value in project.aliases
        if kind == "path"
    ]
    closed: set[Path] = set()
    for agent in dict.fromkeys(chosen):
        yield from session_locations.find_past_sessions(
            agent, config.get_environment(), folders, closed
        )
    for folder in sorted(closed):
        run.note(f"cannot be listed: {folder}")


def _is_sub_agent(found: SessionFile) -> bool:
    """Whether a file tells what one agent asked of another.

    None of it is the operator's word, and the parent session has the outcome.
    """
    return found.path.parent.name == "subagents"


def _may_belong(found: SessionFile, in_project: ProjectTest) -> bool:
    """Whether a session may have run in a folder of the project.

    Its first lines may tell; if not, its reader decides.
    """
    if found.agent == session_locations.LEFT_IN_PLACE:
        return in_project(found.path.parent)
    match = None if found.is_database else _FOLDER.search(_read_head(found.path))
    if match is None:
        return True
    folder = match[1].decode("utf-8", "replace").replace("\\\\", "\\").replace("\\/", "/")
    return Path(folder).is_absolute() and in_project(Path(folder))


def _read_head(path: Path) -> bytes:
    try:
        return Input(path=path).read_head()
    except OSError:
        return b""


@dataclass(slots=True)
class _FileCapture:
    """Captures one file after the other and notes what became of each."""

    open_db: session.OpenDatabase
    settings: Config
    actor: str
    since: str
    in_project: ProjectTest | None
    run: _BackfillRun

    def capture_file(self, found: SessionFile) -> None:
        """Capture one file; whatever becomes of it, the next one follows."""
        run, (_, state) = self.run, known_files.read_file_state(found)
        asked = _ConversationFilter(
            self.since if found.is_database else "",
            None if found.agent == session_locations.LEFT_IN_PLACE else self.in_project,
        )
        try:
            report = session.capture(self.open_db, self.settings, self._build_request(found, asked))
        except NothingInIt:
            run.count(found.agent, "elsewhere" if asked.declined else "empty")
            # A later version may find something in it.
            self._remember(found, known_files.mark_in_vain(state), asked)
        except PackedFormat as error:
            # Once it can be unpacked, it is read.
            _note_refusal(run, found, "refused", error)
        except UnknownFormat as error:
            _note_refusal(run, found, "refused", error)
            self._remember(found, known_files.mark_in_vain(state), asked)
        except RefusedByPolicy as error:
            _note_refusal(run, found, "ignored", error)
        except (MemctlError, OSError) as error:
            run.count(found.agent, "failed")
            run.problems.append(f"{found.path}: {error}")
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                run.refusals = _MAX_REFUSALS
        else:
            _count_report(run, found, report)
            if report.state != "spooled":
                self._remember(found, state, asked)

    def _build_request(self, found: SessionFile, asked: _ConversationFilter) -> CaptureRequest:
        cwd = found.path.parent if found.agent == session_locations.LEFT_IN_PLACE else None
        is_open = not asked.since and asked.in_project is None
        return CaptureRequest(
            Input(path=found.path),
            TRIGGER,
            self.actor,
            agent=found.agent,
            cwd=cwd,
            keeps_unread=False,
            asks_for=None if is_open else asked,
        )

    def _remember(self, found: SessionFile, state: str, asked: _ConversationFilter) -> None:
        """Note that all of a file is in the store.

        Where that cannot be noted, the file is read again next time, which adds nothing.
        """
        if not asked.declined:
            with suppress(StoreLocked):
                db = self.open_db()
                with db.write():
                    meta.put_note(db, known_files.make_note_key(found), state)


def _capture_files(taking: _FileCapture, files: list[SessionFile], progress: Progress) -> None:
    run = taking.run
    total = sum(found.size for found in files)
    begun = timestamps.parse_iso(clock.now())
    progress(0, total)
    try:
        for found in files:
            taking.capture_file(found)
            if run.refusals >= _MAX_REFUSALS:
                run.problems.append(
                    "the store takes nothing now; `memctl backfill` continues from here later"
                )
                break
            run.bytes_read += found.size
            progress(run.bytes_read, total)
    except KeyboardInterrupt:
        run.interrupted = True
    seconds = timestamps.parse_iso(clock.now()) - begun
    if seconds > 1:
        with suppress(StoreLocked):
            db = taking.open_db()
            with db.write():
                meta.put_note(db, _SPEED_KEY, str(round(run.bytes_read / seconds)))


def _count_report(run: _BackfillRun, found: SessionFile, report: CaptureReport) -> None:
    outcomes = Counter(item.outcome for item in report.items)
    run.sessions += sum(outcomes.values()) - outcomes["unchanged"]
    run.refusals = run.refusals + 1 if report.state == "spooled" else 0
    best = next(
        (name for name in ("captured", "rewritten", "grown") if outcomes[name]), report.state
    )
    run.count(found.agent, {"rewritten": "grown"}.get(best, best))


def _note_refusal(run: _BackfillRun, found: SessionFile, what: str, error: MemctlError) -> None:
    run.count(found.agent, what)
    cure = f" ({error.hint})" if isinstance(error, PackedFormat) else ""
    run.note(f"{what}: {found.path}: {error}{cure}")


def _report_unread(agents: Iterable[str], run: _BackfillRun) -> None:
    """Report the agents whose sessions are there, and none was read or left out on purpose."""
    for agent in () if run.interrupted else dict.fromkeys(agents):
        counts = run.counts.get(agent, Counter())
        tried = sum(counts[name] for name in ("empty", "refused", "failed"))
        fruitful = sum(counts[name] for name in counts if name not in _FRUITLESS)
        if fruitful > run.in_vain[agent] or counts["files"] > tried:
            continue
        unread = find_unread(agent, config.get_environment())
        run.problems += [] if unread is None else [unread]


def _build_report(
    files: list[SessionFile],
    run: _BackfillRun,
    seconds: float,
    speed: float,
    dry_run: bool,
    redactor: Redactor,
) -> BackfillReport:
    size = sum(found.size for found in files)
    names = (
        "files",
        "bytes",
        "captured",
        "grown",
        "unchanged",
        "spooled",
        "known",
        "older",
        "elsewhere",
        "sub_agents",
        "over_limit",
        "copies",
        "empty",
        "refused",
        "ignored",
        "failed",
    )
    agents = tuple(
        BackfillAgent(agent, **{name: counts[name] for name in names})
        for agent, counts in sorted(run.counts.items())
    )
    return BackfillReport(
        agents,
        len(files),
        size,
        run.bytes_read,
        run.sessions,
        round(seconds, 1),
        round(size / speed, 1),
        tuple([sanitize_text(note, redactor) for note in run.notes]),
        tuple([sanitize_text(problem, redactor) for problem in run.problems]),
        run.interrupted,
        dry_run,
    )
