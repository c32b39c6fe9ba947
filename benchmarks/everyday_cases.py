"""The everyday commands as `cold.py` times them, on a copy of the store: each run of one that
decides finds something new to decide on. What is made ready before a run is not timed.
"""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

MEMCTL = str(Path(sys.executable).with_name("memctl"))
# Bare starts of processor time within which an everyday command answers.
BOUND = 8.0
# The screen of `memctl review` is there when its last line is.
_REVIEW_IS_THERE = b"approve"
# Words of invented statements: each run writes one that no record says.
_THINGS = "awnings barges cellars domes easels ferries gables hatches inlets jetties".split()
_PLACES = "Aarhus Bergen Cork Delft Evora Faro Ghent Hull Izola Jena Kiel".split()


class Everyday(NamedTuple):
    """One command: its words, which `before` may change before each run, and the bytes at a
    terminal that end it (none: it ends by itself).
    """

    name: str
    words: list[str]
    before: Callable[[], None] = lambda: None
    until: bytes = b""


def settle(folder: Path, db: Path) -> dict[str, str]:
    """Copy the store and say in its settings that no terminal is needed; the variables for it."""
    folder.mkdir()
    copy, settings = folder / "memory.db", folder / "config.yaml"
    shutil.copy(db, copy)
    settings.write_text("operator:\n  require_terminal: false\n", encoding="utf-8")
    return {"HOME": str(folder), "MEMCTL_DB": str(copy), "MEMCTL_CONFIG": str(settings)}


def list_everyday(env: Mapping[str, str], project: str) -> list[Everyday]:
    """The everyday commands, reading ones first."""
    active = _Ids(env, "list", "--project", project, "--limit", "400")
    waiting = _Ids(env, "inbox", "--limit", "400")
    return [
        Everyday("help", [MEMCTL, "help"]),
        Everyday("search", [MEMCTL, "search", "deploy", "port", "--project", project]),
        Everyday("list", [MEMCTL, "list"]),
        Everyday("show", [MEMCTL, "show", active.first]),
        Everyday("status", [MEMCTL, "status"]),
        Everyday("inbox", [MEMCTL, "inbox"]),
        Everyday("ls", [MEMCTL, "ls", f"/projects/{project}"]),
        Everyday("timeline", [MEMCTL, "timeline", project]),
        Everyday("review, first screen", [MEMCTL, "review"], until=_REVIEW_IS_THERE),
        _write("add", ["--project", project]),
        _write("remember", ["--global"]),
        _decide("approve", waiting),
        _decide("reject", waiting),
        _decide("rm", active),
        _undo(env, active),
    ]


class _Ids:
    """Ids that a command lists, each given out once."""

    def __init__(self, env: Mapping[str, str], *words: str) -> None:
        self._left = iter(_find_ids(_ask(env, *words, "--json")))
        self.first = next(self._left)

    def take(self) -> str:
        """Return the next one."""
        return next(self._left)


def _write(name: str, more: list[str]) -> Everyday:
    words = [MEMCTL, name, "", *more]
    said = _invent_statements()

    def change() -> None:
        words[2] = next(said)

    return Everyday(name, words, change)


def _decide(name: str, ids: _Ids) -> Everyday:
    words = [MEMCTL, name, ""]

    def change() -> None:
        words[2] = ids.take()

    return Everyday(name, words, change)


def _undo(env: Mapping[str, str], ids: _Ids) -> Everyday:
    return Everyday("undo", [MEMCTL, "undo"], lambda: _run(env, "rm", ids.take()))


def _invent_statements() -> Iterator[str]:
    for number, (thing, place) in enumerate(itertools.product(_THINGS, _PLACES)):
        yield f"The {thing} of {place} are painted every {number + 2} years"


def _find_ids(answer: Mapping[str, Any]) -> Iterator[str]:
    for item in answer["data"]["items"]:
        record = item.get("record") or item.get("memory") or item
        if "id" in record:
            yield record["id"]


def _ask(env: Mapping[str, str], *words: str) -> dict[str, Any]:
    said = _run(env, *words)
    answer: dict[str, Any] = json.loads(said)
    return answer


def _run(env: Mapping[str, str], *words: str) -> bytes:
    return subprocess.run([MEMCTL, *words], env=dict(env), check=True, capture_output=True).stdout
