"""The natural history happens: real commands, run in this process with the clock moved.

In each round, a month after the last, what was typed is said in a session that is captured, what is
a rule or a commit is written down with `ingest`. The operator approves every candidate that states
one of the lines and rejects the others. What capture did not propose is then written down too, so
that what is measured is the reading of what is known, not of sessions; `proposed` counts the rest.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from benchmarks import year_files
from benchmarks.natural_data import ROUNDS, NaturalSlot, SaidLine, lines_of
from benchmarks.year_files import Said
from benchmarks.year_run import Moment, make_project, plain
from benchmarks.year_world import START
from memctl.cli.main import app

_PROJECT = "team"
_DAYS_BETWEEN = 30
_ANSWERS = ("Noted.", "Got it, thanks.", "Okay, I'll keep to that.", "Understood.")
_STATUSES = ("active", "contradicted", "superseded", "archived", "inbox")
# A part of a line that is shorter says nothing by itself.
_LEAST_PART = 12


class NaturalHouse:
    """A home with one project. `said` are the lines so far, `proposed` and `typed` count those of
    sessions; `rejected` are the ids that the operator turned down.
    """

    def __init__(self, home: Path, slots: Sequence[NaturalSlot], moment: Moment, seed: int) -> None:
        self.home, self.slots, self.moment = home.resolve(), slots, moment
        self.draw = random.Random(f"natural {seed}")
        self.said: list[SaidLine] = []
        self.proposed = self.typed = 0
        self.rejected: set[str] = set()
        self.project = self.home / _PROJECT
        make_project(self.project, _PROJECT)
        (self.home / "config.yaml").write_text("operator:\n  require_terminal: false\n")

    @contextmanager
    def entered(self) -> Iterator[None]:
        """The house's environment and folder, for the commands of a while."""
        usual = dict(os.environ)
        kept = {name: value for name, value in usual.items() if name.startswith("MEMCTL_EMBEDDING")}
        os.environ.clear()
        os.environ.update(
            kept,
            PATH=usual.get("PATH", ""),
            HOME=str(self.home),
            MEMCTL_DB=str(self.home / "memory.db"),
            MEMCTL_CONFIG=str(self.home / "config.yaml"),
        )
        try:
            with contextlib.chdir(self.project):
                self.run("init")
                yield
        finally:
            os.environ.clear()
            os.environ.update(usual)

    def rounds(self) -> Iterator[int]:
        """Live the rounds one by one; each is given out after its night and its morning."""
        for round_ in range(1, ROUNDS + 1):
            self.moment.go(_DAYS_BETWEEN * round_, 9)
            lines = lines_of(self.slots, round_)
            self.draw.shuffle(lines)
            typed = [line for line in lines if line.is_typed]
            self.said += lines
            self._hold_session(round_, typed)
            self._write([line for line in lines if not line.is_typed])
            self.run("maintain", "--quiet")
            self.moment.go(_DAYS_BETWEEN * round_ + 1, 9)
            missing = self._decide(typed)
            self.typed += len(typed)
            self.proposed += len(typed) - len(missing)
            self._write(missing)
            self.run("maintain", "--quiet")
            yield round_

    def run(self, *arguments: str) -> str:
        """One command line; what it printed. Raises RuntimeError where it failed."""
        out, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        usual = sys.stdin
        sys.stdin = io.TextIOWrapper(io.BytesIO(), "utf-8")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                code = typer.main.get_command(app).main(list(arguments), standalone_mode=False)
        finally:
            sys.stdin = usual
        printed, complaint = (_read(stream) for stream in (out, errors))
        if code not in (0, 1):
            raise RuntimeError(f"memctl {' '.join(arguments)}: exit {code}: {complaint}{printed}")
        return printed

    def data(self, *arguments: str) -> Any:
        """The data that one command line answers with `--json`."""
        return json.loads(self.run(*arguments, "--json"))["data"]

    def records(self) -> list[Mapping[str, Any]]:
        """Every record but the episodes, whatever its status."""
        wanted = [part for status in _STATUSES for part in ("--status", status)]
        items = self.data("list", "--all", *wanted)["items"]
        return [item for item in items if item["type"] != "episode"]

    def meant(self, item: Mapping[str, Any]) -> list[SaidLine]:
        """What was said in the words of a record: by its own content, else by what it rests on."""
        own = self._stated_in(item["content"])
        return own or [line for each in item["evidence"] for line in self._stated_in(each["quote"])]

    def merged(self, item: Mapping[str, Any]) -> list[SaidLine]:
        """All that a record stands for, the evidence of those merged into it included."""
        texts = [item["content"], *(each["quote"] for each in item["evidence"])]
        return list(dict.fromkeys(line for text in texts for line in self._stated_in(text)))

    def _stated_in(self, text: str) -> list[SaidLine]:
        whole = plain(text)
        return [
            line
            for line in self.said
            if plain(line.text) in whole
            or (len(whole) >= _LEAST_PART and whole in plain(line.text))
        ]

    def _hold_session(self, round_: int, lines: Iterable[SaidLine]) -> None:
        """What was typed, each line answered by the agent with nothing new, and captured."""
        turns: list[Said] = []
        for number, line in enumerate(lines):
            at = year_files.later(START, 60 * (24 * _DAYS_BETWEEN * round_ + 9) + 2 * number)
            turns.append(Said("human", line.text, at))
            turns.append(Said("agent", self.draw.choice(_ANSWERS), year_files.later(at, 1)))
        if turns:
            name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"natural/{round_}"))
            path = year_files.write(self.home, "claude-code", name, self.project, turns)
            self.run("capture-session", str(path), "--agent", "claude-code")

    def _decide(self, typed: Iterable[SaidLine]) -> list[SaidLine]:
        """The operator looks into the inbox; the lines that no candidate states."""
        missing = dict.fromkeys(typed)
        for item in self.data("inbox", "--all")["items"]:
            if self.data("show", item["id"])["status"] != "inbox":
                continue
            stated = [line for line in self.meant(item) if line in missing]
            if stated:
                self.run("inbox", "--approve", item["id"], "--reason", "that is how it is")
            else:
                self.run("inbox", "--reject", item["id"], "--reason", "not worth keeping")
                self.rejected.add(item["id"])
        for item in self.records():
            for line in self.merged(item) if item["status"] != "inbox" else ():
                missing.pop(line, None)
        return list(missing)

    def _write(self, lines: Sequence[SaidLine]) -> None:
        """The operator writes lines down by hand."""
        if lines:
            path = self.home / "lines.jsonl"
            path.write_text("".join(json.dumps({"content": line.text}) + "\n" for line in lines))
            self.run("ingest", "--file", str(path))


def _read(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.detach()
    raw.seek(0)
    return raw.read().decode()
