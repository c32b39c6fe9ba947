"""Machines of a test: each a home and a store of its own, with the real command in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

Here = Callable[..., Any]


@dataclass
class Machine:
    """One machine: its settings, its store, and what a person does there."""

    name: str
    root: Path
    here: Here
    monkeypatch: pytest.MonkeyPatch
    settings: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.work.mkdir(parents=True)
        (self.root / "home").mkdir()
        self.configure()

    @property
    def db(self) -> Path:
        """The store."""
        return self.root / "store" / "memory.db"

    @property
    def work(self) -> Path:
        """The folder in which commands run."""
        return self.root / "work"

    def configure(self, **settings: object) -> None:
        """Set settings of the section `sync`."""
        self.settings |= settings
        lines = ["operator:", "  require_terminal: false", "embedding:", "  model: none"]
        if self.settings:
            lines.append("sync:")
            lines += [f"  {key}: {json.dumps(value)}" for key, value in self.settings.items()]
        (self.root / "config.yaml").write_text("\n".join(lines) + "\n")

    def run(self, *words: object, code: int = 0, stdin: str = "") -> Any:
        """Run a command; returns the data of its answer."""
        self.sit_down()
        done = self.here(*words, "--json", stdin=stdin)
        assert done.code == code, f"{words}: {done.code}\n{done.stdout}\n{done.stderr}"
        return done.data

    def say(self, *words: object, code: int = 0, stdin: str = "") -> str:
        """Run a command; returns what it prints for a person."""
        self.sit_down()
        done = self.here(*words, stdin=stdin)
        assert done.code == code, f"{words}: {done.code}\n{done.stdout}\n{done.stderr}"
        return str(done.stdout + done.stderr)

    def sit_down(self) -> None:
        """Let what follows happen at this machine."""
        home = self.root / "home"
        for name, value in {
            "HOME": home,
            "XDG_CONFIG_HOME": home / ".config",
            "XDG_DATA_HOME": home / ".local" / "share",
            "XDG_STATE_HOME": home / ".local" / "state",
            "MEMCTL_CONFIG": self.root / "config.yaml",
            "MEMCTL_DB": self.db,
        }.items():
            self.monkeypatch.setenv(name, str(value))
        self.monkeypatch.chdir(self.work)

    # -- what a person does ------------------------------------------------------------------------

    def write(self, text: str, *more: object) -> str:
        """Write a record that holds everywhere; returns its id."""
        done = self.run("ingest", text, "--global", *more)
        return str(done["items"][0]["record"]["id"])

    def find(self, words: str) -> list[str]:
        """Search, and return the contents that were found."""
        return [each["content"] for each in self.run("search", words)["items"]]

    def show(self, record: str) -> Any:
        """Show one record."""
        return self.run("show", record)

    def begin(self, folder: Path, name: str = "Vera", *more: object) -> Any:
        """Found a group that meets in a folder."""
        return self.run("sync", folder, "--as", name, "--yes", *more)

    def invite(self, *name: object) -> str:
        """Invite somebody, or another machine; returns the code."""
        return str(self.run("sync", "invite", *name)["code"])

    def join(self, folder: Path, code: str) -> Any:
        """Join and sync for the first time."""
        return self.run("sync", "join", folder, code, "--yes")

    def sync(self, code: int = 0) -> Any:
        """Sync with every place."""
        return self.run("sync", code=code)


Make = Callable[[str], Machine]
