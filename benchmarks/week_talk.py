"""What was said in the invented week: `*.talk` files, read into sessions of turns.

A session begins with `# NAME AGENT PROJECT TIME`; its lines are `me: ` (the operator), `ai: ` (the
agent), `$ ` (a command it ran), `| ` (what that printed), `edit: ` (a file it changed) and `compact:`
(the conversation was compacted here). What follows indented by two spaces belongs to the line above.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_MARKS = ("me: ", "ai: ", "$ ", "edit: ", "compact:")


@dataclass
class Deed:
    """Something that an agent said or did: `kind` is ai, $ or edit."""

    kind: str
    text: str
    output: str = ""


@dataclass
class Exchange:
    """What the operator typed, and all that the agent said and did about it."""

    prompt: str
    deeds: list[Deed] = field(default_factory=list)
    after_compaction: bool = False


@dataclass
class WeekSession:
    """One session; `start` is an ISO time in UTC."""

    name: str
    agent: str
    project: str
    start: str
    turns: list[Exchange] = field(default_factory=list)


def read_week(folder: Path) -> list[WeekSession]:
    """All sessions of the files in a folder, in the order of their start."""
    sessions = [each for path in sorted(folder.glob("*.talk")) for each in _read(path)]
    return sorted(sessions, key=lambda each: each.start)


def _read(path: Path) -> Iterator[WeekSession]:
    talk: WeekSession | None = None
    last: Exchange | Deed | None = None
    compacted = False
    for number, line in enumerate(path.read_text("utf-8-sig").splitlines(), 1):
        if line.startswith("# "):
            if talk:
                yield talk
            _, name, agent, project, start = line.split()
            talk, last, compacted = WeekSession(name, agent, project, start), None, False
        elif talk is None or not line.strip():
            if last is not None and talk is not None:
                _extend(last, "")
        elif line.startswith("me: "):
            last = Exchange(line[4:], after_compaction=compacted)
            talk.turns.append(last)
            compacted = False
        elif line.startswith("compact:"):
            compacted = True
        elif line.startswith("| ") or line == "|":
            deed = talk.turns[-1].deeds[-1]
            deed.output = f"{deed.output}\n{line[2:]}".lstrip("\n")
        elif mark := next((each for each in _MARKS if line.startswith(each)), None):
            last = Deed(mark.strip(" :"), line[len(mark) :])
            talk.turns[-1].deeds.append(last)
        elif line.startswith("  ") and last is not None:
            _extend(last, line[2:])
        else:
            raise ValueError(f"{path.name}:{number}: what is this line? {line[:60]}")
    if talk:
        yield talk


def _extend(last: Exchange | Deed, line: str) -> None:
    if isinstance(last, Exchange):
        last.prompt = f"{last.prompt}\n{line}"
    else:
        last.text = f"{last.text}\n{line}"
