"""A house for tests of the hook command: a store, transcripts of every agent, recorded inputs.

`hooks/<agent>/<event>.json` is what the agent writes to the hook's stdin, invented from its
documented contract; `{TRANSCRIPT}`, `{SUBAGENT}` and `{CWD}` stand for paths in the test's house.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memctl.core.model import NewMemory
from memctl.engine.memory_engine import MemoryEngine
from memctl.store import sources

INPUTS = Path(__file__).parent / "inputs"
SESSION = "0b8e7c1a-1111-4222-8333-444455556666"
FACT = "The tide tables are cached in a SQLite file."
PROMPT = "Use pnpm in the harbor project, never npm."
PLACES = {
    "claude-code": f".claude/projects/-w-harbor/{SESSION}.jsonl",
    "codex": f".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{SESSION}.jsonl",
    "gemini-cli": ".gemini/tmp/harbor/chats/session-2026-01-02T03-04-0b8e7c1a.jsonl",
    "cursor": f".cursor/projects/w-harbor/agent-transcripts/{SESSION}/{SESSION}.jsonl",
    "copilot-cli": f".copilot/session-state/{SESSION}/events.jsonl",
    "windsurf": ".codeium/windsurf/transcripts/harbor.jsonl",
}
SUBAGENTS = {
    "claude-code": f".claude/projects/-w-harbor/{SESSION}/subagents/agent-a1b2c3d4.jsonl",
    "codex": (
        ".codex/sessions/2026/01/02/"
        "rollout-2026-01-02T03-04-06-1c9f8d2b-1111-4222-8333-444455556666.jsonl"
    ),
}


@dataclass
class House:
    """A store with one approved fact, a project's folder, and transcripts of every agent."""

    db: Path
    home: Path
    cwd: Path

    def input_of(self, agent: str, event: str) -> dict[str, Any]:
        """A recorded input, with paths that exist here."""
        text = (INPUTS / agent / f"{event}.json").read_text()
        return dict(json.loads(self.filled(text, agent)))

    def filled(self, text: str, agent: str) -> str:
        """The text with paths in the place of their names."""
        for name, path in (
            ("TRANSCRIPT", PLACES.get(agent, "")),
            ("SUBAGENT", SUBAGENTS.get(agent, "")),
        ):
            text = text.replace(f"{{{name}}}", str(self.home / path))
        return text.replace("{CWD}", str(self.cwd))

    def lay_out(self, agent: str) -> Path:
        """Put that agent's transcripts where it keeps them; its main one."""
        if agent == "opencode":
            return self._opencode()
        for name, places in (("transcript", PLACES), ("subagent", SUBAGENTS)):
            if agent in places:
                path = self.home / places[agent]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self.filled((INPUTS / agent / f"{name}.jsonl").read_text(), agent))
        return self.home / PLACES[agent]

    def _opencode(self) -> Path:
        root, ses = self.home / ".local/share/opencode/storage", "ses_0b8e7c1a2f3d4e5f"
        files: dict[str, dict[str, Any]] = {
            f"session/p1/{ses}.json": {
                "id": ses,
                "projectID": "p1",
                "directory": str(self.cwd),
                "title": "Tides",
                "version": "1.1.0",
                "time": {"created": 1767323045000, "updated": 1767323050000},
            },
            f"message/{ses}/msg_01.json": {
                "id": "msg_01",
                "sessionID": ses,
                "role": "user",
                "time": {"created": 1767323046000},
            },
            f"message/{ses}/msg_02.json": {
                "id": "msg_02",
                "sessionID": ses,
                "role": "assistant",
                "time": {"created": 1767323047000},
            },
            "part/msg_01/prt_01.json": {
                "id": "prt_01",
                "messageID": "msg_01",
                "sessionID": ses,
                "type": "text",
                "text": PROMPT,
            },
            "part/msg_02/prt_02.json": {
                "id": "prt_02",
                "messageID": "msg_02",
                "sessionID": ses,
                "type": "text",
                "text": "Done.",
            },
        }
        for name, value in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(json.dumps(value))
        return root / f"session/p1/{ses}.json"

    def fire(self, agent: str, event: str, given: dict[str, Any], **env: str) -> str:
        """Run the real command as the agent would; what it printed."""
        as_argument = [json.dumps(given)] if event == "notify" else []
        command = [
            sys.executable,
            "-c",
            "from memctl.entry import hook; hook()",
            agent,
            event,
            *as_argument,
        ]
        stdin = b"" if as_argument else json.dumps(given).encode()
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            env={**os.environ, **env},
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    def told(self) -> list[tuple[str, str, str | None, int]]:
        """Agent, id, parent and human turns of every session, once all that waits is captured."""
        with MemoryEngine.open(self.db, actor="operator") as engine:
            problems = engine.maintain().problems
            assert problems == (), problems
            db = engine.open_to_read()
            every = [sources.from_row(row) for row in db.all("sources.everything")]
            humans = [
                sum(turn.role == "human" for turn in sources.read_turns(db, source.id))
                for source in every
            ]
        return [
            (one.agent, one.session_id, one.parent_session_id, count)
            for one, count in zip(every, humans, strict=True)
        ]

    @property
    def waiting(self) -> list[Path]:
        """What waits in the spool."""
        return sorted(self.db.parent.rglob("*.json"))

    @property
    def log(self) -> str:
        """What went wrong."""
        path = self.db.parent / "hook.log"
        return path.read_text() if path.exists() else ""


def furnished(db: Path, home: Path, cwd: Path) -> House:
    """A house whose store holds one approved fact."""
    cwd.mkdir()
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.ingest([NewMemory(type="project", kind="fact", content=FACT, scope="global")])
    return House(db, home, cwd)
