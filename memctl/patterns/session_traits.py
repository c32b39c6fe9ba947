"""Read from one session what can recur in others: commands, fixes, files, the request. Pure.

Guarantees: every trait rests on exact words of a turn; only a command that was seen to work counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from memctl.core.frozen import dataclass, field
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Span, Turn
from memctl.patterns.workflow_steps import find_steps
from memctl.text.normalize import list_content_words

_FAILED = compile_later(
    r"(?:^|\n)\s{0,8}(?:--- FAIL|FAIL\b|FAILED\b|npm ERR!|panic:|Traceback )"
    r"|\b[1-9]\d{0,5} (?:failed|failing)\b|command not found"
)
_ERROR = compile_later(
    r"[Ee]rror\b|ERR!|ERR_|[Rr]efused|[Nn]ot found|[Cc]annot|[Cc]ould not|[Dd]enied|[Uu]nable to"
    r"|[Mm]issing|[Ff]ailed to|ECONN|ENOENT|EADDR"
    r"|EACCES|[Nn]o such|[Ii]s not (?:installed|running)|[Oo]ut of date|[Ee]xpired|[Tt]imed? ?out"
)
_LOCK_FILES = compile_later(
    r"(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|Cargo\.lock|poetry\.lock"
    r"|uv\.lock|go\.sum|Gemfile\.lock|composer\.lock)$"
)
_EDITS = ("edit", "write")
# A request has so many telling words at least, and so many characters at most. By hand.
_MIN_WORDS = 3
_MAX_REQUEST_LENGTH = 200
# A fix is looked for among so many calls after the failure. Chosen by hand.
_MAX_CALLS_AFTER = 30
# The length of an error line, and how much of an output is searched for it, in characters. By hand.
_MIN_ERROR_LENGTH = 8
_MAX_ERROR_LENGTH = 220
_MAX_OUTPUT_READ = 20_000


@dataclass(frozen=True, slots=True)
class WorkingCommand:
    """A command that worked: its text, and where it was typed."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class ErrorFix:
    """A command that failed with an error and worked later, and what was run in between.

    `spans` are the words of the error and of each command in between.
    """

    command: str
    error: str
    fix: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class SessionTraits:
    """The traits of one session.

    `origin` is the same for a session, its forks and its sub-agents; `at` is its ISO time; `ask`
    its opening request, and `ask_words` the stems of that.
    """

    id: str
    origin: str
    at: str
    episode: str
    trust: int
    source: str
    steps: tuple[WorkingCommand, ...] = ()
    ways_out: tuple[ErrorFix, ...] = ()
    files: Mapping[str, Span] = field(default_factory=dict)
    ask: Span | None = None
    ask_words: frozenset[str] = frozenset()


def list_working_commands(turns: Sequence[Turn]) -> tuple[WorkingCommand, ...]:
    """The commands that worked, in order."""
    results = _find_results(turns)
    found = []
    for index, turn in enumerate(turns):
        if (
            turn.kind == "tool_call"
            and turn.data.get("command")
            and _has_worked(results.get(index))
        ):
            found += [
                WorkingCommand(text, Span(index, low, high, text))
                for low, high, text in find_steps(turn.text)
            ]
    return tuple(found)


def list_error_fixes(turns: Sequence[Turn]) -> tuple[ErrorFix, ...]:
    """What was run between a command's failure and its success.

    Only where no file was changed in between.
    """
    results = _find_results(turns)
    found: list[ErrorFix] = []
    calls = [i for i, turn in enumerate(turns) if turn.kind == "tool_call"]
    for number, index in enumerate(calls):
        line = _find_error_line(turns, index, results)
        tried = [text for _, _, text in find_steps(turns[index].text)] if line is not None else []
        if line is not None and tried:
            found += _find_fix(
                turns, calls[number + 1 : number + 1 + _MAX_CALLS_AFTER], results, tried[-1], line
            )
    return tuple(found)


def _find_fix(
    turns: Sequence[Turn],
    later: Iterable[int],
    results: Mapping[int, Turn],
    command: str,
    line: Span,
) -> list[ErrorFix]:
    between: dict[str, Span] = {}
    for index in later:
        turn = turns[index]
        if turn.data.get("action") in _EDITS:
            return []
        run = (
            {text: Span(index, low, high, text) for low, high, text in find_steps(turn.text)}
            if turn.data.get("command")
            else {}
        )
        if not _has_worked(results.get(index)):
            if command in run:
                return []
            continue
        if command in run:
            names = list(run)
            between |= {text: run[text] for text in names[: names.index(command)]}
            return (
                [ErrorFix(command, line.quote, tuple(between), (line, *between.values()))]
                if 0 < len(between) <= 2
                else []
            )
        between |= run
    return []


def _find_error_line(turns: Sequence[Turn], index: int, results: Mapping[int, Turn]) -> Span | None:
    """The line that says why a command failed."""
    result = results.get(index)
    if (
        not turns[index].data.get("command")
        or result is None
        or _has_worked(result)
        or result.data.get("refused")
    ):
        return None
    low = 0
    for line in result.text[:_MAX_OUTPUT_READ].split("\n"):
        text = line.strip()
        if _MIN_ERROR_LENGTH <= len(text) <= _MAX_ERROR_LENGTH and _ERROR.search(text):
            start = low + line.index(text)
            return Span(result.seq, start, start + len(text), text)
        low += len(line) + 1
    return None


def list_changed_files(turns: Sequence[Turn], cwd: str | None) -> dict[str, Span]:
    """The changed files, relative to the session's folder.

    Files outside of it and lock files do not count.
    """
    found: dict[str, Span] = {}
    for index, turn in enumerate(turns):
        if turn.kind == "tool_call" and turn.data.get("action") in _EDITS:
            for name in turn.data.get("files") or ():
                inside = _make_relative(str(name), cwd)
                low = turn.text.find(str(name))
                if inside and low >= 0 and not _LOCK_FILES.search(inside):
                    found.setdefault(inside, Span(index, low, low + len(str(name)), str(name)))
    return found


def _make_relative(name: str, cwd: str | None) -> str | None:
    path = PurePosixPath(name)
    if not path.is_absolute():
        return None if name.startswith("..") else str(path)
    return str(path.relative_to(cwd)) if cwd and path.is_relative_to(cwd) else None


def find_request(turns: Sequence[Turn], span: Span | None) -> tuple[Span | None, frozenset[str]]:
    """The request a session began with, if a person made it, and the stems of its words.

    (None, frozenset()) for one that says little.
    """
    if span is None or turns[span.turn].role != "human" or len(span.quote) > _MAX_REQUEST_LENGTH:
        return None, frozenset()
    words = frozenset(list_content_words(span.quote))
    return (span, words) if len(words) >= _MIN_WORDS else (None, frozenset())


def normalise_error(line: str) -> str:
    """An error as it is compared: without numbers, addresses and paths, which vary."""
    bare = re.sub(r"(?:/[\w.@-]+){2,}", "/…", line)
    return " ".join(re.sub(r"0x[0-9a-fA-F]+|\d+(?:[.:]\d+)*", "#", bare).split()).casefold()


def _find_results(turns: Sequence[Turn]) -> dict[int, Turn]:
    """The result turn of each call, by the index of the call."""
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


def _has_worked(result: Turn | None) -> bool:
    if result is None:
        return False
    return (
        result.ok is not False
        and not result.data.get("exit_code")
        and not result.data.get("refused")
        and not _FAILED.search(result.text)
    )
