"""An agent that reads, beside a bench: its stand-in on the PATH, and how it was started."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from bench import Bench
from odd_model import ask_model

from memctl.core.frozen import replace
from memctl.settings.config import Config

STANDIN = Path(__file__).with_name("agent_standin.py")
PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini-cli": "gemini"}


class AgentStandIn:
    """The stand-ins of the agents in one folder, of which the settings name one."""

    def __init__(self, bench: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bench, self.folder = bench, folder
        self.model = "agent:claude-code"
        folder.mkdir(parents=True)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
        bench.settings(maintain__model_purposes=["extract"], maintain__model_timeout=30)
        self.behaves()

    def installs(self, agent: str) -> Path:
        """Put the stand-in of an agent on the PATH, and read with it."""
        self.model = f"agent:{agent}"
        program = self.folder / PROGRAMS[agent]
        program.write_text(f"#!{sys.executable}\n{STANDIN.read_text()}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    def behaves(self, **how: Any) -> None:
        """From here on every stand-in does this."""
        (self.folder / "behaviour.json").write_text(json.dumps(how))

    def picks(self, *quotes: str, **more: Any) -> None:
        """From here on every stand-in picks out these words, as a fact of the project."""
        items = [
            {"type": "project", "kind": "fact", "content": quote, "quote": quote}
            for quote in quotes
        ]
        self.behaves(answer=json.dumps({"candidates": items}), **more)

    @property
    def started(self) -> list[dict[str, Any]]:
        """How the stand-ins were started, oldest first."""
        path = self.folder / "started.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def config(self) -> Config:
        """The settings of the bench, with the agent."""
        values = {**self.bench.config.values, "maintain.model": self.model}
        return replace(self.bench.config, values=values)

    def run(self) -> dict[str, Any]:
        """One run of what the agent is for."""
        return ask_model(self.bench, self.config)

    def later(self) -> None:
        """Let a day pass: everything that was asked was asked before it."""
        self.bench.db._conn.execute(
            "UPDATE model_calls SET at = strftime('%Y-%m-%dT%H:%M:%fZ', at, '-25 hours')"
        )

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Every question in the store, without marks."""
        every = self.bench.db._conn.execute(
            "SELECT * FROM model_calls WHERE tokens_in IS NOT NULL ORDER BY id"
        )
        return [dict(row) for row in every]
