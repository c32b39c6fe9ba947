"""The only place that prints: a result as text or as the versioned envelope, an error as either.

Standard output carries the payload and nothing else. No dangerous character of a stored text reaches a terminal (see `safe`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from memctl.cli import outcome, terminal_safety
from memctl.cli.cli_results import Raw
from memctl.results.json_data import jsonable
from memctl.results.retrieval import ContextReport
from memctl.settings import config

ENVELOPE = 1
# A terminal that says it is narrower than this does not know its width.
_NARROWEST = 40


def show(command: str, data: Any, *, as_json: bool, verbose: bool = False) -> None:
    """Print a result; `verbose` text has what only the curious want."""
    if as_json:
        code = outcome.exit_code(data)
        _write(
            sys.stdout,
            envelope(command, "problems" if code else "ok", jsonable(data), outcome.problems(data)),
        )
    elif isinstance(data, Raw):
        _write(
            sys.stdout,
            data.text
            if not sys.stdout.isatty()
            else _joined(data.text.split("\n")).removesuffix("\n"),
        )
    else:
        from memctl.cli.text import records

        whole = records.lines(data, verbose=verbose)
        # A context is a file for an agent, also where a person looks at it.
        _write(
            sys.stdout,
            _joined(whole) if isinstance(data, ContextReport) else _fitted(whole, sys.stdout),
        )


def fail(command: str, problem: outcome.Problem, *, as_json: bool) -> None:
    """Print an error: the envelope on standard output, or a line and its hint on standard error."""
    if as_json:
        # Where not even the error finds room, the exit code says it.
        with suppress(OSError):
            _write(sys.stdout, envelope(command, "error", None, [problem]))
        return
    said = [f"memctl: {problem['message']}", *([f"  {problem['hint']}"] if problem["hint"] else [])]
    _write(sys.stderr, _fitted((piece for part in said for piece in part.split("\n")), sys.stderr))


def say(lines: Iterable[str]) -> None:
    """Tell the person at the terminal something that is not the answer."""
    _write(sys.stderr, _fitted(lines, sys.stderr))


def envelope(command: str, status: str, data: Any, errors: list[outcome.Problem]) -> str:
    """One JSON object on one line, the same shape for every command and every outcome."""
    whole = {
        "memctl": ENVELOPE,
        "command": command,
        "status": status,
        "data": data,
        "errors": errors,
    }
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    return (
        terminal_safety.json_text(json.dumps(whole, ensure_ascii=plain, separators=(", ", ": ")))
        + "\n"
    )


@contextmanager
def working(
    what: str, counted: str = "", *, in_bytes: bool = False
) -> Iterator[Callable[[int, int], None]]:
    """A sign of life on standard error while a slow command runs, and a bar for what is counted; only where a person sees it."""
    if not sys.stderr.isatty() or config.environ().get("TERM") == "dumb":
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(
        stderr=True, markup=False, highlight=False, no_color=bool(config.environ().get("NO_COLOR"))
    )
    columns = (
        BarColumn(),
        DownloadColumn() if in_bytes else MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        TextColumn("{task.description}"), *columns, console=console, transient=True
    ) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(
            task, completed=done, total=total, description=counted or what
        )


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{terminal_safety.line(line)}\n" for line in lines)


def _fitted(lines: Iterable[str], stream: TextIO) -> str:
    """Lines as they fit a terminal: what is too long goes on below, as far in as it began. A pipe gets them whole."""
    width = _width(stream)
    clean = [terminal_safety.line(line) for line in lines]
    if width is None or all(len(line) < width for line in clean):
        return "".join(f"{line}\n" for line in clean)
    return "".join(f"{_wrapped(line, width - 1)}\n" for line in clean)


def _wrapped(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    from textwrap import fill

    indent = line[: len(line) - len(line.lstrip())] or "    "
    return fill(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _width(stream: TextIO) -> int | None:
    """How many columns there are; None where nobody looks, or where they are too few to be true."""
    if not stream.isatty():
        return None
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return None
    return columns if columns >= _NARROWEST else None


def _write(stream: TextIO, text: str) -> None:
    try:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
        stream.write(text)
        stream.flush()
    except OSError as error:
        # What is left in the buffer must not raise again when the error is told or Python closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        # Whoever reads may have had enough, and words on standard error are no answer; but an answer that found no room is a failure.
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            raise
