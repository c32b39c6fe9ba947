"""A store, a folder of notes made from it, and the real command, in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import here, operator  # noqa: F401

Here = Callable[..., Any]


@dataclass
class Vault:
    """A folder of notes, and what a person does with it."""

    here: Here
    root: Path
    options: tuple[object, ...] = ()

    def sync(self, code: int = 0) -> dict[str, list[dict[str, Any]]]:
        """Run `memctl vault sync`; returns the changes by what became of the note."""
        return self._run("sync", code)

    def status(self) -> dict[str, list[dict[str, Any]]]:
        """Run `memctl vault status`, the same way."""
        return self._run("status", None)

    def _run(self, action: str, code: int | None) -> dict[str, list[dict[str, Any]]]:
        done = self.here("vault", action, self.root, "--json", *self.options)
        assert code is None or done.code == code, done.stdout + done.stderr
        found: dict[str, list[dict[str, Any]]] = {}
        for each in done.data["changes"]:
            found.setdefault(each["what"], []).append(each)
        found["broken"] = done.data["broken"]
        found["problems"] = done.data["problems"]
        return found

    def note(self, record: str) -> Path:
        """The note of a record."""
        (found,) = [
            path
            for path in self.root.rglob("*.md")
            if f'id: "{record}"' in path.read_text(errors="replace").split("\n---\n")[0]
        ]
        return found

    def write(self, text: str, *more: object) -> str:
        """Write a record by the command; returns its id."""
        done = self.here("ingest", text, *more, "--json", *self.options)
        assert done.code == 0, done.stderr
        return str(done.data["items"][0]["record"]["id"])

    def show(self, record: str) -> Any:
        """What `memctl show` says of a record."""
        return self.here("show", record, "--json", *self.options).data

    def edit(self, record: str, old: str, new: str) -> None:
        """Change words of a note, as an editor does."""
        path = self.note(record)
        text = path.read_text()
        front, mark, body = text.partition("\n---\n\n")
        assert old in text
        if old in body:
            body = body.replace(old, new, 1)
        else:
            front = front.replace(old, new, 1)
        path.write_text(front + mark + body)

    def read_all(self) -> dict[str, bytes]:
        """Every file of the folder."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def vault(here: Here, operator: None, tmp_path: Path) -> Vault:  # noqa: F811
    """An empty folder of notes."""
    assert here("init").code == 0
    made = Vault(here, tmp_path / "notes")
    assert here("vault", "init", made.root).code == 0
    return made
