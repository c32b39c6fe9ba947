"""Asks the real hook and the real `memctl context` as an agent does, each time of a fresh copy of
the store, and reads which records the answer tells.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.served_data import ASKING, START, Prompt
from benchmarks.served_store import World
from memctl.core.model import STATUSES, Filter

ROOT = Path(__file__).resolve().parent.parent
_SHORT_ID = re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{8,24}\b")
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
# A busy machine is no fault of what is told: seconds for one hook, and for the whole process.
_PATIENCE = 50
_TIMEOUT = 60
_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Told:
    """What one answer told: its text, and the whole ids of the records in it."""

    text: str
    ids: tuple[str, ...]


class HookFailed(Exception):
    """A hook wrote into its log, so that its silence means nothing."""


class Asker:
    """Asks of one world; `ids` maps short ids to whole ones."""

    def __init__(self, world: World, jobs: int = 2) -> None:
        self.world = world
        self.jobs = jobs
        with world.engine() as engine:
            self.all_ids = [
                view.memory.id for view in engine.records.list(Filter(statuses=STATUSES)).items
            ]

    def prompts(self, prompts: Sequence[Prompt]) -> list[Told]:
        """The answers of the prompt hook, each prompt in a session of its own."""
        return self._each(lambda prompt: self.session((prompt,))[0], prompts)

    def sessions(self, sessions: Sequence[Sequence[Prompt]]) -> list[list[Told]]:
        """The answers of the hooks in sessions of several prompts."""
        return self._each(self.session, sessions)

    def contexts(self, prompts: Sequence[Prompt]) -> list[Told]:
        """What `memctl context --task` says for the same words."""
        return self._each(self._context, prompts)

    def starts(self, projects: Iterable[str]) -> list[Told]:
        """The answers of the hook at the start of a session in each project."""
        return self._each(
            lambda name: self.session((Prompt(name, "ask", START, frozenset()),))[0],
            list(projects),
        )

    def session(self, prompts: Sequence[Prompt]) -> list[Told]:
        """The answers of the hooks in one session, in order."""
        name = "/".join((prompts[0].project, *(prompt.text for prompt in prompts)))
        session = str(uuid.uuid5(uuid.NAMESPACE_URL, f"asked/{name}"))
        with self._copy() as db:
            answers = [self._hook(db, prompt, session) for prompt in prompts]
            log = db.parent / "hook.log"
            if log.exists():
                raise HookFailed(log.read_text("utf-8").strip().splitlines()[-1])
        return answers

    def _each(self, ask: Callable[[_Item], _Answer], items: Sequence[_Item]) -> list[_Answer]:
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(ask, items))

    @contextmanager
    def _copy(self) -> Iterator[Path]:
        """The path of a copy of the store, for a while: asking leaves no trace."""
        with tempfile.TemporaryDirectory(dir=self.world.home.parent) as folder:
            for part in self.world.db.parent.glob("memory.db*"):
                if part.is_file():
                    shutil.copy(part, Path(folder) / part.name)
            yield Path(folder) / "memory.db"

    def _hook(self, db: Path, prompt: Prompt, session: str) -> Told:
        event = "SessionStart" if prompt.text == START else "UserPromptSubmit"
        said: dict[str, Any] = {
            "session_id": session,
            "transcript_path": str(self.world.home / "none" / f"{session}.jsonl"),
            "cwd": str(self.world.folder(prompt.project)),
            "hook_event_name": event,
        }
        said |= {"source": "startup"} if prompt.text == START else {"prompt": prompt.text}
        answer = self._run(db, prompt.project, ["hook", ASKING, event], json.dumps(said))
        if not answer.strip():
            return Told("", ())
        return self._told(json.loads(answer)["hookSpecificOutput"]["additionalContext"])

    def _context(self, prompt: Prompt) -> Told:
        options = ["--task", prompt.text, "--agent", ASKING, "--json"]
        with self._copy() as db:
            answer = self._run(db, prompt.project, ["context", *options], "")
        return self._told(json.loads(answer)["data"]["text"])

    def _run(self, db: Path, project: str, options: list[str], said: str) -> str:
        env = {name: os.environ[name] for name in _KEPT if name in os.environ}
        env |= {
            "HOME": str(self.world.home),
            "MEMCTL_DB": str(db),
            "MEMCTL_HOOK_DEADLINE_SECONDS": str(_PATIENCE),
            "PYTHONPATH": str(ROOT),
        }
        return subprocess.run(
            [sys.executable, "-m", "memctl", *options],
            input=said,
            env=env,
            cwd=self.world.folder(project),
            capture_output=True,
            text=True,
            check=True,
            timeout=_TIMEOUT,
        ).stdout

    def _told(self, text: str) -> Told:
        found: list[str] = []
        for short in _SHORT_ID.findall(text):
            whole = [name for name in self.all_ids if name.startswith(short)]
            found += [name for name in whole if len(whole) == 1 and name not in found]
        return Told(text, tuple(found))
