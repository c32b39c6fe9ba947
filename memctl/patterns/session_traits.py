"""What happened in one session, as far as it can repeat itself in others: steps, ways out of errors, files, what was asked for. Pure.

Keeps true: every trait stands on exact words of a turn; only what was seen to work is a step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from memctl.core.frozen import dataclass, field
from memctl.core.model import Span, Turn
from memctl.patterns.workflow_steps import steps
from memctl.text.normalize import content_words

_FAILED = re.compile(
    r"(?:^|\n)\s{0,8}(?:--- FAIL|FAIL\b|FAILED\b|npm ERR!|panic:|Traceback )|\b[1-9]\d{0,5} (?:failed|failing)\b|command not found"
)
_ERROR = re.compile(
    r"[Ee]rror\b|ERR!|ERR_|[Rr]efused|[Nn]ot found|[Cc]annot|[Cc]ould not|[Dd]enied|[Uu]nable to|[Mm]issing|[Ff]ailed to|ECONN|ENOENT|EADDR"
    r"|EACCES|[Nn]o such|[Ii]s not (?:installed|running)|[Oo]ut of date|[Ee]xpired|[Tt]imed? ?out"
)
_LOCK_FILES = re.compile(
    r"(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|go\.sum|Gemfile\.lock|composer\.lock)$"
)
_EDITS = ("edit", "write")
_FEWEST_WORDS, _LONGEST_ASK, _REACH = 3, 200, 30
_SHORTEST_ERROR, _LONGEST_ERROR, _MOST_READ = 8, 220, 20_000


@dataclass(frozen=True, slots=True)
class Step:
    """A command that worked: its text, where it was typed, and how many turns of the session were before it."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class WayOut:
    """A command that failed with an error, worked later, and what was run in between, with the words of each."""

    command: str
    error: str
    fix: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """One session's traits. `origin` is the same for a session, its forks and its helpers; `at` is when it was, as ISO time."""

    id: str
    origin: str
    at: str
    episode: str
    trust: int
    source: str
    steps: tuple[Step, ...] = ()
    ways_out: tuple[WayOut, ...] = ()
    files: Mapping[str, Span] = field(default_factory=dict)
    ask: Span | None = None
    ask_words: frozenset[str] = frozenset()


def steps_of(turns: Sequence[Turn]) -> tuple[Step, ...]:
    """The commands that worked, in order."""
    results = _results(turns)
    found = []
    for index, turn in enumerate(turns):
        if turn.kind == "tool_call" and turn.data.get("command") and _worked(results.get(index)):
            found += [
                Step(text, Span(index, low, high, text)) for low, high, text in steps(turn.text)
            ]
    return tuple(found)


def ways_out_of(turns: Sequence[Turn]) -> tuple[WayOut, ...]:
    """What was run between a command's failure and its success, where no file was changed in between."""
    results = _results(turns)
    found: list[WayOut] = []
    calls = [i for i, turn in enumerate(turns) if turn.kind == "tool_call"]
    for number, index in enumerate(calls):
        line = _error_line(turns, index, results)
        tried = [text for _, _, text in steps(turns[index].text)] if line is not None else []
        if line is not None and tried:
            found += _way_out(
                turns, calls[number + 1 : number + 1 + _REACH], results, tried[-1], line
            )
    return tuple(found)


def _way_out(
    turns: Sequence[Turn],
    later: Iterable[int],
    results: Mapping[int, Turn],
    command: str,
    line: Span,
) -> list[WayOut]:
    between: dict[str, Span] = {}
    for index in later:
        turn = turns[index]
        if turn.data.get("action") in _EDITS:
            return []
        run = (
            {text: Span(index, low, high, text) for low, high, text in steps(turn.text)}
            if turn.data.get("command")
            else {}
        )
        if not _worked(results.get(index)):
            if command in run:
                return []
            continue
        if command in run:
            names = list(run)
            between |= {text: run[text] for text in names[: names.index(command)]}
            return (
                [WayOut(command, line.quote, tuple(between), (line, *between.values()))]
                if 0 < len(between) <= 2
                else []
            )
        between |= run
    return []


def _error_line(turns: Sequence[Turn], index: int, results: Mapping[int, Turn]) -> Span | None:
    """The line that says why a command failed."""
    result = results.get(index)
    if (
        not turns[index].data.get("command")
        or result is None
        or _worked(result)
        or result.data.get("refused")
    ):
        return None
    low = 0
    for line in result.text[:_MOST_READ].split("\n"):
        text = line.strip()
        if _SHORTEST_ERROR <= len(text) <= _LONGEST_ERROR and _ERROR.search(text):
            start = low + line.index(text)
            return Span(result.seq, start, start + len(text), text)
        low += len(line) + 1
    return None


def files_of(turns: Sequence[Turn], cwd: str | None) -> dict[str, Span]:
    """The files that were changed, relative to the session's folder; what lies outside of it or is only a lock file does not count."""
    found: dict[str, Span] = {}
    for index, turn in enumerate(turns):
        if turn.kind == "tool_call" and turn.data.get("action") in _EDITS:
            for name in turn.data.get("files") or ():
                inside = _inside(str(name), cwd)
                low = turn.text.find(str(name))
                if inside and low >= 0 and not _LOCK_FILES.search(inside):
                    found.setdefault(inside, Span(index, low, low + len(str(name)), str(name)))
    return found


def _inside(name: str, cwd: str | None) -> str | None:
    path = PurePosixPath(name)
    if not path.is_absolute():
        return None if name.startswith("..") else str(path)
    return str(path.relative_to(cwd)) if cwd and path.is_relative_to(cwd) else None


def ask_of(turns: Sequence[Turn], span: Span | None) -> tuple[Span | None, frozenset[str]]:
    """What the session was for, in its opening words by a person, with the stems of what they say; None for what says little."""
    if span is None or turns[span.turn].role != "human" or len(span.quote) > _LONGEST_ASK:
        return None, frozenset()
    words = frozenset(content_words(span.quote))
    return (span, words) if len(words) >= _FEWEST_WORDS else (None, frozenset())


def error_key(line: str) -> str:
    """An error as it is compared: without numbers, addresses and paths, which differ from time to time."""
    bare = re.sub(r"(?:/[\w.@-]+){2,}", "/…", line)
    return " ".join(re.sub(r"0x[0-9a-fA-F]+|\d+(?:[.:]\d+)*", "#", bare).split()).casefold()


def _results(turns: Sequence[Turn]) -> dict[int, Turn]:
    """The result of each call by the call's place."""
    by_id = {turn.call_id: turn for turn in turns if turn.kind == "tool_result" and turn.call_id}
    found = {}
    for index, turn in enumerate(turns):
        if turn.kind == "tool_call":
            following = turns[index + 1] if index + 1 < len(turns) else None
            result = by_id.get(turn.call_id or "") or (
                following if following and following.kind == "tool_result" else None
            )
            if result is not None:
                found[index] = result
    return found


def _worked(result: Turn | None) -> bool:
    if result is None:
        return False
    return (
        result.ok is not False
        and not result.data.get("exit_code")
        and not result.data.get("refused")
        and not _FAILED.search(result.text)
    )
